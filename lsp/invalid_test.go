package lsp_test

import (
	"os"
	"strings"
	"testing"
)

// A bar is what a status bar shows.
type bar struct {
	State, Text, Tooltip, Verdict string
	ExitCode                      int
	Dumps                         struct{ Path string }
	Problems                      map[string]int
}

// goodProject has one kernel that is as its baseline, and its configuration in a file.
func goodProject(t *testing.T) (p projectDir, good string) {
	t.Helper()
	p = newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	good = "dumps = \"dumps\"\nbaseline = \"base\"\n"
	p.write("isadiff.toml", good)
	return p, good
}

// configure puts a configuration there whole, as an editor saves it.
func (p projectDir) configure(s *session, text string) {
	p.t.Helper()
	p.write("isadiff.toml.new", text)
	if err := os.Rename(p.path("isadiff.toml.new"), p.path("isadiff.toml")); err != nil {
		p.t.Fatal(err)
	}
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
}

func isOK(b bar) bool  { return b.State == "ok" && b.ExitCode == 0 }
func isBad(b bar) bool { return b.ExitCode == 2 }

// While the configuration cannot be used, what was shown stays, marked: in the status
// and its tooltip, as a diagnostic at the line, in each lens, hover and row.
func TestBrokenConfigurationInASession(t *testing.T) {
	p, good := goodProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	expect(s, "isadiff/status", isOK)
	for _, c := range []struct{ name, text, code, at, said string }{
		{"a lost quote", "baseline = \"base\"\ndumps = \"dumps\n", "configuration-invalid", "isadiff.toml:2", "is not valid TOML here"},
		{"a wrong type", "dumps = 3\nbaseline = \"base\"\n", "configuration-invalid", "isadiff.toml:1", "dumps is 3, must be a path"},
		{"no producer", good + "producer = \"tritn\"\n", "configuration-invalid", "isadiff.toml:3", "must be one of flydsl"},
		{"no budget", good + "budgets.\"*\" = \"vgprs <= 3\"\n", "budget-invalid", "isadiff.toml:3", "limits \"vgprs\""},
	} {
		p.configure(s, c.text)
		b := expect(s, "isadiff/status", isBad)
		if b.State != "untrustworthy" || !strings.Contains(b.Text, c.at+" ("+c.code+")") || !strings.Contains(b.Tooltip, c.code+": "+c.at+": ") || !strings.Contains(b.Tooltip, c.said) ||
			!strings.Contains(b.Tooltip, "\n1 kernel: 1 not worse\nRESULT: NOT TRUSTWORTHY") || b.Dumps.Path != p.path("dumps") || b.Problems[c.code] != 1 {
			t.Errorf("%s: %+v", c.name, b)
		}
		d := expect(s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == p.uri("isadiff.toml") && len(d.Diagnostics) > 0 })
		if len(d.Diagnostics) != 1 || d.Diagnostics[0].Code != c.code || !strings.Contains(d.Diagnostics[0].Message, c.said) {
			t.Errorf("%s: %+v", c.name, d)
		}
		if _, title := s.lens(p.uri("window_filter.py")); !strings.HasPrefix(title, "? "+c.at+" ("+c.code+") · ") || !strings.Contains(title, "vgpr 88") {
			t.Errorf("%s: lens %q", c.name, title)
		}
		var rows struct {
			Kernels []struct {
				Status, Summary string
				Problems        []struct{ Code string }
			}
		}
		s.execute("isadiff.kernels", object{}, &rows)
		if len(rows.Kernels) != 1 || rows.Kernels[0].Status != "untrustworthy" || len(rows.Kernels[0].Problems) != 1 || rows.Kernels[0].Problems[0].Code != c.code {
			t.Errorf("%s: rows %+v", c.name, rows)
		}
		var hover struct{ Contents struct{ Value string } }
		s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("window_filter.py")}, "position": p.find("window_filter.py", "window_filter(")}, &hover)
		if !strings.Contains(hover.Contents.Value, "NOT TRUSTWORTHY") || !strings.Contains(hover.Contents.Value, c.code+": ") {
			t.Errorf("%s: hover %q", c.name, hover.Contents.Value)
		}
		if e := s.fails("workspace/executeCommand", object{"command": "isadiff.snapshotBaseline", "arguments": []object{{}}}); !strings.Contains(e.Message, c.code) {
			t.Errorf("%s: a baseline is taken: %+v", c.name, e)
		}
		if e := s.fails("workspace/executeCommand", object{"command": "isadiff.capture", "arguments": []object{{}}}); !strings.Contains(e.Message, c.code) {
			t.Errorf("%s: a capture: %+v", c.name, e)
		}
		p.configure(s, good)
		expect(s, "isadiff/status", isOK)
		expect(s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == p.uri("isadiff.toml") && len(d.Diagnostics) == 0 })
		if _, title := s.lens(p.uri("window_filter.py")); strings.Contains(title, "?") {
			t.Errorf("%s, mended: lens %q", c.name, title)
		}
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// At the start nothing is compared, and no definition is said not to be compiled.
func TestStartWithBrokenConfiguration(t *testing.T) {
	p, good := goodProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\nbaseline = \"base\"\n")
	s := start(t, startOptions{})
	for _, file := range []string{"window_filter_0"} { // what nobody asked for
		p.dump("tile-up-spills/gfx942/before", "copy/"+file)
		if err := os.MkdirAll(s.home+"/.flydsl", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(p.path("copy/"+file), s.home+"/.flydsl/debug"); err != nil {
			t.Fatal(err)
		}
	}
	s.initialize(p.root, object{})
	b := expect(s, "isadiff/status", func(bar) bool { return true })
	if !isBad(b) || b.Text != "isadiff ⚠ isadiff.toml:1 (configuration-invalid)" || !strings.HasPrefix(b.Tooltip, "configuration-invalid: isadiff.toml:1: ") ||
		!strings.HasSuffix(b.Tooltip, "\nnothing is compared: a configuration that cannot be used (isadiff.toml:1)\nRESULT: NOT TRUSTWORTHY") {
		t.Errorf("%+v", b)
	}
	if d := expect[published](s, "textDocument/publishDiagnostics", nil); d.URI != p.uri("isadiff.toml") || d.Diagnostics[0].Code != "configuration-invalid" || d.Diagnostics[0].Range.Start.Line != 0 {
		t.Errorf("%+v", d)
	}
	if _, title := s.lens(p.uri("window_filter.py")); !strings.HasPrefix(title, "? isadiff.toml:1 (configuration-invalid)") || strings.Contains(title, "compiled") {
		t.Errorf("lens %q", title)
	}
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.snapshotBaseline", "arguments": []object{{}}}); !strings.Contains(e.Message, "configuration-invalid") {
		t.Errorf("%+v", e)
	}
	p.configure(s, good)
	expect(s, "isadiff/status", isOK)
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// An editor's settings decide alike: at the start, and while a session runs.
func TestBrokenSettings(t *testing.T) {
	for name, set := range map[string]object{
		"a wrong type":  {"dumps": 3, "baseline": "base"},
		"an empty path": {"dumps": "dumps", "baseline": ""},
		"no glob":       {"dumps": "dumps", "baseline": "base", "kernels": "["},
		"a table":       {"dumps": object{}, "baseline": "base"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, "window_filter.py")
			p.dump("tile-up-spills/gfx942/before", "base")
			p.dump("tile-up-spills/gfx942/before", "dumps")
			s := start(t, startOptions{})
			s.initialize(p.root, set)
			check := func(b bar) {
				t.Helper()
				if !strings.Contains(b.Text, "configuration (configuration-invalid)") || !strings.Contains(b.Tooltip, "the editor's settings: ") {
					t.Errorf("%+v", b)
				}
			}
			check(expect(s, "isadiff/status", isBad))
			change := func(to object) {
				s.mu.Lock()
				s.settings = to
				s.mu.Unlock()
				s.notify("workspace/didChangeConfiguration", object{"settings": nil})
			}
			change(settings())
			expect(s, "isadiff/status", isOK)
			change(set)
			check(expect(s, "isadiff/status", isBad))
			// It is in no file: the first source shows it, and it is said.
			expect(s, "textDocument/publishDiagnostics", func(d published) bool {
				return d.URI == p.uri("window_filter.py") && len(d.Diagnostics) == 1 && d.Diagnostics[0].Code == "configuration-invalid"
			})
			expect(s, "window/showMessage", func(m struct{ Message string }) bool { return strings.Contains(m.Message, "configuration-invalid") })
			change(settings())
			expect(s, "isadiff/status", isOK)
			s.rescan()
			s.claim("textDocument/publishDiagnostics", "window/showMessage")
			s.close()
		})
	}
}

// Settings that are no table of keys decide nothing that could be relied on.
func TestSettingsThatAreNone(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	caps := capabilities()
	caps["workspace"].(object)["configuration"] = false
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps, "initializationOptions": object{"status": true, "trusted": "yes", "settings": "dumps"}})
	s.settled(1)
	b := expect(s, "isadiff/status", func(bar) bool { return true })
	if !isBad(b) || !strings.Contains(b.Tooltip, "the editor's settings: isadiff must be a table of keys") {
		t.Errorf("%+v", b)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "window/showMessage")
	s.close()
}

// A broken variable of the environment is no reason to look somewhere else.
func TestBrokenEnvironment(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	s := start(t, startOptions{env: []string{`FLYDSL_DUMP_DIR=C:\dumps`}})
	s.initialize(p.root, object{"baseline": "base"})
	if b := expect(s, "isadiff/status", func(bar) bool { return true }); !isBad(b) || !strings.Contains(b.Tooltip, "$FLYDSL_DUMP_DIR: dumps is ") {
		t.Errorf("%+v", b)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "window/showMessage")
	s.close()
}

// No kernel is never OK, and a budget that cannot be known is seen on its kernel.
func TestNoKernelsAndUnknownBudgets(t *testing.T) {
	p, _ := goodProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"none.json\"\nkernels = \"zzz*\"\n")
	s := start(t, startOptions{})
	s.initialize(p.root, object{})
	b := expect(s, "isadiff/status", func(bar) bool { return true })
	if !isBad(b) || !strings.Contains(b.Text, "no-kernels") || !strings.Contains(b.Tooltip, `matches "zzz*" (kernels, isadiff.toml:3); check the glob; closest: window_filter_0`) {
		t.Errorf("%+v", b)
	}
	if d := expect[published](s, "textDocument/publishDiagnostics", nil); d.URI != p.uri("isadiff.toml") || d.Diagnostics[0].Code != "no-kernels" {
		t.Errorf("%+v", d)
	}
	if _, title := s.lens(p.uri("window_filter.py")); !strings.Contains(title, "(no-kernels)") {
		t.Errorf("lens %q", title)
	}

	p.dump("base/gfx942/transpose", "dumps/transpose")
	p.configure(s, "dumps = \"dumps\"\nbaseline = \"none.json\"\nkernels = \"transpose_dynamic_0\"\nbudgets.\"*\" = \"occupancy >= 1\"\n")
	b = expect(s, "isadiff/status", func(b bar) bool { return b.Problems["budget-unknown"] > 0 })
	if !isBad(b) || b.Text != "isadiff ? 1: budget-unknown" || !strings.Contains(b.Tooltip, "budget-unknown: transpose_dynamic_0 cannot be judged: whether it keeps occupancy >= 1") {
		t.Errorf("%+v", b)
	}
	expect(s, "textDocument/publishDiagnostics", func(d published) bool {
		return len(d.Diagnostics) == 1 && d.Diagnostics[0].Code == "budget-unknown"
	})
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "window/showMessage")
	s.close()
}

// What a file of a folder that is not trusted names outside of it is not looked at; what
// the editor's settings name is.
func TestUntrustedFolderNamesNothingOutside(t *testing.T) {
	p, _ := goodProject(t)
	outside := newProject(t, "window_filter.py")
	outside.dump("tile-up-spills/gfx942/before", "dumps")
	said := "dumps: " + outside.path("dumps") + " is outside the project"
	p.write("isadiff.toml", "baseline = \"base\"\ndumps = '"+outside.path("dumps")+"'\n")
	for _, c := range []struct {
		name    string
		options object
		ok      bool
	}{
		{"not trusted", object{"status": true}, false},
		{"trusted", object{"status": true, "trusted": true}, true},
		{"set in the editor", object{"status": true, "settings": object{"dumps": outside.path("dumps")}}, true},
	} {
		s := start(t, startOptions{})
		s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": object{}, "initializationOptions": c.options})
		b := expect(s, "isadiff/status", func(b bar) bool { return isOK(b) || isBad(b) })
		if isOK(b) != c.ok || !c.ok && (!strings.Contains(b.Text, "isadiff.toml:2 (configuration-invalid)") || !strings.Contains(b.Tooltip, said)) {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}
