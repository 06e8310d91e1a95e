package watch

import (
	"os"
	"path/filepath"
	"time"

	"isadiff/engine/regular"
)

// chunk is how many directories or files are handled before the tracker looks
// for new events again.
const chunk = 64

// A tracker is all that is known of one root. It belongs to one goroutine and
// never waits: whoever runs it hands it what was noticed and the time, and asks
// when it has something to do next. Paths in it are relative to the root.
type tracker struct {
	Options
	back backend
	mode Mode
	root root

	looker
	dirs     map[string]*dir     // the root is "."
	all      []*dir              // the same in the order in which they were found
	ids      map[regular.ID]*dir // the directories that are watched, by what they are
	todo     []string            // directories to be scanned with all below them
	queued   map[string]bool     // what is in todo
	whole    bool                // the scan under way is one of the whole tree
	asked    uint64              // the last call for such a scan that was taken up
	marks    uint64              // the last mark given to entries of a directory that was read
	problems map[string]string

	sweeping  int           // how many of all, the first ones, the sweep under way has still to look at
	took      time.Duration // how long it has worked
	found     bool          // it found something
	nextSweep time.Time

	due     schedule // files that are looked at again
	held    int      // bytes of contents held for the next batch
	scratch []byte   // for the ends of files
	active  time.Time
	say     pendingBatch
	lost    map[string][]Generation // contents of files that went before they were told, by relative path
}

// A dir is a known directory.
type dir struct {
	rel   string
	id    regular.ID
	mtime time.Time // before its entries were read
	// unsure says that it was read so soon after its last change that another may
	// hide behind the same modification time.
	unsure bool
	broken bool // it could not be watched or read: both are tried again
	single bool // not a directory: the root is the one file in it
	mark   uint64
	index  int // in all
	parent *dir
	subs   map[string]*dir
	files  map[string]*file
}

func newTracker(o Options) *tracker {
	t := &tracker{
		Options:  o,
		dirs:     map[string]*dir{},
		ids:      map[regular.ID]*dir{},
		queued:   map[string]bool{},
		lost:     map[string][]Generation{},
		problems: map[string]string{},
		say:      newPendingBatch(),
	}
	t.begin(o.system.now())
	return t
}

// begin starts to watch the root as it is now.
func (t *tracker) begin(now time.Time) {
	t.root.place = t.locate()
	t.chooseBackend()
	t.guardRoot()
	t.root.next = t.tick(now)
	t.rescan()
}

// take handles what the backend noticed. Watches of what went away are given up
// before any is added: a directory that was moved keeps its watch under the old
// name in fsnotify, which would take the new one along when it drops that.
func (t *tracker) take(n notices, now time.Time) {
	var suspect, replaced bool
	for _, i := range n.items {
		rel, ok := t.rel(i.path)
		if ok && i.op&gone != 0 {
			if d := t.dirs[rel]; d != nil {
				t.unwatch(d)
			}
		}
		if t.root.signs[i.path] {
			suspect = true
			replaced = replaced || i.op&(made|gone) != 0 && rel == "." && t.root.kind == rootDir
			if i.op&gone != 0 {
				t.unguard(i.path)
			}
		}
	}
	if suspect {
		t.checkRoot(now, replaced)
	}
	for _, i := range n.items {
		if rel, ok := t.rel(i.path); ok {
			t.noticed(rel, i.op, now)
		}
	}
	if n.lost {
		t.rescan()
	}
}

// step does a part of what is to be done now.
func (t *tracker) step(now time.Time) {
	if !now.Before(t.root.next) {
		// Wall clocks are compared: the monotonic clock stops with the machine.
		late := !t.root.next.IsZero() && now.Round(0).Sub(t.root.next.Round(0)) > t.pace.suspend
		t.lookAtRoot(now, late)
		if late {
			t.rescan()
		}
	}
	for n := 0; n < chunk && len(t.todo) > 0; n++ {
		rel := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		delete(t.queued, rel)
		t.scan(rel, now)
	}
	for n := 0; n < chunk && t.due.ready(now); n++ {
		t.settle(t.due.pop(), now)
	}
	if t.whole && len(t.todo) == 0 && !t.due.ready(now) {
		t.whole = false
		t.say.rescan = true
		t.nextSweep = t.after(now, t.back.Pace(false, 0))
	}
	t.sweep(now)
	if t.say.first.IsZero() && t.say.something() {
		t.say.first = now
	}
}

// busy says that there is more to do at once.
func (t *tracker) busy() bool { return len(t.todo) > 0 || t.sweeping > 0 }

// tick returns when the root is looked at next. These are the same moments for all
// watchers of a machine, so that a process that has many, and that has nothing
// to do, is woken once for all of them.
func (t *tracker) tick(now time.Time) time.Time {
	pace := int64(t.pace.root)
	// The monotonic clock stays in it: the wall clock may be set back.
	return now.Add(time.Duration(pace - now.UnixNano()%pace))
}

// after returns the last moment in a time to come at which the process wakes in
// any case, or the end of that time if it is short.
func (t *tracker) after(now time.Time, wait time.Duration) time.Time {
	if wait <= t.pace.root {
		return now.Add(wait)
	}
	return t.tick(now.Add(wait - t.pace.root))
}

// next returns when step or, if batches can be sent, batch has something to do.
func (t *tracker) next(now time.Time, sendable bool) time.Time {
	next := earliest(t.root.next, t.nextSweep)
	if f := t.due.first(); f != nil {
		next = earliest(next, f.due)
	}
	if sendable && t.say.something() && !t.whole {
		next = earliest(next, t.batchEnd(now))
	}
	return next
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// chooseBackend uses events unless they are unwanted or cannot be had.
func (t *tracker) chooseBackend() {
	if t.Poll {
		t.usePolling("polling was asked for")
		return
	}
	if t.root.kind != rootMissing {
		if name := t.system.remote(t.root.real); name != "" {
			t.usePolling(t.Root + " is on " + name + ", which sends no events for changes made elsewhere")
			return
		}
	}
	if t.back != nil && !t.mode.Polling {
		return
	}
	back, err := t.system.events(t.pace.net)
	if err != nil {
		t.usePolling(limitReason(err))
		return
	}
	t.use(back, Mode{})
}

func (t *tracker) usePolling(reason string) {
	if t.mode.Polling && t.mode.Reason == reason {
		return
	}
	t.use(newPollBackend(t.pace.pollMin, t.pace.pollMax), Mode{Polling: true, Reason: reason})
}

func (t *tracker) use(back backend, mode Mode) {
	if t.back != nil {
		t.back.Close()
		t.say.mode = true
	}
	t.back, t.mode = back, mode
	t.root.guards = nil
}

// fallBack goes on by polling when the limit of watches is reached.
func (t *tracker) fallBack(err error) {
	t.usePolling(limitReason(err))
	t.rescan()
}

func (t *tracker) close() { t.back.Close() }

// real returns the path of something as it is on disk.
func (t *tracker) real(rel string) string { return below(t.root.real, rel) }

// given returns the path of something as batches name it.
func (t *tracker) given(rel string) string { return below(t.Root, rel) }

// below joins two clean paths; it is done for every file of a sweep.
func below(root, rel string) string {
	switch {
	case rel == ".":
		return root
	case root != "" && os.IsPathSeparator(root[len(root)-1]): // of a file system
		return root + rel
	}
	return root + string(filepath.Separator) + rel
}

// rel returns what a path on disk is relative to the root.
func (t *tracker) rel(real string) (string, bool) {
	root := t.root.real
	if root == "" || len(real) < len(root) || real[:len(root)] != root {
		return "", false
	}
	rest := real[len(root):]
	switch {
	case rest == "":
		return ".", true
	case filepath.IsAbs(root) && root[len(root)-1] == filepath.Separator: // the root of the file system
		return rest, true
	case rest[0] == filepath.Separator:
		return rest[1:], true
	}
	return "", false
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + string(filepath.Separator) + name
}

// askedRescan looks at everything again, and tries events again. calls is how often
// that was asked for.
func (t *tracker) askedRescan(calls uint64, now time.Time) {
	t.asked = calls
	t.checkRoot(now, false)
	t.chooseBackend()
	t.guardRoot()
	t.rescan()
}
