package watch

import (
	"path/filepath"
	"testing"
	"time"
)

// A drive runs a tracker over a real directory by a clock that only moves when
// told to, and with events that only come when told to.
type drive struct {
	t       testing.TB
	root    string
	tracker *tracker
	back    *toldBackend
	now     time.Time
	steps   int // how often something was done
	batches []timed
}

// A timed is a batch and when it was sent.
type timed struct {
	at time.Time
	Batch
}

// A toldBackend knows of what tests tell it.
type toldBackend struct {
	*queue
	net     time.Duration
	added   map[string]bool
	refuse  func(dir string) error // of Add; nil: never
	removed int
}

func (b *toldBackend) Add(dir string) error {
	if b.refuse != nil {
		if err := b.refuse(dir); err != nil {
			return err
		}
	}
	b.added[dir] = true
	return nil
}

func (b *toldBackend) Remove(dir string) {
	if b.added[dir] {
		delete(b.added, dir)
		b.removed++
	}
}

func (*toldBackend) Heed(func(string) bool)  {}
func (b *toldBackend) Wake() <-chan struct{} { return b.wake }
func (b *toldBackend) Take() notices         { return b.take() }
func (*toldBackend) Close()                  {}

func (b *toldBackend) Pace(found bool, took time.Duration) time.Duration {
	return (&eventBackend{net: b.net}).Pace(found, took)
}

// driven starts at the present, so that files which tests write look fresh.
func driven(t testing.TB, root string, change ...func(*Options)) *drive {
	t.Helper()
	d := &drive{t: t, root: root, now: time.Now()}
	o := Options{Root: root, Interest: Dumps(nil)}
	o.system.now = func() time.Time { return d.now }
	o.system.remote = func(string) string { return "" }
	d.back = &toldBackend{queue: newQueue(), added: map[string]bool{}}
	o.system.events = func(net time.Duration) (backend, error) {
		d.back.net = net
		return d.back, nil
	}
	for _, c := range change {
		c(&o)
	}
	d.tracker = newTracker(o.withDefaults())
	t.Cleanup(func() { d.tracker.close() })
	return d
}

// begun takes the first batch, too.
func (d *drive) begun() *drive {
	d.t.Helper()
	d.advance(0)
	if len(d.batches) != 1 || !d.batches[0].Rescan {
		d.t.Fatalf("no first batch: %+v", d.batches)
	}
	d.batches = nil
	return d
}

// advance lets time pass, doing what falls due in it when it does.
func (d *drive) advance(by time.Duration) {
	d.t.Helper()
	end := d.now.Add(by)
	for {
		d.take()
		d.step()
		if d.tracker.busy() {
			continue
		}
		next := d.tracker.next(d.now, true)
		if next.After(end) {
			d.now = end
			return
		}
		if next.After(d.now) {
			d.now = next
		}
	}
}

func (d *drive) take() {
	select {
	case <-d.back.Wake():
		d.tracker.take(d.back.Take(), d.now)
	default:
	}
}

func (d *drive) step() {
	d.steps++
	d.tracker.step(d.now)
	if b := d.tracker.batch(d.now); b != nil {
		d.batches = append(d.batches, timed{d.now, *b})
	}
}

// write writes a file and tells of it.
func (d *drive) write(rel, content string) {
	d.t.Helper()
	write(d.t, filepath.Join(d.root, rel), content)
	d.tell(rel, made|wrote)
}

func (d *drive) tell(rel string, o op) {
	d.back.put(filepath.Join(d.tracker.root.real, rel), o)
	d.take()
}

// one returns the only batch since the last call.
func (d *drive) one() timed {
	d.t.Helper()
	if len(d.batches) != 1 {
		d.t.Fatalf("%d batches, not one: %+v", len(d.batches), d.batches)
	}
	b := d.batches[0]
	d.batches = nil
	return b
}

// none fails if there was a batch since the last call.
func (d *drive) none() {
	d.t.Helper()
	if len(d.batches) != 0 {
		d.t.Fatalf("there should be no batch: %+v", d.batches)
	}
}

// settled returns the one file that settled in the one batch.
func (d *drive) settled() Settled {
	d.t.Helper()
	b := d.one()
	if len(b.Settled) != 1 || len(b.Touched)+len(b.Removed) != 0 {
		d.t.Fatalf("not one file settled: %+v", b)
	}
	return b.Settled[0]
}

func (d *drive) content(s Settled) string {
	d.t.Helper()
	data, err := s.read()
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}
