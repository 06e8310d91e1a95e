package lsp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/atomicfile"
	"isadiff/engine/regular"
	"isadiff/engine/report"
)

// codePages are the pages that the codes of diagnostics lead to: what `isadiff explain`
// says of each, as a file of its own in the user's cache folder, since isadiff asks no
// network. A file is written when a diagnostic first has its code.
type codePages struct {
	mu    sync.Mutex
	known map[string]uri.URI // by code; "" where there is no page
}

// of returns the page of a code; "" if there is none, or if it cannot be written.
func (p *codePages) of(code string) uri.URI {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, known := p.known[code]
	if !known {
		if p.known == nil {
			p.known = map[string]uri.URI{}
		}
		page = writePage(code)
		p.known[code] = page
	}
	return page
}

func writePage(code string) uri.URI {
	text, known := report.Explain(code)
	user, err := os.UserCacheDir()
	if !known || err != nil {
		return ""
	}
	title, rest, _ := strings.Cut(string(text), "\n")
	page := []byte("# " + title + "\n" + rest)
	dir := filepath.Join(user, "isadiff", "codes")
	file := filepath.Join(dir, code+".md") // a code is letters and hyphens
	if old, err := regular.ReadWithin(file, 1<<20); err == nil && bytes.Equal(old, page) {
		return uri.File(file)
	}
	if os.MkdirAll(dir, 0o700) != nil || atomicfile.Write(file, page) != nil {
		return ""
	}
	return uri.File(file)
}

// linked leads from the code of a diagnostic to its page, for a client that shows that.
func (s *Server) linked(d protocol.Diagnostic, code string) protocol.Diagnostic {
	if s.client.codePages {
		if page := s.pages.of(code); page != "" {
			d.CodeDescription = protocol.CodeDescription{Href: page}
		}
	}
	return d
}
