package pysource

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// A typo is one way in which a line of source code looks while it is being
// typed. It gets a line and its indentation and returns what becomes of the line.
type typo struct {
	name string
	edit func(r *rand.Rand, line, indent string) string
}

var typos = []typo{
	{"open parenthesis", func(_ *rand.Rand, line, _ string) string { return line + " (" }},
	{"open bracket", func(_ *rand.Rand, line, _ string) string { return line + "[" }},
	{"quote", func(_ *rand.Rand, line, _ string) string { return line + ` "` }},
	{"triple quote", func(_ *rand.Rand, line, _ string) string { return line + ` """` }},
	{"triple quote alone", func(_ *rand.Rand, _, indent string) string { return indent + `"""` }},
	{"triple apostrophe", func(_ *rand.Rand, line, _ string) string { return line + ` '''` }},
	{"closing bracket deleted", func(r *rand.Rand, line, _ string) string {
		return deleteOne(r, line, func(c byte) bool { return strings.IndexByte(")]}", c) >= 0 })
	}},
	{"opening bracket deleted", func(r *rand.Rand, line, _ string) string {
		return deleteOne(r, line, func(c byte) bool { return strings.IndexByte("([{", c) >= 0 })
	}},
	{"character deleted", func(r *rand.Rand, line, _ string) string {
		return deleteOne(r, line, func(c byte) bool { return c != ' ' })
	}},
	{"cut short", func(r *rand.Rand, line, indent string) string {
		return line[:len(indent)+r.IntN(len(line)-len(indent))]
	}},
	{"call", func(_ *rand.Rand, _, indent string) string { return indent + "x = foo(a, " }},
	{"condition", func(_ *rand.Rand, _, indent string) string { return indent + "if a < " }},
	{"attribute", func(_ *rand.Rand, _, indent string) string { return indent + "x = fx." }},
	{"assignment", func(_ *rand.Rand, _, indent string) string { return indent + "x = " }},
	{"f-string", func(_ *rand.Rand, _, indent string) string { return indent + `s = f"abc {x` }},
	{"f-string with a closing quote", func(_ *rand.Rand, _, indent string) string { return indent + `s = f"abc {"` }},
	{"format specification", func(_ *rand.Rand, _, indent string) string { return indent + `s = f'{x:{` }},
	{"decorator", func(_ *rand.Rand, _, indent string) string { return indent + `@flyc.kernel(name=f"a` }},
	{"def", func(_ *rand.Rand, _, indent string) string { return indent + "def g(a, " }},
	{"class", func(_ *rand.Rand, _, indent string) string { return indent + "class G(" }},
	{"import", func(_ *rand.Rand, _, indent string) string { return indent + "from os import (" }},
	{"loop", func(_ *rand.Rand, _, indent string) string { return indent + "for i in range(n" }},
	{"dictionary", func(_ *rand.Rand, _, indent string) string { return indent + `d = {"a": [1, (2,` }},
	{"backslash", func(_ *rand.Rand, line, _ string) string { return line + ` \` }},
	{"lambda", func(_ *rand.Rand, _, indent string) string { return indent + "f = lambda x:" }},
}

// deleteOne deletes one of a line's bytes that fit.
func deleteOne(r *rand.Rand, line string, fits func(byte) bool) string {
	var at []int
	for i := range len(line) {
		if fits(line[i]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return line
	}
	i := at[r.IntN(len(at))]
	return line[:i] + line[i+1:]
}

// untouchable returns the lines that no typo may change: the headers of the
// definitions, decorators included, since a broken header is its own definition's
// business, and lines with triple quotes, whose loss no reader can make up for.
func untouchable(lines []string, definitions []Definition) map[int]bool {
	lost := map[int]bool{}
	for _, d := range definitions {
		for i := d.Topmost; i <= d.Def.End.Line; i++ {
			lost[i] = true
		}
	}
	for i, line := range lines {
		if strings.TrimSpace(line) == "" || strings.Contains(line, `"""`) || strings.Contains(line, "'''") {
			lost[i] = true
		}
	}
	return lost
}

// A tally counts what was found of the definitions in mistyped texts.
type tally struct {
	expected, cold, live int
	renamed              int            // found, with another qualified name
	missed               map[string]int // by typo, of the cold scans
	wrong                []string
}

// mistype tries n typos in one text.
func (y *tally) mistype(r *rand.Rand, path string, text []byte, n int) {
	good := Scan(text)
	lines := strings.Split(string(text), "\n")
	lost := untouchable(lines, good.Definitions)
	for range n {
		i := r.IntN(len(lines))
		if lost[i] {
			continue
		}
		typo := typos[r.IntN(len(typos))]
		indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " \t"))]
		changed := slices.Clone(lines)
		changed[i] = typo.edit(r, lines[i], indent)
		mistyped := []byte(strings.Join(changed, "\n"))

		where := fmt.Sprintf("%s:%d: %s", path, i+1, typo.name)
		y.expected += len(good.Definitions)
		cold := y.check(where+" (scan)", mistyped, good, Scan(mistyped), typo)
		y.cold += cold
		y.live += y.check(where+" (rescan)", mistyped, good, Rescan(good, text, mistyped), typo)
		y.missed[typo.name] += len(good.Definitions) - cold
	}
}

// check returns how many of the good definitions were found, and notes those
// that were found where there are none. A definition below a header that was
// mistyped has another qualified name then; the text says so, and no more than that.
func (y *tally) check(where string, text []byte, good, got *File, typo typo) int {
	type place struct{ line, column int }
	placeOf := func(d Definition) place { return place{d.Ident.Start.Line, d.Ident.Start.Column} }
	expected := map[place]Definition{}
	for _, d := range good.Definitions {
		expected[placeOf(d)] = d
	}
	found := 0
	for _, d := range got.Definitions {
		switch want, ok := expected[placeOf(d)]; {
		case ok && d.Function == want.Function:
			found++
			if d.Qualified != want.Qualified {
				y.renamed++
			}
		case typo.name != "decorator":
			y.wrong = append(y.wrong, fmt.Sprintf("%s: %s at %d:%d", where, d.Qualified, d.Ident.Start.Line+1, d.Ident.Start.Column))
		}
		if !bytes.Equal(text[d.Ident.Start.Offset:d.Ident.End.Offset], []byte(d.Function)) {
			y.wrong = append(y.wrong, fmt.Sprintf("%s: the range of %s holds something else", where, d.Function))
		}
	}
	return found
}

// TestWhileTyping mistypes single lines of real kernels: at least 99.5 % of the
// definitions must still be found, all of them where they are, whether the file
// is read for the first time or was known before.
func TestWhileTyping(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	y := tally{missed: map[string]int{}}
	for _, path := range pythonFiles(t, "../../testdata/kernels") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(Scan(text).Definitions) > 0 {
			y.mistype(r, path, text, 600)
		}
	}
	y.report(t)
}

func (y *tally) report(t *testing.T) {
	t.Helper()
	const goal = 0.995
	cold, live := float64(y.cold)/float64(y.expected), float64(y.live)/float64(y.expected)
	t.Logf("of %d definitions %.2f %% found by Scan, %.2f %% by Rescan; %d renamed; missed by Scan: %v",
		y.expected, 100*cold, 100*live, y.renamed, y.missed)
	if cold < goal || live < goal {
		t.Errorf("found too few: %.4f by Scan, %.4f by Rescan", cold, live)
	}
	if float64(y.renamed) > 0.01*float64(2*y.expected) {
		t.Errorf("%d definitions have another qualified name", y.renamed)
	}
	if len(y.wrong) > 0 {
		t.Errorf("%d wrong ranges, among them\n%s", len(y.wrong), strings.Join(y.wrong[:min(len(y.wrong), 20)], "\n"))
	}
}

// TestTypingFromTheTop reads every beginning of real kernels, as if the file were
// being typed from the top: what is complete must be found, and nothing else.
func TestTypingFromTheTop(t *testing.T) {
	for _, path := range pythonFiles(t, "../../testdata/kernels") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := Scan(text).Definitions
		for n := range text {
			got := Scan(text[:n]).Definitions
			complete := 0
			for complete < len(whole) && whole[complete].Def.End.Offset <= n {
				complete++
			}
			if len(got) < complete || len(got) > complete+1 {
				t.Fatalf("%s, %d bytes: %d definitions, %d are complete", path, n, len(got), complete)
			}
			for i, d := range got[:complete] {
				if d.Ident != whole[i].Ident || d.Qualified != whole[i].Qualified || d.Decorator != whole[i].Decorator {
					t.Fatalf("%s, %d bytes: %s at %+v", path, n, d.Qualified, d.Ident)
				}
			}
		}
	}
}

// TestTypingSession types a few lines of real kernels anew, key by key, each time
// rescanning. All that stands elsewhere must stay where it is.
func TestTypingSession(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	expected, found := 0, 0
	for _, path := range pythonFiles(t, "../../testdata/kernels") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := LineStarts(text)
		if len(lines) < 10 {
			continue
		}
		for range 8 {
			first := r.IntN(len(lines) - 6)
			from, to := lines[first], lines[first+1+r.IntN(5)]-1 // without the newline
			typed := text[from:to]
			file, now := Scan(text), text
			for n := range typed {
				next := slices.Concat(text[:from], typed[:n], text[to:])
				file, now = Rescan(file, now, next), next
				checkFile(t, now, file)
				e, f := retyped(text, from, to, n, file)
				expected += e
				found += f
			}
			if file = Rescan(file, now, text); kernelsIn(file) != kernelsIn(Scan(text)) {
				t.Errorf("%s:%d: %s are left at the end", path, first+1, kernelsIn(file))
			}
		}
	}
	t.Logf("%d of %d found", found, expected)
	if float64(found) < 0.995*float64(expected) {
		t.Errorf("found only %d of %d", found, expected)
	}
}

// retyped counts the definitions of a text outside from and to, and those that
// are found when only n bytes of what was between are there.
func retyped(text []byte, from, to, n int, file *File) (expected, found int) {
	for _, d := range Scan(text).Definitions {
		at := d.Ident.Start.Offset
		switch {
		case d.Def.End.Offset <= from:
		case d.Decorator.Start.Offset > to:
			at -= to - from - n
		default:
			continue
		}
		expected++
		if slices.ContainsFunc(file.Definitions, func(g Definition) bool {
			return g.Ident.Start.Offset == at && g.Function == d.Function
		}) {
			found++
		}
	}
	return expected, found
}
