package watch

import (
	"sync"
	"time"
)

// A backend notices that something happened to the entries of directories. It
// need not be complete: whatever it misses the sweep finds.
type backend interface {
	// Add watches the entries of a directory, and the directory itself being
	// removed or renamed. Adding it again renews the watch.
	Add(dir string) error
	// Remove gives the watch of a directory up; it need not have one.
	Remove(dir string)
	// Heed says of what being written to matters. It is called before the first Add,
	// and again when that changes; matters may be called by any goroutine.
	Heed(matters func(path string) bool)
	// Wake receives when there is something to Take.
	Wake() <-chan struct{}
	// Take returns all that was noticed since the last Take, oldest first.
	Take() notices
	// Pace returns how long to wait until the next sweep over all known
	// directories, after one that found something or did not, and took so long.
	Pace(found bool, took time.Duration) time.Duration
	// Close ends the backend and waits for its goroutines.
	Close()
}

// notices are what a backend saw.
type notices struct {
	items []notice
	lost  bool // an unknown number of others was dropped
}

// A notice is that something happened to a path, however often.
type notice struct {
	path string
	op   op
}

// An op is a set of things that happened to a path.
type op uint8

const (
	made  op = 1 << iota // it was created or moved here
	gone                 // it was removed or moved away
	wrote                // it was written to
)

// A queue takes in notices without bound, so that whoever drains the operating
// system's own queue, which is short, never waits. Several notices of one path
// become one, at the place of the first.
type queue struct {
	wake chan struct{}

	mu    sync.Mutex
	index map[string]int // path -> position in items
	items []notice
	lost  bool
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), index: map[string]int{}}
}

func (q *queue) put(path string, o op) {
	q.mu.Lock()
	if i, ok := q.index[path]; ok {
		q.items[i].op |= o
	} else {
		q.index[path] = len(q.items)
		q.items = append(q.items, notice{path, o})
	}
	q.mu.Unlock()
	q.ring()
}

func (q *queue) lose() {
	q.mu.Lock()
	q.lost = true
	q.mu.Unlock()
	q.ring()
}

func (q *queue) ring() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() notices {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := notices{q.items, q.lost}
	q.items, q.lost = nil, false
	clear(q.index)
	return n
}
