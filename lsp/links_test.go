package lsp_test

import (
	"os"
	"path/filepath"
	"testing"
)

// A document keeps being the one that was opened, whichever folder turns out to hold
// it: here that of a link, which is opened later than the document.
func TestDocumentOfALaterFolder(t *testing.T) {
	p := worseProject(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.root, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	s := start(t, startOptions{})
	s.initialize(t.TempDir(), settings())
	p.open(s, "window_filter.py", 1)
	text, uri := p.read("window_filter.py"), p.uri("window_filter.py")
	s.notify("workspace/didChangeWorkspaceFolders", object{"event": object{"removed": []object{}, "added": []object{{"uri": fileURI(link), "name": "link"}}}})
	s.settled(3) // of the first folder, its rescan and this one
	s.notify("textDocument/didChange", changed(uri, 2, "\n\n"+text))
	if line, _ := s.lens(uri); line != 20 {
		t.Errorf("after an edit the lens is on line %d, want 20", line)
	}
	s.notify("textDocument/didClose", document(uri))
	s.execute("isadiff.rescan", object{"folder": fileURI(link)}, nil)
	if line, _ := s.lens(uri); line != 18 {
		t.Errorf("after it was closed the lens is on line %d, want 18", line)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
