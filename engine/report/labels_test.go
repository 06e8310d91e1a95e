package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func FuzzLabels(f *testing.F) {
	f.Add("d::k", "d::k ", 0)
	f.Add("a\nb", `a\nb`, 24)
	f.Add("\xff", `\xff`, 24)
	f.Add("é", "e\u0301", 1)
	f.Add(strings.Repeat("x", 40)+"a", strings.Repeat("x", 39)+"ya", 20)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = min(max(limit, 0), 100)
		shown := labels([]string{a, b}, limit)
		for i, s := range shown {
			if !utf8.ValidString(s) || strings.IndexFunc(s, unprintable) >= 0 || strings.TrimSpace(s) != s {
				t.Errorf("%q is shown as %q", []string{a, b}[i], s)
			}
		}
		same := norm.NFC.String(shown[0]) == norm.NFC.String(shown[1])
		if same != (a == b) {
			t.Errorf("%q and %q are shown as %q", a, b, shown)
		}
		if limit > 0 {
			if one := labels([]string{a}, limit); width(one[0]) > limit {
				t.Errorf("%q takes %d cells, not %d", one[0], width(one[0]), limit)
			}
		}
	})
}
