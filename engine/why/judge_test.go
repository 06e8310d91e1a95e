package why

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/pressure"
)

// What stands here judges a comparison by other means than those it is made by:
// texts are taken apart by regular expressions, and Python's difflib pairs them.

// A pairOf is a kernel of two real files.
type pairOf struct {
	name, kernel  string
	before, after []byte
}

// realPairs returns every pair of testdata: recorded changes, the same kernels for
// two processors and with debug locations, and the same kernels by two compilers.
func realPairs(t *testing.T) (pairs []pairOf) {
	t.Helper()
	add := func(before, after []byte, name string) {
		old := pressure.Index(before)
		for _, kernel := range pressure.Index(after).Kernels() {
			if old.Has(kernel) {
				pairs = append(pairs, pairOf{name, kernel, before, after})
			}
		}
	}
	root := filepath.Join("..", "..", "testdata")
	trees := [][2]string{{"hip/before", "hip/after"}, {"triton/before", "triton/after"}, {"dumps/base/gfx942", "dumps/base/gfx950"}, {"dumps/base/gfx950", "dumps/debug/gfx950"}, {"dumps/base/gfx1201", "dumps/base/gfx1250"}}
	changes, err := filepath.Glob(filepath.Join(root, "dumps", "*", "*", "after"))
	if err != nil || len(changes) < 8 {
		t.Fatal(changes, err)
	}
	for _, dir := range changes {
		rel, _ := filepath.Rel(root, filepath.Dir(dir))
		trees = append(trees, [2]string{filepath.Join(rel, "before"), filepath.Join(rel, "after")})
	}
	for _, tree := range trees {
		before, after := assembly(t, filepath.Join(root, tree[0])), assembly(t, filepath.Join(root, tree[1]))
		for name, text := range after {
			for old, was := range before {
				if path.Base(path.Dir(old)) == path.Base(path.Dir(name)) || strings.HasPrefix(tree[0], "hip") && path.Base(old) == path.Base(name) || strings.HasPrefix(tree[0], "triton") && path.Base(old) == path.Base(name) {
					add(was, text, tree[1]+"/"+name)
				}
			}
		}
	}
	corpus := archived(t)
	for name, text := range corpus {
		for _, step := range [][2]string{{"llvm14/", "llvm19/"}, {"llvm16/", "llvm19/"}, {"llvm16/", "llvm22/"}, {"llvm19/", "llvm22/"}} {
			if rest, ok := strings.CutPrefix(name, step[1]); ok && corpus[step[0]+rest] != nil {
				add(corpus[step[0]+rest], text, name)
			}
		}
		if old := strings.Replace(name, "/spill_sgpr.s", "/spill.s", 1); old != name && corpus[old] != nil {
			add(corpus[old], text, name)
		}
		if old := strings.Replace(name, "/plain_O0.s", "/plain.s", 1); old != name && corpus[old] != nil {
			add(corpus[old], text, name)
		}
	}
	slices.SortFunc(pairs, func(x, y pairOf) int { return strings.Compare(x.name+x.kernel, y.name+y.kernel) })
	return pairs
}

func assembly(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".amdgcn")) {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root, name)
			files[filepath.ToSlash(rel)] = data
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatal(root, err)
	}
	return files
}

func archived(t *testing.T) map[string][]byte {
	t.Helper()
	corpus, err := zip.OpenReader("../../testdata/isa.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	files := map[string][]byte{}
	for _, f := range corpus.File {
		name := strings.TrimPrefix(f.Name, "isa-corpus/")
		if !strings.HasSuffix(name, ".s") || !strings.HasPrefix(name, "llvm") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return files
}

// A line is an instruction as the judge reads it.
type line struct {
	n           int
	exact, mask string
	mnemonic    string
}

var (
	blanks       = regexp.MustCompile(`[ \t]+`)
	labelNumbers = regexp.MustCompile(`(\.L[A-Za-z_]*[A-Za-z])[0-9]+(_[0-9]+)*`)
	ranges       = regexp.MustCompile(`\b(v|s|a|ttmp)\[(\d+)(?::(\d+))?\]`)
	singles      = regexp.MustCompile(`\b(v|s|a|ttmp)\d+\b`)
	realNames    = regexp.MustCompile(` ?/\*v[\d\[\]:]+\*/`)
)

// read returns the instructions of a kernel, from its label to its end.
func read(text []byte, kernel string) (lines []line) {
	within := false
	for n, s := range strings.Split(string(text), "\n") {
		s, _, _ = strings.Cut(s, ";")
		s = strings.TrimSpace(s)
		switch {
		case s == kernel+":" || s == `"`+kernel+`":`:
			within = true
		case strings.HasPrefix(s, ".Lfunc_end"):
			if within {
				return lines
			}
		case !within || s == "" || s[0] == '.' || strings.HasSuffix(s, ":") || s[0] == '/' || s[0] == '#':
		default:
			l, known := linesRead[s]
			if !known {
				l = readLine(s)
				linesRead[s] = l
			}
			l.n = n + 1
			lines = append(lines, l)
		}
	}
	return lines
}

// linesRead holds lines that have been read, as most occur many times.
var linesRead = map[string]line{}

func readLine(s string) line {
	l := line{mnemonic: strings.Fields(s)[0]}
	l.exact = labelNumbers.ReplaceAllString(blanks.ReplaceAllString(s, " "), "$1")
	l.mask = realNames.ReplaceAllString(l.exact, "")
	l.mask = ranges.ReplaceAllStringFunc(l.mask, func(r string) string {
		m := ranges.FindStringSubmatch(r)
		if m[3] == "" {
			return m[1] + "REG"
		}
		var from, to int
		fmt.Sscan(m[2], &from)
		fmt.Sscan(m[3], &to)
		if from == to {
			return m[1] + "REG"
		}
		return fmt.Sprintf("%sREG*%d", m[1], to-from+1)
	})
	l.mask = singles.ReplaceAllString(l.mask, "${1}REG")
	return l
}

func compare(before, after []byte, kernel string) *Comparison {
	return Compare(pressure.Index(before).List(kernel), pressure.Index(after).List(kernel))
}

// judge holds what is true of every comparison, and returns how many pairs keep
// their order and are equal up to registers.
func judge(t *testing.T, p pairOf, c *Comparison) (kept int, before, after []line) {
	t.Helper()
	before, after = read(p.before, p.kernel), read(p.after, p.kernel)
	if len(before) != len(c.Before.Body) || len(after) != len(c.After.Body) {
		t.Fatalf("%s %s: %d and %d instructions, want %d and %d", p.name, p.kernel, len(c.Before.Body), len(c.After.Body), len(before), len(after))
	}
	seenBefore, seenAfter := make([]int, len(before)), make([]int, len(after))
	counts := Counts{Sides: Sides{len(before), len(after)}}
	lastBefore, lastAfter := -1, -1
	fresh, lost := map[string]int{}, map[string]int{}
	wrong := func(s Step, format string, args ...any) {
		t.Errorf("%s %s: step %+v: %s", p.name, p.kernel, s, fmt.Sprintf(format, args...))
	}
	for _, s := range c.Steps {
		var b, a line
		if s.Before >= 0 {
			seenBefore[s.Before]++
			b = before[s.Before]
			if c.Before.Body[s.Before].Line != b.n {
				wrong(s, "line %d, want %d", c.Before.Body[s.Before].Line, b.n)
			}
		}
		if s.After >= 0 {
			seenAfter[s.After]++
			a = after[s.After]
			if c.After.Body[s.After].Line != a.n {
				wrong(s, "line %d, want %d", c.After.Body[s.After].Line, a.n)
			}
		}
		switch s.Op {
		case Same:
			counts.Same++
			if b.exact != a.exact {
				wrong(s, "%q, %q", b.exact, a.exact)
			}
		case Renamed:
			counts.Renamed++
			if b.exact == a.exact || b.mask != a.mask {
				wrong(s, "%q, %q", b.exact, a.exact)
			}
		case Changed:
			counts.Changed++
			if b.mask == a.mask || b.mnemonic != a.mnemonic {
				wrong(s, "%q, %q", b.exact, a.exact)
			}
		case Moved:
			counts.Moved++
			if b.mask != a.mask {
				wrong(s, "%q, %q", b.exact, a.exact)
			}
		case Removed:
			counts.Removed++
			lost[b.mask]++
			if s.After >= 0 {
				wrong(s, "it has a partner")
			}
		case Added:
			counts.Added++
			fresh[a.mask]++
			if s.Before >= 0 {
				wrong(s, "it has a partner")
			}
		}
		if s.Op == Same || s.Op == Renamed || s.Op == Changed {
			if s.Before <= lastBefore || s.After <= lastAfter {
				wrong(s, "out of order behind %d, %d", lastBefore, lastAfter)
			}
			lastBefore, lastAfter = s.Before, s.After
		}
	}
	for i, n := range append(seenBefore, seenAfter...) {
		if n != 1 {
			t.Errorf("%s %s: instruction %d stands in %d steps", p.name, p.kernel, i, n)
		}
	}
	if counts != c.Counts {
		t.Errorf("%s %s: %+v, want %+v", p.name, p.kernel, c.Counts, counts)
	}
	has, had := map[string]int{}, map[string]int{}
	for _, l := range before {
		had[l.mask]++
	}
	for _, l := range after {
		has[l.mask]++
	}
	for mask, n := range fresh {
		if n > max(0, has[mask]-had[mask]) {
			t.Errorf("%s %s: %d of %q are new; %d before, %d after", p.name, p.kernel, n, mask, had[mask], has[mask])
		}
	}
	for mask, n := range lost {
		if n > max(0, had[mask]-has[mask]) {
			t.Errorf("%s %s: %d of %q are gone; %d before, %d after", p.name, p.kernel, n, mask, had[mask], has[mask])
		}
	}
	judgeSums(t, p, c)
	judgeWhere(t, p, c)
	return counts.Same + counts.Renamed, before, after
}

// judgeSums holds that what is laid out by class, mnemonic and line is all there is.
func judgeSums(t *testing.T, p pairOf, c *Comparison) {
	t.Helper()
	sum := func(what string, add func(total *Sides)) {
		var total Sides
		if add(&total); total != c.Counts.Sides {
			t.Errorf("%s %s: %s sum up to %v, want %v", p.name, p.kernel, what, total, c.Counts.Sides)
		}
	}
	tallies := func(list []Tally) func(*Sides) {
		return func(total *Sides) {
			for _, n := range list {
				total.Before, total.After = total.Before+n.Before, total.After+n.After
			}
		}
	}
	sum("classes", tallies(c.Classes))
	sum("mnemonics", tallies(c.Mnemonics))
	sum("lines", func(total *Sides) {
		for _, l := range c.Lines {
			total.Before, total.After = total.Before+l.Instructions.Before, total.After+l.Instructions.After
		}
	})
	for _, l := range c.Loops {
		var total Sides
		if tallies(l.Classes)(&total); total != l.Instructions || l.Gone && l.New || total == (Sides{}) {
			t.Errorf("%s %s: loop %s: classes sum up to %v: %+v", p.name, p.kernel, l.Label, total, l)
		}
	}
}

// judgeWhere holds a comparison against the analysis that `isadiff where` shows of each
// side.
func judgeWhere(t *testing.T, p pairOf, c *Comparison) {
	t.Helper()
	for n, text := range [][]byte{p.before, p.after} {
		side := func(v Sides) int {
			if n == 0 {
				return v.Before
			}
			return v.After
		}
		k := pressure.Index(text).Analyze(p.kernel)
		listing := []*pressure.Listing{c.Before, c.After}[n]
		if k.VGPR != listing.VGPR || k.AGPR != listing.AGPR || k.SGPR != listing.SGPR || k.SpillStores != listing.SpillStores || k.SpillLoads != listing.SpillLoads || k.Refused != listing.Refused {
			t.Errorf("%s %s: where: %+v, why: %+v", p.name, p.kernel, k, listing.Analysis)
		}
		if k.Refused != "" {
			continue
		}
		var rows, total int
		for _, l := range c.Lines {
			source := l.Source
			if n == 0 {
				source = l.Was
			}
			if side(l.Instructions) == 0 {
				continue
			}
			rows++
			i := slices.IndexFunc(k.Lines, func(w pressure.Line) bool { return w.Source == source })
			if i < 0 {
				t.Errorf("%s %s: where has no line %v", p.name, p.kernel, source)
				continue
			}
			w := k.Lines[i]
			if w.Instructions != side(l.Instructions) || w.VGPRs != side(l.Live) || w.SpillStores != side(l.SpillStores) || w.SpillLoads != side(l.SpillLoads) {
				t.Errorf("%s %s: where: %+v, why: %+v", p.name, p.kernel, w, l)
			}
			total += side(l.SpillStores)
		}
		if rows != len(k.Lines) || total != k.SpillStores {
			t.Errorf("%s %s: %d lines with %d spill stores, want %d with %d", p.name, p.kernel, rows, total, len(k.Lines), k.SpillStores)
		}
	}
}

func TestRealPairs(t *testing.T) {
	pairs := realPairs(t)
	if len(pairs) < 200 {
		t.Fatalf("only %d pairs", len(pairs))
	}
	type masks struct{ A, B []string }
	var all []masks
	var kept []int
	moved, loops, lines, spilling := 0, 0, 0, 0
	for _, p := range pairs {
		c := compare(p.before, p.after, p.kernel)
		n, before, after := judge(t, p, c)
		kept = append(kept, n)
		m := masks{}
		for _, l := range before {
			m.A = append(m.A, l.mask)
		}
		for _, l := range after {
			m.B = append(m.B, l.mask)
		}
		all = append(all, m)
		moved += c.Counts.Moved
		loops += len(c.Loops)
		if len(c.Lines) > 1 {
			lines++
		}
		if c.After.SpillStores > 0 {
			spilling++
		}
	}
	t.Logf("%d pairs: %d moved, %d loops, %d with lines, %d spill", len(pairs), moved, loops, lines, spilling)
	if moved < 100 || loops < 20 || lines < 10 || spilling < 10 {
		t.Errorf("%d moved, %d loops, %d with lines, %d spill: too few to tell anything", moved, loops, lines, spilling)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3 is missing")
		}
		t.Skip("python3, whose difflib is held against the pairs, is missing")
	}
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", `import sys, json, difflib
print(json.dumps([sum(m.size for m in difflib.SequenceMatcher(None, p["A"] or [], p["B"] or [], autojunk=False).get_matching_blocks()) for p in json.load(sys.stdin)]))`)
	cmd.Stdin = strings.NewReader(string(input))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	if err := json.Unmarshal(out, &want); err != nil || len(want) != len(kept) {
		t.Fatal(err, len(want))
	}
	more := 0
	for i, p := range pairs {
		if kept[i] < want[i] {
			t.Errorf("%s %s: %d are paired in order, %d by difflib", p.name, p.kernel, kept[i], want[i])
		}
		if kept[i] > want[i] {
			more++
		}
	}
	t.Logf("more pairs than difflib's in %d of %d", more, len(pairs))
}
