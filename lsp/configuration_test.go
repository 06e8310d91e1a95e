package lsp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Many files that change at once, as by a checkout, are one reason to read the
// configuration again.
func TestManyFilesOfConfiguration(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.claim("workspace/configuration")
	var changes []object
	for n := range 300 {
		changes = append(changes, object{"uri": p.uri(fmt.Sprintf("packages/%d/pyproject.toml", n)), "type": 1})
	}
	s.notify("workspace/didChangeWatchedFiles", object{"changes": changes})
	expect[object](s, "workspace/configuration", nil)
	s.rescan()
	for range 1000 { // and answers as many questions as it had time for
		s.lens(p.uri("window_filter.py"))
	}
	if n := s.claim("workspace/configuration"); n > 2 {
		t.Errorf("the settings were fetched %d more times", n)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
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
