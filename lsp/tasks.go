package lsp

import "sync"

// tasks are the goroutines of a session. The zero value is ready to use.
type tasks struct {
	mu    sync.Mutex
	ended bool // nothing new begins
	all   sync.WaitGroup
}

// begin runs f, unless the session has ended.
func (t *tasks) begin(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.all.Go(f)
	}
}

// end lets nothing new begin and waits for what has.
func (t *tasks) end() {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.all.Wait()
}
