package live

import (
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

// awaits reports whether the run has yet to compile a kernel, as far as is known.
func (r *Run) awaits(s *subject) bool {
	after := s.couple.After
	return r != nil && (r.since.IsZero() || after == nil || s.folder == nil || s.folder.file(after).ModTime.Before(r.since))
}

// An Order is a run that this process begins, from the moment at which it was asked
// for. A nil one tells nobody.
type Order struct{ session *Session }

// orders are those that have not ended.
type orders map[*Order]ordered

type ordered struct{ at, since time.Time }

// OrderRun says that a run that compiles into the dumps is about to begin. Until its
// End the State has a Run.
func (s *Session) OrderRun() *Order {
	r := &Order{s}
	s.post(func(o *owner) {
		o.orders[r] = ordered{at: o.cfg.Clock.Now()}
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
		if order, ok := o.orders[r]; ok {
			order.since = since
			o.orders[r] = order
			o.dumps.begins("", since)
			o.dirty = true
		}
	})
}

// End says that the run has ended, however it did. The next State rests on all that
// it wrote, whether the watcher has told of it or not. With reasons the run has
// failed, and until another one ends nothing of the session can be called OK.
func (r *Order) End(reasons ...problem.Problem) {
	if r == nil {
		return
	}
	r.session.post(func(o *owner) {
		if order, ok := o.orders[r]; ok {
			delete(o.orders, r)
			o.dumps.catchUp()
			o.dumps.ran.end("", order.since, o.cfg.Clock.Now())
			o.failed, o.dirty = reasons, true
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
	for _, order := range o.orders {
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
	for i := range o.cast.subjects {
		if !o.cast.subjects[i].awaited {
			s.Run.Compiled++
		}
	}
	if was := last.Run; was != nil && was.since.Equal(s.Run.since) {
		s.Run.Compiled, s.Run.Known = max(s.Run.Compiled, was.Compiled), max(s.Run.Known, was.Known)
	}
	if !slices.ContainsFunc(s.Problems, isRun) {
		p := dump.UnderWay(resource.ValidText(o.cfg.Project.Dumps), s.Run.since)
		if s.Result != nil {
			p = p.On(diff.SideAfter)
		}
		s.distrust(p)
	}
}

func isRun(p problem.Problem) bool { return p.Code == problem.RunUnderWay }

// A sighting is the file of a run in a directory.
type sighting struct {
	since time.Time
	under bool      // the run is under way
	left  time.Time // when nobody was found to hold the file
	over  bool      // and a while later neither
}

// runLook is how often to look whether a run was killed, and aboveLook how often at
// a tree that this one is a part of, of whose files no watcher tells.
const (
	runLook   = 500 * time.Millisecond
	aboveLook = 2 * time.Second
)

// sight looks for the files of runs in the directories that were told of, in those
// that they are in, and above the tree: what a run wrote may be told of before its
// file is.
func (t *tree) sight(told map[string]times) {
	looked := map[string]bool{}
	for dir := range told {
		for ; !looked[dir] && (t.heard || told[dir].has(dump.RunningName)); dir, _ = cutName(dir) {
			looked[dir] = true
			t.sighted(dir)
		}
	}
	t.sighted("")
	for at := t.root; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		t.sightedAt(at)
	}
}

func (ts times) has(name string) bool { _, ok := ts[name]; return ok }

func (t *tree) sighted(dir string) { t.sightedAt(t.path(dir, "")) }

func (t *tree) sightedAt(dir string) {
	if t.runs[dir] == nil && exists(filepath.Join(dir, dump.RunningName)) {
		t.runs[dir] = &sighting{}
	}
}

// followRuns looks what became of the runs that were sighted. It returns when to
// look again.
func (t *tree) followRuns(now time.Time) (deadline time.Time, any bool) {
	if !t.heard {
		return deadline, false
	}
	ended := false
	for _, dir := range slices.Sorted(maps.Keys(t.runs)) {
		s := t.runs[dir]
		was := *s
		since, under := dump.Running(dir)
		switch {
		case under:
			*s = sighting{since: since, under: true}
			if !was.under || !was.since.Equal(since) {
				t.begins(t.below(dir), since)
			}
		case !exists(filepath.Join(dir, dump.RunningName)):
			delete(t.runs, dir)
			s.under = false
		case s.left.IsZero():
			s.left = now // another one may take its place at this moment
		case now.Sub(s.left) >= runLook:
			s.under, s.over = false, true
		}
		if rel, ok := t.relative(dir); ok && s.under != was.under && t.refused == nil {
			t.refresh(rel, nil)
		}
		if was.under && !s.under {
			ended = true
			t.ran.end(t.below(dir), was.since, now)
		}
		if t.runs[dir] != nil && !s.over {
			deadline, any = now.Add(runLook), true
		}
	}
	t.lookAbove()
	if t.above != nil && !any {
		deadline, any = now.Add(aboveLook), true
	}
	if ended {
		t.catchUp()
	}
	return deadline, any
}

// A pastRun is a run that has begun: its directory, relative to the tree, and when it
// began and ended; the zero time while it has not.
type pastRun struct {
	dir          string
	since, until time.Time
}

// pastRuns are the last runs that a session knows of, in the order of their beginnings.
type pastRuns struct{ list []pastRun }

// maxRan bounds how many runs a tree remembers.
const maxRan = 64

// begins notes when a run began: what it writes takes the place of older dumps
// because it was asked to, and is of the sources of that moment.
func (t *tree) begins(dir string, since time.Time) {
	if since.IsZero() || slices.ContainsFunc(t.ran.list, func(r pastRun) bool { return r.dir == dir && r.since.Equal(since) }) {
		return
	}
	list := append(slices.Clone(t.ran.list), pastRun{dir: dir, since: since})
	slices.SortStableFunc(list, func(a, b pastRun) int { return a.since.Compare(b.since) })
	t.ran.list = list[max(len(list)-maxRan, 0):]
	for _, f := range t.folders { // what of it was told of before the run was
		if f.read != nil && !f.compiling && inside(f.Dir, dir) && !f.LastAssembly().Before(since) {
			t.exchange(f, t.make(f.read, f))
		}
	}
}

// end notes when a run ended.
func (p *pastRuns) end(dir string, since, now time.Time) {
	for i, r := range p.list {
		if r.dir == dir && r.since.Equal(since) && r.until.IsZero() {
			p.list[i].until = now
		}
	}
}

// before returns when the last run into a directory began before a moment; zero if
// none did.
func (p *pastRuns) before(dir string, moment time.Time) time.Time {
	for _, r := range slices.Backward(p.list) {
		if !r.since.After(moment) && inside(dir, r.dir) {
			return r.since
		}
	}
	return time.Time{}
}

// during returns when the run began that wrote into a directory at a moment; zero if
// none did.
func (p *pastRuns) during(dir string, moment time.Time) time.Time {
	for _, r := range slices.Backward(p.list) {
		if !r.since.After(moment) && inside(dir, r.dir) && (r.until.IsZero() || !moment.After(r.until)) {
			return r.since
		}
	}
	return time.Time{}
}

// inside reports whether a directory is another one, or is below it; "" is the tree.
func inside(dir, of string) bool {
	return of == "" || dir == of || strings.HasPrefix(dir, of+"/")
}

// below returns a directory relative to the tree; one that the tree is a part of is
// all of it.
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

// catchUp reads what a run has left that the watcher has yet to tell of. All of it is
// at rest, as nobody writes any more.
func (t *tree) catchUp() {
	t.looked = false
	if !t.heard {
		return
	}
	if info, err := os.Stat(t.root); err != nil || !info.IsDir() || t.refused != nil {
		t.reload()
		return
	}
	there := t.listed()
	for dir := range t.folders {
		if there[dir] == nil {
			there[dir] = times{}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(there)) {
		if news, known := t.news(dir, there[dir]); !known {
			t.expect(dir, news)
			t.refresh(dir, there[dir])
		}
	}
	if len(t.order) == 0 {
		clear(t.seen)
		t.fresh++
	}
}

// listed returns the modification times of all files of compiles, by directory.
func (t *tree) listed() map[string]times {
	there := map[string]times{}
	root := t.root + string(filepath.Separator) // which may be a link
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what cannot be read the watcher tells
		}
		if _, role := t.cfg.Project.Producers.Role(e.Name()); role == producer.None {
			return nil
		}
		info, err := os.Stat(path)
		if dir, name, ok := t.split(path); ok && err == nil && info.Mode().IsRegular() {
			if there[dir] == nil {
				there[dir] = times{}
			}
			there[dir][name] = info.ModTime()
		}
		return nil
	})
	return there
}

// news returns which of the files of a directory are others than those that were
// read; known reports that all are the same and none is missing.
func (t *tree) news(dir string, there times) (news times, known bool) {
	news = times{}
	f := t.folders[dir]
	if f == nil {
		return there, len(there) == 0
	}
	read := times{}
	for _, s := range f.Stages {
		read[s.Name] = s.ModTime
	}
	for _, s := range f.Files {
		read[s.Name] = s.ModTime
	}
	assembly := 0
	for name, at := range there {
		switch _, role := t.cfg.Project.Producers.Role(name); {
		case role == producer.Assembly:
			assembly++
			if was, ok := read[name]; !ok || !was.Equal(at) {
				news[name] = at
			}
		case role == producer.Origin && len(f.Stages) > 0 && !f.Origin.Equal(at):
			news[name] = at
		}
	}
	return news, f.plain() && len(news) == 0 && assembly == len(read)
}
