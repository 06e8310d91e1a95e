package lsp_test

import "testing"

// An order that comes while a change of the configuration replaces the session is
// carried out by the next one.
func TestOrdersWhileTheConfigurationChanges(t *testing.T) {
	p := worseProject(t)
	p.dump("tile-up-spills/gfx942/before", "other")
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	for n := range 40 {
		dumps, want := "other", "ok"
		if n%2 == 1 {
			dumps, want = "dumps", "regression"
		}
		s.mu.Lock()
		s.settings = object{"dumps": dumps, "baseline": "base"}
		s.mu.Unlock()
		s.notify("workspace/didChangeConfiguration", object{})
		s.rescan()
		expect(s, "isadiff/status", func(st struct{ State string }) bool { return st.State == want })
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
