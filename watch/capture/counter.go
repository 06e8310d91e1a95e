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

// A counter learns from a watcher what is written into a dump directory: for the
// progress, and to see a specialization that replaces another where no hook tells.
type counter struct {
	root  string
	since time.Time
	tell  func(kernels int, arch string)
	stop  func()          // ends what take is called from
	news  chan struct{}   // holds one token while there is something to tell
	ended chan struct{}   // closed when nothing is told any more
	done  sync.WaitGroup  // of who tells
	table *producer.Table // whose dumps count

	telling sync.Mutex

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

func newCounter(ctx context.Context, d *directory, o Options, tell func(int, string)) *counter {
	c := &counter{
		root: d.root, since: d.since, table: d.table, tell: tell, files: map[string]int{},
		news: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	if o.Listen != nil {
		c.stop = o.Listen(c.take)
	}
	if c.stop == nil {
		w := watch.Start(context.WithoutCancel(ctx), watch.Options{Root: d.root, Interest: watch.Dumps(d.table), Quiet: progressQuiet})
		<-w.Batches() // what is there before the command starts is not its work
		looked := make(chan uint64, 1)
		go func() {
			defer close(looked)
			for b := range w.Batches() {
				c.take(b)
				if b.Asked > 0 {
					looked <- b.Asked
				}
			}
		}()
		c.stop = func() { // what was written last has yet to settle
			for call := w.Rescan(); ; {
				if asked, open := <-looked; !open || asked >= call {
					break
				}
			}
			go func() {
				for range looked {
				}
			}()
			w.Close()
		}
	}
	c.done.Go(c.run)
	return c
}

// tick is how often progress is told while nothing is written.
const tick = time.Second

func (c *counter) run() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-c.news:
		case <-ticker.C:
		case <-c.ended:
			return
		}
		c.say()
	}
}

// say tells how far it is, to one at a time. Nobody who takes waits for that.
func (c *counter) say() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.mu.Lock()
	kernels, arch := len(c.files), c.arch
	c.mu.Unlock()
	c.tell(kernels, arch)
}

// take counts what a watcher tells of. It does not wait for who is told.
func (c *counter) take(b watch.Batch) {
	ours := func(f watch.Settled) bool {
		return c.table.IsAssembly(filepath.Base(f.Path)) && !f.ModTime.Before(c.since) && inside(f.Path, c.root)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range b.Settled {
		if ours(f) {
			c.files[f.Path] += 1 + len(f.Generations)
		}
	}
	for _, f := range b.Touched {
		if ours(f) && c.files[f.Path] == 0 {
			c.files[f.Path] = 1
		}
	}
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// begin says which architecture comes next.
func (c *counter) begin(arch string) {
	c.mu.Lock()
	c.arch = arch
	c.mu.Unlock()
	c.say()
}

// close ends the counter.
func (c *counter) close() *seen {
	c.stop()
	close(c.ended)
	c.done.Wait()
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
