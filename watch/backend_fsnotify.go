package watch

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An eventBackend notices changes by the operating system's events. One
// goroutine does nothing but move them into a queue: 20,000 new files handled by
// the goroutine that receives overflow the kernel's queue of 16,384.
type eventBackend struct {
	events  *fsnotify.Watcher
	queue   *queue
	net     time.Duration
	drained chan struct{}
}

func newEventBackend(net time.Duration) (backend, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	b := &eventBackend{events, newQueue(), net, make(chan struct{})}
	go b.drain()
	return b, nil
}

func (b *eventBackend) drain() {
	defer close(b.drained)
	events, errs := b.events.Events, b.events.Errors
	for events != nil || errs != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			b.noticed(e)
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

func (b *eventBackend) noticed(e fsnotify.Event) {
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
	if o != 0 && e.Name != "" {
		b.queue.put(e.Name, o)
	}
}

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
