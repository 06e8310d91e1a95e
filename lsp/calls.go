package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// calls are the client's requests that are being answered, so that they can be
// cancelled by their id or all together.
type calls struct {
	work    sync.WaitGroup
	ended   bool // nothing new is answered
	mu      sync.Mutex
	running map[jsonrpc2.ID]context.CancelFunc
	root    context.Context // ends with the session
}

func newCalls(root context.Context) *calls {
	return &calls{root: root, running: map[jsonrpc2.ID]context.CancelFunc{}}
}

// run answers one request. The context that jsonrpc2 gives does not end with the
// connection; this one does.
func (c *calls) run(ctx context.Context, id jsonrpc2.ID, f func(context.Context) (any, error)) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(c.root, cancel)
	defer stop()
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return nil, context.Canceled
	}
	c.work.Add(1)
	c.running[id] = cancel
	c.mu.Unlock()
	defer c.work.Done()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, id)
	}()
	return f(ctx)
}

// wait returns when nothing is being answered any more; the session has ended,
// so that nothing new begins.
func (c *calls) wait() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.work.Wait()
}

func (c *calls) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel := c.running[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
