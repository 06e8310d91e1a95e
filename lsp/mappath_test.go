package lsp_test

import (
	"strings"
	"testing"
)

// A kernel that was compiled somewhere else has a line that says how to map its
// path; with what it says, the kernel is found.
func TestMapPath(t *testing.T) {
	for _, c := range []struct {
		name          string
		source        string
		file, written string // the configuration
		from, to      string
	}{
		{"in isadiff.toml", "src/a/window_filter.py", "isadiff.toml", "dumps = \"dumps\"\n", "/home/user/kernels", "src/a"},
		{"in pyproject.toml", "window_filter.py", "pyproject.toml", "[tool.isadiff]\ndumps = \"dumps\"\n", "/home/user/kernels", "."},
		{"no file yet", "other/window_filter.py", "isadiff.toml", "", "/home/user/kernels", "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.copyFile("../testdata/kernels/window_filter.py", c.source)
			p.age(c.source, 3600e9)
			// Of another kernel's name, so that nothing but the path leads to it.
			p.write(c.source, strings.Replace(p.read(c.source), "def window_filter(", "def renamed(", 1))
			p.age(c.source, 3600e9)
			p.dump("tile-up-spills/gfx942/after", "dumps")
			if c.written != "" {
				p.write(c.file, c.written)
			}
			s := start(t, startOptions{})
			s.initialize(p.root, object{"dumps": "dumps"})
			var lenses []codeLens
			s.call("textDocument/codeLens", document(p.uri(dumped)), &lenses)
			last := lenses[len(lenses)-1].Command
			if last.Title != "map its path" {
				t.Fatalf("lenses %+v", lenses)
			}
			var answer struct{ Path, Text, Message string }
			s.call("workspace/executeCommand", object{"command": last.Command, "arguments": last.Arguments}, &answer)
			if answer.Path != p.path(c.file) || !strings.Contains(answer.Text, "\""+c.from+"\" = \""+c.to+"\"\n") || !strings.Contains(answer.Message, c.from) {
				t.Errorf("answer %+v", answer)
			}
			s.rescan()
			s.claim("textDocument/publishDiagnostics", "window/showDocument")
			s.close()
		})
	}
	// The text as it is settles what is ambiguous.
	p := newProject(t)
	for _, name := range []string{"one/window_filter.py", "two/window_filter.py"} {
		p.copyFile("../testdata/kernels/window_filter.py", name)
		p.age(name, 3600e9)
	}
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	if _, title := s.lens(p.uri("one/window_filter.py")); !strings.Contains(title, "ambiguous") {
		t.Fatalf("the lens is %q", title)
	}
	var answer struct{ Path, Text string }
	s.execute("isadiff.mapPath", object{"kernel": "window_filter/window_filter_0::window_filter_0"}, &answer)
	p.write("isadiff.toml", answer.Text)
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	s.settled(3) // the first look, a rescan, the look with the mapping
	s.rescan()
	if _, title := s.lens(p.uri("one/window_filter.py")); !strings.HasPrefix(title, "vgpr 127") || strings.Contains(title, "ambiguous") {
		t.Errorf("mapped, the lens is %q", title)
	}
	if _, title := s.lens(p.uri("two/window_filter.py")); strings.Contains(title, "vgpr") {
		t.Errorf("mapped, the lens of the other is %q", title)
	}
	s.claim("textDocument/publishDiagnostics", "window/showDocument")
	s.close()
}
