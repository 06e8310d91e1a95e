package lsp_test

import (
	"strings"
	"testing"
)

// A kernel whose decorator comes from the project's own module is shown where its
// compile says that it stands, and not on one of its name elsewhere; also on a text
// that is being edited.
func TestDecoratorsOfTheProject(t *testing.T) {
	p := newProject(t, "column_stats.py")
	usual := p.read("column_stats.py")
	own := strings.ReplaceAll(usual, "import flydsl.compiler as flyc\n", "from lib.prelude import *\n")
	own = strings.ReplaceAll(own, "@flyc.", "@device_")
	p.write("column_stats.py", own)
	p.write("elsewhere/means.py", usual)
	p.dump("base/gfx950/column_stats", "dumps/column_stats")
	s := start(t, startOptions{})
	set := settings()
	set["path-map"] = object{"/home/user/kernels": "."}
	s.initialize(p.root, set)
	line, title := s.lens(p.uri("column_stats.py"))
	if text := strings.Split(own, "\n")[line]; !strings.HasPrefix(text, "def column_means(") || !strings.Contains(title, "vgpr 34") {
		t.Errorf("line %q: %s", text, title)
	}
	if _, title := s.lens(p.uri("elsewhere/means.py")); title != "not compiled yet" {
		t.Errorf("elsewhere: %s", title)
	}
	moved := "# one line more\n" + own
	p.open(s, "column_stats.py", 1)
	s.notify("textDocument/didChange", changed(p.uri("column_stats.py"), 2, moved))
	line, title = s.lens(p.uri("column_stats.py"))
	if text := strings.Split(moved, "\n")[line]; !strings.HasPrefix(text, "def column_means(") || !strings.Contains(title, "vgpr 34") {
		t.Errorf("edited, line %q: %s", text, title)
	}
	s.close()
}
