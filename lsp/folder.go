package lsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/watch/session"
)

// A folder is one workspace folder: its settings, its project, its session.
type folder struct {
	server *Server
	uri    uri.URI // as the client spells it
	path   string

	config  atomic.Pointer[project.Config]
	session atomic.Pointer[session.Session]

	mu       sync.Mutex
	settings map[string]any
	closed   bool
	order    sync.Mutex  // one reconfiguration at a time
	queued   atomic.Bool // another one is to begin
	compiles sync.Mutex  // one compile at a time

	compiler *session.Compiler
	failed   string // what was shown of the last compile after a save
}

func newFolder(s *Server, u uri.URI, path string) *folder {
	f := &folder{server: s, uri: u, path: path, settings: s.client.settings}
	f.compiler = session.NewCompiler(f.session.Load, func(order *live.Order) {
		if s.root.Err() == nil {
			s.background(func(ctx context.Context) { f.compileSaved(ctx, order) })
		}
	})
	return f
}

// run opens the project once the client listens.
func (f *folder) run(ctx context.Context) {
	select {
	case <-f.server.ready:
		f.reconfigure(ctx)
	case <-ctx.Done():
	}
}

// state is the newest state; nil before the project was read once.
func (f *folder) state() *live.State {
	if l := f.session.Load(); l != nil {
		if state := l.Current(); state.Ready {
			return state
		}
	}
	return nil
}

func (f *folder) setSettings(settings map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settings = settings
}

// reconfigureSoon orders a reconfiguration. One that has not begun yet will see all
// that led to further orders.
func (f *folder) reconfigureSoon() {
	if f.queued.CompareAndSwap(false, true) {
		f.server.background(f.reconfigure)
	}
}

// reconfigure reads the folder's configuration again and starts its session anew
// if anything in it that the session depends on is different.
func (f *folder) reconfigure(ctx context.Context) {
	f.order.Lock()
	defer f.order.Unlock()
	f.queued.Store(false)
	f.mu.Lock()
	settings := f.settings
	f.mu.Unlock()
	if f.server.client.configuration {
		settings = f.server.fetchSettings(ctx, f.uri, settings)
		f.setSettings(settings)
	}
	// Once more after a new session: of what changed before its files were watched
	// nobody tells.
	for again := true; again; {
		config, err := project.Load(project.Options{Dir: f.path, Client: settings, Trusted: f.server.client.trusted})
		if err != nil {
			f.server.showError(fmt.Sprintf("%s cannot be opened: %v", f.path, err))
			return
		}
		config.Confine()
		old := f.config.Load()
		config = config.After(old)
		again = (old == nil || !old.SameInputs(config)) && ctx.Err() == nil
		var before *session.Session
		if again { // no order finds the session of one configuration beside another
			before = f.session.Swap(nil)
		}
		f.config.Store(config)
		var known *live.Memory
		if before != nil {
			before.Close()
			known = before.Memory()
		}
		if again {
			f.begin(config, known)
		} else if l := f.session.Load(); l != nil {
			l.Configured(config)
		}
	}
	if f.config.Load().InlayHints {
		f.server.background(f.server.registerHints)
	}
	f.server.publish.poke()
}

// begin opens a session of the folder, which has none. known is what the one before
// knew.
func (f *folder) begin(config *project.Config, known *live.Memory) {
	l := session.Open(f.server.root, session.Options{
		Project: config, Log: func(line string) { f.server.log.Print(line) },
		Configuration: project.Files(f.path, config.Root), Reconfigured: f.reconfigureSoon,
		Looked: f.giveOverlays, After: known,
	})
	sub := l.Subscribe()
	if !f.use(l, config) {
		l.Close()
		return
	}
	f.server.background(func(ctx context.Context) { f.follow(ctx, sub) })
}

// use makes l the folder's session, with the texts of the editor, and reports
// whether the folder is still open. An edit comes either before that, and is among
// the documents, or after it, and finds the session.
func (f *folder) use(l *session.Session, config *project.Config) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.server.root.Err() != nil {
		return false
	}
	for _, doc := range f.server.docs.Load().open {
		if takes(config, doc.path) {
			l.SetOverlay(doc.path, doc.draft)
		}
	}
	f.session.Store(l)
	return true
}

// follow shows every state.
func (f *folder) follow(ctx context.Context, sub *live.Subscription) {
	defer sub.Close()
	first := make(chan struct{})
	f.server.background(func(ctx context.Context) { f.showFirstLook(ctx, first) })
	known := sync.OnceFunc(func() {
		close(first)
		f.server.memory.scanned()
	})
	defer known()
	for {
		if f.state() != nil {
			known()
		}
		f.server.publish.poke()
		select {
		case _, ok := <-sub.C:
			if !ok {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// showFirstLook shows a progress bar until the project was read once. Who cancels
// it gets rid of the bar alone: there is no server without its first look.
func (f *folder) showFirstLook(ctx context.Context, first <-chan struct{}) {
	token := f.server.newToken(ctx, callTimeout) // nobody waits for it
	if token == nil {
		return
	}
	_ = f.server.withProgress(ctx, token, "isadiff: reading dumps", func(ctx context.Context, _ func(string)) (string, error) {
		select {
		case <-first:
			if state := f.state(); state != nil {
				return verdictLine(state), nil
			}
			return "", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
}

func (f *folder) stop() {
	if l := f.session.Swap(nil); l != nil {
		l.Close()
	}
}

func (f *folder) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.compiler.Close()
	f.stop()
}

// takes reports whether a source that is open in the editor belongs to a project:
// what is open of another folder's, of a library or of what git ignores says nothing
// about this one's kernels.
func takes(config *project.Config, path string) bool {
	return isSource(path) && config.IsSource(path)
}

// setOverlay gives the session the text of a document that is among the open ones
// already.
func (f *folder) setOverlay(doc *document) {
	if config := f.config.Load(); config == nil || !takes(config, doc.path) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.session.Load(); l != nil {
		l.SetOverlay(doc.path, doc.draft)
	}
}

// giveOverlays gives the session the texts of the open documents that are sources, and
// takes those away that are none any longer.
func (f *folder) giveOverlays() {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, config := f.session.Load(), f.config.Load()
	if l == nil || config == nil {
		return
	}
	for _, doc := range f.server.docs.Load().open {
		if takes(config, doc.path) {
			l.SetOverlay(doc.path, doc.draft)
		} else {
			l.ClearOverlay(doc.path)
		}
	}
}

// clearOverlay takes it away again, of a document that is not open any more.
func (f *folder) clearOverlay(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.session.Load(); l != nil {
		l.ClearOverlay(path)
	}
}

// showError tells the user of something that no file can carry.
func (s *Server) showError(message string) {
	s.log.Print(message)
	s.message(protocol.MessageTypeError, "isadiff: "+message)
}

var (
	errNoFolder    = errors.New("no folder is open; open the project's folder")
	errWhichFolder = errors.New("several folders are open; say which one in \"folder\"")
)

func unknownFolder(u string) error {
	return fmt.Errorf("%s is no open workspace folder", u)
}
