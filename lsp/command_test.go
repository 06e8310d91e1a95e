package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
	if answer.Path != p.path(".isadiff/baseline.json") || answer.Kernels != 1 || answer.Message != "baseline taken: 1 kernel" || state() != "ok" {
		t.Errorf("taken: %+v, then %s", answer, state())
	}
	if keeps := p.read(".isadiff/.gitignore"); !strings.Contains(keeps, "*.isa.zst") {
		t.Errorf("git is told %q", keeps)
	}
	first := p.read(".isadiff/baseline.isa.zst")
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s.rescan()
	if got := state(); got != "regression" {
		t.Errorf("after the change %s", got)
	}
	s.execute("isadiff.acceptKernel", object{"kernel": "window_filter/window_filter_0::window_filter_0"}, &answer)
	if got := state(); got != "ok" {
		t.Errorf("accepted: %s", got)
	}
	if p.read(".isadiff/baseline.isa.zst") == first || p.read(".isadiff/baseline.previous.isa.zst") != first {
		t.Error("the kernel that was accepted did not bring its assembly, or that of the baseline before is not kept")
	}
	s.execute("isadiff.undoBaseline", object{}, &answer)
	if got := state(); got != "regression" || p.read(".isadiff/baseline.isa.zst") != first {
		t.Errorf("undone: %s; the assembly is the one of before: %v", got, p.read(".isadiff/baseline.isa.zst") == first)
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

// A baseline that is taken of sources which were saved since says so, and an accepted
// kernel as well.
func TestBaselineOfEditedSources(t *testing.T) {
	const before = "those of the code before the last save"
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	p.age("window_filter.py", -2*time.Hour)
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	var answer struct{ Message string }
	s.execute("isadiff.snapshotBaseline", object{}, &answer)
	if !strings.HasPrefix(answer.Message, "baseline taken: 1 kernel; 1 kernel edited since the compile: ") || !strings.Contains(answer.Message, before) {
		t.Errorf("taken: %s", answer.Message)
	}
	s.execute("isadiff.acceptKernel", object{"kernel": "window_filter/window_filter_0::window_filter_0"}, &answer)
	if !strings.Contains(answer.Message, before) {
		t.Errorf("accepted: %s", answer.Message)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
