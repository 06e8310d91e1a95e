package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"

	"isadiff/engine/diff"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// grown compares kernels of these names, each of which grew.
func grown(names ...string) *diff.Result {
	var before, after []*resource.Record
	for _, n := range names {
		before = append(before, kernel(n, nil))
		after = append(after, kernel(n, figures{resource.VGPR: 4}))
	}
	return diff.Compare(side("b", before...), side("a", after...), diff.Options{})
}

var figureRow = regexp.MustCompile(`^(.*?)\s+0->4\(\+4\)`)

// shownNames returns the first column of the rows.
func shownNames(text []byte) (names []string) {
	for line := range strings.Lines(string(text)) {
		if m := figureRow.FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

func TestNamesAreVisible(t *testing.T) {
	tests := []struct{ name, want string }{
		{"d::plain", "d::plain"},
		{"d::größe", "d::größe"},
		{"d::カーネル", "d::カーネル"},
		{"d::with space", "d::with space"},
		{`d::q"uote's`, `d::q"uote's`},
		{"d::new\nline", `d::new\nline`},
		{"d::tab\tand\r", `d::tab\tand\r`},
		{"d::\x1b[31mred", `d::\x1b[31mred`},
		{`d::back\slash`, `d::back\\slash`},
		{"d::byte\xff", `d::byte\xff`},
		{"d::zero\u200bwidth", `d::zero\u200bwidth`},
		{"d::turn\u202earound", `d::turn\u202earound`},
		{"d::end ", `d::end\x20`},
		{" d::start", `\x20d::start`},
		{"d::two  blanks", `d::two \x20blanks`},
	}
	for _, tt := range tests {
		got := shownNames(report.Text(grown(tt.name), report.Options{}))
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%q is shown as %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNoTwoRowsLookTheSame(t *testing.T) {
	head, tail := strings.Repeat("gemm_f16_m128_n256_", 5), strings.Repeat("_persistent_v2_tail", 5)
	sets := [][]string{
		{head + "alpha" + tail + "::k", head + "beta" + tail + "::k", head + "gamma" + tail + "::k"},
		{"d::a\nb", `d::a\nb`, "d::a\\\nb"},
		{"d::é", "d::e\u0301"},
		{"d::k", "d::k ", "d::k\u200b", "d::k\u00a0"},
		{"d::x\xff", `d::x\xff`},
	}
	for _, names := range sets {
		for _, width := range []int{0, 200, 80, 40} {
			got := shownNames(report.Text(grown(names...), report.Options{Style: report.Style{Width: width}}))
			seen := map[string]bool{}
			for _, n := range got {
				seen[norm.NFC.String(n)] = true
			}
			if len(got) != len(names) || len(seen) != len(names) {
				t.Errorf("width %d: %q are shown as %q", width, names, got)
			}
		}
	}
}

// Names whose ends are the same show the part in which they differ, and the end.
func TestTwinsShowWhatDiffers(t *testing.T) {
	const end = "_persistent_cooperative_v2/gemm_kernel_0::gemm_kernel_0"
	names := []string{"test_gemm_py__test_gemm_f16_m128" + end, "test_gemm_py__test_gemm_f16_m256" + end, "test_gemm_py__test_gemm_bf16_m64" + end}
	want := []string{"...f16_m128...kernel_0::gemm_kernel_0", "...f16_m256...kernel_0::gemm_kernel_0", "...bf16_m64...kernel_0::gemm_kernel_0"}
	got := shownNames(report.Text(grown(names...), report.Options{Style: report.Style{Width: 47}}))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// What differs too widely is shown whole, and its lines wrap.
	names = []string{strings.Repeat("a", 60) + end, strings.Repeat("b", 60) + end}
	text := string(report.Text(grown(names...), report.Options{Style: report.Style{Width: 47}}))
	for _, n := range names {
		if !strings.Contains(text, "\n"+n+"\n") {
			t.Errorf("%s is not whole in\n%s", n, text)
		}
	}
}

func TestLongNamesKeepTheirTail(t *testing.T) {
	name := strings.Repeat("directory/", 20) + "gemm::gemm_k32"
	for _, width := range []int{60, 80, 100} {
		got := shownNames(report.Text(grown(name), report.Options{Style: report.Style{Width: width}}))
		if len(got) != 1 || !strings.HasPrefix(got[0], "...") || !strings.HasSuffix(got[0], "gemm::gemm_k32") {
			t.Errorf("width %d: %q", width, got)
		}
	}
	if got := shownNames(report.Text(grown(name), report.Options{})); len(got) != 1 || got[0] != name {
		t.Errorf("piped: %q", got)
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// No line of a table is wider than the terminal, coloured or not, and colours
// change nothing else.
func TestTablesFitTheTerminal(t *testing.T) {
	results := map[string]*diff.Result{"everything": everything(), "wide": grown("d::カーネル", "d::"+strings.Repeat("核", 80))}
	for name, r := range results {
		for width := 1; width < 260; width += 7 {
			style := report.Style{Width: width}
			plain := string(report.Text(r, report.Options{Style: style}))
			style.Color = true
			colored := string(report.Text(r, report.Options{Style: style}))
			if got := escapes.ReplaceAllString(colored, ""); got != plain {
				t.Errorf("%s, width %d: colours change the text:\n%s\n%s", name, width, plain, got)
			}
			inTable := false
			for line := range strings.Lines(plain) {
				line = strings.TrimSuffix(line, "\n")
				inTable = inTable && line != "" && !strings.HasPrefix(line, "(") && !strings.HasPrefix(line, "n/a: ") || strings.HasPrefix(line, "kernel  ")
				if inTable && uniseg.StringWidth(line) > max(width, 24) { // on less a name wraps
					t.Errorf("%s, width %d: %d cells: %q", name, width, uniseg.StringWidth(line), line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s, width %d: blanks at the end of %q", name, width, line)
				}
			}
		}
	}
}

// A column in which something changed is never left out before one in which
// nothing did.
func TestNarrowTablesKeepWhatChanged(t *testing.T) {
	got := string(report.Text(grown("d::k"), report.Options{Style: report.Style{Width: 60}}))
	if !strings.Contains(got, "0->4(+4)") || strings.Contains(got, "lds_read") || !strings.Contains(got, fmt.Sprintf("(%d columns left out", resource.NumMetrics-1)) {
		t.Errorf("%s", got)
	}
}

func TestMessagesStayOnOneLine(t *testing.T) {
	r := grown("d::k")
	r.Warnings = []string{"a\nb\x1b[2J\xff\u202e"}
	if got, want := string(report.Warnings(r.Warnings, report.Style{})), `warning: a\nb\x1b[2J\xff\u202e`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func BenchmarkText(b *testing.B) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("tree/kernel_%06d::kernel", i))
	}
	r := grown(names...)
	b.ReportAllocs()
	for b.Loop() {
		report.Text(r, report.Options{})
	}
}
