package lsp_test

import (
	"fmt"
	"testing"
)

// What two servers of one project accept at the same time is all in the baseline.
func TestAcceptInTwoServers(t *testing.T) {
	const n = 6
	p := newProject(t, "window_filter.py")
	for i := range n {
		p.dump("tile-up-spills/gfx942/before", fmt.Sprintf("dumps/k%d", i))
	}
	servers := [2]*session{}
	for i := range servers {
		servers[i] = start(t, startOptions{})
		servers[i].initialize(p.root, object{"dumps": "dumps"})
	}
	servers[0].execute("isadiff.snapshotBaseline", object{}, nil)
	for i := range n {
		p.dump("tile-up-spills/gfx942/after", fmt.Sprintf("dumps/k%d", i))
	}
	for _, s := range servers {
		s.rescan()
	}
	for i := 0; i < n; i += len(servers) {
		var asked [len(servers)]string
		for j, s := range servers {
			key := fmt.Sprintf("k%d/window_filter/window_filter_0::window_filter_0", i+j)
			asked[j] = s.ask("workspace/executeCommand", object{"command": "isadiff.acceptKernel", "arguments": []object{{"kernel": key}}})
		}
		for j, s := range servers {
			if m := s.wait(asked[j]); m.Error != nil {
				t.Errorf("accepting k%d: %s", i+j, m.Error.Message)
			}
		}
	}
	for _, s := range servers {
		s.rescan()
		var st struct {
			Verdict string
			Counts  struct{ Compared, Unchanged int }
		}
		s.execute("isadiff.status", object{}, &st)
		if st.Verdict != "OK" || st.Counts.Unchanged != n {
			t.Errorf("after all was accepted: %+v", st)
		}
		s.claim("textDocument/publishDiagnostics", "window/showMessage", "isadiff/status", "workspace/codeLens/refresh")
		s.close()
	}
}
