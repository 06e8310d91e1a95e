package lsp_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What isadiff.assembly answers.
type besideSource struct {
	Kernel, Name, Target, URI, Text string
	FirstLine                       int
	Rows                            []besideRow
	Sources                         []struct {
		URI     string
		Version *int
	}
	Peak     *int
	Compared bool
	Notes    []string
}

type besideRow struct {
	Line             int
	Source, At       *int
	Live, Loop, Gone int
	Spill, Change    string
}

const (
	windowFilterDebug = "window_filter_0::window_filter_0"
	windowFilterKey   = "window_filter/window_filter_0::window_filter_0"
)

func (s *session) assembly(kernel string) (a besideSource) {
	s.t.Helper()
	s.execute("isadiff.assembly", object{"kernel": kernel}, &a)
	return a
}

// lineOf is the text of a row.
func (a *besideSource) lineOf(r besideRow) string { return strings.Split(a.Text, "\n")[r.Line] }

// linked returns the source lines that instructions stand beside, and how many have
// none.
func (a *besideSource) linked() (lines []int, none int) {
	for _, r := range a.Rows {
		if r.At == nil {
			none++
		} else {
			lines = append(lines, *r.At)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), none
}

// notes are the notes in one text.
func (a *besideSource) notes() string { return strings.Join(a.Notes, "\n") }

// Each instruction stands beside its line, whatever the author does above it; a line
// that was edited has none.
func TestAssemblyBeside(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("debug/gfx950/window_filter", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	a := s.assembly(windowFilterDebug)
	file := strings.Split(p.read("dumps/window_filter_0/23_final_isa.s"), "\n")
	if a.URI != p.uri("dumps/window_filter_0/23_final_isa.s") || a.Target != "gfx950" || file[a.FirstLine] != strings.Split(a.Text, "\n")[0] || !strings.HasPrefix(a.Text, "window_filter_0:") {
		t.Errorf("%s %s at line %d: %.40q", a.URI, a.Target, a.FirstLine, a.Text)
	}
	if len(a.Sources) != 1 || a.Sources[0].URI != p.uri("window_filter.py") || a.Sources[0].Version != nil {
		t.Errorf("sources %+v", a.Sources)
	}
	if !strings.Contains(a.notes(), "there is no baseline to compare with") || a.Compared || len(a.Notes) != 1 {
		t.Errorf("notes %q", a.Notes)
	}
	if a.Peak == nil || *a.Peak != 82 || !slices.ContainsFunc(a.Rows, func(r besideRow) bool { return r.Live == 82 }) || slices.ContainsFunc(a.Rows, func(r besideRow) bool { return r.Live > 82 }) {
		t.Errorf("peak %v", a.Peak)
	}
	in := 0
	for _, r := range a.Rows {
		if text := a.lineOf(r); !strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\t.") || strings.TrimSpace(text) == "" {
			t.Errorf("line %d is no instruction: %q", r.Line, text)
		}
		in += r.Loop
	}
	if in < 300 || in >= len(a.Rows) {
		t.Errorf("%d of %d instructions are in the loop", in, len(a.Rows))
	}
	lines, none := a.linked()
	if !slices.Equal(lines, []int{17, 19, 20, 21, 22, 24, 26, 28, 31, 33}) || none != 0 {
		t.Errorf("lines %v, %d without", lines, none)
	}
	spot := func(a besideSource, assembly string, line int) {
		t.Helper()
		for _, r := range a.Rows {
			if strings.Contains(a.lineOf(r), assembly) {
				if r.At == nil || *r.At != line {
					t.Errorf("%s stands beside %v, want %d", assembly, r.At, line)
				}
				return
			}
		}
		t.Errorf("no %s", assembly)
	}
	spot(a, "s_endpgm", 17)

	// Typed, not saved: two lines above, one that changed.
	text := p.read("window_filter.py")
	p.open(s, "window_filter.py", 1)
	edited := "#\n#\n" + strings.Replace(text, "samples[o + t], coefficients[t]", "samples[o], coefficients[t]", 1)
	s.notify("textDocument/didChange", changed(p.uri("window_filter.py"), 2, edited))
	check := func(version int) {
		t.Helper()
		a := s.assembly(windowFilterDebug)
		lines, none := a.linked()
		if !slices.Equal(lines, []int{19, 21, 22, 23, 24, 26, 28, 30, 35}) || none == 0 {
			t.Errorf("lines %v, %d without", lines, none)
		}
		if len(a.Sources) != 1 || a.Sources[0].Version == nil || *a.Sources[0].Version != version {
			t.Errorf("sources %+v", a.Sources)
		}
		if !regexp.MustCompile(`\d+ instructions of lines of window_filter.py that were edited since the compile have no link`).MatchString(a.notes()) {
			t.Errorf("notes %q", a.Notes)
		}
		spot(a, "s_endpgm", 19)
	}
	check(2)
	// Saved: what it held at the compile is remembered.
	p.write("window_filter.py", edited)
	s.notify("textDocument/didSave", document(p.uri("window_filter.py")))
	s.rescan()
	check(2)
	s.claim("textDocument/publishDiagnostics")
	s.close()

	// A session that did not see it then guesses nothing.
	s = start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	a = s.assembly(windowFilterDebug)
	if lines, _ := a.linked(); len(lines) > 0 || !strings.Contains(a.notes(), "window_filter.py was edited since the compile, and what it held then is not known, so its lines are not linked; compile again") {
		t.Errorf("lines %v, notes %q", lines, a.Notes)
	}
	// Once it is compiled again, they are told.
	p.write("window_filter.py", text)
	p.age("window_filter.py", time.Hour)
	p.dump("debug/gfx950/window_filter", "dumps")
	s.rescan()
	a = s.assembly(windowFilterDebug)
	if lines, none := a.linked(); len(lines) != 10 || none != 0 {
		t.Errorf("compiled again: lines %v, %d without, notes %q", lines, none, a.Notes)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A text that is older than the dump, as a compile that began long ago had not read it,
// is told by the line of the definition.
func TestAssemblyOfAnotherText(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.put("window_filter.py", "#\n"+p.read("window_filter.py"), time.Now().Add(-time.Hour))
	p.dump("debug/gfx950/window_filter", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	a := s.assembly(windowFilterDebug)
	if lines, _ := a.linked(); len(a.Sources) != 1 || len(lines) > 0 || !strings.Contains(a.notes(), "window_filter.py was edited since the compile") {
		t.Errorf("sources %+v, lines %v, notes %q", a.Sources, lines, a.Notes)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// What changed against a baseline that is a dump tree is marked, and so is spill code;
// what is only in other registers or elsewhere is not.
func TestAssemblyAgainstBaseline(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	tally := func(a besideSource) (added, changed, gone, stores, loads int) {
		for _, r := range a.Rows {
			gone += r.Gone
			switch r.Change {
			case "added":
				added++
			case "changed":
				changed++
			}
			switch r.Spill {
			case "store":
				stores++
			case "load":
				loads++
			}
			if r.Spill != "" && !strings.Contains(a.lineOf(r), "scratch_") {
				t.Errorf("spill code: %s", a.lineOf(r))
			}
		}
		return
	}
	a := s.assembly(windowFilterKey)
	if added, changed, gone, stores, loads := tally(a); !a.Compared || added+changed+gone+stores+loads != 0 {
		t.Errorf("the same: %d added, %d changed, %d gone, %d and %d spills", added, changed, gone, stores, loads)
	}
	if !strings.Contains(a.notes(), "no debug locations: compile with FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 for the source lines") || len(a.Sources) != 0 {
		t.Errorf("notes %q, sources %v", a.Notes, a.Sources)
	}
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s.rescan()
	a = s.assembly(windowFilterKey)
	var both struct {
		Plain         bool
		Before, After string
		Instructions  struct{ Before, After, Same, Renamed, Changed, Moved, Removed, Added int }
		Notes         []string
	}
	s.execute("isadiff.compareAssembly", object{"kernel": windowFilterKey}, &both)
	n := both.Instructions
	added, changed, gone, stores, loads := tally(a)
	if n.Before != 468 || n.After != 1640 || added != n.Added || changed != n.Changed || gone != n.Removed || stores == 0 || loads == 0 {
		t.Errorf("%d added, %d changed, %d gone, %d stores, %d loads; %+v", added, changed, gone, stores, loads, n)
	}
	if both.Plain || strings.Contains(both.Before, ";") || strings.Count(both.After, "\n") < n.After || strings.Count(both.Before, "\n") < n.Before {
		t.Errorf("texts of %d and %d lines", strings.Count(both.Before, "\n"), strings.Count(both.After, "\n"))
	}
	// The lines that are the same by name are those that are paired.
	if same := common(both.Before, both.After); same < n.Same+n.Renamed {
		t.Errorf("%d lines are the same, %+v", same, n)
	}
	renamed := common(both.Before, both.After)
	s.execute("isadiff.compareAssembly", object{"kernel": windowFilterKey, "plain": true}, &both)
	if !both.Plain || !strings.Contains(p.read("base/window_filter/window_filter_0/22_final_isa.s"), both.Before) || !strings.Contains(p.read("dumps/window_filter/window_filter_0/22_final_isa.s"), both.After) || both.After != a.Text {
		t.Errorf("plain texts: %.40q, %.40q", both.Before, both.After)
	}
	if same := common(both.Before, both.After); same >= renamed {
		t.Errorf("%d lines are the same as they stand, %d by other names", same, renamed)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// common counts the lines of one text that the other has, each once.
func common(a, b string) (n int) {
	left := map[string]int{}
	for line := range strings.Lines(a) {
		left[line]++
	}
	for line := range strings.Lines(b) {
		if left[line] > 0 {
			left[line]--
			n++
		}
	}
	return n
}

// What cannot be compared is told with what can be done about it.
func TestAssemblyWithoutBaseline(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	fails := func(args object, want string) {
		t.Helper()
		for _, command := range []string{"isadiff.assembly", "isadiff.compareAssembly"} {
			if e := s.fails("workspace/executeCommand", object{"command": command, "arguments": []object{args}}); !strings.Contains(e.Message, want) {
				t.Errorf("%s %v: %q", command, args, e.Message)
			}
		}
	}
	fails(object{}, "say which kernel")
	fails(object{"kernel": "no::such"}, "no such kernel in the dumps")
	refused := func(want string) {
		t.Helper()
		e := s.fails("workspace/executeCommand", object{"command": "isadiff.compareAssembly", "arguments": []object{{"kernel": windowFilterKey}}})
		if !strings.Contains(e.Message, want) {
			t.Errorf("comparison: %q, want %q", e.Message, want)
		}
		a := s.assembly(windowFilterKey)
		if !strings.Contains(a.notes(), "what changed cannot be told: ") || !strings.Contains(a.notes(), want) || a.Compared || len(a.Rows) != 468 {
			t.Errorf("%d rows, notes %q", len(a.Rows), a.Notes)
		}
	}
	refused("there is no baseline to compare with; isadiff.snapshotBaseline takes one")
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	if err := os.Remove(p.path(".isadiff/baseline.isa.zst")); err != nil {
		t.Fatal(err)
	}
	refused("; take the snapshot again from dumps of the same code")
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	if a := s.assembly(windowFilterKey); !a.Compared {
		t.Errorf("notes %q", a.Notes)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A body whose registers cannot be counted is shown all the same, and says what it
// lacks.
func TestAssemblyRefused(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	name := "dumps/window_filter/window_filter_0/22_final_isa.s"
	p.write(name, strings.Replace(p.read(name), "\ts_endpgm\n", "\ts_setpc_b64 s[30:31]\n\ts_endpgm\n", 1))
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	a := s.assembly(windowFilterKey)
	if len(a.Rows) != 469 || a.Peak != nil || slices.ContainsFunc(a.Rows, func(r besideRow) bool { return r.Live > 0 }) || !strings.Contains(a.notes(), "its live registers cannot be counted") {
		t.Errorf("%d rows, peak %v, notes %q", len(a.Rows), a.Peak, a.Notes)
	}
	p.write(name, p.read(name)+strings.Repeat("; nothing\n", 1<<20))
	s.rescan()
	for _, command := range []string{"isadiff.assembly", "isadiff.compareAssembly"} {
		e := s.fails("workspace/executeCommand", object{"command": command, "arguments": []object{{"kernel": windowFilterKey}}})
		if !strings.Contains(e.Message, name+" has 10 MB, and no more than 8 are read to stand beside a source") {
			t.Errorf("%s: %q", command, e.Message)
		}
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Of every compiler's files, each instruction is one row, in order, beside the line of
// the .loc that it stands under.
func TestAssemblyOfEveryKernel(t *testing.T) {
	for _, c := range []struct{ producer, source string }{{"hip", "kernels.hip"}, {"triton", "kernels.py"}} {
		t.Run(c.producer, func(t *testing.T) {
			p := newProject(t)
			p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\nproducer = \""+c.producer+"\"\n")
			p.copyFile("../testdata/"+c.producer+"/"+c.source, c.source)
			p.age(c.source, time.Hour)
			p.dump("../"+c.producer+"/before", "base")
			p.dump("../"+c.producer+"/before", "dumps")
			s := start(t, startOptions{})
			s.initialize(p.root, object{})
			var all struct{ Kernels []struct{ Key string } }
			s.execute("isadiff.kernels", object{}, &all)
			if len(all.Kernels) < 8 {
				t.Fatalf("%d kernels", len(all.Kernels))
			}
			length := len(strings.Split(p.read(c.source), "\n"))
			for _, k := range all.Kernels {
				a := s.assembly(k.Key)
				lines := strings.Split(a.Text, "\n")
				last, linked, exact := -1, 0, 0
				for _, r := range a.Rows {
					if r.Line <= last || r.Line >= len(lines) || !strings.HasPrefix(lines[r.Line], "\t") {
						t.Fatalf("%s: a row at line %d of %d, after one at %d", k.Key, r.Line, len(lines), last)
					}
					last = r.Line
					if r.Change != "" || r.Gone != 0 {
						t.Errorf("%s: %+v against itself", k.Key, r)
					}
					if r.At == nil {
						continue
					}
					if linked++; *r.At < 0 || *r.At >= length {
						t.Errorf("%s: beside line %d of %d", k.Key, *r.At, length)
					}
					if loc(lines, r.Line) == *r.At+1 {
						exact++
					}
				}
				// What Triton's own library has computed stands beside no line of the project.
				library := strings.Contains(a.notes(), "/triton/language/standard.py is not on this machine, so its lines are not linked")
				if !a.Compared || exact != linked || linked < len(a.Rows)/2 || linked < len(a.Rows) && !library {
					t.Errorf("%s: compared %t, %d of %d linked, %d by their own .loc; %q", k.Key, a.Compared, linked, len(a.Rows), exact, a.Notes)
				}
				var both struct{ Before, After string }
				if s.execute("isadiff.compareAssembly", object{"kernel": k.Key}, &both); both.Before != both.After || strings.Count(both.After, "\n") < len(a.Rows) {
					t.Errorf("%s: differs from itself", k.Key)
				}
			}
			s.claim("textDocument/publishDiagnostics", "window/showMessage")
			s.close()
		})
	}
}

// loc is the line of the .loc that a line of assembly stands under, without those of
// line 0.
func loc(lines []string, n int) int {
	for ; n >= 0; n-- {
		if f := strings.Fields(lines[n]); len(f) > 2 && f[0] == ".loc" && f[2] != "0" {
			at, _ := strconv.Atoi(f[2])
			return at
		}
	}
	return 0
}
