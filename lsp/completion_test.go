package lsp_test

import (
	"slices"
	"testing"
)

// The configuration is completed as it is typed, and no other file.
func TestCompletion(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "# é\nseverity.sp")
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	p.open(s, "isadiff.toml", 1)
	type item struct {
		Label    string
		TextEdit struct {
			NewText string
			Range   struct{ Start, End struct{ Line, Character int } }
		}
	}
	ask := func(rel, before string, behind int) (items []item) {
		at := p.find(rel, before)
		at["character"] = at["character"].(int) - 1 + behind
		s.call("textDocument/completion", object{"textDocument": object{"uri": p.uri(rel)}, "position": at}, &items)
		return items
	}
	items := ask("isadiff.toml", "severity.sp", len("severity.sp"))
	i := slices.IndexFunc(items, func(i item) bool { return i.Label == "severity.spills" })
	if i < 0 {
		t.Fatalf("offered: %+v", items)
	}
	if e := items[i].TextEdit; e.NewText != "severity.spills = " || e.Range.Start.Character != 0 || e.Range.End.Character != len("severity.sp") || e.Range.Start.Line != e.Range.End.Line {
		t.Errorf("the edit is %+v", e)
	}
	// What stands behind the cursor is replaced too, or kept where it is the value.
	for version, c := range []struct {
		before, behind, label, text string
		end                         int
	}{
		{"severity.sp", " = 'off'", "severity.spills", "severity.spills", 11},
		{"severity.sp", "ills = 'off'", "severity.spills", "severity.spills", 15},
		{"severity.spills = \"er", "\"", `"error"`, `"error"`, 22},
		{"severity.spills = \"", "\"", `"error"`, `"error"`, 20},
		{"hover = ", "", "true", "true", 8},
	} {
		line := c.before + c.behind
		p.write("isadiff.toml", line)
		s.notify("textDocument/didChange", changed(p.uri("isadiff.toml"), version+2, line))
		items := ask("isadiff.toml", c.before, len(c.before))
		i := slices.IndexFunc(items, func(i item) bool { return i.Label == c.label })
		if i < 0 || items[i].TextEdit.NewText != c.text || items[i].TextEdit.Range.End.Character != c.end {
			t.Errorf("%s|%s: %+v", c.before, c.behind, items)
		}
	}
	p.open(s, "window_filter.py", 1)
	if items := ask("window_filter.py", "window_filter(", 3); len(items) > 0 {
		t.Errorf("offered in Python: %+v", items)
	}
}
