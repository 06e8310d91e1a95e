package lsp_test

import (
	"strings"
	"testing"
)

// A file that is no source of the project, such as a library's, is none for being
// open: a copy of a kernel in it makes nothing ambiguous.
func TestOpenLibrary(t *testing.T) {
	p := worseProject(t)
	p.write(".gitignore", "build/\n")
	p.write(".git/HEAD", "ref: refs/heads/main\n")
	copies := []string{".venv/lib/window_filter.py", "env/lib/window_filter.py", "build/window_filter.py"}
	p.write("env/pyvenv.cfg", "home = /usr\n")
	for _, name := range copies {
		p.copyFile("../testdata/kernels/window_filter.py", name)
	}
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	for i, name := range copies {
		p.open(s, name, i+1)
		s.rescan()
		if _, title := s.lens(p.uri("window_filter.py")); !strings.HasPrefix(title, "▲") || strings.Contains(title, "ambiguous") {
			t.Errorf("with %s open the lens is %q", name, title)
		}
		var lenses []codeLens
		if s.call("textDocument/codeLens", document(p.uri(name)), &lenses); len(lenses) > 0 {
			t.Errorf("lenses of %s: %v", name, lenses)
		}
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
