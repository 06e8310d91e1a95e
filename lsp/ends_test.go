package lsp_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

var ends = flag.Uint64("ends", 25, "how many sessions the test of ends begins")

// Whatever is under way and however a session ends, every id is answered once, the
// exit code tells whether the client said shutdown, and the process is gone.
func TestEnds(t *testing.T) {
	p, other := worseProject(t), worseProject(t)
	uri, text := p.uri("window_filter.py"), p.read("window_filter.py")
	for seed := range *ends {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			s := start(t, startOptions{})
			s.settings = settings()
			first := s.ask("initialize", object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities(), "initializationOptions": object{"status": true}})
			s.notify("initialized", object{})
			p.open(s, "window_filter.py", 1)
			ids := []string{first}
			ask := func(method string, params any) { ids = append(ids, s.ask(method, params)) }
			execute := func(command, folder string) {
				ask("workspace/executeCommand", object{"command": command, "arguments": []object{{"folder": fileURI(folder)}}})
			}
			for n := range random.IntN(60) {
				switch random.IntN(10) {
				case 0:
					s.notify("textDocument/didChange", changed(uri, n+2, fmt.Sprintf("# %d\n%s", n, text)))
				case 1:
					event := object{"added": []object{{"uri": fileURI(other.root), "name": "other"}}, "removed": []object{}}
					if random.IntN(2) == 0 {
						event["added"], event["removed"] = event["removed"], event["added"]
					}
					s.notify("workspace/didChangeWorkspaceFolders", object{"event": event})
				case 2:
					s.notify("workspace/didChangeConfiguration", object{"settings": nil})
				case 3:
					execute("isadiff.rescan", p.root)
				case 4:
					execute("isadiff.status", other.root)
				case 5:
					ask("textDocument/codeLens", document(uri))
				case 6:
					ask("workspace/diagnostic", object{"previousResultIds": []object{{"uri": uri, "value": "x"}}, "partialResultToken": fmt.Sprint(n)})
				case 7:
					s.notify("$/cancelRequest", object{"id": json.RawMessage(ids[random.IntN(len(ids))])})
				case 8:
					p.dump("tile-up-spills/gfx942/"+[]string{"before", "after"}[random.IntN(2)], "dumps")
				case 9:
					p.write("isadiff.toml", fmt.Sprintf("dumps = \"dumps\"\nkernels = \"*\"\n# %d\n", n))
				}
			}
			want := 1
			switch random.IntN(5) {
			case 0:
				s.hangUp()
			case 1:
				s.wait(first) // it listens for signals by now
				s.goes()
				if s.cmd.Process.Signal(os.Interrupt) != nil { // as on Windows
					s.notify("exit", nil)
				}
			case 2:
				s.goes()
				s.notify("exit", nil)
			case 3:
				ask("shutdown", nil)
				ask("textDocument/codeLens", document(uri))
				s.notify("exit", nil)
				want = 0
			case 4:
				s.call("shutdown", nil, nil)
				for _, id := range ids {
					s.wait(id)
				}
				s.notify("exit", nil)
				want = 0
			}
			if code := s.leave(); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
		})
	}
}

// goes notes that what waits may be answered or not.
func (s *session) goes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hungUp = true
}
