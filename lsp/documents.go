package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/producer"
)

// documents is what a client has open. It is immutable: a change makes a new
// one, so that a request keeps seeing the texts of the moment it was read.
type documents struct {
	open    map[string]*document // by path
	spelled map[string]uri.URI   // the client's own spelling of each path that it ever opened
}

// A document is one version of an open file.
type document struct {
	path    string
	uri     uri.URI // as the client spells it
	version int32
	text    string
	draft   *producer.Draft // of text

	once  sync.Once
	lines lines
}

func newDocument(path string, u uri.URI, version int32, text string) *document {
	return &document{path: path, uri: u, version: version, text: text, draft: producer.NewDraft(path, text)}
}

// cut returns the document's lines.
func (d *document) cut() lines {
	d.once.Do(func() { d.lines = splitLines(d.text) })
	return d.lines
}

// builtin are the producers that are known without any configuration. Which files
// are sources they tell for every project; which are assembly a project may add to.
var builtin *producer.Table

func isSource(path string) bool { return builtin.IsSource(path) }

// isAssembly reports whether a file is final assembly of one of the producers that
// count in a folder.
func (f folderView) isAssembly(path string) bool {
	table := builtin
	if f.config != nil {
		table = f.config.Producers
	}
	return table.IsAssembly(filepath.Base(path))
}

// with returns d with one document put in or replaced.
func (d *documents) with(doc *document) *documents {
	next := &documents{open: maps.Clone(d.open), spelled: d.spelled}
	next.open[doc.path] = doc
	if d.spelled[doc.path] != doc.uri {
		next.spelled = maps.Clone(d.spelled)
		next.spelled[doc.path] = doc.uri
	}
	return next
}

// without returns d with one document closed.
func (d *documents) without(path string) *documents {
	next := &documents{open: maps.Clone(d.open), spelled: d.spelled}
	delete(next.open, path)
	return next
}

func noDocuments() *documents {
	return &documents{open: map[string]*document{}, spelled: map[string]uri.URI{}}
}

// didOpen. The URI is read as it was written, since decoding would respell it.
func (s *Server) didOpen(params []byte) error {
	var p struct {
		TextDocument struct {
			URI     string
			Version int32
			Text    string
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	u, err := uri.Parse(p.TextDocument.URI)
	if err != nil {
		return err
	}
	path, ok := s.localPath(u)
	if !ok {
		return nil // no file: nothing that a compiler could have read
	}
	s.openFor(path)
	s.setDocument(newDocument(path, uri.URI(p.TextDocument.URI), p.TextDocument.Version, p.TextDocument.Text))
	return nil
}

// A change is an item of didChange. Without a range, or with "range": null, which
// some clients send, it is the whole text.
type change struct {
	Range *struct {
		Start, End struct{ Line, Character uint32 }
	}
	Text string
}

// didChange. Full texts were asked for; a change with a range is applied all the
// same.
func (s *Server) didChange(params []byte) error {
	var p struct {
		TextDocument struct {
			URI     string
			Version int32
		}
		ContentChanges []change
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	u, err := uri.Parse(p.TextDocument.URI)
	if err != nil {
		return err
	}
	path, old, ok := s.documentOf(u)
	if !ok {
		return nil
	}
	if old == nil {
		return fmt.Errorf("a change of %s, which is not open", filepath.Base(path))
	}
	if old.path != path {
		s.closeDocument(old.path)
	}
	text := old.text
	for _, c := range p.ContentChanges {
		text = s.apply(text, c)
	}
	s.setDocument(&document{path: path, uri: old.uri, version: p.TextDocument.Version, text: text, draft: old.draft.Edit(path, text)})
	return nil
}

// apply returns text after one change.
func (s *Server) apply(text string, c change) string {
	if c.Range == nil {
		return c.Text
	}
	all := splitLines(text)
	offset := func(line, character uint32) int {
		return all.offset(text, s.client.encoding, protocol.Position{Line: line, Character: character})
	}
	from := offset(c.Range.Start.Line, c.Range.Start.Character)
	to := max(from, offset(c.Range.End.Line, c.Range.End.Character))
	return text[:from] + c.Text + text[to:]
}

// didSave needs nothing of the text: sources are watched themselves. A file of
// configuration is read again, and a source may be compiled.
func (s *Server) didSave(p *protocol.DidSaveTextDocumentParams) error {
	if path, ok := s.localPath(p.TextDocument.URI); ok {
		s.configurationSaved(path)
		s.sourceSaved(path)
	}
	return nil
}

func (s *Server) didClose(p *protocol.DidCloseTextDocumentParams) error {
	if _, doc, _ := s.documentOf(p.TextDocument.URI); doc != nil {
		s.closeDocument(doc.path)
	}
	return nil
}

// documentOf returns the path of a file and its document, if it is open. That may be
// under another path yet: the one that its URI had before the folder was opened that
// it is in. ok is false if the URI names no file.
func (s *Server) documentOf(u uri.URI) (path string, doc *document, ok bool) {
	path, ok = s.localPath(u)
	if !ok {
		return "", nil, false
	}
	open := s.docs.Load().open
	if doc := open[path]; doc != nil {
		return path, doc, true
	}
	named, _ := pathOf(u)
	for _, doc := range open {
		if at, _ := pathOf(doc.uri); at == named {
			return path, doc, true
		}
	}
	return path, nil, true
}

func (s *Server) closeDocument(path string) {
	s.docs.Store(s.docs.Load().without(path))
	s.fetched.closed(path)
	s.documentsChanged(path)
	s.publish.poke()
}

func (s *Server) setDocument(doc *document) {
	s.docs.Store(s.docs.Load().with(doc))
	s.documentsChanged(doc.path)
	s.publish.poke()
}

// documentsChanged tells the folders that what is open of a file is another text.
func (s *Server) documentsChanged(path string) {
	if isSource(path) {
		for _, f := range s.folders.list() {
			wake(f.edited)
		}
	}
}
