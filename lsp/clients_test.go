package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A hover is Markdown for a client that prefers it to plain text, and plain text
// for any other: the order of its formats is its preference.
func TestHoverFormats(t *testing.T) {
	p := worseProject(t)
	for _, c := range []struct {
		formats any
		kind    string
	}{
		{nil, "plaintext"},
		{[]string{}, "plaintext"},
		{[]string{"plaintext"}, "plaintext"},
		{[]string{"plaintext", "markdown"}, "plaintext"},
		{[]string{"markdown", "plaintext"}, "markdown"},
		{[]string{"asciidoc", "markdown"}, "markdown"},
	} {
		s := start(t, startOptions{})
		caps := capabilities()
		caps["textDocument"].(object)["hover"] = object{}
		if c.formats != nil {
			caps["textDocument"].(object)["hover"] = object{"contentFormat": c.formats}
		}
		s.settings = settings()
		s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps})
		s.settled(1)
		var hover struct{ Contents struct{ Kind, Value string } }
		s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("window_filter.py")}, "position": p.find("window_filter.py", "window_filter(")}, &hover)
		if hover.Contents.Kind != c.kind || strings.Contains(hover.Contents.Value, "```") != (c.kind == "markdown") {
			t.Errorf("%v: %s, want %s:\n%.200s", c.formats, hover.Contents.Kind, c.kind, hover.Contents.Value)
		}
		s.rescan()
		s.claim("textDocument/publishDiagnostics")
		s.close()
	}
}

// A compiler that only the project knows is known to every surface: its decorators
// in a source that is open and edited, its assembly in the files of its name.
func TestOwnCompiler(t *testing.T) {
	p := newProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\nproducer = \"mine\"\n[producers.mine]\nfiles = \"*.isa\"\ndecorators = [\"mine.lang.kernel\"]\n")
	p.write("k.py", "import mine.lang as ml\n\n\n@ml.kernel\ndef window_filter_0(x):\n    return x\n")
	p.age("k.py", 3600e9)
	for dir, from := range map[string]string{"base": "before", "dumps": "after"} {
		p.copyFile(dumps+"/tile-up-spills/gfx942/"+from+"/window_filter/window_filter_0/22_final_isa.s", dir+"/k/window.isa")
	}
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	got := expect[published](s, "textDocument/publishDiagnostics", nil)
	if got.URI != p.uri("k.py") || len(got.Diagnostics) != 1 || got.Diagnostics[0].Code != "regression" {
		t.Errorf("published %+v", got)
	}
	for version, text := range []string{p.read("k.py"), "#\n" + p.read("k.py"), "#\n#\n" + p.read("k.py")} {
		if version == 0 {
			p.open(s, "k.py", 1)
		} else {
			s.notify("textDocument/didChange", changed(p.uri("k.py"), version+1, text))
		}
		if line, title := s.lens(p.uri("k.py")); line != 4+version || !strings.HasPrefix(title, "▲ spill 0→136") && !strings.HasPrefix(title, "older than this file: ▲ spill 0→136") {
			t.Errorf("after %d changes the lens is %d %q", version, line, title)
		}
	}
	at := object{"textDocument": object{"uri": p.uri("dumps/k/window.isa")}, "position": p.find("dumps/k/window.isa", "window_filter_0:")}
	var hover struct{ Contents struct{ Value string } }
	s.call("textDocument/hover", at, &hover)
	if !strings.Contains(hover.Contents.Value, "REGRESSION") {
		t.Errorf("hover on the label: %q", hover.Contents.Value)
	}
	if _, title := s.lens(p.uri("dumps/k/window.isa")); !strings.Contains(title, "▲ spill 0→136") {
		t.Errorf("lens on the label: %q", title)
	}
	var places []struct{ URI string }
	s.call("textDocument/definition", at, &places)
	if len(places) != 1 || places[0].URI != p.uri("k.py") {
		t.Errorf("definition of the label: %+v", places)
	}
	// What is wrong with such a file stands in it.
	p.write("dumps/k/window.isa", "cut")
	p.write("dumps/l/other.isa", "cut")
	s.rescan()
	var lenses json.RawMessage
	s.call("textDocument/codeLens", document(p.uri("dumps/l/other.isa")), &lenses)
	if !strings.Contains(string(lenses), "(metadata-missing)") {
		t.Errorf("lenses of a file that cannot be read: %s", lenses)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
