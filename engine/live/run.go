package live

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A Run is a run of isadiff that compiles into the dumps and has not ended, by this
// process or another one: until then nothing is OK.
type Run struct {
	Began    time.Time
	Compiled int // of Known: kernels that it has compiled; it never falls
	Known    int // kernels of either side

	since time.Time // by the clock of the file system; zero before the command starts
}

// due reports whether the run is not known to have compiled a kernel yet.
func (r *Run) due(p *pair) bool {
	return r != nil && (r.since.IsZero() || p.After == nil || p.dir == nil || p.dir.file(p.After).ModTime.Before(r.since))
}

// An Order is a run of this process, from the moment at which somebody asked for it. A
// nil Order does nothing.
type Order struct {
	session   *Session
	at, since time.Time // of the owner; since is zero before the command starts
}

// OrderRun announces a run that compiles into the dumps. Until its End the State has a
// Run.
func (s *Session) OrderRun() *Order {
	r := &Order{session: s}
	s.post(func(o *owner) {
		r.at, o.orders[r] = o.cfg.Clock.Now(), true
		o.dirty = true
	})
	return r
}

// Began says that the command starts: what is written from since on, by the clock of
// the file system, it has compiled.
func (r *Order) Began(since time.Time) {
	if r == nil {
		return
	}
	r.session.post(func(o *owner) {
		if o.orders[r] {
			r.since = since
			o.dumps.runBegan("", since)
			o.dirty = true
		}
	})
}

// End says that the run has ended, however it did. The next State rests on all that
// it wrote, whether the watcher has told of it or not. With reasons the run has
// failed, and until another one ends well nothing of the session can be called OK.
func (r *Order) End(reasons ...problem.Problem) { r.end(false, reasons) }

// EndWell is End of a run that was whole.
func (r *Order) EndWell() { r.end(true, nil) }

func (r *Order) end(well bool, reasons []problem.Problem) {
	if r == nil {
		return
	}
	r.session.post(func(o *owner) {
		if o.orders[r] {
			delete(o.orders, r)
			o.dumps.catchUp()
			o.dumps.ran.end("", r.since, o.cfg.Clock.Now())
			if o.dirty = true; well || len(reasons) > 0 { // a run that was ended by another says nothing about the one before
				o.failed, o.failedFrom = reasons, cmp.Or(r.since, r.at)
			}
			o.watchCompiles()
		}
	})
}

// run returns the run that is under way, without what it has compiled; nil if there
// is none.
func (o *owner) run() *Run {
	var r *Run
	begun := true
	add := func(began, since time.Time) {
		if r == nil {
			r = &Run{Began: began, since: since}
		}
		if began.Before(r.Began) {
			r.Began = began
		}
		if since.After(r.since) {
			r.since = since
		}
		begun = begun && !since.IsZero()
	}
	for order := range o.orders {
		add(order.at, order.since)
	}
	if len(o.orders) == 0 || begun {
		for _, s := range o.dumps.runs {
			if s.under {
				add(s.since, s.since)
			}
		}
	}
	if !begun {
		r.since = time.Time{} // what runs is for texts before the last save
	}
	return r
}

// compiling completes a State while a run is under way.
func (o *owner) compiling(s, last *State) {
	if s.Run == nil {
		return
	}
	s.Run.Known = len(s.Kernels)
	for _, p := range o.compared.pairs {
		if !p.due {
			s.Run.Compiled++
		}
	}
	if was := last.Run; was != nil && was.since.Equal(s.Run.since) {
		s.Run.Compiled, s.Run.Known = max(s.Run.Compiled, was.Compiled), max(s.Run.Known, was.Known)
	}
	if !slices.Contains(problem.Codes(s.Problems), problem.RunUnderWay) {
		p := dump.UnderWay(resource.ValidText(o.cfg.Project.Dumps), s.Run.since)
		if s.Result != nil {
			p = p.On(diff.SideAfter)
		}
		s.distrust(p)
	}
}

// A runFile is the file of a run in a directory.
type runFile struct {
	since time.Time
	under bool      // the run is under way
	left  time.Time // when the file was first found unlocked
	over  bool      // and it was still unlocked a while later
}

// runLook is how often to look whether a run was killed, and aboveLook how often at
// a tree that this one is a part of, of whose files no watcher tells.
const (
	runLook   = 500 * time.Millisecond
	aboveLook = 2 * time.Second
)

// findRuns looks for the files of runs in the directories that the batch names, in their
// parents, and above the tree: the watcher may report what a run wrote before it reports
// the run's file.
func (t *tree) findRuns(told news) {
	looked := map[string]bool{}
	for dir := range told {
		_, run := told[dir][dump.RunningName]
		for ; !looked[dir] && (t.heard || run); dir, _ = cutName(dir) {
			looked[dir] = true
			t.noteRun(t.path(dir, ""))
		}
	}
	t.noteRun(t.root)
	for at := t.root; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		t.noteRun(at)
	}
}

// noteRun notes a run in a directory, if there is one.
func (t *tree) noteRun(dir string) {
	if t.runs[dir] == nil && regular.Exists(filepath.Join(dir, dump.RunningName)) {
		t.runs[dir] = &runFile{}
	}
}

// expire ends the compiles under way that have written nothing for too long, and the
// runs that are no longer. It returns when to look again, the zero time for never.
func (t *tree) expire(now time.Time) time.Time {
	again := t.followRuns(now)
	for dir := range maps.Clone(t.waiting) {
		_, written := t.glance(dir)
		again = soonest(again, t.tell(dir, event{happening: timePassed, written: written}))
	}
	return again
}

// soonest returns the earlier of two times. The zero time means never.
func soonest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// followRuns checks what has become of the runs that were found. It returns when to
// check again.
func (t *tree) followRuns(now time.Time) (again time.Time) {
	if !t.heard {
		return again
	}
	ended := false
	for _, dir := range slices.Sorted(maps.Keys(t.runs)) {
		s := t.runs[dir]
		was := *s
		since, under := dump.Running(dir)
		switch {
		case under:
			*s = runFile{since: since, under: true}
			if !was.under || !was.since.Equal(since) {
				t.runBegan(t.below(dir), since)
			}
		case !regular.Exists(filepath.Join(dir, dump.RunningName)):
			delete(t.runs, dir)
			s.under = false
		case s.left.IsZero():
			s.left = now // another run may be taking its place
		case now.Sub(s.left) >= runLook:
			s.under, s.over = false, true
		}
		if rel, ok := t.relative(dir); ok && s.under != was.under && t.refused == nil {
			t.tell(rel, event{})
		}
		if was.under && !s.under {
			ended = true
			t.ran.end(t.below(dir), was.since, now)
		}
		if t.runs[dir] != nil && !s.over {
			again = now.Add(runLook)
		}
	}
	t.lookAbove()
	if t.above != nil && again.IsZero() {
		again = now.Add(aboveLook)
	}
	if ended {
		t.catchUp()
	}
	return again
}

// A pastRun is a run that has begun: its directory, relative to the tree, and when it
// began and ended; the zero time while it has not.
type pastRun struct {
	dir          string
	since, until time.Time
}

// pastRuns are the last runs that a session knows of, in the order of their beginnings.
type pastRuns []pastRun

// maxRan bounds how many runs a tree remembers.
const maxRan = 64

// runBegan notes when a run began: what it writes takes the place of older dumps
// because it was asked to, and is of the sources of that moment.
func (t *tree) runBegan(dir string, since time.Time) {
	if since.IsZero() || slices.ContainsFunc(t.ran, func(r pastRun) bool { return r.dir == dir && r.since.Equal(since) }) {
		return
	}
	t.ran = append(t.ran, pastRun{dir: dir, since: since})
	slices.SortStableFunc(t.ran, func(a, b pastRun) int { return a.since.Compare(b.since) })
	t.ran = t.ran[max(len(t.ran)-maxRan, 0):]
	for _, d := range slices.Clone(t.order) { // what the watcher reported before the run
		if inside(d.Dir, dir) && !d.LastAssembly().Before(since) {
			t.judgeAgain(d)
		}
	}
}

// end notes when a run ended.
func (p pastRuns) end(dir string, since, now time.Time) {
	for i, r := range p {
		if r.dir == dir && r.since.Equal(since) && r.until.IsZero() {
			p[i].until = now
		}
	}
}

// before returns when the last run into a directory began before a moment; zero if
// none did, or if it had ended by then and that is not wanted.
func (p pastRuns) before(dir string, moment time.Time, ended bool) time.Time {
	for _, r := range slices.Backward(p) {
		if !r.since.After(moment) && inside(dir, r.dir) && (ended || r.until.IsZero() || !moment.After(r.until)) {
			return r.since
		}
	}
	return time.Time{}
}

// inside reports whether dir is the directory of, or is below it; "" is the tree.
func inside(dir, of string) bool {
	return of == "" || dir == of || strings.HasPrefix(dir, of+"/")
}

// below returns a directory relative to the tree; a directory that contains the tree
// stands for all of it.
func (t *tree) below(dir string) string {
	rel, _ := t.relative(dir)
	return rel
}

// lookAbove asks whether the tree is a part of one whose dumps are not whole.
func (t *tree) lookAbove() {
	var now *problem.Problem
	if p, ok := dump.MarkAbove(t.root); ok {
		now = &p
	}
	if (now == nil) != (t.above == nil) || now != nil && *now != *t.above {
		t.above = now
		t.changed()
	}
}

// catchUp reads what a run has left and the watcher has not reported yet. All of it has
// settled, as the run has ended.
func (t *tree) catchUp() {
	t.looked = false
	if !t.heard {
		return
	}
	if info, err := os.Stat(t.root); err != nil || !info.IsDir() || t.refused != nil {
		t.reload(false)
		return
	}
	t.tellAll(t.lookForNews())
	t.beginAnew()
}

// lookForNews returns the directories of the tree that have changed since they were
// read, or in which a compile was under way, with their changed files.
func (t *tree) lookForNews() news {
	found, known := news{}, map[string]int{}
	found.of("")                                // where a run leaves its mark
	root := t.root + string(filepath.Separator) // which may be a link
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if t.cfg.ctx.Err() != nil {
			return filepath.SkipAll
		}
		_, role := t.cfg.Project.Producers.Role(filepath.Base(path))
		if err != nil || e.IsDir() || role != producer.Assembly && role != producer.Origin {
			return nil // what cannot be read the watcher tells
		}
		info, err := os.Stat(path)
		dir, name, ok := t.split(path)
		if !ok || err != nil || !info.Mode().IsRegular() {
			return nil
		}
		switch d := t.at(dir); {
		case role == producer.Assembly && d.shown() && d.has(dump.Stage{Name: name, ModTime: info.ModTime()}):
			known[dir]++
		case role == producer.Assembly || !d.shown() || len(d.Stages) > 0 && !d.read.Origin.Equal(info.ModTime()):
			found.of(dir)[name] = info.ModTime()
		}
		return nil
	})
	for dir, d := range t.dirs {
		if d.phase != absent && (!d.plain() || known[dir] != len(d.Stages)+len(d.Files)) {
			found.of(dir)
		}
	}
	return found
}
