package lsp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

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
