package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		if line, title := s.lens(p.uri("k.py")); line != 4+version || !strings.HasPrefix(title, "▲ spill 0→136") && !strings.HasPrefix(title, "✎ older than this file · ▲ spill 0→136") {
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

// A folder that is reached through a link and a file that is opened by another way
// to it are one: the kernel has one definition and the client one list.
func TestLinks(t *testing.T) {
	p := worseProject(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.root, link); err != nil {
		t.Skip(err)
	}
	linked := projectDir{t, link}
	for _, c := range []struct {
		name           string
		folder, opened projectDir
	}{{"a linked folder", linked, p}, {"a file through a link", p, linked}} {
		s := start(t, startOptions{})
		s.initialize(c.folder.root, settings())
		if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != c.folder.uri("window_filter.py") || len(got.Diagnostics) != 1 {
			t.Errorf("%s: at first published %+v", c.name, got)
		}
		c.opened.open(s, "window_filter.py", 1)
		// The client gets it in its own spelling, and the other one is cleared.
		lists := map[string]int{}
		for range 2 {
			got := expect[published](s, "textDocument/publishDiagnostics", nil)
			lists[got.URI] = len(got.Diagnostics)
		}
		if lists[c.folder.uri("window_filter.py")] != 0 || lists[c.opened.uri("window_filter.py")] != 1 {
			t.Errorf("%s: opened, published %v", c.name, lists)
		}
		for _, way := range []projectDir{c.folder, c.opened} {
			if _, title := s.lens(way.uri("window_filter.py")); !strings.HasPrefix(title, "▲ spill 0→136") || strings.Contains(title, "ambiguous") {
				t.Errorf("%s: the lens of %s is %q", c.name, way.root, title)
			}
		}
		s.notify("textDocument/didChange", changed(c.opened.uri("window_filter.py"), 2, "\n"+p.read("window_filter.py")))
		if line, _ := s.lens(c.folder.uri("window_filter.py")); line != 19 {
			t.Errorf("%s: after an edit the lens is on line %d, want 19", c.name, line)
		}
		s.notify("textDocument/didClose", document(c.opened.uri("window_filter.py")))
		s.rescan()
		if line, _ := s.lens(c.opened.uri("window_filter.py")); line != 18 {
			t.Errorf("%s: closed, the lens is on line %d, want 18", c.name, line)
		}
		s.claim("textDocument/publishDiagnostics")
		s.close()
	}
}

// Settings that came with initialize survive the empty ones that some clients send
// right after it.
func TestEmptySettings(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": object{}, "initializationOptions": object{"settings": settings()}})
	for _, empty := range []any{nil, object{}, object{"isadiff": nil}, object{"isadiff": object{}}} {
		s.notify("workspace/didChangeConfiguration", object{"settings": empty})
	}
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != p.uri("window_filter.py") || len(got.Diagnostics) != 1 {
		t.Errorf("published %+v", got)
	}
	s.notify("workspace/didChangeConfiguration", object{"settings": object{"isadiff": object{"severity": object{"spills": "error"}}}})
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); len(got.Diagnostics) != 1 || got.Diagnostics[0].Severity != 1 {
		t.Errorf("after a change published %+v", got)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A client that cannot be made to open a file is told where it is.
func TestShowWithoutShowDocument(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": object{}, "initializationOptions": object{"settings": settings()}})
	expect[published](s, "textDocument/publishDiagnostics", nil)
	for command, want := range map[string]string{
		"isadiff.showIsa": p.path(dumped) + ":146", "isadiff.showReport": p.path(".isadiff/report.md"),
	} {
		s.execute(command, object{"kernel": "window_filter/window_filter_0::window_filter_0"}, nil)
		if got := expect[struct{ Message string }](s, "window/showMessage", nil); !strings.HasSuffix(got.Message, "see "+want) {
			t.Errorf("%s: %q", command, got.Message)
		}
	}
	s.close()
}

// While a decorator is typed anew, letter by letter, its kernel keeps its line and
// its diagnostic, and nothing is said.
func TestTypingADecorator(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	uri, text := p.uri("window_filter.py"), p.read("window_filter.py")+"#"
	s.outdate(p, "window_filter.py", text)
	line, title := s.lens(uri)
	const whole = "@flyc.kernel"
	version := 2
	for n := range 2 * len(whole) {
		kept := max(len(whole)-n, n-len(whole)+1) // down to "@" and up again
		version++
		s.notify("textDocument/didChange", changed(uri, version, strings.Replace(text, whole, whole[:max(kept, 1)], 1)))
		if l, now := s.lens(uri); l != line || now != title {
			t.Fatalf("at %q the lens went from %d %q to %d %q", whole[:max(kept, 1)], line, title, l, now)
		}
		s.rescan()
	}
	for _, m := range s.unclaimed() {
		t.Errorf("said while typing: %s", m)
	}
	s.close()
}

// What is gone takes its diagnostics with it, and what comes back brings them back:
// a dump, a source that is not open, the baseline.
func TestDeletedFiles(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	source, assembly := p.uri("window_filter.py"), p.uri(dumped)
	listed := func(what, uri string, n int) {
		t.Helper()
		got := expect(s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == uri })
		if len(got.Diagnostics) != n {
			t.Errorf("%s: published %+v, want %d", what, got, n)
		}
	}
	aside := t.TempDir()
	rename := func(from, to string) { // a tree goes and comes whole
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	listed("at first", source, 1)
	rename(p.path("dumps"), filepath.Join(aside, "dumps"))
	listed("without dumps", source, 0)
	rename(filepath.Join(aside, "dumps"), p.path("dumps"))
	listed("with dumps again", source, 1)
	text := p.read("window_filter.py")
	os.Remove(p.path("window_filter.py"))
	listed("without the source", source, 0)
	listed("without the source", assembly, 1)
	p.put("window_filter.py", text, time.Now().Add(-time.Hour))
	listed("with the source again", source, 1)
	listed("with the source again", assembly, 0)
	rename(p.path("base"), filepath.Join(aside, "base"))
	listed("without a baseline", source, 0)
	rename(filepath.Join(aside, "base"), p.path("base"))
	listed("with the baseline again", source, 1)
	s.rescan()
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		t.Errorf("published besides: %+v", m)
	}
	s.close()
}

// A client that can do nothing is asked for nothing and told nothing but what every
// client understands.
func TestMinimalClient(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \".isadiff/baseline.json\"\ninlay-hints = true\n")
	s := start(t, startOptions{})
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": object{}})
	s.rescan()
	p.open(s, "window_filter.py", 1)
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	p.dump("unroll-up/gfx1201/after", "dumps")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s.rescan()
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	s.execute("isadiff.undoBaseline", object{}, nil)
	p.write("isadiff.toml", p.read("isadiff.toml")+"[severity]\nimproved = \"hint\"\n")
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	s.notify("workspace/didChangeConfiguration", object{"settings": nil})
	s.rescan()
	var hover struct{ Contents struct{ Kind string } }
	s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("window_filter.py")}, "position": p.find("window_filter.py", "window_filter(")}, &hover)
	if hover.Contents.Kind != "plaintext" {
		t.Errorf("a hover of kind %q", hover.Contents.Kind)
	}
	s.claim("textDocument/publishDiagnostics", "window/showMessage")
	for _, m := range s.unclaimed() {
		t.Errorf("a client without capabilities is told %s", m)
	}
	s.close()
}

// Each surface and each kind of result can be switched off; the verdict stays.
func TestSwitchedOff(t *testing.T) {
	off := object{"hover": false, "code-lens": false, "severity": object{}}
	for _, kind := range []string{"spills", "occupancy", "registers", "lds", "budget", "untrustworthy", "missing", "overwritten", "ambiguous", "improved", "configuration"} {
		off["severity"].(object)[kind] = "off"
	}
	p := worseProject(t)
	p.write("isadiff.toml", "nonsense = 1\ndumps = \"dumps\"\nbaseline = \"base\"\n[budgets]\n\"*\" = \"vgpr <= 100\"\n")
	s := start(t, startOptions{})
	s.initialize(p.root, off)
	p.open(s, "window_filter.py", 1)
	s.rescan()
	var hover, lenses json.RawMessage
	s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("window_filter.py")}, "position": p.find("window_filter.py", "window_filter(")}, &hover)
	s.call("textDocument/codeLens", document(p.uri("window_filter.py")), &lenses)
	if string(hover) != "null" || string(lenses) != "null" && string(lenses) != "[]" {
		t.Errorf("switched off: hover %s, lenses %s", hover, lenses)
	}
	if got := allOf[published](s, "textDocument/publishDiagnostics"); len(got) > 0 {
		t.Errorf("switched off: %+v", got)
	}
	var st struct{ Verdict string }
	s.execute("isadiff.status", object{}, &st)
	if st.Verdict != "REGRESSION" {
		t.Errorf("the verdict is %s", st.Verdict)
	}
	s.close()
}

// Orders that come while the project is being opened are carried out when it is,
// and a client that cannot be asked to fetch lenses again gets them at once.
func TestOrdersWhileOpening(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \".isadiff/baseline.json\"\ninlay-hints = true\n")
	s := start(t, startOptions{})
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": object{}})
	uri := p.uri("window_filter.py")
	p.open(s, "window_filter.py", 1)
	lens := s.ask("textDocument/codeLens", document(uri))
	hints := document(uri)
	hints["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 99, "character": 0}}
	hint := s.ask("textDocument/inlayHint", hints)
	status := s.ask("workspace/executeCommand", object{"command": "isadiff.status"})
	taken := s.ask("workspace/executeCommand", object{"command": "isadiff.snapshotBaseline"})
	for what, id := range map[string]string{"vgpr 127 ·": lens, "\"label\":\"vgpr 127": hint, `"total":1,`: status, "baseline taken: 1 kernel": taken} {
		if m := s.wait(id); !strings.Contains(string(m.Result), what) {
			t.Errorf("%s, want %q", m.raw, what)
		}
	}
	s.claim("window/showMessage")
	s.close()
}

// An order that waits for a project to be opened can be cancelled.
func TestCancelWhileOpening(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.silent["workspace/configuration"] = true // the project waits for its settings
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities()})
	id := s.ask("workspace/executeCommand", object{"command": "isadiff.status"})
	other := s.ask("workspace/executeCommand", object{"command": "isadiff.rescan"})
	s.notify("$/cancelRequest", object{"id": json.RawMessage(id)})
	if m := s.wait(id); m.Error == nil || m.Error.Code != requestCancelled {
		t.Errorf("cancelled: %s", m.raw)
	}
	s.close()
	if m := s.wait(other); m.Error == nil || m.Error.Code != requestCancelled {
		t.Errorf("at shutdown: %s", m.raw)
	}
}

// Some clients write null for what LSP has them leave out.
func TestNulls(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initializeWith(object{
		"processId": nil, "rootUri": fileURI(p.root), "rootPath": nil, "locale": nil, "trace": nil, "workspaceFolders": nil,
		"clientInfo":            object{"name": nil, "version": nil},
		"capabilities":          object{"window": object{"showDocument": object{"support": nil}}, "general": nil},
		"initializationOptions": object{"settings": settings()},
	})
	got := expect[published](s, "textDocument/publishDiagnostics", nil)
	ask := document(got.URI)
	ask["range"] = got.Diagnostics[0].Range
	ask["context"] = object{"triggerKind": nil, "only": nil, "diagnostics": []object{{
		"range": got.Diagnostics[0].Range, "message": "of another server", "severity": nil, "code": nil, "source": nil, "tags": nil,
		"codeDescription": object{"href": nil}, "relatedInformation": nil, "data": nil,
	}}}
	var actions []object
	if s.call("textDocument/codeAction", ask, &actions); len(actions) == 0 {
		t.Error("no code action")
	}
	s.close()
}

// That a baseline is there and holds nothing is in no file: a client that shows no
// lenses is told, and the first source has a diagnostic of it.
func TestEmptyBaselineIsSaid(t *testing.T) {
	p := worseProject(t)
	p.write("base/README", "")
	if err := os.RemoveAll(p.path("base/window_filter")); err != nil {
		t.Fatal(err)
	}
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	expect(s, "window/showMessage", func(m struct{ Message string }) bool {
		return strings.Contains(m.Message, "base holds no") && strings.Contains(m.Message, "no-dump-files")
	})
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != p.uri("window_filter.py") || len(got.Diagnostics) != 1 || got.Diagnostics[0].Code != "no-dump-files" {
		t.Errorf("published %+v", got)
	}
	s.rescan()
	s.close() // said once
}
