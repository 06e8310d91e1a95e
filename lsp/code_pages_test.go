package lsp_test

import (
	"net/url"
	"os"
	"strings"
	"testing"
)

// The code of a diagnostic leads to a page that says what it means, of a client that
// shows such links.
func TestCodePages(t *testing.T) {
	for _, supports := range []bool{true, false} {
		p := worseProject(t)
		s := start(t, startOptions{})
		s.settings = settings()
		can := capabilities()
		can["textDocument"].(object)["publishDiagnostics"].(object)["codeDescriptionSupport"] = supports
		s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": can, "initializationOptions": object{"status": true}})
		s.settled(1)
		got := expect[struct {
			Diagnostics []struct {
				Code            string
				CodeDescription *struct{ Href string }
			}
		}](s, "textDocument/publishDiagnostics", nil)
		page := got.Diagnostics[0].CodeDescription
		if (page != nil) != supports {
			t.Fatalf("%+v", got)
		}
		if supports {
			at, err := url.Parse(page.Href)
			if err != nil || !strings.HasPrefix(at.Path, s.home) {
				t.Fatalf("%s: %v", page.Href, err)
			}
			if text, err := os.ReadFile(at.Path); err != nil || !strings.HasPrefix(string(text), "# REGRESSION: the verdict") {
				t.Errorf("%v: %s", err, text)
			}
		}
		s.rescan()
		s.close()
	}
}
