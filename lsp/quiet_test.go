package lsp_test

import (
	"strings"
	"testing"
	"time"
)

// Nothing changed, nothing is said: neither for a dump written again as it was,
// nor for a source saved as it was, nor for a rescan.
func TestQuietWhenNothingChanged(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "workspace/configuration", "isadiff/status", "workspace/codeLens/refresh", "client/registerCapability")
	again := func(name string, at time.Time) {
		t.Helper()
		p.put(name, p.read(name), at)
	}
	now := time.Now()
	for _, tree := range []string{"dumps", "base"} { // the assembly first: with a newer module another compile would be under way
		again(tree+"/window_filter/window_filter_0/22_final_isa.s", now)
		again(tree+"/window_filter/window_filter_0/00_origin.mlir", now.Add(-time.Second))
		s.rescan()
	}
	again("window_filter.py", now.Add(-time.Hour))
	s.rescan()
	for _, m := range s.unclaimed() {
		t.Errorf("said although nothing changed: %s", m)
	}
	s.close()
}

// Typing elsewhere in a file changes no title, so nothing is said; the lens moves
// with its definition.
func TestQuietWhileTyping(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	uri, text := p.uri("window_filter.py"), p.read("window_filter.py")
	s.outdate(p, "window_filter.py", text+"#")
	line, title := s.lens(uri)
	for n := range 20 {
		typed := text + "\n\ndef helper(" + strings.Repeat("x", n)
		s.notify("textDocument/didChange", changed(uri, n+3, typed))
		if l, now := s.lens(uri); l != line || now != title {
			t.Fatalf("while typing the lens went from %d %q to %d %q", line, title, l, now)
		}
	}
	s.rescan()
	for _, m := range s.unclaimed() {
		t.Errorf("said while typing: %s", m)
	}
	s.notify("textDocument/didChange", changed(uri, 100, "\n\n"+text))
	if l, now := s.lens(uri); l != line+2 || now != title {
		t.Errorf("two lines further down the lens is %d %q, want %d %q", l, now, line+2, title)
	}
	got := expect[published](s, "textDocument/publishDiagnostics", func(p published) bool { return len(p.Diagnostics) > 0 && p.Diagnostics[0].Range.Start.Line == line+2 })
	if *got.Version != 100 {
		t.Errorf("published for version %d, want 100", *got.Version)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// What an editor drops when a file is closed it gets again when it is opened.
func TestReopenedFile(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	first := expect[published](s, "textDocument/publishDiagnostics", nil)
	if len(first.Diagnostics) != 1 || first.Version != nil {
		t.Fatalf("published %+v", first)
	}
	for version := 1; version < 3; version++ {
		p.open(s, "window_filter.py", version)
		got := expect[published](s, "textDocument/publishDiagnostics", nil)
		if len(got.Diagnostics) != 1 || got.Version == nil || *got.Version != version {
			t.Errorf("after opening: %+v", got)
		}
		s.notify("textDocument/didClose", document(p.uri("window_filter.py")))
		s.rescan()
	}
	s.close()
}
