package lsp

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Bounds of what waits for a client to read it, in bytes. Above outgoingRoom the
// server stops saying things on its own account; above outgoingLimit, which only
// answers can reach, the client has stopped reading and the session ends.
const (
	outgoingRoom  = 1 << 20
	outgoingLimit = 64 << 20
)

// errNotReading is why a session ends whose client asks but never reads.
var errNotReading = errors.New("the client has stopped reading: 64 MiB of answers wait for it")

// outgoing is the one bounded queue of bytes to the client. Writing to it never
// blocks, so no handler and no publication ever waits for a slow client.
type outgoing struct {
	w io.Writer

	mu      sync.Mutex
	change  *sync.Cond // the queue or its state changed
	waiting [][]byte
	size    int
	closed  bool
	err     error

	broken chan struct{} // closed with the first error
	done   chan struct{} // closed when the writing goroutine has ended
}

func newOutgoing(w io.Writer) *outgoing {
	q := &outgoing{w: w, broken: make(chan struct{}), done: make(chan struct{})}
	q.change = sync.NewCond(&q.mu)
	go q.run()
	return q
}

// Write queues one framed message; p is copied.
func (q *outgoing) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.err != nil:
		return 0, q.err
	case q.closed:
		return 0, io.ErrClosedPipe
	case q.size > 0 && q.size+len(p) > outgoingLimit:
		q.fail(errNotReading)
		return 0, q.err
	}
	q.waiting = append(q.waiting, append([]byte(nil), p...))
	q.size += len(p)
	q.change.Broadcast()
	return len(p), nil
}

// Room waits until the client has read enough for the server to speak unasked.
func (q *outgoing) Room(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.change.Broadcast()
	})
	defer stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > outgoingRoom && q.err == nil && !q.closed && ctx.Err() == nil {
		q.change.Wait()
	}
	switch {
	case q.err != nil:
		return q.err
	case q.closed:
		return io.ErrClosedPipe
	}
	return ctx.Err()
}

// Close takes nothing more; what waits is still written.
func (q *outgoing) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Broadcast()
	return nil
}

// fail ends the queue; q.mu is held.
func (q *outgoing) fail(err error) {
	if q.err != nil {
		return
	}
	q.err = err
	q.waiting, q.size = nil, 0
	close(q.broken)
	q.change.Broadcast()
}

func (q *outgoing) run() {
	defer close(q.done)
	for {
		p, ok := q.next()
		if !ok {
			return
		}
		_, err := q.w.Write(p)
		q.mu.Lock()
		q.size = max(0, q.size-len(p))
		if err != nil {
			q.fail(err)
		}
		q.change.Broadcast()
		q.mu.Unlock()
	}
}

// next returns the oldest message, or false when there will be none.
func (q *outgoing) next() ([]byte, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed && q.err == nil {
		q.change.Wait()
	}
	if len(q.waiting) == 0 {
		return nil, false
	}
	p := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return p, true
}
