package capture

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"isadiff/engine/producer"
	"isadiff/watch"
)

// A counter watches a dump directory while it is written: for the progress, and
// to see a specialization that replaces another where no hook tells.
type counter struct {
	watcher *watch.Watcher
	since   time.Time
	tell    func(kernels int, arch string)
	done    chan struct{}

	table *producer.Table // whose dumps count

	mu    sync.Mutex
	arch  string
	files map[string]int // stage files written so far -> how often with another content
}

// seen is what a counter has seen.
type seen struct {
	kernels     int      // final assembly files of this capture
	overwritten []string // directories whose assembly was written twice, with different content
	unseen      bool     // the hook did not see all of the compiles, so it is not known which compiler made what
}

// progressQuiet is how long nothing may be written before kernels are counted.
const progressQuiet = 100 * time.Millisecond

func newCounter(ctx context.Context, d *directory, tell func(int, string)) *counter {
	c := &counter{
		watcher: watch.Start(context.WithoutCancel(ctx), watch.Options{Root: d.root, Interest: watch.Dumps(d.table), Quiet: progressQuiet}),
		since:   d.since, table: d.table, tell: tell, done: make(chan struct{}), files: map[string]int{},
	}
	first := make(chan struct{})
	go c.run(first)
	<-first // what is there before the command starts is not its work
	return c
}

// tick is how often progress is told while nothing is written.
const tick = time.Second

func (c *counter) run(first chan struct{}) {
	defer close(c.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	looked := sync.OnceFunc(func() { close(first) })
	defer looked()
	for began := false; ; {
		select {
		case b, ok := <-c.watcher.Batches():
			if !ok {
				return
			}
			c.take(b, !began)
			began = true
			looked()
		case <-ticker.C:
			c.mu.Lock()
			c.tell(len(c.files), c.arch)
			c.mu.Unlock()
		}
	}
}

func (c *counter) take(b watch.Batch, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range b.Settled {
		if c.table.IsAssembly(filepath.Base(f.Path)) && !first && !f.ModTime.Before(c.since) {
			c.files[f.Path] += 1 + len(f.Generations)
		}
	}
	for _, f := range b.Touched {
		if c.table.IsAssembly(filepath.Base(f.Path)) && !first && c.files[f.Path] == 0 {
			c.files[f.Path] = 1
		}
	}
	if !first {
		c.tell(len(c.files), c.arch)
	}
}

// begin says which architecture comes next.
func (c *counter) begin(arch string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arch = arch
	c.tell(len(c.files), arch)
}

// close ends the counter after it has looked at everything once more.
func (c *counter) close() *seen {
	c.watcher.Close()
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &seen{}
	for path, times := range c.files {
		if times > 1 {
			s.overwritten = append(s.overwritten, filepath.Dir(path))
		}
	}
	slices.Sort(s.overwritten)
	return s
}
