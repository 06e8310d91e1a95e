package watch

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"time"

	"isadiff/engine/regular"
)

// Options say what to watch and how patiently. The zero value of every duration
// means its default.
type Options struct {
	// Root is a directory or a single file. It need not exist, may be removed,
	// renamed, made again, and may be a symbolic link that changes its target.
	Root string
	// Interest says which files matter. A Root that is a file always matters.
	Interest Interest
	// Poll polls instead of using events.
	Poll bool
	// Quiet is how long nothing that matters may happen before a batch ends; 150 ms.
	Quiet time.Duration
	// MaxDelay is how long a batch is held at most while changes keep coming; 2 s.
	MaxDelay time.Duration
	// Hold is how long an incomplete file may stay without growing before it is
	// reported as cut short; 10 s.
	Hold time.Duration

	system system // what tests replace; zero: the real one
	pace   pace   // what tests shorten; zero: the defaults
}

// A Batch is what settled together, to be compared and published at once. Its
// paths begin with the root as it was given, made absolute, without resolving
// symbolic links.
//
// A batch reports everything that happened since the one before. A consumer that
// applies Settled and Removed of each batch knows the state of the tree without a
// scan of its own.
type Batch struct {
	Settled []Settled // files that are complete and stable and have a new content, sorted by path
	// Touched are files that were written again with the content they had: there
	// is nothing to read, but their modification time moved, by which an
	// assembly file is known to be as new as its compile. Sorted by path.
	Touched []Settled
	Removed []string // files that are gone, each named, also where their directory went; sorted
	// Rescan says that the whole tree was looked at again: the first batch, and
	// after lost events, a root that was replaced or removed, a suspend of the
	// machine, or a call of Rescan. Each of these ends in a batch, empty or not.
	Rescan bool
	// Asked is the number of the last call of Rescan that all of this is newer than;
	// 0 before the first.
	Asked uint64
	Root  RootState
	Mode  Mode
	// Problems are directories and files that cannot be watched or read. Each is
	// reported once, and again if its reason changes.
	Problems []error
}

// A Settled is one file that reached a stable state.
type Settled struct {
	Path       string
	Generation               // what settled
	Stamp      regular.Stamp // of the file with that content
	// Generations holds every intermediate content of the file that settled
	// since the last batch, oldest first, without the last one; usually empty.
	// Only rules with Keep have them.
	Generations []Generation

	cut bool // it stayed incomplete past the limit
}

// A Generation is a content that a file had.
type Generation struct {
	Content []byte // nil if it was not held: too large, or of a rule without Keep
	ModTime time.Time
}

// A RootState tells whether the root exists.
type RootState uint8

// The states of a root.
const (
	RootMissing RootState = iota
	RootPresent
)

// A Mode tells how changes are noticed.
type Mode struct {
	Polling bool
	Reason  string // why polling, in words for the user; "" when events are used
}

// A Watcher reports the settled changes of one root. It owns its goroutines:
// they end with the context or with Close.
type Watcher struct {
	batches chan Batch
	asked   atomic.Uint64 // how often Rescan was called
	rescan  chan struct{} // holds one token while a call is not taken up
	cancel  context.CancelFunc
	done    chan struct{}
}

// Start begins to watch, and returns at once. It does not fail: where events cannot be had the
// watcher polls and says why in Batch.Mode, and what cannot be read stands in
// Batch.Problems. The first batch lists everything that is there, and comes for
// an empty or missing root too.
func Start(ctx context.Context, options Options) *Watcher {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{
		batches: make(chan Batch),
		rescan:  make(chan struct{}, 1),
		cancel:  cancel,
		done:    make(chan struct{}),
	}
	go w.run(ctx, options.withDefaults())
	return w
}

// Batches returns the channel of batches. A consumer that is slow gets fewer and
// larger ones. It is closed when the watcher has ended.
func (w *Watcher) Batches() <-chan Batch { return w.batches }

// Rescan looks at the whole tree again, and tries events again if the watcher
// had to fall back to polling. It returns the number of the call, which counts from
// 1: a batch whose Asked is not less follows and tells of that look, while one of an
// earlier look may still be on its way.
func (w *Watcher) Rescan() (call uint64) {
	call = w.asked.Add(1)
	select {
	case w.rescan <- struct{}{}:
	default: // one is asked for already
	}
	return call
}

// Close ends the watcher and waits for its goroutines.
func (w *Watcher) Close() {
	w.cancel()
	w.Wait()
}

// Wait waits until the watcher has ended, by Close or by its context.
func (w *Watcher) Wait() { <-w.done }

func (o Options) withDefaults() Options {
	if abs, err := filepath.Abs(o.Root); err == nil {
		o.Root = abs
	}
	orDefault(&o.Quiet, 150*time.Millisecond)
	orDefault(&o.MaxDelay, 2*time.Second)
	orDefault(&o.Hold, 10*time.Second)
	o.pace = o.pace.withDefaults()
	o.system = o.system.withDefaults()
	return o
}

func orDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}
