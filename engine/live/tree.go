package live

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A tree is a dump tree that is kept up to date by batches: the live side, or a
// baseline that is a dump tree.
type tree struct {
	root    string
	cfg     Config
	heard   bool                  // the first batch was taken in
	dirs    map[string]*directory // by relative path in slashes, as it stands on the disk
	order   []*directory          // those that belong to the side, sorted
	waiting map[string]bool       // those with a compile under way
	faults  map[string]bool       // those that are read again with every batch, as they could not be read
	moved   map[string]bool       // those that have changed since the last State, as valid text
	seen    map[string]bool       // keys that were in the tree since its dumps began
	refused *problem.Problem      // why there is no tree to read

	runs  map[string]*runFile // by absolute directory, in the tree and above it
	ran   pastRuns            // into the tree, or into a tree that contains it
	above *problem.Problem    // of a tree that contains this one; nil if there is none

	// edits knows how the sources changed, and look reads those that have changed and
	// that no batch has named yet. Both are nil for a baseline.
	edits  *edits
	look   func()
	looked bool               // look was called for this batch
	forced bool               // files are read whatever is known of them
	told   map[string]Settled // what settled in this batch, by path

	all       *resource.Side // the last result of whole; nil if it has to be made again
	limited   *resource.Side // the same with only the kernels that count; nil likewise
	displaced []string       // with all: messages about kernels that others overwrote
}

func newTree(root string, cfg Config) *tree {
	return &tree{
		root: root, cfg: cfg, dirs: map[string]*directory{}, waiting: map[string]bool{}, faults: map[string]bool{},
		moved: map[string]bool{}, seen: map[string]bool{}, runs: map[string]*runFile{},
	}
}

// dirOf returns the directory that a record is in, or was in when it was put into a
// snapshot, as valid text.
func dirOf(r *resource.Record) string {
	if r.Source == "" {
		dir, _ := resource.SplitKey(r.Key)
		return dir
	}
	dir, _ := cutName(r.Source)
	return dir
}

// directory returns the dump directory that a record is in, or was in when it was
// put into a snapshot.
func (t *tree) directory(r *resource.Record) *directory {
	dir := dirOf(r)
	if d := t.dirs[dir]; d != nil || !strings.Contains(dir, `\x`) {
		return d
	}
	for raw, d := range t.dirs { // a directory whose name is no UTF-8
		if resource.ValidText(raw) == dir {
			return d
		}
	}
	return nil
}

// apply reads the directories again that a batch names, and the whole tree if there was
// none before.
func (t *tree) apply(c Batch) {
	t.looked = false
	told := t.toldOf(c)
	t.findRuns(told)
	if !t.heard || t.refused != nil || c.Missing {
		t.heard = true
		t.readTree(told)
	} else {
		t.told = make(map[string]Settled, len(c.Settled))
		for _, f := range c.Settled {
			t.told[f.Path] = f
		}
		t.tellAll(told)
		t.told = nil
		if c.names(dump.ManifestName) {
			t.remake()
		}
	}
	t.generations(c)
	t.beginAnew()
}

// beginAnew forgets what was there before if the tree is empty: the next compile begins
// a new set of kernels, from which none has vanished.
func (t *tree) beginAnew() {
	if len(t.order) == 0 {
		clear(t.seen)
	}
}

// at returns what is known of a directory, also if nothing is.
func (t *tree) at(dir string) directory {
	if d := t.dirs[dir]; d != nil {
		return *d
	}
	return directory{Folder: &dump.Folder{Dir: dir}, tree: t}
}

// tell handles an event of one directory. It returns when to look at the directory
// again, the zero time for never.
func (t *tree) tell(dir string, e event) (again time.Time) {
	old := t.at(dir)
	for d := old; t.cfg.ctx.Err() == nil; { // what is read after the end is cut short
		next, do := step(&t.cfg, d, e, t.cfg.Clock.Now())
		switch do.doing {
		case doRead, doReadAll:
			d, e = next, t.found(&next, dump.ReadFolder(t.cfg.ctx, t.root, dir, t.options()))
			e.rest = do.doing == doReadAll || t.faults[dir]
			continue
		case doWait:
			*t.dirs[dir] = next
		case doShow, doForget:
			if e.happening == wasRead {
				next.displaced = nil // that was reported, and does not describe what was read since
			}
			became := t.judge(next, &old)
			if delete(t.faults, dir); became.shown() && len(became.Counting()) == 0 {
				t.faults[dir] = true
			}
			t.put(became)
		}
		return do.until
	}
	return again
}

// found is the event of a directory that was read. When something was written into it
// is looked for only where that decides.
func (t *tree) found(d *directory, read *dump.Folder) event {
	e := event{happening: wasRead, folder: read}
	if read == nil || read.Origin.After(read.LastAssembly()) || read.Missing() != "" {
		e.origin, e.written = t.glance(d.Dir)
	}
	return e
}

// glance finds out whether the first file of a compile is in a directory, and when
// something was written there last.
func (t *tree) glance(dir string) (origin bool, written time.Time) {
	entries, err := os.ReadDir(t.path(dir, ""))
	if err != nil {
		return false, written
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			origin = origin || t.cfg.Project.Producers.IsOrigin(e.Name())
			written = later(written, info.ModTime())
		}
	}
	return origin, written
}

// reload reads the whole tree again: directories whose files are others, or all if forced.
func (t *tree) reload(force bool) {
	t.forced = force
	t.readTree(nil)
	t.forced = false
}

// readTree reads the whole tree. It keeps directories in which nothing has changed. told
// is what settled, if nothing was known of the tree before.
func (t *tree) readTree(told news) {
	opt := t.options()
	opt.Settled, opt.Workers = false, workers()
	read, refused := dump.ReadFolders(t.cfg.ctx, t.root, opt)
	if t.cfg.ctx.Err() != nil {
		return // it was cut short, as the session has ended
	}
	t.refused = refused
	t.changed()
	there := map[string]bool{}
	take := func(dir string, folder *dump.Folder) {
		there[dir] = true
		old := t.at(dir)
		e := t.found(&old, folder)
		if folder != nil && folder == old.read && old.plain() && e.written.IsZero() {
			return
		}
		e.rest, e.whole, e.settled = true, told != nil, told[dir]
		next, _ := step(&t.cfg, old, e, t.cfg.Clock.Now())
		t.put(t.judge(next, &old))
	}
	slices.SortFunc(read, func(a, b *dump.Folder) int { return cmp.Compare(a.Dir, b.Dir) })
	for _, folder := range read {
		if slices.Contains(problem.Codes(folder.Problems), problem.InputUnstable) {
			// It changed or went while it was read: no batch may name what came and went.
			t.faults[folder.Dir] = true
			if folder = dump.ReadFolder(t.cfg.ctx, t.root, folder.Dir, opt); folder == nil {
				continue
			}
		}
		take(folder.Dir, folder)
		if slices.Contains(problem.Codes(folder.Problems), problem.RunUnderWay) {
			t.noteRun(t.path(folder.Dir, ""))
		}
	}
	for _, dir := range slices.Concat(slices.Collect(maps.Keys(t.dirs)), slices.Collect(maps.Keys(told))) {
		if d := t.dirs[dir]; !there[dir] && (d == nil || d.phase != absent) {
			take(dir, nil)
		}
	}
}

// missing reports whether the root does not exist.
func (t *tree) missing() bool { return t.refused != nil && t.refused.Code == problem.InputNotFound }

// options are how single directories are read: the watcher knows that they are
// at rest.
func (t *tree) options() dump.Options {
	told := t.told
	return dump.Options{
		Producers: t.cfg.Project.Producers, IgnoreTimes: t.cfg.IgnoreTimes, Digest: true, Settled: true,
		Known: func(dir string) *dump.Folder {
			if d := t.dirs[dir]; d != nil && d.shown() && !t.forced {
				return d.read
			}
			return nil
		},
		Held: func(path string) ([]byte, regular.Stamp) { return told[path].Content, told[path].Stamp },
	}
}

// news are the directories to read again, with the times of the files that settled in
// them.
type news map[string]times

// of returns the times of a directory, which it adds if it is missing.
func (n news) of(dir string) times {
	if n[dir] == nil {
		n[dir] = times{}
	}
	return n[dir]
}

// toldOf returns the directories that a batch concerns, and those that could not be read
// before.
func (t *tree) toldOf(c Batch) news {
	told := news{}
	for _, f := range slices.Concat(c.Settled, c.Touched) {
		if dir, name, ok := t.split(f.Path); ok {
			told.of(dir)[name] = f.ModTime
		}
	}
	for _, path := range c.Removed {
		dir, name, ok := t.split(path)
		if !ok {
			continue
		}
		told.of(dir)
		if _, role := t.cfg.Project.Producers.Role(name); role == producer.None {
			for below := range t.dirs {
				if inside(below, join(dir, name)) {
					told.of(below)
				}
			}
		}
	}
	for _, err := range c.Problems {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			if dir, ok := t.relative(at.Path); ok {
				t.faults[dir] = true
			}
		}
	}
	for dir := range t.faults {
		told.of(dir)
	}
	return told
}

// tellAll tells each directory its news.
func (t *tree) tellAll(told news) {
	for _, dir := range slices.Sorted(maps.Keys(told)) {
		t.tell(dir, event{settled: told[dir]})
	}
}

// remake gives the directories the compilers that the manifests of captures now name. A
// directory in which a compile is under way is read when the compile has ended.
func (t *tree) remake() {
	manifests := dump.NewManifests(t.root, t.options())
	for _, d := range slices.Clone(t.order) {
		if d.phase == standing {
			if next := manifests.Update(d.read); next != d.read {
				t.tell(d.Dir, event{happening: wasRead, folder: next, rest: true})
			}
		}
	}
}

// maxAbsent bounds how many missing directories are remembered: more than a large
// project has.
const maxAbsent = 1 << 14

// put replaces what is known of a directory.
func (t *tree) put(d *directory) {
	t.moved[resource.ValidText(d.Dir)] = true
	t.dirs[d.Dir] = d
	if delete(t.waiting, d.Dir); d.underWay() {
		t.waiting[d.Dir] = true
	}
	switch i, in := t.search(d.Dir); {
	case in && d.shown():
		t.order[i] = d
	case in:
		t.order = slices.Delete(t.order, i, i+1)
	case d.shown():
		t.order = slices.Insert(t.order, i, d)
	}
	t.changed()
	if len(d.unread) > 0 {
		t.overwrite(d)
	}
	if d.phase == absent {
		t.absent(d)
	}
}

// absent remembers a missing directory, if there is something to remember.
func (t *tree) absent(d *directory) {
	if t.edits == nil || d.read == nil && !d.expected && len(d.unread) == 0 {
		delete(t.dirs, d.Dir)
		return
	}
	for dir, other := range t.dirs {
		if len(t.dirs)-len(t.order) <= maxAbsent {
			break
		}
		if other.phase == absent {
			delete(t.dirs, dir)
		}
	}
}

// path returns the absolute path of a file in a directory of the tree.
func (t *tree) path(dir, name string) string {
	return filepath.Join(t.root, filepath.FromSlash(dir), name)
}
