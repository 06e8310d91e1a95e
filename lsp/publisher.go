package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

// A publisher says what changed: diagnostics (pushed, or a hint to fetch them),
// lenses, the status. One goroutine does it; it is poked by every new state,
// edit and configuration, makes only what depends on something that changed, and
// sends only what is different.
type publisher struct {
	server *Server
	wake   chan struct{}

	mu      sync.Mutex
	asked   uint64        // publications that someone waits for
	done    uint64        // the last of them that was made
	changed chan struct{} // closed and replaced after each publication

	last     *view               // what was published last
	files    map[string]sentFile // by path: those with diagnostics
	lenses   map[string]string   // titles of open documents, by path
	statuses map[string]string   // by folder, without the sequence number
	said     map[problem.Problem]bool
	refresh  map[string]*refresh
	hinted   bool // there were inlay hints to show
}

// sentFile is what the client has of a file.
type sentFile struct {
	uri  uri.URI
	open bool   // the document was open; some clients forget a list when it is closed
	id   string // of its content; "" if it is empty
}

func newPublisher(s *Server) *publisher {
	return &publisher{
		server: s, wake: make(chan struct{}, 1), changed: make(chan struct{}),
		files: map[string]sentFile{}, lenses: map[string]string{}, statuses: map[string]string{},
		refresh: map[string]*refresh{}, said: map[problem.Problem]bool{},
	}
}

// poke has what changed published soon.
func (p *publisher) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// next is closed after the next publication.
func (p *publisher) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// flush waits until everything that is known now was published.
func (p *publisher) flush(ctx context.Context) {
	p.mu.Lock()
	p.asked++
	want := p.asked
	p.mu.Unlock()
	p.poke()
	for {
		p.mu.Lock()
		done, changed := p.done >= want, p.changed
		p.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// run publishes until the session ends. It sends nothing before the client listens,
// and nothing more while the client has a megabyte to read.
func (p *publisher) run(ctx context.Context) {
	select {
	case <-p.server.ready:
	case <-ctx.Done():
		return
	}
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return
		}
		if p.server.out.Room(ctx) != nil {
			return
		}
		p.mu.Lock()
		asked := p.asked
		p.mu.Unlock()
		if !p.server.life.at(running) {
			continue
		}
		p.publishSafely(p.server.view())
		p.mu.Lock()
		p.done = asked
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
}

// publishSafely publishes; a crash in it is told instead of an old answer being
// left to look like the new one, and the next state is published whole.
func (p *publisher) publishSafely(v *view) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		p.server.logCrash("publishing", r)
		p.last, p.statuses = nil, map[string]string{}
		message := fmt.Sprintf("isadiff failed inside (%v): what is shown may be old; please report it", r)
		p.server.message(protocol.MessageTypeError, message)
		if !p.server.client.status {
			return
		}
		for _, f := range v.folders {
			p.server.tell(methodStatus, status{
				Folder: string(f.uri), Verdict: diff.NotTrustworthy.String(), ExitCode: diff.NotTrustworthy.ExitCode(), State: "untrustworthy",
				Text: "isadiff ? failed", Tooltip: message, Problems: map[string]int{string(problem.InternalError): 1},
			})
		}
	}()
	p.publish(v)
}

func (p *publisher) publish(v *view) {
	changed := p.diagnostics(v)
	if p.server.client.pulls && (p.server.fetched.outdatedLists(func(path string) string { return p.files[path].id }) || changed) {
		p.ask(protocol.MethodWorkspaceDiagnosticRefresh, p.server.client.refreshDiagnostics)
	}
	p.messages(v)
	if p.lensesChanged(v) {
		p.ask(protocol.MethodWorkspaceCodeLensRefresh, p.server.client.refreshLenses)
		on := v.hintsOn()
		p.ask(protocol.MethodWorkspaceInlayHintRefresh, p.server.client.refreshHints && (on || p.hinted))
		p.hinted = on // those that are shown go as well
	}
	if p.server.client.registerHints && !p.server.hints.Load() && v.hintsOn() {
		p.server.background(p.server.registerHints)
	}
	if p.server.client.status {
		p.status(v)
	}
}

// diagnostics pushes each file whose list differs from what the client has, and an
// empty list for a file whose diagnostics have gone. For a client that fetches them
// it only reports whether anything differs.
func (p *publisher) diagnostics(v *view) (changed bool) {
	set := touch(p.last, v)
	p.last = v
	if len(set) == 0 {
		return false
	}
	reports := v.reports(set)
	for _, path := range slices.Sorted(maps.Keys(set)) {
		report, old := reports[path], p.files[path]
		next := sentFile{uri: v.docs.uriOf(path), open: v.docs.open[path] != nil}
		list := report.diagnostics()
		if len(list) > 0 {
			next.id = contentID(list)
		}
		if next.id != "" {
			p.files[path] = next
		} else {
			delete(p.files, path)
		}
		respelled := old.id != "" && old.uri != next.uri
		reopened := next.id != "" && next.open && !old.open
		if old.id == next.id && !respelled && !reopened {
			continue
		}
		changed = true
		if p.server.client.pulls {
			continue
		}
		if respelled { // to the client it is another file
			p.push(v, path, old.uri, []protocol.Diagnostic{})
		}
		if next.id != "" || !respelled {
			p.push(v, path, next.uri, list)
		}
	}
	return changed
}

// push sends one file's list. The version is that of an open document and left
// out for any other file: a made-up 0 hides the list in some clients.
func (p *publisher) push(v *view, path string, u uri.URI, list []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: list}
	if doc := v.docs.open[path]; doc != nil && doc.uri == u && p.server.client.versioned {
		params.Version = protocol.NewOptional(doc.version)
	}
	p.server.tell(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// contentID names a list of diagnostics by its content.
func contentID(list []protocol.Diagnostic) string {
	h := sha256.New()
	for i := range list {
		raw, err := protocol.Marshal(&list[i])
		if err != nil {
			raw = []byte(err.Error())
		}
		h.Write(raw)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// lensesChanged reports whether the line of any definition in a document that
// was open before reads differently now, or from what the client fetched.
func (p *publisher) lensesChanged(v *view) (changed bool) {
	next := make(map[string]string, len(v.docs.open))
	for path := range v.docs.open {
		titles := titlesOf(v.lensesOf(path))
		next[path] = titles
		old, ok := p.lenses[path]
		if p.server.fetched.outdatedLenses(path, titles) || ok && old != titles {
			changed = true
		}
	}
	p.lenses = next
	return changed
}

// messages says once what no file can carry: a folder that cannot be read, a
// crash. That there are no dumps or no baseline yet is a state and no message.
func (p *publisher) messages(v *view) {
	next := map[problem.Problem]bool{}
	for _, f := range v.folders {
		if f.state == nil {
			continue
		}
		if faults := fileless(f.config); faults != "" {
			pr := problem.Problem{Message: faults}
			next[pr] = true
			if !p.said[pr] {
				p.server.message(protocol.MessageTypeWarning, f.says(v)+faults)
			}
		}
		for _, pr := range unshown(f.state) {
			switch pr.Code {
			case problem.InputNotFound, problem.NoDumpFiles, problem.NoKernels:
				if pr.Side != diff.SideBefore { // a baseline that is there has to hold some
					continue
				}
			case problem.CaptureIncomplete:
				if f.state.Run != nil {
					continue // it takes the place of that one
				}
			}
			if slices.Contains(f.state.Failed, pr) {
				continue // compileSaved has shown it, with its log
			}
			if f.fileOf(f.state, pr) != "" || slices.Contains(f.state.Invalid, pr) && pr.File != "" {
				continue
			}
			next[pr] = true
			if !p.said[pr] {
				p.server.message(protocol.MessageTypeWarning, f.says(v)+withMend(pr)+" ("+string(pr.Code)+")")
			}
		}
	}
	p.said = next
}

// fileless are the faults of a configuration that stand in no file: those of the
// editor's settings and of the environment.
func fileless(config *project.Config) string {
	if config.Severity("configuration") == project.Off {
		return ""
	}
	var all []string
	invalid := config.Invalid() // which the state has
	for _, fault := range config.Faults {
		if fault.File == "" && fault.Layer != project.Default && !slices.Contains(invalid, fault) {
			all = append(all, fault.String())
		}
	}
	return strings.Join(all, "; ")
}

func (p *publisher) status(v *view) {
	next := make(map[string]string, len(v.folders))
	for _, f := range v.folders {
		if f.state == nil {
			continue
		}
		st := v.statusIn(f)
		seq := st.Seq
		st.Seq = 0
		raw, err := json.Marshal(st)
		if err != nil {
			p.server.log.Print(err)
			continue
		}
		next[f.path] = string(raw)
		if p.statuses[f.path] != string(raw) {
			st.Seq = seq
			p.server.tell(methodStatus, st)
		}
	}
	p.statuses = next
}

// A refresh is a request to the client to fetch something again. One request is on
// its way at a time; after the answer another follows if something changed meanwhile.
type refresh struct{ flying, again bool }

func (p *publisher) ask(method string, can bool) {
	if !can {
		return
	}
	p.mu.Lock()
	r := p.refresh[method]
	if r == nil {
		r = &refresh{}
		p.refresh[method] = r
	}
	if r.flying {
		r.again = true
		p.mu.Unlock()
		return
	}
	r.flying = true
	p.mu.Unlock()
	p.server.background(func(ctx context.Context) {
		for {
			if err := p.server.ask(ctx, method, nil, nil); err != nil && ctx.Err() == nil {
				p.server.log.Print(err)
			}
			p.mu.Lock()
			again := r.again && ctx.Err() == nil
			r.again, r.flying = false, again
			p.mu.Unlock()
			if !again {
				return
			}
		}
	})
}
