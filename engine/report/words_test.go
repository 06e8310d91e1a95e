package report

import (
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/resource"
	"isadiff/engine/why"
)

// Whatever a surface shows of a kernel, a cell or a whole answer is explained, however
// it is typed.
func TestWords(t *testing.T) {
	shown := []string{
		"EDITED SINCE", "NO BASELINE", "PENDING", "COMPILING", "ONLY IN BEFORE", "ONLY IN AFTER", "BLOCKED", "n/a", "?", "at least", "at most", "waves",
		"accepted", "tolerated", "budget", "overwritten", "probably renamed", "pair", "same instructions", "cannot be launched", "gone", "polling", "at-least", "Not-Trustworthy",
	}
	for s := live.Unchanged; s <= live.Untrustworthy; s++ {
		shown = append(shown, s.String())
	}
	for _, v := range []diff.Verdict{diff.OK, diff.Regression, diff.NotTrustworthy} {
		shown = append(shown, v.String())
	}
	for _, word := range classWord {
		shown = append(shown, word)
	}
	for _, op := range []why.Op{why.Same, why.Renamed, why.Changed, why.Moved, why.Removed, why.Added} {
		shown = append(shown, string(op))
	}
	for _, m := range resource.Metrics {
		shown = append(shown, m.Key, strings.ToUpper(m.Key))
	}
	for m := range resource.Metric(resource.NumMetrics) {
		shown = append(shown, m.Short(), m.Long())
	}
	shown = slices.Concat(shown, whyHead, whereHead, []string{
		"the same", "in other registers", "changed", "moved", "gone", "new", // of WhyTally
		"peak", "allocated", "assembly line", "no debug locations", "(no source line)", "spill code", "reloads", "loop", "an iteration", "near", "AGPR", "Metadata-Cut", "regression", "improved", "configuration", "cannot-be-launched",
	})
	for _, word := range shown {
		if text, known := Explain(word); !known || !strings.Contains(string(text), "\n\n") {
			t.Errorf("%q is not explained: %q", word, text)
		}
	}
	seen := map[string]bool{}
	for _, w := range Words {
		if seen[w.Name] || w.Title == "" || !strings.HasSuffix(w.Explain, ".") {
			t.Errorf("%+v", w)
		}
		seen[w.Name] = true
	}
	for typed, word := range otherWords {
		if !seen[word] {
			t.Errorf("%q stands for %q, which is none", typed, word)
		}
	}
	if _, known := Explain("frobnicate"); known {
		t.Error("anything is known")
	}
}
