package watch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"isadiff/engine/regular"
)

// granularity is the coarsest that file systems round modification times to
// (FAT: 2 s). Something that was modified longer ago than that and is read now
// cannot have been modified since under the same time.
const granularity = 2 * time.Second

// rescan looks at everything again.
func (t *tracker) rescan() {
	t.whole = true
	t.sweeping, t.found = 0, false
	t.todo = t.todo[:0]
	clear(t.queued)
	if t.root.kind != rootMissing {
		t.enqueue(".")
	}
}

func (t *tracker) enqueue(rel string) {
	if !t.queued[rel] {
		t.queued[rel] = true
		t.todo = append(t.todo, rel)
	}
}

// noticed handles one event below the root.
func (t *tracker) noticed(rel string, o op, now time.Time) {
	if rel == "." {
		t.lookAtSingleAgain(now)
		return
	}
	parent, name := t.dirs[filepath.Dir(rel)], filepath.Base(rel)
	if parent == nil {
		return // it is not, or not yet, part of the tree
	}
	rule := t.Interest.match(name)
	if rule == nil && o&made == 0 && parent.subs[name] == nil {
		return
	}
	fi, err := os.Lstat(t.real(rel))
	switch {
	case err != nil:
		t.forget(parent, name, now)
	case fi.IsDir():
		if f := parent.files[name]; f != nil {
			t.forgetFile(f, now)
		}
		if !t.skips(rel) {
			t.enqueue(rel)
		}
	default:
		if d := parent.subs[name]; d != nil {
			t.forgetDir(d, now)
		}
		if rule != nil {
			t.lookAgain(parent, name, rule, now)
		}
	}
}

// lookAtSingleAgain handles an event of a root that is a file.
func (t *tracker) lookAtSingleAgain(now time.Time) {
	if d := t.dirs["."]; d != nil && d.single {
		t.lookAgain(d, ".", t.singleRule(), now)
	}
}

func (t *tracker) singleRule() *Rule {
	if r := t.Interest.match(filepath.Base(t.Root)); r != nil {
		return r
	}
	return &Rule{}
}

func (t *tracker) skips(rel string) bool {
	return t.Interest.SkipDir != nil && t.Interest.SkipDir(t.given(rel))
}

// scan watches a directory, reads it, and puts all directories in it on the list
// of what is to be scanned. The watch comes first: what is made after it sends an
// event, what was made before is read.
func (t *tracker) scan(rel string, now time.Time) {
	if t.root.kind == rootFile {
		t.scanSingle(now)
		return
	}
	real := t.real(rel)
	parent, name := t.dirs[filepath.Dir(rel)], filepath.Base(rel)
	st, kind, err := t.look(t.root.real, rel, false)
	if err != nil || kind != fs.ModeDir {
		t.vanishedDir(parent, rel, now)
		return
	}
	d := t.dirs[rel]
	if d == nil {
		d = &dir{rel: rel}
		if rel != "." {
			if parent == nil {
				return // it went away meanwhile
			}
			d.parent = parent
			if parent.subs == nil {
				parent.subs = map[string]*dir{}
			}
			parent.subs[name] = d
		}
		t.know(d)
	}
	t.identify(d, st.ID)
	if !t.mode.Polling && d.id.Device != t.root.id.Device {
		if name := t.system.remote(real); name != "" {
			t.usePolling(t.given(rel) + " is on " + name + ", which sends no events for changes made elsewhere")
			t.rescan()
			return
		}
	}
	err = t.back.Add(real)
	switch {
	case err != nil && exhausted(err):
		t.fallBack(err)
		return
	case err != nil && vanished(err):
		t.vanishedDir(parent, rel, now)
		return
	}
	d.broken = false
	if t.read(d, st, true, now); err != nil && !d.broken {
		d.broken = true
		t.problem(d.rel, fmt.Errorf("watch %s: %w", t.given(rel), err))
	}
	if !d.broken {
		delete(t.problems, rel)
	}
}

// know puts a directory among those that are known.
func (t *tracker) know(d *dir) {
	t.dirs[d.rel] = d
	d.index = len(t.all)
	t.all = append(t.all, d)
}

// unknow takes one out again. The last of all gets its place: a sweep, which goes
// from the end to the begin, was there already.
func (t *tracker) unknow(d *dir) {
	delete(t.dirs, d.rel)
	end := len(t.all) - 1
	last := t.all[end]
	t.all[d.index], last.index = last, d.index
	t.all[end] = nil
	t.all = t.all[:end]
	t.sweeping = min(t.sweeping, end)
}

// identify notes what a directory is that is about to be watched. If it is known
// under another name, it was moved and the event of that is still to come: the
// watch goes with the old name, so it is given up before there is a new one.
func (t *tracker) identify(d *dir, i regular.ID) {
	if old := t.ids[i]; old != nil && old != d {
		t.unwatch(old)
	}
	if t.ids[d.id] == d {
		delete(t.ids, d.id)
	}
	d.id = i
	t.ids[i] = d
}

func (t *tracker) vanishedDir(parent *dir, rel string, now time.Time) {
	switch {
	case rel == ".":
		t.doubtRoot()
	case parent != nil:
		t.forget(parent, filepath.Base(rel), now)
	}
}

// scanSingle makes a root that is a file the only entry of a tree.
func (t *tracker) scanSingle(now time.Time) {
	d := t.dirs["."]
	if d == nil {
		d = &dir{rel: ".", single: true}
		t.know(d)
	}
	if st, err := regular.Stat(t.root.real); err == nil {
		t.lookAt(d, ".", t.singleRule(), st, now)
	} else {
		t.doubtRoot()
	}
}

// doubtRoot has the root looked at before anything else.
func (t *tracker) doubtRoot() { t.root.doubt, t.root.next = true, time.Time{} }

// read brings what is known of a directory's entries up to date. deep scans the
// directories in it again, too; else only those that are new.
func (t *tracker) read(d *dir, st regular.Stamp, deep bool, now time.Time) {
	entries, err := os.ReadDir(t.real(d.rel))
	if err != nil {
		if vanished(err) {
			t.vanishedDir(d.parent, d.rel, now)
			return
		}
		// Nothing is said of entries that cannot be seen.
		d.broken = true
		t.problem(d.rel, fmt.Errorf("read directory %s: %w", t.given(d.rel), err))
		return
	}
	d.mtime = st.ModTime
	d.unsure = now.Sub(st.ModTime) <= granularity
	t.marks++
	mark := t.marks
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			sub := d.subs[name]
			if sub != nil {
				sub.mark = mark
			}
			if rel := join(d.rel, name); (sub == nil || deep) && !t.skips(rel) {
				t.enqueue(rel)
				t.found = t.found || sub == nil
			}
			continue
		}
		if rule := t.Interest.match(name); rule != nil {
			if st, err := regular.Stat(t.real(join(d.rel, name))); err == nil {
				t.lookAt(d, name, rule, st, now).mark = mark
			}
		}
	}
	for _, f := range d.files {
		if f.mark != mark {
			t.forgetFile(f, now)
		}
	}
	for _, sub := range d.subs {
		if sub.mark != mark {
			t.forgetDir(sub, now)
		}
	}
}

// forget drops an entry that is gone, whatever it was.
func (t *tracker) forget(parent *dir, name string, now time.Time) {
	if d := parent.subs[name]; d != nil {
		t.forgetDir(d, now)
	}
	if f := parent.files[name]; f != nil {
		t.forgetFile(f, now)
	}
}

func (t *tracker) forgetDir(d *dir, now time.Time) {
	t.found = true
	for _, f := range d.files {
		t.forgetFile(f, now)
	}
	for _, sub := range d.subs {
		t.forgetDir(sub, now)
	}
	t.back.Remove(t.real(d.rel))
	t.unknow(d)
	if t.ids[d.id] == d {
		delete(t.ids, d.id)
	}
	delete(t.problems, d.rel)
	if d.parent != nil {
		delete(d.parent.subs, filepath.Base(d.rel))
	}
}

// unwatch gives up the watches of a directory and of all below it.
func (t *tracker) unwatch(d *dir) {
	t.back.Remove(t.real(d.rel))
	for _, sub := range d.subs {
		t.unwatch(sub)
	}
}

// problem says once what is wrong with something.
func (t *tracker) problem(rel string, err error) {
	if text := err.Error(); t.problems[rel] != text {
		t.problems[rel] = text
		t.say.problems = append(t.say.problems, err)
	}
}

// sweep does a part of the look at everything that is known, by stats alone
// unless something changed: the only way to learn of changes without events, and
// the net under them.
func (t *tracker) sweep(now time.Time) {
	if t.sweeping == 0 {
		if t.whole || len(t.todo) > 0 || now.Before(t.nextSweep) {
			return
		}
		t.sweeping, t.took = len(t.all), 0
	}
	begun := t.system.now()
	for n := 0; n < chunk && t.sweeping > 0; n++ {
		t.sweeping--
		t.sweepDir(t.all[t.sweeping], now)
	}
	t.took += t.system.now().Sub(begun)
	if t.sweeping == 0 {
		t.nextSweep = t.after(now, t.back.Pace(t.found, t.took))
		t.found = false
	}
}

func (t *tracker) sweepDir(d *dir, now time.Time) {
	if !d.single {
		st, kind, err := t.look(t.root.real, d.rel, false)
		switch {
		case err != nil && !vanished(err):
			t.problem(d.rel, fmt.Errorf("look at %s: %w", t.given(d.rel), err))
			return
		case err != nil || kind != fs.ModeDir:
			t.vanishedDir(d.parent, d.rel, now)
			return
		case st.ID != d.id: // replaced, or a mount came or went
			t.unwatch(d)
			t.enqueue(d.rel)
			t.found = true
			return
		case d.broken:
			t.enqueue(d.rel)
			return
		case st.ModTime != d.mtime || d.unsure:
			t.read(d, st, false, now)
			return
		}
	}
	t.lookAtFiles(d, now)
}

// lookAtFiles finds the files of a directory that changed or are gone.
func (t *tracker) lookAtFiles(d *dir, now time.Time) {
	for name, f := range d.files {
		switch st, kind, err := t.look(t.root.real, f.rel, true); {
		case err == nil && kind == 0:
			t.lookAt(d, name, f.rule, st, now)
		case err == nil || vanished(err):
			t.forgetFile(f, now)
		}
	}
}
