package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// calls are the client's requests that are being answered, so that they can be
// cancelled by their id or all together.
type calls struct {
	root context.Context // ends with the session
	work sync.WaitGroup

	mu      sync.Mutex
	ended   bool // nothing new is answered
	running map[jsonrpc2.ID]context.CancelFunc
}

func newCalls(root context.Context) *calls {
	return &calls{root: root, running: map[jsonrpc2.ID]context.CancelFunc{}}
}

// begin enters a request while it is read, so that a cancellation right behind it
// finds it. The context that jsonrpc2 gives does not end with the session; the one
// that is returned does. done is called when the request was handled.
func (c *calls) begin(ctx context.Context, id jsonrpc2.ID) (_ context.Context, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, nil, context.Canceled
	}
	c.work.Add(1)
	context.AfterFunc(ctx, c.work.Done) // jsonrpc2 ends it when the answer was written
	ctx, cancel := context.WithCancel(c.root)
	c.running[id] = cancel
	return ctx, func() {
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		cancel()
	}, nil
}

// end cancels all that is being answered; nothing new begins.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, cancel := range c.running {
		cancel()
	}
}

// wait returns when everything was answered, which end has begun.
func (c *calls) wait() { c.work.Wait() }

func (c *calls) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel := c.running[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
