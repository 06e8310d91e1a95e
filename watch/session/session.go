package session

import (
	"context"
	"sync"
	"time"

	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/watch"
)

// Options say how a project is watched. The zero value of every field but
// Project means its default.
type Options struct {
	Project     *project.Config
	Poll        bool          // poll instead of using events
	IgnoreTimes bool          // the trees were copied without their modification times
	NoSources   bool          // do not look for definitions in sources
	Quiet       time.Duration // how long nothing may happen before a batch ends; 150 ms
	CompileWait time.Duration // how long a compile may write nothing before it counts as failed; 10 s
	After       *live.Memory  // of the session that this one replaces
	Log         func(string)
	// Looked is called when the set of files that git ignores has changed, before the
	// session hears of it: an editor's open files may now count, or no longer count.
	// It must not block.
	Looked func()
	// Configuration are the files that configure the project; Reconfigured is called
	// when one of them changed, appeared or was removed. It must not block.
	Configuration []string
	Reconfigured  func()
	// Saved is called when a source of the project has other content than before, was
	// added or removed, before the session hears of it. It must not block.
	Saved func()
}

// A Session is a live session that is fed by watchers. Close ends both.
type Session struct {
	*live.Session
	inputs   []*pump  // dumps, baseline and accepted regressions; none if nothing is compared
	settings []*pump  // of files that say what is looked at
	sources  *sources // nil if none are looked for
	cancel   context.CancelFunc
	wait     sync.WaitGroup

	mu        sync.Mutex
	listeners map[*func(watch.Batch)]bool // of what the dumps' watcher sees
}

// Open starts to watch a project. Current is Ready once everything has been read.
func Open(ctx context.Context, o Options) *Session {
	ctx, cancel := context.WithCancel(ctx)
	refused := !o.Project.Usable()
	s := &Session{
		Session: live.Open(live.Config{
			Project: o.Project, After: o.After, IgnoreTimes: o.IgnoreTimes, NoSources: o.NoSources, Refused: refused, Quiet: o.CompileWait, Log: o.Log,
		}),
		cancel: cancel, listeners: map[*func(watch.Batch)]bool{},
	}
	s.Configured(o.Project)
	begin := func(ctx context.Context, root string, interest watch.Interest) *pump {
		return newPump(watch.Start(ctx, watch.Options{Root: root, Interest: interest, Poll: o.Poll, Quiet: o.Quiet}))
	}
	start := func(root string, interest watch.Interest, take func(watch.Batch)) *pump {
		p := begin(ctx, root, interest)
		s.wait.Go(func() { p.run(take) })
		return p
	}
	if !refused {
		s.compared(o, start)
	}
	settings := func(file string, changed func()) {
		read, _ := regular.Stat(file) // the zero stamp stands for none; one that may be read now counts as well
		first := true                 // that batch says what was read already, unless it changed since
		s.settings = append(s.settings, start(file, watch.Interest{}, func(b watch.Batch) {
			now, _ := regular.Stat(file)
			if now != read || !first && len(b.Settled)+len(b.Removed) > 0 {
				changed()
			}
			read, first = now, false
		}))
	}
	for _, file := range o.Configuration {
		settings(file, o.Reconfigured)
	}
	if !o.NoSources {
		s.sources = newSources(s, o, begin)
		s.sources.watch(ctx)
		s.wait.Go(func() { s.sources.run(ctx) })
		for _, file := range o.Project.IgnoreFiles() {
			settings(file, s.sources.again)
		}
	}
	return s
}

// compared watches what is compared.
func (s *Session) compared(o Options, start func(string, watch.Interest, func(watch.Batch)) *pump) {
	dumps := start(o.Project.Dumps, watch.Dumps(o.Project.Producers), func(b watch.Batch) {
		s.DumpsMode(b.Mode.Polling, b.Mode.Reason)
		s.DumpsChanged(change(b))
		s.mu.Lock()
		defer s.mu.Unlock()
		for take := range s.listeners {
			(*take)(b)
		}
	})
	baseline := start(o.Project.Baseline, watch.Dumps(o.Project.Producers), func(b watch.Batch) { s.BaselineChanged(change(b)) })
	accepted := start(o.Project.Accepted, watch.Interest{}, func(watch.Batch) { s.RulesChanged() })
	s.inputs = []*pump{dumps, baseline, accepted}
}

// Listen calls take with what the watcher of the dumps sees, after the session has
// seen it, until stop is called. take must not wait. stop is nil if nothing is watched.
func (s *Session) Listen(take func(watch.Batch)) (stop func()) {
	if s.inputs == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[&take] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, &take)
	}
}

// Configured gives the project's new configuration to a session that continues.
// While it is invalid nothing that the session shows is OK.
func (s *Session) Configured(c *project.Config) { s.Distrust(c.Problems(c.Invalid())) }

// Close ends the watchers and the live session, and waits for both.
func (s *Session) Close() {
	s.cancel()
	s.wait.Wait()
	s.Session.Close()
}

// Rescan looks at every file again, reads those that are others by their size, times and
// identity, and returns the State after that.
func (s *Session) Rescan(ctx context.Context) (*live.State, error) {
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	return s.Reload(ctx)
}

// ReadAgain is Rescan that reads every file.
func (s *Session) ReadAgain(ctx context.Context) (*live.State, error) {
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	return s.Session.ReadAgain(ctx)
}

// look lets the watchers look at every file again and hands on what they found.
func (s *Session) look(ctx context.Context) error {
	for _, p := range s.inputs {
		if err := p.rescan(ctx); err != nil {
			return err
		}
	}
	if s.sources != nil {
		return s.sources.rescan(ctx)
	}
	return nil
}

// change says in the session's words what a batch says.
func change(b watch.Batch) live.Batch {
	return live.Batch{
		Settled: files(b.Settled), Touched: files(b.Touched), Removed: b.Removed,
		Missing: b.Root == watch.RootMissing, Problems: b.Problems,
	}
}

func files(settled []watch.Settled) []live.Settled {
	fs := make([]live.Settled, len(settled))
	for i, f := range settled {
		fs[i] = live.Settled{Path: f.Path, ModTime: f.ModTime, Content: f.Content, Stamp: f.Stamp}
		for _, g := range f.Generations {
			fs[i].Generations = append(fs[i].Generations, live.Generation(g))
		}
	}
	return fs
}

// A pump hands a watcher's batches on.
type pump struct {
	watcher *watch.Watcher
	mu      sync.Mutex
	asked   uint64        // of the last batch that was handed on
	handed  chan struct{} // closed and replaced at each batch that looked at everything
	done    chan struct{}
}

func newPump(w *watch.Watcher) *pump {
	return &pump{watcher: w, handed: make(chan struct{}), done: make(chan struct{})}
}

// run ends with the watcher, whose batches it must not leave waiting.
func (p *pump) run(take func(watch.Batch)) {
	defer close(p.done)
	for b := range p.watcher.Batches() {
		take(b)
		if b.Rescan {
			p.mu.Lock()
			p.asked = b.Asked
			close(p.handed)
			p.handed = make(chan struct{})
			p.mu.Unlock()
		}
	}
	p.watcher.Wait()
}

// rescan lets the watcher look at everything and waits for what it says.
func (p *pump) rescan(ctx context.Context) error {
	for call := p.watcher.Rescan(); ; {
		p.mu.Lock()
		asked, handed := p.asked, p.handed
		p.mu.Unlock()
		if asked >= call {
			return nil
		}
		select {
		case <-handed:
		case <-p.done:
			return live.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
