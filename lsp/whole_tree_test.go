package lsp_test

import (
	"strings"
	"testing"
)

// A tree that was built for another target is one finding, on the folder, with the
// baseline that mends it; once it is taken, nothing is left.
func TestWholeTreeOfAnotherTarget(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("base/gfx950", "base")
	p.dump("base/gfx942", "dumps")
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base.json'\n")
	s := start(t, startOptions{})
	s.trusting(p)
	s.claim("textDocument/publishDiagnostics")
	p.write("isadiff.toml", "dumps = 'base'\nbaseline = 'base.json'\n")
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	s.settled(3)
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base.json'\n")
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	s.settled(5)
	s.rescan()
	all := map[string]published{}
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		all[m.URI] = m
	}
	found := 0
	for uri, m := range all {
		for _, d := range m.Diagnostics {
			if found++; uri != p.uri("isadiff.toml") || d.Code != "target-differs" || !strings.Contains(d.Message, "15 kernels: built for gfx942, and for gfx950 in the baseline; take a baseline of this target") {
				t.Errorf("%s: %+v", uri, d)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d findings", found)
	}
	offer := s.actionsAt(p.uri("isadiff.toml"), 0)["take baseline"]
	if offer == nil {
		t.Fatalf("offered: %v", s.actionsAt(p.uri("isadiff.toml"), 0))
	}
	var status struct{ State, Text, Tooltip string }
	if s.execute("isadiff.status", object{}, &status); status.Text != "isadiff ? 15: target-differs" || strings.Count(status.Tooltip, "target-differs: ") != 1 {
		t.Errorf("%+v", status)
	}
	s.call("workspace/executeCommand", offer, nil)
	if s.execute("isadiff.status", object{}, &status); status.State != "ok" {
		t.Errorf("%+v", status)
	}
	expect(s, "textDocument/publishDiagnostics", func(m published) bool { return m.URI == p.uri("isadiff.toml") && len(m.Diagnostics) == 0 })
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
