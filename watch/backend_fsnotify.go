package watch

import (
	"errors"
	"io/fs"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An eventBackend notices changes by the operating system's events. One
// goroutine does nothing but move them into a queue: 20,000 new files handled by
// the goroutine that receives overflow the kernel's queue of 16,384.
type eventBackend struct {
	events  *fsnotify.Watcher
	matters atomic.Pointer[func(path string) bool] // see Heed; nil: everything does
	queue   *queue
	net     time.Duration
	drained chan struct{}
}

func newEventBackend(net time.Duration) (backend, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	b := &eventBackend{events: events, queue: newQueue(), net: net, drained: make(chan struct{})}
	go b.drain()
	return b, nil
}

// What another program appends to, a log, sends an event for each write, which means
// nothing here and wakes the process all the same. So when such an event came by
// itself, and nothing else has for a while, the next ones are left to gather.
const (
	gather = 100 * time.Millisecond // how long
	alone  = 200 * time.Microsecond // an event that is waited for so long came by itself
	lull   = 250 * time.Millisecond // how long nothing that matters came
)

func (b *eventBackend) drain() {
	defer close(b.drained)
	events, errs := b.events.Events, b.events.Errors
	var mattered time.Time // when something did
	for events != nil || errs != nil {
		begun := time.Now()
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			now := time.Now()
			if b.noticed(e) {
				mattered = now
			} else if now.Sub(begun) >= alone && now.Sub(mattered) >= lull {
				time.Sleep(gather)
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			// EINVAL: fsnotify gave up the watch of a moved directory that the
			// kernel had dropped already.
			if !errors.Is(err, syscall.EINVAL) {
				b.queue.lose()
			}
		}
	}
}

// noticed takes in an event, and reports whether it may mean something.
func (b *eventBackend) noticed(e fsnotify.Event) bool {
	var o op
	if e.Has(fsnotify.Create) {
		o |= made
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		o |= gone
	}
	if e.Has(fsnotify.Write) || e.Has(fsnotify.Chmod) { // times are attributes: touch(1)
		o |= wrote
	}
	if o == 0 || e.Name == "" || b.unheeded(e) {
		return false
	}
	b.queue.put(e.Name, o)
	return true
}

// unheeded reports whether an event only says that a file which does not matter was
// written to. On Windows a directory is written to as well.
func (b *eventBackend) unheeded(e fsnotify.Event) bool {
	matters := b.matters.Load()
	return e.Op == fsnotify.Write && runtime.GOOS != "windows" && matters != nil && !(*matters)(e.Name)
}

func (b *eventBackend) Heed(matters func(path string) bool) { b.matters.Store(&matters) }

func (b *eventBackend) Add(dir string) error { return b.events.Add(dir) }

// Remove fails for a directory whose watch is gone already, which is as good.
func (b *eventBackend) Remove(dir string) { _ = b.events.Remove(dir) }

func (b *eventBackend) Wake() <-chan struct{} { return b.queue.wake }
func (b *eventBackend) Take() notices         { return b.queue.take() }

// Pace gives the net a share of one processor that a person does not notice, but
// not more time than one waits for what has no event.
func (b *eventBackend) Pace(_ bool, took time.Duration) time.Duration {
	return max(b.net, min(netShare*took, netMax))
}

const (
	// netShare is how much longer than a sweep took the time until the next is at
	// least: 0.02 % of a core.
	netShare = 5000
	// netMax is how long that time is at most, in trees of more than some 15,000
	// dumps, or if a sweep had to wait for a disk.
	netMax = 5 * time.Minute
)

func (b *eventBackend) Close() {
	_ = b.events.Close() // nothing is written through it
	<-b.drained
}

// exhausted says of an error of a backend that the operating system has no more
// watches to give.
func exhausted(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) ||
		errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// vanished says that what an operation was about is no longer there.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
