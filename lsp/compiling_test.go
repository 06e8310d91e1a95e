package lsp_test

import (
	"strings"
	"testing"
)

// A regression stands while its kernel is compiled again: what that changes
// nothing of is not taken back and said anew.
func TestQuietWhileCompiling(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	expect[published](s, "textDocument/publishDiagnostics", nil)
	s.claim("isadiff/status", "textDocument/publishDiagnostics")
	const dir = "dumps/window_filter/window_filter_0/"
	module, assembly := p.read(dir+"00_origin.mlir"), p.read(dir+"22_final_isa.s")
	says := func(text string) {
		t.Helper()
		expect(s, "isadiff/status", func(status struct{ Text string }) bool { return strings.Contains(status.Text, text) })
	}
	p.write(dir+"00_origin.mlir", module)
	says("…")
	if _, title := s.lens(p.uri("window_filter.py")); !strings.HasPrefix(title, "◌ compiling …") {
		t.Errorf("the lens says %q", title)
	}
	p.write(dir+"22_final_isa.s", assembly)
	says("▲")
	s.rescan()
	if n := s.claim("textDocument/publishDiagnostics"); n > 0 {
		t.Errorf("%d publications of what did not change", n)
	}
	s.close()
}
