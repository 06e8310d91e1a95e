package lsp_test

import (
	"os"
	"strings"
	"testing"
)

// A kernel without a definition is shown on its assembly, with the reason; one
// that vanished, on that of the baseline.
func TestKernelsWithoutDefinition(t *testing.T) {
	p := newProject(t, "column_stats.py")
	p.write("column_stats.py", strings.ReplaceAll(p.read("column_stats.py"), "def column_means(", "def means_of_columns("))
	const dir, isa = "column_stats/centre_columns", "column_stats/centre_columns/22_final_isa.s"
	p.dump("base/gfx950/column_stats", "base/column_stats")
	p.dump("base/gfx950/column_stats", "dumps/column_stats")
	p.dump("base/gfx950/transpose", "base/transpose")
	p.dump("base/gfx950/transpose", "dumps/transpose")
	other := newProject(t, "transpose.py")
	set := settings()
	set["path-map"] = object{"/home/user/kernels": ".", "/home/user/kernels/transpose.py": other.path("transpose.py")}
	s := start(t, startOptions{})
	s.initialize(p.root, set)
	line, title := s.lens(p.uri("dumps/" + isa))
	if line != 6 || !strings.Contains(title, "nothing in column_stats.py is known to define it") {
		t.Errorf("line %d: %s", line, title)
	}
	if _, title := s.lens(p.uri("dumps/transpose/transpose_static_0/22_final_isa.s")); !strings.HasPrefix(title, "source outside the project (path-map) · ") {
		t.Errorf("of another project: %s", title)
	}
	if err := os.RemoveAll(p.path("dumps/" + dir)); err != nil {
		t.Fatal(err)
	}
	got := expect(s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == p.uri("base/"+isa) })
	if len(got.Diagnostics) != 1 || got.Diagnostics[0].Range.Start.Line != 6 || !strings.Contains(got.Diagnostics[0].Message, "column_means_0") {
		t.Errorf("published %+v", got)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
