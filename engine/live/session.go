package live

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A Session holds a baseline, a dump tree and sources, and makes a new State
// each time something settles. One goroutine owns all of it; every method only
// hands that goroutine something to do, so methods may be called from anywhere,
// and none but those that take a context waits.
type Session struct {
	current atomic.Pointer[State]
	wake    chan struct{} // holds one token while there is work
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{} // closed when the owner has ended
	memory  *Memory       // of one that has ended

	mu   sync.Mutex
	work []func(*owner)
	subs map[*Subscription]struct{}
}

// A Batch is what settled in one input of a session since the batch before. The first
// batch of an input names all its files: a session reads the files that batches name
// and walks no tree by itself. Paths are absolute.
type Batch struct {
	Settled []Settled // files that are complete and stable and have a new content
	Touched []Settled // files that were written again with the content they had
	Removed []string  // files or directories that are gone
	Missing bool      // the input itself, a directory or a file, does not exist
	// Problems are directories and files that cannot be watched or read.
	Problems []error
}

// nothing reports whether the batch names no file and no directory.
func (c Batch) nothing() bool {
	return len(c.Settled)+len(c.Touched)+len(c.Removed)+len(c.Problems) == 0
}

// names reports whether a file of a name changed.
func (c Batch) names(name string) bool {
	is := func(f Settled) bool { return filepath.Base(f.Path) == name }
	return slices.ContainsFunc(c.Settled, is) || slices.ContainsFunc(c.Touched, is) ||
		slices.ContainsFunc(c.Removed, func(path string) bool { return filepath.Base(path) == name })
}

// A Settled is a file that has reached a stable state. The session reads the file as it
// is by then; if it has changed again, a later Batch says so.
type Settled struct {
	Path    string
	ModTime time.Time
	Content []byte        // what settled; nil if the watcher did not keep it
	Stamp   regular.Stamp // of the file with that content
	// Generations are earlier contents of the file that settled and were
	// overwritten within the same batch, oldest first.
	Generations []Generation
}

// A Generation is a content that a file had.
type Generation struct {
	Content []byte // nil if it was too large to be kept
	ModTime time.Time
}

// ErrClosed is what commands return when the session has ended.
var ErrClosed = errors.New("the session has ended")

// Open starts a session. Its first State comes when every input (dumps, baseline
// and sources) was heard of once; before that Current is not Ready.
func Open(cfg Config) *Session {
	s := &Session{wake: make(chan struct{}, 1), done: make(chan struct{}), subs: map[*Subscription]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	cfg = cfg.withDefaults()
	cfg.ctx = s.ctx
	o := newOwner(cfg, s)
	s.current.Store(&State{Live: &resource.Side{}, Sources: map[string]*Source{}})
	go s.run(o)
	return s
}

// Close ends the session and waits for its goroutine, which reads nothing more.
// Subscriptions end too.
func (s *Session) Close() {
	s.cancel()
	<-s.done
}

// Current returns the newest State; it is never nil. It costs one load.
func (s *Session) Current() *State { return s.current.Load() }

// DumpsChanged tells what settled in the dump tree.
func (s *Session) DumpsChanged(c Batch) { s.post(func(o *owner) { o.dumpsChanged(c) }) }

// BaselineChanged tells what settled at the baseline: its file, or files of its
// tree.
func (s *Session) BaselineChanged(c Batch) { s.post(func(o *owner) { o.baselineChanged(c) }) }

// RulesChanged tells that the file of accepted regressions changed.
func (s *Session) RulesChanged() { s.post((*owner).loadRules) }

// ReadRules reads it at once, and returns when the State rests on it.
func (s *Session) ReadRules(ctx context.Context) error {
	_, err := ask(ctx, s, func(o *owner) (struct{}, error) {
		o.loadRules()
		o.publish()
		return struct{}{}, nil
	})
	return err
}

// SourcesChanged tells which Python files changed, appeared or are gone.
func (s *Session) SourcesChanged(c Batch) { s.post(func(o *owner) { o.sourcesChanged(c) }) }

// DumpsMode tells how changes of the dump tree are noticed.
func (s *Session) DumpsMode(polling bool, reason string) {
	s.post(func(o *owner) { o.setMode(polling, reason) })
}

// SetOverlay gives the text of a Python file that is open in an editor; it
// counts instead of the file until ClearOverlay.
func (s *Session) SetOverlay(path string, text *producer.Draft) {
	s.post(func(o *owner) {
		o.sources.setOverlay(path, text)
		o.dirty = true
	})
}

// ClearOverlay makes the file itself count again.
func (s *Session) ClearOverlay(path string) {
	s.post(func(o *owner) {
		o.sources.clearOverlay(path)
		o.dirty = true
	})
}

// Reload looks at every file that the session knows of again, and reads those that are
// others by their size, times and identity. It returns the State after that.
func (s *Session) Reload(ctx context.Context) (*State, error) {
	s.post(func(o *owner) { o.reload(false) })
	return s.Sync(ctx)
}

// ReadAgain is Reload that reads every file, whatever it was.
func (s *Session) ReadAgain(ctx context.Context) (*State, error) {
	s.post(func(o *owner) { o.reload(true) })
	return s.Sync(ctx)
}

// Sync waits until everything that was handed over before has taken effect, and
// returns the State of that moment.
func (s *Session) Sync(ctx context.Context) (*State, error) {
	return ask(ctx, s, func(o *owner) (*State, error) {
		o.publish()
		return s.Current(), nil
	})
}

// errCrashed is what a command returns that the session did not survive.
var errCrashed = errors.New("isadiff failed inside, and everything is read again; try again, and report it if it fails again")

// ask runs f on the owner's goroutine and waits for its answer. If ctx ends before f
// has begun it never runs; after that what became of it is the answer.
func ask[T any](ctx context.Context, s *Session, f func(*owner) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var a answer
	if a.err = ctx.Err(); a.err != nil {
		return a.value, a.err
	}
	answers := make(chan answer, 1)
	var taken atomic.Bool // by the owner that runs f, or by the caller that no longer wants it
	s.post(func(o *owner) {
		if !taken.CompareAndSwap(false, true) {
			return
		}
		a := answer{err: errCrashed} // unless f returns
		defer func() { answers <- a }()
		a.value, a.err = f(o)
	})
	select {
	case a = <-answers:
	case <-ctx.Done():
		if taken.CompareAndSwap(false, true) {
			return a.value, ctx.Err()
		}
		a = <-answers
	case <-s.done:
		select {
		case a = <-answers:
		default:
			a.err = ErrClosed
		}
	}
	return a.value, a.err
}

// post hands the owner something to do. It never blocks; after the end it does nothing.
func (s *Session) post(f func(*owner)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		s.work = append(s.work, f)
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// posted takes what was handed over.
func (s *Session) posted() (work []func(*owner)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	work, s.work = s.work, nil
	return work
}

// run is the owner's goroutine: it does all that was handed over, then publishes once.
func (s *Session) run(o *owner) {
	defer close(s.done)
	defer s.endSubscriptions()
	defer func() { s.memory = &Memory{o.dumps, o.sources.edits, o.failed, o.failedFrom} }()
	defer o.close()
	for {
		select {
		case <-s.wake:
		case <-s.ctx.Done():
			return
		}
		for _, f := range append(s.posted(), (*owner).publish) {
			if s.ctx.Err() != nil {
				return // what it reads would be cut short
			}
			o.guard(f)
		}
	}
}

// guard runs f and turns a panic into a problem that everybody sees: a crash of
// the tool is never an OK. Then everything is read again, as f may have left
// things half done; only if that succeeds is the problem over.
func (o *owner) guard(f func(*owner)) {
	if !o.try(f) && o.try(func(o *owner) { o.forget(); o.reload(false) }) {
		o.crash = nil
	}
}

// forget drops what is remembered of the last State, of which a part may not have been
// delivered.
func (o *owner) forget() {
	o.compared = comparison{rules: o.compared.rules, orders: o.compared.orders}
	clear(o.sources.kernels)
	for path := range o.sources.files {
		o.sources.changed[path] = true
	}
}

// try runs f and reports whether it ended well.
func (o *owner) try(f func(*owner)) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			p := problem.Crashed("the live session", r)
			o.cfg.Log(fmt.Sprintf("%s\n%s", p.Message, debug.Stack()))
			o.crash, o.dirty = &p, true
			o.session.deliver(crashed(o.session.Current(), p))
		}
	}()
	f(o)
	return true
}

// A Subscription delivers States. Who is slow gets the newest and misses those
// between.
type Subscription struct {
	C       <-chan *State // closed when the session or the subscription ends
	c       chan *State
	session *Session
}

// Subscribe delivers every State from now on.
func (s *Session) Subscribe() *Subscription {
	c := make(chan *State, 1)
	sub := &Subscription{C: c, c: c, session: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subs == nil {
		close(c)
		return sub
	}
	s.subs[sub] = struct{}{}
	return sub
}

// Close ends the subscription.
func (sub *Subscription) Close() {
	s := sub.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.subs[sub]; ok {
		delete(s.subs, sub)
		close(sub.c)
	}
}

// deliver hands a State to every subscriber, replacing one that was not fetched.
func (s *Session) deliver(state *State) {
	s.current.Store(state)
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subs {
		select {
		case <-sub.c:
		default:
		}
		sub.c <- state
	}
}

func (s *Session) endSubscriptions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subs {
		close(sub.c)
	}
	s.subs = nil
}

// A Config says what a session compares, and with what patience.
type Config struct {
	// Project names the root, dumps, baseline and sources; its Kernels limit both
	// sides. Nothing outside of its root is written, but for a baseline that the
	// command line named.
	Project     *project.Config
	IgnoreTimes bool // the trees were copied without their modification times
	NoSources   bool // there are no sources to lead to, as in a tree without Python files
	Refused     bool // what is to be compared is not known, so that nothing is; Distrust says why
	// Quiet is how long a compile may write nothing before it counts as failed;
	// 10 s by default.
	Quiet time.Duration
	Clock Clock        // the machine's own by default
	After *Memory      // of the session that this one takes the place of; nil if there is none
	Log   func(string) // what a developer may want to know; dropped by default

	ctx context.Context // ends with the session
}

func (c Config) withDefaults() Config {
	if c.Quiet == 0 {
		c.Quiet = 10 * time.Second
	}
	if c.Clock == nil {
		c.Clock = wallClock{}
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	return c
}
