package watch

import (
	"container/heap"
	"errors"
	"time"

	"isadiff/engine/regular"
)

// A file is a file that matters.
type file struct {
	rel  string
	dir  *dir
	name string
	rule *Rule
	mark uint64

	reported bool    // told is what the last batch that named it said
	told     version // without data

	*settling // nil while nothing is going on with it, as with nearly all
}

// settling is what is known of a file whose last version was not told yet.
type settling struct {
	// next is what settled since, if waiting: what the next batch will say.
	next    version
	waiting bool
	gens    []Generation // contents that settled between told and next

	// lazy: nothing is known yet, and there is no hurry to read it whole.
	lazy bool

	// While it settles:
	due     time.Time     // when it is looked at again
	index   int           // in the schedule; -1: it is not settling
	seen    regular.Stamp // at the last look
	since   time.Time     // when seen was first found
	gap     time.Duration
	checked regular.Stamp // was found incomplete
}

// stir makes room for what is going on with a file.
func (f *file) stir() {
	if f.settling == nil {
		f.settling = &settling{index: -1}
	}
}

// rest drops what was going on with a file of which all was told, unless it is
// settling again.
func (f *file) rest() {
	if f.index < 0 {
		f.settling = nil
		return
	}
	f.next, f.waiting, f.gens = version{}, false, nil
}

// lookAt compares a file with what is known of it.
func (t *tracker) lookAt(d *dir, name string, rule *Rule, st regular.Stamp, now time.Time) *file {
	f := t.file(d, name, rule)
	switch busy := f.settling != nil; {
	case busy && (f.index >= 0 || f.waiting && f.next.stamp == st):
		return f
	case !(busy && f.waiting) && f.reported && f.told.stamp == st:
		return f
	}
	f.stir()
	t.found = true
	age := now.Sub(st.ModTime)
	if age <= granularity {
		t.touch(f, st, now)
		return f
	}
	// Nobody is writing it: the second stat follows at once.
	t.withhold(f)
	f.seen, f.since, f.gap = st, st.ModTime, t.pace.settle
	t.due.put(f, now)
	return f
}

// lookAgain handles an event of a file, which says that its content may be
// another one even under the same stamp.
func (t *tracker) lookAgain(d *dir, name string, rule *Rule, now time.Time) {
	switch st, err := regular.Stat(t.real(join(d.rel, name))); {
	case err == nil:
		f := t.file(d, name, rule)
		f.stir()
		f.checked = regular.Stamp{} // it may have grown under the same stamp
		t.touch(f, st, now)
	case d.files[name] != nil && vanished(err):
		t.forgetFile(d.files[name], now)
	}
}

// file returns the file of that name in a directory, which exists.
func (t *tracker) file(d *dir, name string, rule *Rule) *file {
	if f := d.files[name]; f != nil {
		return f
	}
	rel := join(d.rel, name)
	f := t.say.removed[rel]
	if f == nil {
		f = &file{rel: rel, settling: &settling{index: -1, lazy: t.whole}}
	} else { // it is back before anyone was told that it went, but may have been missed
		f.told.stamp = regular.Stamp{}
	}
	delete(t.say.removed, rel)
	if gens := t.lost[rel]; gens != nil {
		f.stir()
		f.gens = gens
		delete(t.lost, rel)
	}
	f.dir, f.name, f.rule = d, name, rule
	if d.files == nil {
		d.files = map[string]*file{}
	}
	d.files[name] = f
	return f
}

// touch begins to wait for a file to settle.
func (t *tracker) touch(f *file, st regular.Stamp, now time.Time) {
	t.withhold(f)
	f.stir()
	f.lazy = false
	f.seen, f.since, f.gap = st, now, t.pace.settle
	t.due.put(f, now.Add(f.gap))
	t.active = now
	t.found = true
}

// withhold keeps a file that is changing out of the next batch: what settled of
// it before becomes a generation if something else settles.
func (t *tracker) withhold(f *file) { delete(t.say.ready, f) }

// forgetFile drops a file that is gone.
func (t *tracker) forgetFile(f *file, now time.Time) {
	t.found = true
	t.active = now
	t.withhold(f)
	delete(f.dir.files, f.name)
	if f.settling != nil {
		t.due.remove(f)
		t.lose(f)
		f.settling = nil
	}
	if f.reported {
		t.say.removed[f.rel] = f
	}
}

// settle looks at a file that was left alone for a while.
func (t *tracker) settle(f *file, now time.Time) {
	path := t.real(f.rel)
	st, err := regular.Stat(path)
	switch {
	case err != nil && vanished(err):
		t.forgetFile(f, now)
		return
	case err != nil: // its directory became unreadable, which the sweep says
		if f.waiting {
			t.say.ready[f] = true // what settled before is still to be told
		}
		return
	case st != f.seen:
		t.touch(f, st, now)
		return
	}
	last := now.Sub(f.since) >= t.Hold
	if st.Size == 0 && !f.rule.Empty || st == f.checked && !last {
		t.incomplete(f, version{stamp: st}, now)
		return
	}
	v, complete, err := examine(path, st, f.rule.End, t.depth(f, st), last, &t.scratch)
	switch {
	case err != nil && vanished(err):
		t.forgetFile(f, now)
	case errors.Is(err, errChanged):
		t.touch(f, st, now)
	case err != nil:
		// It is there, stable and cannot be read: whoever reads it learns why.
		t.settled(f, version{stamp: st})
	case !complete:
		f.checked = st
		t.incomplete(f, v, now)
	default:
		t.settled(f, v)
	}
}

// depth says how much of a file must be read. Its hash is of use only if there is
// or will be another to compare it with; a file that was there before the watcher
// and was not written since has none.
func (t *tracker) depth(f *file, st regular.Stamp) depth {
	switch {
	case f.lazy:
		return tail
	case st.Size <= wholeSize:
		return whole
	case f.reported && f.told.stamp.Size == st.Size:
		return sum
	}
	return tail
}

// incomplete waits longer, or reports the file as cut short.
func (t *tracker) incomplete(f *file, v version, now time.Time) {
	left := t.Hold - now.Sub(f.since)
	if left <= 0 {
		v.cut = true
		t.settled(f, v)
		return
	}
	f.gap = min(2*f.gap, t.pace.recheck)
	t.due.put(f, now.Add(min(f.gap, left)))
}

// settled puts what a file became into the next batch.
func (t *tracker) settled(f *file, v version) {
	f.lazy = false
	if !f.rule.Keep || v.cut || t.held+len(v.data) > heldSize {
		v.data = nil
	}
	if f.waiting {
		t.supersede(f, v)
	}
	t.held += len(v.data)
	f.next, f.waiting = v, true
	if f.reported && f.changes() == untouched && f.told.stamp.ModTime == v.stamp.ModTime {
		f.told.stamp = v.stamp
		t.drop(v.data)
		f.rest()
		return
	}
	t.say.ready[f] = true
	t.say.urgent = t.say.urgent || f.rule.Urgent
}

// supersede keeps what settled before v and was not told to anyone.
func (t *tracker) supersede(f *file, v version) {
	old := f.next
	switch {
	case old.same(v) || old.cut || !f.rule.Keep:
		t.drop(old.data)
	default:
		f.gens = append(f.gens, Generation{old.data, old.stamp.ModTime})
	}
}

// maxLost bounds how many files that went are remembered.
const maxLost = 1 << 14

// lose keeps what settled of a file that is gone and was not told: a file that takes
// its place has overwritten it. Nobody misses what was there before the watcher and
// was never read.
func (t *tracker) lose(f *file) {
	gens := f.gens
	switch old := f.next; {
	case !f.waiting || old.cut || !f.rule.Keep || f.reported && f.told.same(old) || !f.reported && old.data == nil:
		t.drop(old.data)
	default:
		gens = append(gens, Generation{old.data, old.stamp.ModTime})
	}
	if len(gens) > 0 && len(t.lost) < maxLost {
		t.lost[f.rel] = gens
		return
	}
	for _, g := range gens {
		t.drop(g.Content)
	}
}

func (t *tracker) drop(data []byte) { t.held -= len(data) }

// A change is how a file's next version differs from the one told.
type change uint8

const (
	rewritten change = iota // another content, or perhaps
	untouched               // certainly the same content
)

func (f *file) changes() change {
	if f.reported && len(f.gens) == 0 && f.told.same(f.next) {
		return untouched
	}
	return rewritten
}

// A schedule holds the files that settle, the first due on top.
type schedule []*file

func (s schedule) first() *file {
	if len(s) == 0 {
		return nil
	}
	return s[0]
}

func (s schedule) ready(now time.Time) bool { return len(s) > 0 && !now.Before(s[0].due) }

func (s *schedule) put(f *file, due time.Time) {
	f.due = due
	if f.index >= 0 {
		heap.Fix(s, f.index)
		return
	}
	heap.Push(s, f)
}

func (s *schedule) pop() *file { return heap.Pop(s).(*file) }

func (s *schedule) remove(f *file) {
	if f.index >= 0 {
		heap.Remove(s, f.index)
	}
}

// Len, Less, Swap, Push and Pop make it a heap.
func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].due.Before(s[j].due) }
func (s schedule) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].index, s[j].index = i, j
}

func (s *schedule) Push(x any) {
	f := x.(*file)
	f.index = len(*s)
	*s = append(*s, f)
}

func (s *schedule) Pop() any {
	last := len(*s) - 1
	f := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	f.index = -1
	return f
}
