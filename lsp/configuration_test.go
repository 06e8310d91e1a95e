package lsp_test

import (
	"fmt"
	"testing"
)

// Many files that change at once, as by a checkout, are one reason to read the
// configuration again.
func TestManyFilesOfConfiguration(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.claim("workspace/configuration")
	var changes []object
	for n := range 300 {
		changes = append(changes, object{"uri": p.uri(fmt.Sprintf("packages/%d/pyproject.toml", n)), "type": 1})
	}
	s.notify("workspace/didChangeWatchedFiles", object{"changes": changes})
	expect[object](s, "workspace/configuration", nil)
	s.rescan()
	for range 1000 { // and answers as many questions as it had time for
		s.lens(p.uri("window_filter.py"))
	}
	if n := s.claim("workspace/configuration"); n > 2 {
		t.Errorf("the settings were fetched %d more times", n)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
