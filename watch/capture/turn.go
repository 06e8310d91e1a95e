package capture

import (
	"context"
	"errors"
	"sync"
)

// ErrSuperseded is the cause of a run's end when a newer run replaces it.
var ErrSuperseded = errors.New("a newer run takes its place")

// A Turn lets one run at a time write into a dump directory: taking it ends the
// run before. The zero Turn is free.
type Turn struct {
	mu    sync.Mutex
	last  *holder
	ended bool
}

type holder struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// Take ends the run that has the turn, waits until it has ended, and returns the
// context of the next one, which must be released. The error is that of ctx,
// [ErrSuperseded] if yet another run came meanwhile, or [context.Canceled] after
// End.
func (t *Turn) Take(ctx context.Context) (run context.Context, release func(), err error) {
	run, cancel := context.WithCancelCause(ctx)
	mine := &holder{cancel, make(chan struct{})}
	t.mu.Lock()
	before := t.last
	t.last = mine
	if t.ended {
		cancel(context.Canceled)
	}
	t.mu.Unlock()
	release = sync.OnceFunc(func() {
		cancel(context.Canceled)
		close(mine.done)
	})
	if before != nil {
		before.cancel(ErrSuperseded)
		<-before.done
	}
	if run.Err() != nil {
		release()
		return nil, nil, context.Cause(run)
	}
	return run, release, nil
}

// End ends the run that has the turn, without waiting for it, and those to come.
func (t *Turn) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.last != nil {
		t.last.cancel(context.Canceled)
	}
}
