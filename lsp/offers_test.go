package lsp_test

import (
	"os"
	"strings"
	"testing"
)

const filterKey = "window_filter/window_filter_0::window_filter_0"

// actionsAt returns the code actions at a line of a file, by title.
func (s *session) actionsAt(uri string, line int) map[string]object {
	s.t.Helper()
	var actions []struct {
		Title   string
		Command struct {
			Command   string
			Arguments []object
		}
	}
	at := object{"start": object{"line": line, "character": 0}, "end": object{"line": line, "character": 0}}
	ask := document(uri)
	ask["range"], ask["context"] = at, object{"diagnostics": []object{}}
	s.call("textDocument/codeAction", ask, &actions)
	byTitle := map[string]object{}
	for _, a := range actions {
		byTitle[strings.TrimPrefix(a.Title, "isadiff: ")] = object{"command": a.Command.Command, "arguments": a.Command.Arguments}
	}
	return byTitle
}

// trusting opens a project as an editor does that shows answers itself and whose user
// trusts it.
func (s *session) trusting(p projectDir) {
	s.t.Helper()
	s.initializeWith(object{
		"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities(),
		"initializationOptions": object{"status": true, "trusted": true},
	})
	s.settled(1)
	s.rescan()
}

type answered struct {
	Path, Text, Message, Verdict, State string
	Line                                int
	Written                             bool
}

// What a kernel grew by is accepted with a reason, in a file, and the baseline stays;
// what no acceptance covers says so.
func TestAcceptRegression(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base'\n")
	s := start(t, startOptions{})
	s.trusting(p)
	state := func() (a answered) {
		s.execute("isadiff.status", object{}, &a)
		return a
	}
	line, _ := s.lens(p.uri("window_filter.py"))
	offer := s.actionsAt(p.uri("window_filter.py"), line)
	if offer["accept its growth, with a reason"] == nil || offer["update the baseline for this kernel"] == nil {
		t.Errorf("offered: %v", offer)
	}
	var a answered
	s.execute("isadiff.acceptRegression", object{"kernel": filterKey, "reason": "twice the outputs"}, &a)
	text := p.read(".isadiff/accepted.toml")
	if a.Path != p.path(".isadiff/accepted.toml") || !strings.Contains(a.Message, "accepted vgpr up to 127, vgpr_spill up to 136") || strings.Count(text, `reason = "twice the outputs"`) != 3 || state().State != "ok" {
		t.Errorf("%+v, then %s:\n%s", a, state().State, text)
	}
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.acceptRegression", "arguments": []object{{"kernel": filterKey}}}); !strings.Contains(e.Message, "nothing grew that is not accepted already") {
		t.Errorf("again: %s", e.Message)
	}
	// Without a reason the file is opened at the entry.
	if err := os.Remove(p.path(".isadiff/accepted.toml")); err != nil {
		t.Fatal(err)
	}
	s.execute("isadiff.rescan", object{}, nil)
	s.execute("isadiff.acceptRegression", object{"kernel": filterKey}, &a)
	if !strings.Contains(a.Message, "write the reason there") {
		t.Errorf("%+v", a)
	}
	expect[object](s, "window/showDocument", nil)
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A kernel that only breaks a budget is offered the budget's line, and nothing that would
// do nothing.
func TestBudgetOffer(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/after", "base")
	p.dump("tile-up-spills/gfx942/after", "dumps")
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base'\n[budgets]\n'*' = 'vgpr <= 120'\n")
	s := start(t, startOptions{})
	s.trusting(p)
	line, title := s.lens(p.uri("window_filter.py"))
	offer := s.actionsAt(p.uri("window_filter.py"), line)
	if !strings.HasPrefix(title, "▲ 127 breaks vgpr <= 120") || offer["accept its growth, with a reason"] != nil || offer["update the baseline for this kernel"] != nil || offer["open the budget's line"] == nil {
		t.Errorf("%s offers %v", title, offer)
	}
	var a answered
	s.call("workspace/executeCommand", offer["open the budget's line"], &a)
	if a.Path != p.path("isadiff.toml") || a.Line != 3 || !strings.Contains(a.Message, "vgpr <= 120 is broken: 127 (isadiff.toml:4)") {
		t.Errorf("%+v", a)
	}
	expect[object](s, "window/showDocument", nil)
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.acceptRegression", "arguments": []object{{"kernel": filterKey}}}); !strings.Contains(e.Message, "no acceptance covers a budget") {
		t.Errorf("accepted: %s", e.Message)
	}
	// With a snapshot the baseline can be updated, which says that the budget is broken all the same.
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base.json'\n[budgets]\n'*' = 'vgpr <= 120'\n")
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	s.settled(3)
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	s.execute("isadiff.acceptKernel", object{"kernel": filterKey}, &a)
	if !strings.Contains(a.Message, "it still breaks a budget: vgpr <= 120 is broken: 127") {
		t.Errorf("%+v", a)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Growth that costs no spill can be tolerated by a key that is written once a person has
// seen it; spills cannot.
func TestTolerate(t *testing.T) {
	p := newProject(t)
	p.dump("unroll-up/gfx1250/before", "base")
	p.dump("unroll-up/gfx1250/after", "dumps")
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base'\n")
	s := start(t, startOptions{})
	s.chooses = "Write it"
	s.trusting(p)
	uri := p.uri("dumps/rowwise_rmsnorm/rmsnorm_kernel_0/22_final_isa.s")
	line, _ := s.lens(uri)
	offer := s.actionsAt(uri, line)["tolerate its growth"]
	if offer == nil {
		t.Fatalf("offered: %v", s.actionsAt(uri, line))
	}
	var a answered
	s.call("workspace/executeCommand", offer, &a)
	if want := "\n[tolerance]\n\"rowwise_rmsnorm/rmsnorm_kernel_0::rmsnorm_kernel_0\" = "; !a.Written || !strings.Contains(p.read("isadiff.toml"), want) {
		t.Errorf("%+v:\n%s", a, p.read("isadiff.toml"))
	}
	s.settled(3)
	s.execute("isadiff.status", object{}, &a)
	if a.State != "ok" {
		t.Errorf("tolerated: %+v", a)
	}
	s.claim("window/showMessageRequest", "textDocument/publishDiagnostics")
	s.close()

	p = worseProject(t)
	s = start(t, startOptions{})
	s.initialize(p.root, settings())
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.tolerate", "arguments": []object{{"kernel": filterKey}}}); !strings.Contains(e.Message, "no spills") {
		t.Errorf("spills: %s", e.Message)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Where no compile command is set, that of the last capture is offered.
func TestSetCompile(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	p.write("dumps/.isadiff-capture.json", `{"command": ["python3", "bench.py", "a b"], "kernels": 1}`)
	p.write("isadiff.toml", "dumps = 'dumps'\n\n[pairs]\na = 'b'\n")
	s := start(t, startOptions{})
	s.chooses = "Write it"
	s.trusting(p)
	line, _ := s.lens(p.uri("window_filter.py"))
	offer := s.actionsAt(p.uri("window_filter.py"), line)["set the compile command"]
	if offer == nil {
		t.Fatalf("offered: %v", s.actionsAt(p.uri("window_filter.py"), line))
	}
	var a answered
	s.call("workspace/executeCommand", offer, &a)
	if want := "dumps = 'dumps'\n\ncompile = [\"python3\", \"bench.py\", \"a b\"]\n\n[pairs]\na = 'b'\n"; !a.Written || p.read("isadiff.toml") != want {
		t.Errorf("%+v:\n%s", a, p.read("isadiff.toml"))
	}
	s.claim("window/showMessageRequest", "textDocument/publishDiagnostics", "window/showMessage")
	s.close()
}

// The second of two undos takes back the first, and says so.
func TestUndoTwice(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s.rescan()
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	for i, want := range []string{"the earlier baseline is back", "the newer baseline is back", "the earlier baseline is back"} {
		var a answered
		if s.execute("isadiff.undoBaseline", object{}, &a); !strings.HasPrefix(a.Message, want) {
			t.Errorf("undo %d: %s", i+1, a.Message)
		}
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
