package lsp_test

import (
	"fmt"
	"strings"
	"testing"
)

// The kernels of a definition are listed the worst first, told apart as in its hover, with
// figures that repeat no name; and each has its hover.
func TestKernelsOfOneDefinition(t *testing.T) {
	p := newProject(t, "rowwise/softmax.py")
	p.dump("pytest-per-test/gfx950", "base")
	p.dump("pytest-per-test/gfx950", "dumps")
	const worse = "dumps/test_softmax.py_test_compiles_8192-f32_/softmax_rows_0"
	for _, edit := range [][2]string{{".vgpr_count:     49", ".vgpr_count:     61"}, {"num_vgpr, 49", "num_vgpr, 61"}, {"free_vgpr 49", "free_vgpr 61"}, {"offset 52", "offset 64"}} {
		p.rewrite(worse, edit[0], edit[1])
	}
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	var list struct {
		Kernels []struct {
			Key, Name, Status, Label, Variant string
			Waves                             struct {
				Before, After string
				Delta         int
			}
		}
	}
	s.execute("isadiff.kernels", object{}, &list)
	var rows []string
	for _, k := range list.Kernels {
		rows = append(rows, fmt.Sprintf("%s | %s | %s | %s→%s waves", k.Label, k.Name, k.Variant, k.Waves.Before, k.Waves.After))
	}
	const want = `▲ vgpr 49→61 | softmax_rows_0 | 8192-f32 | 8→8 waves
vgpr 18 · no spill · 8 waves | softmax_rows_0 | 2048-bf16 | 8→8 waves
vgpr 18 · no spill · 8 waves | softmax_rows_0 | 2048-f16 | 8→8 waves
vgpr 18 · no spill · 8 waves | softmax_rows_0 | 2048-f32 | 8→8 waves
vgpr 42 · no spill · 8 waves | softmax_rows_0 | 8192-bf16 | 8→8 waves
vgpr 44 · no spill · 8 waves | softmax_rows_0 | 8192-f16 | 8→8 waves`
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var hover struct{ Kernel, Text string }
	s.execute("isadiff.hover", object{"kernel": list.Kernels[0].Key}, &hover)
	if hover.Kernel != list.Kernels[0].Key || !strings.HasPrefix(hover.Text, "**softmax_rows_0** · gfx950 · **REGRESSION** · dump ") || !strings.Contains(hover.Text, "vgpr                       49       61     +12   ▲") {
		t.Errorf("hover %+v", hover)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// What a report of a fault needs is in the log from the start and in the status; a rescan
// says what it found, and explain lists what it can explain.
func TestServerTellsOfItself(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n")
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	var status struct{ Root, Configuration, Version string }
	s.execute("isadiff.status", object{}, &status)
	if status.Root != p.root || status.Configuration != p.path("isadiff.toml") || status.Version == "" {
		t.Errorf("status %+v", status)
	}
	var read struct{ Message string }
	s.execute("isadiff.rescan", object{}, &read)
	if !strings.HasPrefix(read.Message, "read again: compared 1 of 1 kernel") || !strings.HasSuffix(read.Message, "RESULT: REGRESSION") {
		t.Errorf("rescan answers %q", read.Message)
	}
	var list struct {
		Topics []struct{ Name, Title string }
	}
	s.execute("isadiff.explain", object{}, &list)
	named := map[string]bool{}
	for _, topic := range list.Topics {
		var answer struct{ Text string }
		s.execute("isadiff.explain", object{"code": topic.Name}, &answer)
		if named[topic.Name] = answer.Text != ""; topic.Title == "" || !named[topic.Name] {
			t.Errorf("%+v is not explained", topic)
		}
	}
	if !named["metadata-cut"] || !named["vgpr_spill"] || !named["edited"] {
		t.Errorf("topics %v", named)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
	for _, want := range []string{"root " + p.root, "dumps " + p.path("dumps"), "baseline " + p.path("base"), "configuration " + p.path("isadiff.toml"), "; isadiff " + status.Version + ", "} {
		if !strings.Contains(s.stderr.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, s.stderr.String())
		}
	}
}

// Who reads the text of the report itself gets no HTML in it; an editor that shows it
// may have it.
func TestPlainReport(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	for _, plain := range []bool{false, true} {
		s.execute("isadiff.showReport", object{"plain": plain}, &struct{}{})
		expect[object](s, "window/showDocument", nil)
		if text := p.read(".isadiff/report.md"); strings.Contains(text, "<") == plain || !strings.Contains(text, "window_filter_0") || !strings.Contains(text, "0 → 136") {
			t.Errorf("plain %v: the report is\n%s", plain, text)
		}
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
