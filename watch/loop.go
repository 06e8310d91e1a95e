package watch

import (
	"context"
	"time"
)

// run is the watcher's goroutine. It alone has the tracker.
func (w *Watcher) run(ctx context.Context, o Options) {
	defer close(w.done)
	defer close(w.batches)
	defer w.cancel()
	t := newTracker(o)
	defer t.close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	always := make(chan time.Time)
	close(always)
	var outgoing *Batch
	for {
		now := t.system.now()
		t.step(now)
		if outgoing == nil {
			outgoing = t.batch(now)
		}
		var out chan<- Batch
		var sent Batch
		if outgoing != nil {
			out, sent = w.batches, *outgoing
		}
		var tick <-chan time.Time = always
		if !t.busy() {
			tick = timer.C
			timer.Reset(t.next(now, outgoing == nil).Sub(t.system.now()))
		}
		select {
		case <-ctx.Done():
			return
		case out <- sent:
			outgoing = nil
		case <-t.back.Wake():
			t.take(t.back.Take(), t.system.now())
		case <-w.rescan:
			t.askedRescan(w.asked.Load(), t.system.now())
		case <-tick:
		}
	}
}
