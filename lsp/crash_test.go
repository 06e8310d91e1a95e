package lsp_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"isadiff/lsp"
)

// crashing is set for a process that serves with handlers that crash, which those
// of the built binary do not: see [lsp.NewCrashing].
const crashing = "ISADIFF_TEST_CRASHING"

// serveCrashing is the process of such a server, over the same pipes.
func serveCrashing() int {
	return lsp.NewCrashing(lsp.Options{Version: "test", Log: os.Stderr}).Run(context.Background(), os.Stdin, os.Stdout)
}

// A handler that crashes costs its own request and nothing else, whenever it
// crashes and whatever it was: a request, a notification, work in the background,
// a publication. Every error has a code of the protocol.
func TestCrashesOnTheWire(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{crashing: true})
	s.initialize(p.root, settings())
	p.open(s, "window_filter.py", 1)
	for range 3 {
		for _, c := range []struct {
			method, message string
			code            int
		}{
			{"test/crash", "failed inside isadiff: test/crash", internalError},
			{"test/crashWithBar", "failed inside isadiff: test/crashWithBar", internalError},
			{"test/crashWhileRead", "failed inside isadiff: test/crashWhileRead", internalError},
			{"test/crashInline", "failed inside isadiff: test/crashInline", internalError},
			{"test/notify", "failed inside isadiff: test/notify", internalError},
			{"test/deadline", "took too long", internalError},
			{"test/cancelled", "cancelled", requestCancelled},
			{"test/error", "no such thing", internalError},
		} {
			if e := s.fails(c.method, object{}); e.Code != c.code || !strings.Contains(e.Message, c.message) {
				t.Errorf("%s: %+v, want code %d and %q", c.method, e, c.code, c.message)
			}
		}
		s.until("end of every progress bar", func() bool { return s.ended() == len(s.bars) })
		s.notify("test/notify", object{})
		s.call("test/background", object{}, nil)
		if _, title := s.lens(p.uri("window_filter.py")); !strings.HasPrefix(title, "▲ spill") {
			t.Errorf("afterwards the lens is %q", title)
		}
	}
	// A hundred at once, with requests that do not crash between them.
	var ids []string
	for n := range 100 {
		ids = append(ids, s.ask([]string{"test/crash", "textDocument/codeLens", "test/crashInline"}[n%3], document(p.uri("window_filter.py"))))
	}
	for n, id := range ids {
		if m := s.wait(id); (m.Error == nil) != (n%3 == 1) {
			t.Errorf("request %d: %s", n, m.raw)
		}
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")

	// A publication that crashes is told, and the next one is whole.
	s.call("test/crashPublishing", object{}, nil)
	expect(s, "window/showMessage", func(m struct{ Message string }) bool { return strings.Contains(m.Message, "failed inside") })
	expect(s, "isadiff/status", func(st struct{ Problems map[string]int }) bool { return st.Problems["internal-error"] == 1 })
	s.call("test/mend", object{}, nil)
	p.dump("tile-up-spills/gfx942/before", "dumps")
	expect(s, "textDocument/publishDiagnostics", func(d published) bool { return len(d.Diagnostics) == 0 })
	p.dump("tile-up-spills/gfx942/after", "dumps")
	expect(s, "textDocument/publishDiagnostics", func(d published) bool { return len(d.Diagnostics) == 1 })
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "window/showMessage")
	s.close()
}
