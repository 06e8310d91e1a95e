package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Columns are counted in the units that were agreed on.
func TestPositionEncodings(t *testing.T) {
	for _, c := range []struct {
		offered []string
		chosen  string
		width   int // of "µ𝛼_kernel"
	}{
		{nil, "utf-16", len("µ") - 1 + 2 + len("_kernel")},
		{[]string{"utf-16"}, "utf-16", 1 + 2 + 7},
		{[]string{"utf-32", "utf-16"}, "utf-32", 1 + 1 + 7},
		{[]string{"utf-16", "utf-8"}, "utf-8", 2 + 4 + 7},
	} {
		t.Run(c.chosen, func(t *testing.T) {
			p := worseProject(t)
			p.write("window_filter.py", strings.Replace(p.read("window_filter.py"), "def window_filter(", "def µ𝛼_kernel(", 1))
			p.age("window_filter.py", 3600e9)
			s := start(t, startOptions{})
			caps := capabilities()
			if c.offered != nil {
				caps["general"] = object{"positionEncodings": c.offered}
			}
			s.settings = settings()
			var answer struct {
				Capabilities struct{ PositionEncoding string }
			}
			s.call("initialize", object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps}, &answer)
			s.notify("initialized", object{})
			if answer.Capabilities.PositionEncoding != c.chosen {
				t.Errorf("encoding %s, want %s", answer.Capabilities.PositionEncoding, c.chosen)
			}
			s.settled(1)
			for _, open := range []bool{false, true} {
				if open {
					p.open(s, "window_filter.py", 1)
				}
				var lenses []codeLens
				s.call("textDocument/codeLens", document(p.uri("window_filter.py")), &lenses)
				if len(lenses) == 0 {
					t.Fatal("no lens")
				}
				r := lenses[0].Range
				if r.Start.Character != 4 || r.End.Character != 4+c.width {
					t.Errorf("open %v: the name is at %d to %d, want 4 to %d", open, r.Start.Character, r.End.Character, 4+c.width)
				}
			}
			s.rescan()
			s.claim("textDocument/publishDiagnostics")
			s.close()
		})
	}
}

// In assembly a label, a .set line and the metadata show the kernel, and lead to
// its definition; an instruction leads to its line.
func TestAssembly(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("debug/gfx950/window_filter", "dumps")
	name := "dumps/window_filter_0/23_final_isa.s"
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	lines := strings.Split(p.read(name), "\n")
	at := func(match func(string) bool) object {
		for n, l := range lines {
			if match(l) {
				return object{"textDocument": object{"uri": p.uri(name)}, "position": object{"line": n, "character": 1}}
			}
		}
		t.Fatal("no such line")
		return nil
	}
	starts := func(prefix string) object {
		return at(func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), prefix) })
	}
	for _, prefix := range []string{"window_filter_0:", ".set .Lwindow_filter_0.num_vgpr", ".amdhsa_kernel window_filter_0", ".vgpr_count:", ".name:           window_filter_0"} {
		var hover struct{ Contents struct{ Value string } }
		s.call("textDocument/hover", starts(prefix), &hover)
		if !strings.Contains(hover.Contents.Value, "**window_filter_0** · gfx950") {
			t.Errorf("hover on %s: %q", prefix, hover.Contents.Value)
		}
		var places []struct {
			URI   string
			Range textRange
		}
		s.call("textDocument/definition", starts(prefix), &places)
		if len(places) != 1 || places[0].URI != p.uri("window_filter.py") || places[0].Range.Start.Line != 18 {
			t.Errorf("definition of %s: %+v", prefix, places)
		}
	}
	var nothing json.RawMessage
	for _, line := range []int{len(lines), 1<<31 - 1, 1<<32 - 1} {
		past := object{"textDocument": object{"uri": p.uri(name)}, "position": object{"line": line, "character": 0}}
		for _, method := range []string{"textDocument/hover", "textDocument/definition"} {
			if s.call(method, past, &nothing); string(nothing) != "null" {
				t.Errorf("%s past the end: %s", method, nothing)
			}
		}
	}
	for _, prefix := range []string{"amdhsa.target", ".section", "s_load"} {
		s.call("textDocument/hover", starts(prefix), &nothing)
		if string(nothing) != "null" {
			t.Errorf("hover on %s: %s", prefix, nothing)
		}
	}
	var places []struct {
		URI   string
		Range textRange
	}
	s.call("textDocument/definition", at(func(l string) bool { return strings.HasPrefix(l, "\t.loc\t1 27 ") }), &places)
	if len(places) != 1 || places[0].URI != p.uri("window_filter.py") || places[0].Range.Start.Line != 26 {
		t.Errorf("definition of a .loc: %+v", places)
	}
	p.write("window_filter.py", "#\n#\n"+p.read("window_filter.py"))
	s.rescan()
	s.call("textDocument/definition", at(func(l string) bool { return strings.HasPrefix(l, "\t.loc\t1 27 ") }), &places)
	if len(places) != 1 || places[0].Range.Start.Line != 28 {
		t.Errorf("definition of a .loc, moved since: %+v", places)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Whatever a lens offers a code action offers too, for the same command.
func TestCodeActions(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	got := expect[published](s, "textDocument/publishDiagnostics", nil)
	var lenses []codeLens
	s.call("textDocument/codeLens", document(p.uri("window_filter.py")), &lenses)
	var actions []struct {
		Title, Kind string
		Command     struct{ Command string }
		Diagnostics []diagnostic
	}
	ask := object{
		"textDocument": object{"uri": p.uri("window_filter.py")}, "range": got.Diagnostics[0].Range,
		"context": object{"diagnostics": []object{{
			"range": got.Diagnostics[0].Range, "message": "x", "source": "isadiff", "code": "regression", "data": got.Diagnostics[0].Data,
		}}},
	}
	s.call("textDocument/codeAction", ask, &actions)
	offered := map[string]bool{}
	for _, a := range actions {
		offered[a.Command.Command] = true
		if a.Kind != "quickfix" || len(a.Diagnostics) != 1 {
			t.Errorf("action %+v", a)
		}
	}
	for _, l := range lenses {
		if !offered[l.Command.Command] {
			t.Errorf("%s is offered by the lens alone", l.Command.Command)
		}
	}
	ask["context"].(object)["only"] = []string{"refactor"}
	s.call("textDocument/codeAction", ask, &actions)
	if len(actions) != 0 {
		t.Errorf("asked for refactorings: %+v", actions)
	}
	s.close()
}
