package live

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/resource"
)

// A tree is a dump tree that is kept up to date with what a session is told. It
// is the live side, and also a baseline that is a dump tree.
type tree struct {
	root    string
	cfg     Config
	heard   bool               // the first Change was taken in
	moved   map[string]bool    // directories that are others than in the last State
	folders map[string]*folder // by relative directory in slashes, as it stands on the disk
	order   []*dump.Folder     // those of folders that belong to the side, sorted by directory
	held    map[string]times   // directories that are left as they were until all of it has settled, with what did
	awaited map[string]bool    // directories whose 00_origin.mlir was written in this session and whose assembly was not since
	waiting map[string]bool    // directories with a compile under way
	ahead   map[string]ahead   // directories with a file of the future
	seen    map[string]bool    // keys that were in the tree since its dumps began
	refused *problem.Problem   // why there is no tree to read
	faults  map[string]bool    // directories that could not be read

	runs  map[string]*sighting // absolute directories with the file of a run, in the tree and above it
	ran   *pastRuns            // into it, and into what it is a part of
	above *problem.Problem     // of a tree that this one is a part of; nil if there is none

	displaced map[string]bool     // directories with kernels that were overwritten by others
	varied    map[string]bool     // directories with kernels whose place held others
	unread    map[string][]unread // by directory: contents that others overwrote before they were read
	removed   map[string]*folder  // directories that were removed, as they were: what comes instead replaces them
	// edits tells how the sources changed, and look reads those that changed and that
	// nobody told of yet. Both are nil for a baseline, which follows no edit.
	edits  *edits
	look   func()
	looked bool // look was called for this Change

	all     *resource.Side // what whole returned last; nil if it has to be made again
	limited *resource.Side // the same with the kernels that count; nil likewise
}

func newTree(root string, cfg Config) *tree {
	return &tree{
		root: root, cfg: cfg, runs: map[string]*sighting{}, held: map[string]times{}, folders: map[string]*folder{},
		awaited: map[string]bool{}, ahead: map[string]ahead{}, displaced: map[string]bool{}, varied: map[string]bool{}, removed: map[string]*folder{}, unread: map[string][]unread{}, ran: &pastRuns{}, waiting: map[string]bool{}, seen: map[string]bool{}, moved: map[string]bool{}, faults: map[string]bool{},
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

// folder returns the dump directory that a record is in, or was in when it was
// put into a snapshot.
func (t *tree) folder(r *resource.Record) *folder {
	dir := dirOf(r)
	if f := t.folders[dir]; f != nil || !strings.Contains(dir, `\x`) {
		return f
	}
	for raw, f := range t.folders { // a directory whose name is no UTF-8
		if resource.ValidText(raw) == dir {
			return f
		}
	}
	return nil
}

// apply takes in a Change: it reads the directories again that the Change names,
// and the whole tree if there was none before.
func (t *tree) apply(c Change) {
	t.looked = false
	told := t.timesOf(c)
	t.sight(told)
	if !t.heard || t.refused != nil || c.Missing {
		t.heard = true
		clear(t.awaited) // nothing of it was seen being written
		t.reload()
		for dir := range told {
			t.begin(dir)
		}
		t.hold(told)
	} else {
		dirs := t.gone(c.Removed)
		for dir := range told {
			dirs[dir] = true
			t.expect(dir, told[dir])
		}
		for dir := range t.unreadable(c.Problems) {
			dirs[dir] = true
		}
		for _, dir := range slices.Sorted(maps.Keys(dirs)) {
			t.refresh(dir, told[dir])
		}
		if slices.ContainsFunc(slices.Concat(paths(c.Settled), paths(c.Touched), c.Removed), isManifest) {
			t.remake()
		}
	}
	t.generations(c)
	t.overwrite()
	if len(t.order) == 0 { // what is compiled next begins a new set: nothing of it has vanished
		clear(t.seen)
	}
}

// expect notes that a compile has begun whose assembly is not there yet: its
// 00_origin.mlir settled by itself. Where both settled together the compile has
// ended, or the directory was copied, and which is newer says little.
func (t *tree) expect(dir string, told times) {
	for name := range told {
		if t.cfg.Project.Producers.IsAssembly(name) {
			delete(t.awaited, dir)
			return
		}
	}
	for name := range told {
		if t.cfg.Project.Producers.IsOrigin(name) {
			t.awaited[dir] = true
		}
	}
}

// reload reads the whole tree again. Directories in which nothing is another one
// stay what they are.
func (t *tree) reload() {
	opt, old := t.options(), t.folders
	opt.Settled, opt.Workers = false, workers()
	opt.Known = func(dir string) *dump.Folder {
		if f := old[dir]; f != nil {
			return f.read
		}
		return nil
	}
	read, refused := dump.ReadFolders(t.cfg.ctx, t.root, opt)
	t.refused = refused
	waiting := slices.Collect(maps.Keys(t.waiting))
	for dir := range old {
		t.bury(dir)
	}
	t.folders, t.order = make(map[string]*folder, len(read)), make([]*dump.Folder, 0, len(read))
	clear(t.waiting)
	clear(t.held)
	slices.SortFunc(read, byDir)
	for _, folder := range read {
		if slices.ContainsFunc(folder.Problems, isUnstable) {
			// It changed while it was read, or went: nobody need tell of what came and went.
			t.faults[folder.Dir] = true
			if folder = dump.ReadFolder(t.cfg.ctx, t.root, folder.Dir, opt); folder == nil {
				continue
			}
		}
		was := old[folder.Dir]
		f := was
		if was == nil || was.read != folder || !was.plain() || t.underWay(folder) {
			f = t.make(folder, was)
			f.generation(was)
		}
		delete(t.removed, f.Dir)
		t.folders[f.Dir] = f
		t.order = append(t.order, f.Folder)
		if slices.ContainsFunc(f.Problems, isRun) {
			t.sighted(f.Dir)
		}
	}
	for _, dir := range waiting {
		t.begin(dir)
	}
	for _, all := range []map[string]*folder{old, t.folders} {
		for dir := range all {
			if old[dir] != t.folders[dir] {
				t.moved[resource.ValidText(dir)] = true
			}
		}
	}
	t.overwrite()
	t.changed()
}

func isUnstable(p problem.Problem) bool { return p.Code == problem.InputUnstable }

// missing reports whether the root does not exist.
func (t *tree) missing() bool { return t.refused != nil && t.refused.Code == problem.InputNotFound }

// options are how single directories are read: the watcher knows that they are
// at rest.
func (t *tree) options() dump.Options {
	return dump.Options{Producers: t.cfg.Project.Producers, IgnoreTimes: t.cfg.IgnoreTimes, Digest: true, Settled: true}
}

// times are the modification times of the files of one directory that settled.
type times map[string]time.Time

// timesOf tells for each directory what settled in it.
func (t *tree) timesOf(c Change) map[string]times {
	m := map[string]times{}
	for _, files := range [][]File{c.Settled, c.Touched} {
		for _, f := range files {
			if dir, name, ok := t.split(f.Path); ok {
				if m[dir] == nil {
					m[dir] = times{}
				}
				m[dir][name] = f.ModTime
			}
		}
	}
	return m
}

// gone returns the directories that files, or they themselves, were removed from.
func (t *tree) gone(removed []string) map[string]bool {
	dirs := map[string]bool{}
	for _, path := range removed {
		dir, name, ok := t.split(path)
		if !ok {
			continue
		}
		dirs[dir] = true
		if _, role := t.cfg.Project.Producers.Role(name); role != producer.None {
			continue
		}
		gone := join(dir, name)
		for below := range t.folders {
			if below == gone || strings.HasPrefix(below, gone+"/") {
				dirs[below] = true
			}
		}
	}
	return dirs
}

func paths(files []File) (all []string) {
	for _, f := range files {
		all = append(all, f.Path)
	}
	return all
}

func isManifest(path string) bool { return filepath.Base(path) == dump.ManifestName }

// remake gives the folders the compilers that the manifests of captures tell of now.
// A folder in which a compile is under way is read when that has ended.
func (t *tree) remake() {
	manifests := dump.NewManifests(t.root, t.options())
	for _, dir := range slices.Sorted(maps.Keys(t.folders)) {
		if f := t.folders[dir]; f.read != nil && !f.begun && !f.compiling && !f.failed {
			if next := manifests.Update(f.read); next != f.read {
				t.take(dir, next)
			}
		}
	}
}

// unreadable returns the directories that the watcher could not read, and those
// that it could not before: perhaps one can be read again.
func (t *tree) unreadable(problems []error) map[string]bool {
	for _, err := range problems {
		var at *fs.PathError
		if errors.As(err, &at) {
			if dir, ok := t.relative(at.Path); ok {
				t.faults[dir] = true
			}
		}
	}
	return t.faults
}

// refresh reads one directory again. told are the modification times of what
// settled in it.
func (t *tree) refresh(dir string, told times) {
	if earlier, held := t.held[dir]; held {
		maps.Copy(earlier, told)
		told = earlier
	}
	read := dump.ReadFolder(t.cfg.ctx, t.root, dir, t.options())
	if read != nil && !t.settled(read, told) {
		t.await(dir, read, told)
		return
	}
	t.take(dir, read)
}

// take puts what was read of a directory into the tree; nil is nothing.
func (t *tree) take(dir string, read *dump.Folder) {
	old := t.folders[dir]
	delete(t.waiting, dir)
	delete(t.faults, dir)
	delete(t.held, dir)
	if read == nil {
		t.bury(dir)
		t.drop(dir)
		t.begin(dir)
		return
	}
	f := t.make(read, old)
	if len(f.current) > 0 && (old == nil || len(old.current) == 0) {
		if !t.looked { // an edit may be told of only after the compile that it led to
			t.looked = true
			t.look()
		}
		f = t.make(read, old)
	}
	delete(t.removed, dir)
	t.set(dir, f)
	t.place(f)
	t.changed()
	if len(f.Counting()) == 0 {
		t.faults[dir] = true
	}
}

// settled reports whether all assembly files that count are such as have settled,
// now or before. One that nobody told of is still being written.
func (t *tree) settled(read *dump.Folder, told times) bool {
	old := t.folders[read.Dir]
	before := func(now dump.Stage) bool {
		same := func(s dump.Stage) bool { return s.Name == now.Name && s.ModTime.Equal(now.ModTime) }
		return old != nil && (slices.ContainsFunc(old.Stages, same) || slices.ContainsFunc(old.Counting(), same))
	}
	if t.faults[read.Dir] {
		return true
	}
	for _, s := range read.Counting() {
		if at, ok := told[s.Name]; !s.ModTime.IsZero() && !(ok && at.Equal(s.ModTime)) && !before(s) {
			return false
		}
	}
	return read.Missing() == ""
}

// await leaves a directory as it was until all that is being written has settled,
// which a later Change tells, or for as long as a compile may take.
func (t *tree) await(dir string, read *dump.Folder, told times) {
	if told == nil {
		told = times{}
	}
	t.held[dir], t.waiting[dir] = told, true
	old := t.folders[dir]
	if old == nil || old.begun {
		t.set(dir, &folder{Folder: &dump.Folder{Dir: dir, Origin: read.Origin}, begun: true, compiling: true})
		return
	}
	listed := *old.Folder
	if old.settled != nil {
		listed = *old.settled
	}
	listed.Origin = read.Origin
	f := *old
	f.Folder, f.settled, f.compiling = ofLastCompile(&listed), &listed, true
	t.set(dir, &f)
	t.place(&f)
	t.changed()
}

// hold takes the directories whose assembly is damaged and did not settle for
// those of compiles under way: the watcher waits for their end.
func (t *tree) hold(told map[string]times) {
	for dir, f := range t.folders {
		if len(f.Problems) == 0 || f.compiling {
			continue
		}
		for _, s := range f.Counting() {
			if _, settled := told[dir][s.Name]; !settled {
				held := *f
				held.Folder, held.settled, held.compiling = ofLastCompile(f.Folder), f.Folder, true
				t.held[dir], t.waiting[dir] = times{}, true
				maps.Copy(t.held[dir], told[dir])
				t.set(dir, &held)
				t.place(&held)
				t.changed()
				break
			}
		}
	}
}

// maxGone bounds how many removed directories are remembered: more than a large project
// has.
const maxGone = 1 << 14

// bury remembers what a directory holds that may be gone.
func (t *tree) bury(dir string) {
	f := t.folders[dir]
	if f == nil || f.read == nil || len(f.read.Records) == 0 || t.edits == nil {
		return
	}
	for other := range t.removed {
		if len(t.removed) < maxGone {
			break
		}
		delete(t.removed, other)
	}
	t.removed[dir] = f
}

// set puts a folder into the place of a directory; nil for none.
func (t *tree) set(dir string, f *folder) {
	t.moved[resource.ValidText(dir)] = true
	if f == nil {
		delete(t.folders, dir)
	} else {
		t.folders[dir] = f
	}
}

func byDir(a, b *dump.Folder) int { return cmp.Compare(a.Dir, b.Dir) }
