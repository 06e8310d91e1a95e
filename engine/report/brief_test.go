package report_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/where"
	"isadiff/testdata"
)

func TestBriefGolden(t *testing.T) {
	all := cases(t)
	golden(t, "allowed.brief", render(t, "brief", all["allowed"]))
	golden(t, "trusted.brief", render(t, "brief", all["trusted"]))
	golden(t, "why.brief", report.BriefWhy(whyResult(t), report.Options{}).Text(report.Style{}))
	s := everything().After
	golden(t, "summary.brief", report.BriefSide(s, rules(t).Side(s), at).Text(report.Style{}))
}

// checkBrief holds the text and the figures of a brief against the result.
func checkBrief(t *testing.T, r *diff.Result, got string) {
	t.Helper()
	if !strings.HasPrefix(got, r.Verdict.String()+": ") || !strings.Contains(got, "\n"+report.Tally(r)+"\n") {
		t.Errorf("the brief lacks the verdict or the counts:\n%s", got)
	}
	b := report.BriefDiff(r, at)
	if b.ExitCode != r.Verdict.ExitCode() || b.Verdict != r.Verdict.String() {
		t.Errorf("%s and %d, want %s", b.Verdict, b.ExitCode, r.Verdict)
	}
	changed, problems := len(b.Kernels), 0
	for _, p := range b.Problems {
		problems += p.Count
	}
	worse := 0
	for _, k := range b.Kernels {
		if k.Standing == "worse" {
			worse++
		}
	}
	for _, n := range b.LeftOut {
		switch {
		case n.What == "problem":
			problems += n.Count
		case strings.HasSuffix(n.What, "kernel"):
			if changed += n.Count; n.What == "worse kernel" {
				worse += n.Count
			}
		}
	}
	if problems != len(r.Problems) || worse != failing(r) {
		t.Errorf("%d problems and %d worse kernels, want %d and %d", problems, worse, len(r.Problems), failing(r))
	}
	if r.Budgets == 0 && changed != r.Changed { // of those that break a budget some did not change
		t.Errorf("%d kernels listed or counted, want %d", changed, r.Changed)
	}
	if data, err := json.Marshal(b); err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%s: %v", data, err)
	}
}

// huge is a comparison of which every part is too long.
func huge() *diff.Result {
	var before, after []*resource.Record
	long := strings.Repeat("a_name_that_goes_on_", 30)
	for i := range 500 {
		key := fmt.Sprintf("%s/%d::%s%d", long, i, long, i)
		before = append(before, kernel(key, figures{resource.VGPR: 10, resource.VGPRSpill: 9, resource.SGPR: 4, resource.ScratchBytes: 4, resource.LDSStaticBytes: 4}))
		after = append(after, kernel(key, figures{resource.VGPR: int64(10 + i%7), resource.VGPRSpill: 9 + int64(i%3), resource.SGPR: 99, resource.ScratchBytes: 444, resource.LDSStaticBytes: 8}))
	}
	r := diff.Compare(side(long+"b", before...), side(long+"a", after...), diff.Options{})
	for i := range 300 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is old %d", long, i))
	}
	return r
}

// However much there is, text is short, and whatever is not in it is counted.
func TestBriefIsShort(t *testing.T) {
	r := huge()
	doubtful := *r
	for i, info := range problem.Table { // of every code some, each with a mend of its own
		for j := range 3 {
			doubtful.Problems = append(doubtful.Problems, problem.New(info.Code, "%s", strings.Repeat("x", 500)).Mended("mend %d %d %s", i, j, strings.Repeat("y", 500)))
		}
	}
	doubtful.Verdict = diff.NotTrustworthy
	w := &where.Result{Origin: "dumps"}
	for range 100 {
		w.Kernels = append(w.Kernels, where.Kernel{Key: "k::k", File: "k.s"})
	}
	opt := report.Options{Cautions: []string{strings.Repeat("z", 900), "b", "c", "d"}}
	for name, b := range map[string]*report.Brief{
		"regression": report.BriefDiff(r, opt), "doubtful": report.BriefDiff(&doubtful, opt), "side": report.BriefSide(r.After, rules(t).Side(r.After), opt),
		"where": report.BriefWhere(w, opt), "none": report.BriefNone(doubtful.Problems, r.Warnings, opt),
		"many": report.BriefDiff(&doubtful, report.Options{Limits: report.LimitTo(400)}),
	} {
		text := string(b.Text(report.Style{}))
		if n := strings.Count(text, "\n"); n >= report.BriefLines || n < 20 && name != "none" {
			t.Errorf("%s: %d lines:\n%s", name, n, text)
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "next: ") && len(line) > 250 {
				t.Errorf("%s: %d bytes: %s", name, len(line), line)
			}
		}
	}
	many := report.BriefDiff(r, report.Options{Limits: report.LimitTo(400)})
	if len(many.Kernels) != 400 || many.Kernels[0].Standing != "worse" {
		t.Errorf("%d kernels", len(many.Kernels))
	}
	shown := regexp.MustCompile(`(?m)^worse: `).FindAllString(string(many.Text(report.Style{})), -1)
	if left := regexp.MustCompile(`left out: .*?(\d+) worse kernels`).FindStringSubmatch(string(many.Text(report.Style{}))); left == nil || left[1] != fmt.Sprint(500-len(shown)) {
		t.Errorf("%d shown and %v left out, want 500 in all", len(shown), left)
	}
	if quiet := report.BriefDiff(r, report.Options{Quiet: true}); len(quiet.Kernels) != 0 || quiet.LeftOut[len(quiet.LeftOut)-1].Count != 500 {
		t.Errorf("quiet: %+v", quiet.LeftOut)
	}
}

// The worst kernels come first, and the command that is next names the worst, so that
// a shell gives it as it is.
func TestBriefOrder(t *testing.T) {
	before := side("it's.json", kernel("a::a", figures{resource.VGPR: 10}), kernel("b::k<int*>", figures{resource.VGPR: 10}), kernel("c::c", figures{resource.VGPR: 10}))
	after := side("after", kernel("a::a", figures{resource.VGPR: 12}), kernel("b::k<int*>", figures{resource.VGPR: 10, resource.VGPRSpill: 1}), kernel("c::c", figures{resource.VGPR: 8}))
	b := report.BriefDiff(diff.Compare(before, after, diff.Options{}), report.Options{})
	var got []string
	for _, k := range b.Kernels {
		got = append(got, k.Standing+" "+k.Kernel)
	}
	if s := strings.Join(got, ", "); s != "worse b::k<int*>, worse a::a, better c::c" {
		t.Error(s)
	}
	if len(b.Next) != 1 || b.Next[0] != `isadiff why 'it'\''s.json' after --kernels 'b::k<int\*>'` {
		t.Errorf("%q", b.Next)
	}
}

// What is not certain of a side is said, not left out.
func TestBriefStates(t *testing.T) {
	s := everything().After
	b := report.BriefSide(s, rules(t).Side(s), report.Options{Limits: report.LimitTo(100)})
	states := map[string]bool{}
	for _, k := range b.Kernels {
		for _, f := range k.Figures {
			if (f.After == nil) != (f.State != "") {
				t.Errorf("%s: %+v", k.Kernel, f)
			}
			states[f.State] = true
		}
	}
	if !states["n/a"] || !states["?"] || !states[""] {
		t.Errorf("%v", states)
	}
	if !strings.Contains(string(b.Text(report.Style{})), "lds_read ?") {
		t.Errorf("what could not be read is not shown:\n%s", b.Text(report.Style{}))
	}
}

// Names make no lines in text, whatever they hold.
func TestBriefHostile(t *testing.T) {
	harmless, _ := all("harmless")
	want := strings.Count(string(report.BriefDiff(harmless, report.Options{}).Text(report.Style{})), "\n")
	for _, name := range testdata.Hostile {
		r, opt := all(resource.ValidText(name))
		opt.Why, opt.Causes, opt.Places = nil, nil, nil
		if n := strings.Count(string(report.BriefDiff(r, opt).Text(report.Style{})), "\n"); n != want {
			t.Errorf("%q: %d lines, want %d", name, n, want)
		}
	}
}
