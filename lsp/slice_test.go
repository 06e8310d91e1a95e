package lsp_test

import (
	"strings"
	"testing"
)

type published struct {
	URI         string
	Version     *int
	Diagnostics []diagnostic
}

type diagnostic struct {
	Range              textRange
	Severity           int
	Code               string
	Source             string
	Message            string
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range textRange
		}
		Message string
	}
	Data object
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A compile that makes a kernel worse is published on its definition; one that
// makes it good again clears it.
func TestDiagnosticAppearsAndClears(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.rescan()
	if n := s.claim("textDocument/publishDiagnostics"); n > 0 {
		t.Errorf("%d publications for a clean project", n)
	}

	p.dump("tile-up-spills/gfx942/after", "dumps")
	got := expect[published](s, "textDocument/publishDiagnostics", nil)
	if got.URI != p.uri("window_filter.py") || got.Version != nil || len(got.Diagnostics) != 1 {
		t.Fatalf("published %+v", got)
	}
	d := got.Diagnostics[0]
	want := "window_filter_0 spills: vgpr_spill 0 → 136, scratch 0 → 276 B; vgpr 88 → 127 (+39) [gfx942]"
	if d.Message != want || d.Code != "regression" || d.Source != "isadiff" || d.Severity != 2 {
		t.Errorf("diagnostic %+v\nwant message %q", d, want)
	}
	line := strings.Split(p.read("window_filter.py"), "\n")[d.Range.Start.Line]
	if name := line[d.Range.Start.Character:d.Range.End.Character]; name != "window_filter" {
		t.Errorf("the diagnostic is on %q of %q", name, line)
	}

	p.dump("tile-up-spills/gfx942/before", "dumps")
	got = expect[published](s, "textDocument/publishDiagnostics", nil)
	if got.URI != p.uri("window_filter.py") || len(got.Diagnostics) != 0 {
		t.Errorf("published %+v, want an empty list", got)
	}
	s.close()
}
