package lsp

import (
	"cmp"
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

// A folder is one workspace folder. One goroutine, run, owns its configuration and its
// session; the others read what it published last, and wake it.
type folder struct {
	server *Server
	uri    uri.URI // as the client spells it
	path   string
	name   string          // among those that are open
	ctx    context.Context // ends when the folder is closed
	close  context.CancelFunc

	// Each holds a token while there is something to do.
	configured chan struct{} // the configuration may have changed
	edited     chan struct{} // a document was opened, changed or closed
	ignored    chan struct{} // other files may be sources

	settings map[string]any       // of run: what the client answered last
	given    map[string]*document // of run: the session's overlays, by path

	current  atomic.Pointer[opened] // published by run; never nil
	compiler *session.Compiler
	command  sync.Mutex   // held while a command compiles
	failed   atomic.Value // the last failure of a compile after a save that was shown, a string
}

// opened is what a folder has at a moment: a configuration, nil before it was read
// once, and a session, nil while there is none.
type opened struct {
	config  *project.Config
	session *session.Session
}

// state is the newest state; nil before the project was read once.
func (o *opened) state() *live.State {
	if o.session != nil {
		if state := o.session.Current(); state.Ready {
			return state
		}
	}
	return nil
}

func newFolder(s *Server, u uri.URI, path, name string) *folder {
	f := &folder{
		server: s, uri: u, path: path, name: name, settings: *s.settings.Load(),
		configured: make(chan struct{}, 1), edited: make(chan struct{}, 1), ignored: make(chan struct{}, 1),
	}
	f.ctx, f.close = context.WithCancel(s.root)
	f.current.Store(&opened{})
	f.compiler = session.NewCompiler(func() *session.Session { return f.current.Load().session }, func(order *live.Order) {
		if s.root.Err() == nil {
			s.background(func(ctx context.Context) { f.compileSaved(ctx, order) })
		}
	})
	return f
}

// wake has a folder's goroutine do what a channel of it stands for.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run opens the project once the client listens, and follows its configuration and
// the open documents until the folder is closed.
func (f *folder) run(context.Context) {
	defer f.end()
	select {
	case <-f.server.ready:
	case <-f.ctx.Done():
		return
	}
	wake(f.configured)
	for f.ctx.Err() == nil {
		f.next()
	}
}

// next waits for something to do and does it. A crash in it is logged.
func (f *folder) next() {
	defer func() {
		if r := recover(); r != nil {
			f.server.logCrash("following "+f.path, r)
		}
	}()
	select {
	case <-f.configured:
		f.reconfigure()
	case <-f.edited:
		f.giveOverlays(false)
	case <-f.ignored:
		f.giveOverlays(true)
	case <-f.ctx.Done():
	}
}

// end ends the folder's session and its compiles.
func (f *folder) end() {
	f.compiler.Close()
	if l := f.withdraw(f.current.Load().config); l != nil {
		l.Close()
	}
}

// withdraw publishes a configuration without a session, and returns the session that
// there was: nobody finds the session of one configuration beside another.
func (f *folder) withdraw(config *project.Config) *session.Session {
	return f.current.Swap(&opened{config: config}).session
}

// reconfigure reads the folder's configuration again and starts its session anew
// if anything in it that the session depends on is different.
func (f *folder) reconfigure() {
	if f.server.client.configuration {
		f.settings = f.server.fetchSettings(f.ctx, f.uri, f.settings)
	} else {
		f.settings = *f.server.settings.Load()
	}
	// Once more after a new session: changes before its files were watched are not
	// reported.
	for again := true; again; {
		if f.ctx.Err() != nil {
			return
		}
		config, err := project.Load(project.Options{Dir: f.path, Client: f.settings, Trusted: f.server.client.trusted})
		if err != nil {
			f.server.showError(fmt.Sprintf("%s cannot be opened: %v", f.path, err))
			return
		}
		config.Confine()
		old := *f.current.Load()
		config = config.After(old.config)
		if again = old.config == nil || !old.config.SameInputs(config); again {
			f.begin(config, f.withdraw(config))
		} else {
			f.current.Store(&opened{config, old.session})
			if old.session != nil {
				old.session.Configured(config)
			}
		}
	}
	if f.current.Load().config.InlayHints {
		f.server.background(f.server.registerHints)
	}
	f.server.publish.poke()
}

// begin opens a session of the folder in the place of another one, which it closes;
// nil for none.
func (f *folder) begin(config *project.Config, before *session.Session) {
	var known *live.Memory
	if before != nil {
		before.Close()
		known = before.Memory()
	}
	f.server.log.Printf("%s: root %s, dumps %s, baseline %s, configuration %s; %s", f.path, config.Root, config.Dumps, config.Baseline, cmp.Or(config.File, "none"), f.server.versions())
	l := session.Open(f.ctx, session.Options{
		Project: config, Log: func(line string) { f.server.log.Print(line) },
		Configuration: project.Files(f.path, config.Root), Reconfigured: func() { wake(f.configured) },
		Looked: func() { wake(f.ignored) }, After: known,
	})
	sub := l.Subscribe()
	f.current.Store(&opened{config, l})
	f.given = map[string]*document{}
	f.giveOverlays(true)
	f.server.background(func(ctx context.Context) { f.follow(ctx, l, sub) })
}

// giveOverlays gives the session the texts of the open documents that are sources of
// its project: what is open of another folder's, of a library or of what git ignores
// says nothing about this one's kernels. Without all, documents that are as they were
// are not looked at.
func (f *folder) giveOverlays(all bool) {
	now := f.current.Load()
	if now.session == nil {
		return
	}
	open := f.server.docs.Load().open
	for path, doc := range open {
		if f.given[path] == doc && !all || !isSource(path) {
			continue
		}
		if f.given[path] = doc; now.config.IsSource(path) {
			now.session.SetOverlay(path, doc.draft)
		} else {
			now.session.ClearOverlay(path)
		}
	}
	for path := range f.given {
		if open[path] == nil {
			delete(f.given, path)
			now.session.ClearOverlay(path)
		}
	}
}

// follow shows every state of a session.
func (f *folder) follow(ctx context.Context, l *session.Session, sub *live.Subscription) {
	defer sub.Close()
	first := make(chan struct{})
	f.server.background(func(ctx context.Context) { f.showFirstLook(ctx, first) })
	known := sync.OnceFunc(func() {
		close(first)
		f.server.memory.scanned()
	})
	defer known()
	for {
		if l.Current().Ready {
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

// showFirstLook shows a progress bar until the project was read once. Cancelling it
// removes the bar and nothing else.
func (f *folder) showFirstLook(ctx context.Context, first <-chan struct{}) {
	token := f.server.newToken(ctx, callTimeout) // nobody waits for it
	if token == nil {
		return
	}
	_ = f.server.withProgress(ctx, token, "isadiff: reading dumps", func(ctx context.Context, _ func(string)) (string, error) {
		select {
		case <-first:
			if state := f.current.Load().state(); state != nil {
				return verdictLine(state), nil
			}
			return "", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
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
