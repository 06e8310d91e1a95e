package watch

import (
	"cmp"
	"slices"
	"time"
)

// A pendingBatch is what there is to say.
type pendingBatch struct {
	first    time.Time        // since when there is something
	ready    map[*file]bool   // settled
	removed  map[string]*file // gone after they were reported, by relative path
	rescan   bool
	mode     bool // it changed
	urgent   bool // something has settled that cannot wait
	problems []error
}

func newPendingBatch() pendingBatch {
	return pendingBatch{ready: map[*file]bool{}, removed: map[string]*file{}}
}

func (p *pendingBatch) something() bool {
	return len(p.ready) > 0 || len(p.removed) > 0 || p.rescan || p.mode || len(p.problems) > 0
}

// batchEnd returns when the batch is sent: when all has been quiet for a while,
// but not later than a limit, and at once if something in it is urgent.
func (t *tracker) batchEnd(now time.Time) time.Time {
	if t.say.urgent {
		return now
	}
	limit := t.say.first.Add(t.MaxDelay)
	if len(t.todo) > 0 || t.due.ready(now) {
		return limit // a scan is under way
	}
	return earliest(t.active.Add(t.Quiet), limit)
}

// batch returns the batch that is due, if one is.
func (t *tracker) batch(now time.Time) *Batch {
	if !t.say.something() || t.whole || now.Before(t.batchEnd(now)) {
		return nil
	}
	b := &Batch{Rescan: t.say.rescan, Asked: t.asked, Mode: t.mode, Problems: t.say.problems}
	if t.root.kind != rootMissing {
		b.Root = RootPresent
	}
	for f := range t.say.ready {
		s := Settled{
			Path:        t.given(f.rel),
			Generation:  Generation{f.next.data, f.next.stamp.ModTime},
			Generations: f.gens,
			Stamp:       f.next.stamp,
			cut:         f.next.cut,
		}
		if f.changes() == untouched {
			b.Touched = append(b.Touched, s)
		} else {
			b.Settled = append(b.Settled, s)
		}
		t.drop(f.next.data)
		for _, g := range f.gens {
			t.drop(g.Content)
		}
		f.told, f.reported = f.next, true
		f.told.data = nil
		f.rest()
	}
	for _, gens := range t.lost {
		for i := range gens {
			t.drop(gens[i].Content)
			gens[i].Content = nil // when it is back, if ever, it says that there was one
		}
	}
	for rel := range t.say.removed {
		b.Removed = append(b.Removed, t.given(rel))
	}
	byPath := func(a, b Settled) int { return cmp.Compare(a.Path, b.Path) }
	slices.SortFunc(b.Settled, byPath)
	slices.SortFunc(b.Touched, byPath)
	slices.Sort(b.Removed)
	t.say = newPendingBatch()
	return b
}
