package lsp_test

import (
	"slices"
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

// Of two definitions of one name, as in both branches of an if, the command that
// lists the kernels names the same one as the lens.
func TestDefinitionsOfOneName(t *testing.T) {
	for _, decorator := range []string{"@flyc.kernel", "@device_kernel"} {
		p := newProject(t, "column_stats.py")
		text := "import flydsl.compiler as flyc\nif fast:\n    @flyc.kernel\n    def column_means(X): pass\nelse:" +
			strings.Repeat("\n", 8) + "    @flyc.kernel\n    def column_means(X): pass\n"
		text = strings.ReplaceAll(text, "@flyc.kernel", decorator)
		p.write("column_stats.py", text)
		p.dump("base/gfx950/column_stats", "dumps/column_stats")
		s := start(t, startOptions{})
		set := settings()
		set["path-map"] = object{"/home/user/kernels": "."}
		s.initialize(p.root, set)
		p.open(s, "column_stats.py", 1)
		s.notify("textDocument/didChange", changed(p.uri("column_stats.py"), 2, "#\n"+text))
		var list struct {
			Kernels []struct {
				Name       string
				Definition struct {
					Range struct{ Start struct{ Line int } }
				}
			}
		}
		s.execute("isadiff.kernels", object{}, &list)
		if k := list.Kernels[0]; k.Name != "column_means_0" || k.Definition.Range.Start.Line != 14 {
			t.Errorf("%s: %s is listed on line %d", decorator, k.Name, k.Definition.Range.Start.Line)
		}
		var lenses []codeLens
		s.call("textDocument/codeLens", document(p.uri("column_stats.py")), &lenses)
		var at []int
		for _, l := range lenses {
			if strings.Contains(l.Command.Title, "vgpr 34") {
				at = append(at, l.Range.Start.Line)
			}
		}
		if !slices.Equal(at, []int{14}) {
			t.Errorf("%s: lenses on lines %v", decorator, at)
		}
		s.close()
	}
}
