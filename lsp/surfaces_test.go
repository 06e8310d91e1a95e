package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Nothing changed, nothing is said: neither for a dump written again as it was,
// nor for a source saved as it was, nor for a rescan.
func TestQuietWhenNothingChanged(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "workspace/configuration", "isadiff/status", "workspace/codeLens/refresh", "client/registerCapability")
	again := func(name string, at time.Time) {
		t.Helper()
		p.put(name, p.read(name), at)
	}
	now := time.Now()
	for _, tree := range []string{"dumps", "base"} { // the assembly first: with a newer module another compile would be under way
		again(tree+"/window_filter/window_filter_0/22_final_isa.s", now)
		again(tree+"/window_filter/window_filter_0/00_origin.mlir", now.Add(-time.Second))
		s.rescan()
	}
	again("window_filter.py", now.Add(-time.Hour))
	s.rescan()
	for _, m := range s.unclaimed() {
		t.Errorf("said although nothing changed: %s", m)
	}
	s.close()
}

// Typing elsewhere in a file changes no title, so nothing is said; the lens moves
// with its definition.
func TestQuietWhileTyping(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	uri, text := p.uri("window_filter.py"), p.read("window_filter.py")
	s.outdate(p, "window_filter.py", text+"#")
	line, title := s.lens(uri)
	for n := range 20 {
		typed := text + "\n\ndef helper(" + strings.Repeat("x", n)
		s.notify("textDocument/didChange", changed(uri, n+3, typed))
		if l, now := s.lens(uri); l != line || now != title {
			t.Fatalf("while typing the lens went from %d %q to %d %q", line, title, l, now)
		}
	}
	s.rescan()
	for _, m := range s.unclaimed() {
		t.Errorf("said while typing: %s", m)
	}
	s.notify("textDocument/didChange", changed(uri, 100, "\n\n"+text))
	if l, now := s.lens(uri); l != line+2 || now != title {
		t.Errorf("two lines further down the lens is %d %q, want %d %q", l, now, line+2, title)
	}
	got := expect[published](s, "textDocument/publishDiagnostics", func(p published) bool { return len(p.Diagnostics) > 0 && p.Diagnostics[0].Range.Start.Line == line+2 })
	if *got.Version != 100 {
		t.Errorf("published for version %d, want 100", *got.Version)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// What an editor drops when a file is closed it gets again when it is opened.
func TestReopenedFile(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	first := expect[published](s, "textDocument/publishDiagnostics", nil)
	if len(first.Diagnostics) != 1 || first.Version != nil {
		t.Fatalf("published %+v", first)
	}
	for version := 1; version < 3; version++ {
		p.open(s, "window_filter.py", version)
		got := expect[published](s, "textDocument/publishDiagnostics", nil)
		if len(got.Diagnostics) != 1 || got.Version == nil || *got.Version != version {
			t.Errorf("after opening: %+v", got)
		}
		s.notify("textDocument/didClose", document(p.uri("window_filter.py")))
		s.rescan()
	}
	s.close()
}

// Each folder has its own project, baseline and dumps; a folder that is closed
// takes its diagnostics with it.
func TestWorkspaceFolders(t *testing.T) {
	worse, good := worseProject(t), newProject(t, "window_filter.py")
	good.dump("tile-up-spills/gfx942/before", "base")
	good.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.settings = settings()
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(), "initializationOptions": object{"status": true},
		"workspaceFolders": []object{{"uri": fileURI(worse.root), "name": "worse"}, {"uri": fileURI(good.root), "name": "good"}},
	})
	s.settled(2)
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != worse.uri("window_filter.py") || len(got.Diagnostics) != 1 {
		t.Errorf("published %+v", got)
	}
	states := map[string]string{}
	for _, root := range []string{worse.root, good.root} {
		var status struct{ State, Folder string }
		s.execute("isadiff.status", object{"folder": fileURI(root)}, &status)
		states[status.Folder] = status.State
	}
	if states[fileURI(worse.root)] != "regression" || states[fileURI(good.root)] != "ok" {
		t.Errorf("states %v", states)
	}
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.status", "arguments": []object{{}}}); !strings.Contains(e.Message, "several folders") {
		t.Errorf("without a folder: %+v", e)
	}
	for range 2 { // closed, then both open: what is open of one folder is none of the other's
		for p, want := range map[projectDir]string{good: "vgpr 88 · no spill · LDS 0 · 5 waves", worse: "▲ spill 0→136 · scratch 0→276 · vgpr 88→127"} {
			if _, title := s.lens(p.uri("window_filter.py")); title != want {
				t.Errorf("the lens of %s: %q, want %q", p.root, title, want)
			}
			p.open(s, "window_filter.py", 1)
		}
		for _, p := range []projectDir{good, worse} {
			s.execute("isadiff.rescan", object{"folder": fileURI(p.root)}, nil)
		}
	}
	for _, p := range []projectDir{good, worse} {
		s.notify("textDocument/didClose", document(p.uri("window_filter.py")))
		s.execute("isadiff.rescan", object{"folder": fileURI(p.root)}, nil)
	}
	s.claim("textDocument/publishDiagnostics")
	s.notify("workspace/didChangeWorkspaceFolders", object{"event": object{"added": []object{}, "removed": []object{{"uri": fileURI(worse.root), "name": "worse"}}}})
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != worse.uri("window_filter.py") || len(got.Diagnostics) != 0 {
		t.Errorf("after closing the folder: %+v", got)
	}
	s.notify("workspace/didChangeWorkspaceFolders", object{"event": object{"added": []object{{"uri": fileURI(worse.root), "name": "worse"}}, "removed": []object{}}})
	s.settled(3)
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); len(got.Diagnostics) != 1 {
		t.Errorf("after opening it again: %+v", got)
	}
	s.close()
}

// Old clients give a root only, older ones a path, and some open no folder.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		name   string
		params func(p projectDir) object
	}{
		{"rootUri", func(p projectDir) object { return object{"rootUri": fileURI(p.root)} }},
		{"rootPath", func(p projectDir) object { return object{"rootUri": nil, "rootPath": p.root} }},
		{"no folder", func(p projectDir) object {
			p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n")
			return object{"rootUri": nil, "workspaceFolders": nil}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := worseProject(t)
			s := start(t, startOptions{})
			params := c.params(p)
			params["processId"], params["capabilities"] = nil, object{}
			params["initializationOptions"] = object{"settings": settings()}
			s.initializeWith(params)
			p.open(s, "window_filter.py", 1)
			expect[published](s, "textDocument/publishDiagnostics", func(p published) bool { return len(p.Diagnostics) == 1 })
			s.rescan()
			s.claim("textDocument/publishDiagnostics")
			s.close()
		})
	}
}

// Settings can come in each of the three ways, and change.
func TestSettingsChange(t *testing.T) {
	p := worseProject(t)
	asked := func(s *session) {
		s.mu.Lock()
		s.settings = object{"dumps": "dumps", "baseline": "base", "severity": object{"spills": "error"}}
		s.mu.Unlock()
		s.notify("workspace/didChangeConfiguration", object{"settings": nil})
	}
	told := func(s *session) {
		s.notify("workspace/didChangeConfiguration", object{"settings": object{"isadiff": object{"dumps": "dumps", "baseline": "base", "severity.spills": "error"}}})
	}
	for _, c := range []struct {
		name          string
		configuration bool
		change        func(*session)
	}{{"asked", true, asked}, {"told", false, told}} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, startOptions{})
			caps := capabilities()
			caps["workspace"].(object)["configuration"] = c.configuration
			s.settings = settings()
			s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps, "initializationOptions": object{"settings": settings()}})
			s.settled(1)
			if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.Diagnostics[0].Severity != 2 {
				t.Errorf("severity %d, want a warning", got.Diagnostics[0].Severity)
			}
			c.change(s)
			if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.Diagnostics[0].Severity != 1 {
				t.Errorf("severity %d, want an error", got.Diagnostics[0].Severity)
			}
			s.close()
		})
	}
}

// A file of configuration that was saved counts at once, and what is wrong with it
// is shown in it.
func TestConfigurationFileChanges(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n")
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.Diagnostics[0].Severity != 2 {
		t.Errorf("severity %d, want a warning", got.Diagnostics[0].Severity)
	}
	p.write("isadiff.toml", p.read("isadiff.toml")+"bassline = \"x\"\n[severity]\nspills = \"error\"\n")
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	got := expect[published](s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == p.uri("isadiff.toml") })
	if len(got.Diagnostics) != 1 || got.Diagnostics[0].Code != "configuration" || got.Diagnostics[0].Range.Start.Line != 2 {
		t.Errorf("published for the configuration: %+v", got)
	}
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.Diagnostics[0].Severity != 1 {
		t.Errorf("severity %d, want an error", got.Diagnostics[0].Severity)
	}
	p.write("isadiff.toml", strings.Replace(p.read("isadiff.toml"), "bassline", "baseline", 1))
	s.notify("workspace/didChangeWatchedFiles", object{"changes": []object{{"uri": p.uri("isadiff.toml"), "type": 2}}})
	if got := expect[published](s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == p.uri("isadiff.toml") }); len(got.Diagnostics) != 1 {
		t.Errorf("a key that is set twice: %+v", got)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A configuration that changes what is compared and not the figures makes nothing
// flicker: what did not change is published once and keeps its lenses.
func TestConfigurationChangesQuietly(t *testing.T) {
	p := worseProject(t)
	configuration := "dumps = \"dumps\"\nbaseline = \"base\"\n"
	p.write("isadiff.toml", configuration)
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	uri := p.uri("window_filter.py")
	p.open(s, "window_filter.py", 1)
	s.rescan()
	expect[object](s, "isadiff/status", nil)
	s.claim("textDocument/publishDiagnostics", "isadiff/status")
	var before []object
	s.call("textDocument/codeLens", document(uri), &before)
	for n := range 5 {
		p.write("isadiff.toml", fmt.Sprintf("%s[budgets]\n\"*\" = \"vgpr <= %d\"\n", configuration, 10000+n))
		s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
		for told := false; !told; { // until the new session has read all
			var now []object
			if s.call("textDocument/codeLens", document(uri), &now); len(now) != len(before) || len(now) == 0 {
				t.Fatalf("lenses %+v, before %+v", now, before)
			}
			s.mu.Lock()
			told = slices.ContainsFunc(s.inbox, func(m *message) bool { return !m.seen && m.Method == "isadiff/status" })
			s.mu.Unlock()
		}
		s.claim("isadiff/status")
	}
	s.close()
}

// A file of configuration that something else than the editor wrote is noticed
// also for a client that watches no files.
func TestConfigurationWrittenByOthers(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.claim("textDocument/publishDiagnostics")
	for _, c := range []struct {
		name, text string
		severity   int
	}{
		{"isadiff.toml", "[severity]\nspills = \"error\"\n", 1},
		{"isadiff.toml", "[severity]\nspills = \"information\"\n", 3},
		{"isadiff.toml", "", 2}, // gone
		{"pyproject.toml", "[tool.isadiff.severity]\nspills = \"error\"\n", 1},
	} {
		if c.text != "" {
			p.write(c.name, c.text)
		} else if err := os.Remove(p.path(c.name)); err != nil {
			t.Fatal(err)
		}
		if got := expect[published](s, "textDocument/publishDiagnostics", nil); len(got.Diagnostics) != 1 || got.Diagnostics[0].Severity != c.severity {
			t.Errorf("after %s %q: %+v, want severity %d", c.name, c.text, got, c.severity)
		}
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// What is wrong with the editor's settings stands in no file: it is said once.
func TestFaultsOfSettings(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	set := settings()
	set["bassline"], set["hover"] = "x", 7
	s.initialize(p.root, set)
	got := expect[struct{ Message string }](s, "window/showMessage", nil)
	if !strings.Contains(got.Message, "bassline") || !strings.Contains(got.Message, "hover") {
		t.Errorf("said %q", got.Message)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A folder within a project that another one leads is meant by its URI as well.
func TestNestedFolder(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n")
	p.write("inner/readme", "")
	s := start(t, startOptions{})
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(), "initializationOptions": object{"status": true},
		"workspaceFolders": []object{{"uri": fileURI(p.root), "name": "p"}, {"uri": p.uri("inner"), "name": "inner"}},
	})
	s.settled(2)
	s.rescan()
	var st struct {
		Folder string
		Counts struct{ Total int }
	}
	s.execute("isadiff.status", object{"folder": p.uri("inner")}, &st)
	if st.Folder != fileURI(p.root) || st.Counts.Total != 1 {
		t.Errorf("status of the folder within: %+v", st)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Inlay hints are off, and not even offered to a client that can be told later,
// until they are switched on.
func TestInlayHints(t *testing.T) {
	for _, dynamic := range []bool{true, false} {
		p := worseProject(t)
		s := start(t, startOptions{})
		caps := capabilities()
		caps["textDocument"].(object)["inlayHint"] = object{"dynamicRegistration": dynamic}
		caps["workspace"].(object)["didChangeConfiguration"] = object{}
		s.settings = settings()
		var answer struct {
			Capabilities struct{ InlayHintProvider any }
		}
		s.call("initialize", object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps}, &answer)
		if offered := answer.Capabilities.InlayHintProvider != nil; offered == dynamic {
			t.Errorf("dynamic registration %v: offered %v", dynamic, offered)
		}
		s.notify("initialized", object{})
		s.settled(1)
		s.rescan()
		ask := document(p.uri("window_filter.py"))
		ask["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 99, "character": 0}}
		var hints []struct {
			Position position
			Label    string
		}
		s.call("textDocument/inlayHint", ask, &hints)
		if len(hints) != 0 {
			t.Errorf("hints although they are off: %+v", hints)
		}
		s.mu.Lock()
		s.settings = object{"dumps": "dumps", "baseline": "base", "inlay-hints": true}
		s.mu.Unlock()
		s.notify("workspace/didChangeConfiguration", object{"settings": nil})
		if dynamic {
			s.until("registration of inlay hints", func() bool {
				for _, m := range s.inbox {
					if m.Method == "client/registerCapability" && strings.Contains(m.raw, "textDocument/inlayHint") {
						if !strings.Contains(m.raw, `"pattern":"**/*{.py,.hip,`) {
							t.Errorf("registered as %s", m.raw)
						}
						return true
					}
				}
				return false
			})
		}
		for len(hints) == 0 {
			s.call("textDocument/inlayHint", ask, &hints)
		}
		if len(hints) != 1 || !strings.HasPrefix(hints[0].Label, "▲ spill") || hints[0].Position != (position{18, 17}) {
			t.Errorf("hints %+v", hints)
		}
		s.claim("textDocument/publishDiagnostics")
		s.close()
	}
}

// Switched on, hints stand on the Python lines that spill code is near, and the
// hover names the worst of them.
func TestSpillHints(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("debug-leftover/gfx950", "dumps")
	if err := os.Remove(p.path("dumps/window_filter_0/22_final_isa.s")); err != nil {
		t.Fatal(err)
	}
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps", "inlay-hints": true})
	p.open(s, "window_filter.py", 1)
	ask := document(p.uri("window_filter.py"))
	ask["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 99, "character": 0}}
	var hints []struct {
		Position position
		Label    string
	}
	s.call("textDocument/inlayHint", ask, &hints)
	stores := 0
	for _, h := range hints {
		var n, loads int
		if k, _ := fmt.Sscanf(h.Label, "%d spill stores, %d reloads", &n, &loads); k == 2 {
			stores += n
			if line := strings.Split(p.read("window_filter.py"), "\n")[h.Position.Line]; strings.TrimSpace(line) == "" || h.Position.Character != len(line) {
				t.Errorf("hint %q at %+v of %q", h.Label, h.Position, line)
			}
		}
	}
	if stores == 0 {
		t.Errorf("no spill store in the hints %+v", hints)
	}
	var hover struct{ Contents struct{ Value string } }
	s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("window_filter.py")}, "position": p.find("window_filter.py", "window_filter(")}, &hover)
	for _, want := range []string{"Live VGPRs peak at ", "most near window_filter.py:"} {
		if !strings.Contains(hover.Contents.Value, want) {
			t.Errorf("no %q in the hover:\n%s", want, hover.Contents.Value)
		}
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A client that fetches diagnostics is told when to, and never gets any pushed.
func TestPulledDiagnostics(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	caps := capabilities()
	caps["workspace"].(object)["diagnostics"] = object{"refreshSupport": true}
	caps["textDocument"].(object)["diagnostic"] = object{"relatedInformation": true}
	s.settings = settings()
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps})
	s.settled(1)
	uri := p.uri("window_filter.py")
	var doc struct {
		Kind     string
		ResultID string
		Items    []diagnostic
	}
	s.call("textDocument/diagnostic", document(uri), &doc)
	if doc.Kind != "full" || len(doc.Items) != 0 {
		t.Errorf("a clean file: %+v", doc)
	}
	clean := doc.ResultID
	p.dump("tile-up-spills/gfx942/after", "dumps")
	expect[object](s, "workspace/diagnostic/refresh", nil)
	params := document(uri)
	params["previousResultId"] = clean
	s.call("textDocument/diagnostic", params, &doc)
	if doc.Kind != "full" || len(doc.Items) != 1 || doc.ResultID == clean {
		t.Errorf("after the change: %+v", doc)
	}
	params["previousResultId"] = doc.ResultID
	s.call("textDocument/diagnostic", params, &doc)
	if doc.Kind != "unchanged" {
		t.Errorf("asked again: %+v", doc)
	}
	var report workspaceReport
	s.call("workspace/diagnostic", object{"previousResultIds": []object{{"uri": uri, "value": clean}, {"uri": p.uri("gone.py"), "value": "x"}}}, &report)
	kinds := map[string]int{}
	for _, item := range report.Items {
		kinds[item.URI+" "+item.Kind] = len(item.Items)
	}
	if len(kinds) != 2 || kinds[uri+" full"] != 1 || kinds[p.uri("gone.py")+" full"] != 0 {
		t.Errorf("the workspace: %+v", report)
	}
	s.close()
}

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
		if !strings.Contains(hover.Contents.Value, "window_filter_0   gfx950") {
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

// The way of a baseline: taken, accepted one kernel, put back.
func TestBaselineCommands(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	state := func() string {
		var status struct{ State string }
		s.execute("isadiff.status", object{}, &status)
		return status.State
	}
	if got := state(); got != "no-baseline" {
		t.Errorf("at first %s", got)
	}
	var answer struct {
		Path, Message string
		Kernels       int
	}
	s.execute("isadiff.snapshotBaseline", object{}, &answer)
	if answer.Path != p.path(".isadiff/baseline.json") || answer.Kernels != 1 || state() != "ok" {
		t.Errorf("taken: %+v, then %s", answer, state())
	}
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s.rescan()
	if got := state(); got != "regression" {
		t.Errorf("after the change %s", got)
	}
	s.execute("isadiff.acceptKernel", object{"kernel": "window_filter/window_filter_0::window_filter_0"}, &answer)
	if got := state(); got != "ok" {
		t.Errorf("accepted: %s", got)
	}
	s.execute("isadiff.undoBaseline", object{}, &answer)
	if got := state(); got != "regression" {
		t.Errorf("undone: %s", got)
	}
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.acceptKernel", "arguments": []object{{"kernel": "no::such"}}}); !strings.Contains(e.Message, "no::such") {
		t.Errorf("a kernel that is not there: %+v", e)
	}
	var shown struct{ URI string }
	s.execute("isadiff.showReport", object{}, &shown)
	if shown.URI != p.uri(".isadiff/report.md") || !strings.Contains(p.read(".isadiff/report.md"), "REGRESSION") {
		t.Errorf("report %+v", shown)
	}
	expect[object](s, "window/showDocument", nil)
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A leftover is removed on order, and nothing else is.
func TestRemoveLeftover(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("debug-leftover/gfx950", "dumps")
	p.age("dumps/window_filter_0/22_final_isa.s", -5e9)
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	for _, file := range []string{"dumps/window_filter_0/22_final_isa.s", "window_filter.py", "dumps/../window_filter.py", "dumps/window_filter_0"} {
		s.fails("workspace/executeCommand", object{"command": "isadiff.removeLeftover", "arguments": []object{{"file": p.path(file)}}})
		if _, err := os.Stat(p.path(file)); err != nil {
			t.Fatal(err)
		}
	}
	s.execute("isadiff.removeLeftover", object{"file": p.path("dumps/window_filter_0/23_final_isa.s")}, nil)
	if _, err := os.Stat(p.path("dumps/window_filter_0/23_final_isa.s")); err == nil {
		t.Error("the leftover is still there")
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Nothing in the files of a repository makes the server run a command or write
// outside the project.
func TestUntrustedProject(t *testing.T) {
	outside := t.TempDir()
	for _, c := range []struct {
		name  string
		setup func(p projectDir)
	}{
		{"an absolute baseline", func(p projectDir) {
			p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \""+filepath.ToSlash(outside)+"/stolen.json\"\n")
		}},
		{"a baseline above the root", func(p projectDir) {
			p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"../"+filepath.Base(outside)+"/stolen.json\"\n")
		}},
		{"a linked folder", func(p projectDir) {
			p.write("isadiff.toml", "dumps = \"dumps\"\n")
			if err := os.Symlink(outside, p.path(".isadiff")); err != nil {
				t.Skip(err)
			}
		}},
		{"a linked baseline", func(p projectDir) {
			p.write("isadiff.toml", "dumps = \"dumps\"\n")
			os.Mkdir(p.path(".isadiff"), 0o777)
			if err := os.Symlink(filepath.Join(outside, "stolen.json"), p.path(".isadiff/baseline.json")); err != nil {
				t.Skip(err)
			}
			os.Symlink(filepath.Join(outside, "report.md"), p.path(".isadiff/report.md"))
		}},
		{"a command", func(p projectDir) {
			p.write("pyproject.toml", "[tool.isadiff]\ndumps = \"dumps\"\ncompile = \"touch "+filepath.ToSlash(outside)+"/ran\"\ncompile-on-save = true\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t, "window_filter.py")
			p.dump("tile-up-spills/gfx942/before", "dumps")
			c.setup(p)
			s := start(t, startOptions{})
			s.initialize(p.root, object{})
			p.open(s, "window_filter.py", 1)
			s.notify("textDocument/didSave", document(p.uri("window_filter.py")))
			for _, command := range []string{"isadiff.snapshotBaseline", "isadiff.acceptKernel", "isadiff.showReport", "isadiff.undoBaseline", "isadiff.mapPath", "isadiff.capture", "isadiff.compare"} {
				s.wait(s.ask("workspace/executeCommand", object{"command": command, "arguments": []object{{"kernel": "window_filter/window_filter_0::window_filter_0", "rev": "HEAD", "force": true}}}))
			}
			s.rescan()
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) > 0 {
				t.Errorf("written outside: %v %v", entries, err)
			}
			s.claim("textDocument/publishDiagnostics", "window/showDocument", "window/showMessage")
			s.close()
		})
	}
}

// A command that is advertised exists, and nothing else is advertised.
func TestAdvertisedCommands(t *testing.T) {
	s := start(t, startOptions{})
	var answer struct {
		Capabilities struct {
			ExecuteCommandProvider struct{ Commands []string }
		}
	}
	s.call("initialize", object{"processId": nil, "rootUri": fileURI(t.TempDir()), "capabilities": object{}}, &answer)
	s.notify("initialized", object{})
	if len(answer.Capabilities.ExecuteCommandProvider.Commands) < 10 {
		t.Errorf("commands %v", answer.Capabilities.ExecuteCommandProvider.Commands)
	}
	for _, command := range answer.Capabilities.ExecuteCommandProvider.Commands {
		m := s.wait(s.ask("workspace/executeCommand", object{"command": command, "arguments": []object{{}}}))
		if m.Error != nil && strings.Contains(m.Error.Message, "has no command") {
			t.Errorf("%s is advertised, but %s", command, m.Error.Message)
		}
	}
	s.claim("window/showMessage") // where the report is
	s.close()
}
