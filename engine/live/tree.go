package live

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A tree is a dump tree that is kept up to date with what a session is told. It
// is the live side, and also a baseline that is a dump tree.
type tree struct {
	root    string
	cfg     Config
	heard   bool               // the first Change was taken in
	fresh   int                // grows when a directory appears where none was, or all are others
	folders map[string]*folder // by relative directory in slashes, as it stands on the disk
	order   []*dump.Folder     // those of folders that belong to the side, sorted by directory
	awaited map[string]bool    // directories whose 00_origin.mlir was written in this session and whose assembly was not yet
	waiting map[string]bool    // directories with a compile under way
	seen    map[string]bool    // keys that were in the tree since its dumps began
	refused *problem.Problem   // why there is no tree to read
	faults  map[string]bool    // directories that could not be read

	all     *resource.Side // what whole returned last; nil if it has to be made again
	swaps   []swap         // folders that took the place of others since
	limited *resource.Side // the same with the kernels that count; nil likewise
}

func newTree(root string, cfg Config) *tree {
	return &tree{
		root: root, cfg: cfg, folders: map[string]*folder{},
		awaited: map[string]bool{}, waiting: map[string]bool{}, seen: map[string]bool{}, faults: map[string]bool{},
	}
}

// folder returns the dump directory that the kernel of a key is in.
func (t *tree) folder(key string) *folder {
	dir, _ := resource.SplitKey(key)
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
	told := t.timesOf(c)
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
			if _, begins := told[dir][dump.OriginName]; begins {
				t.awaited[dir] = true
			}
		}
		for dir := range t.unreadable(c.Problems) {
			dirs[dir] = true
		}
		for _, dir := range slices.Sorted(maps.Keys(dirs)) {
			t.refresh(dir, told[dir])
		}
	}
	t.generations(c)
	if len(t.order) == 0 { // what is compiled next begins a new set: nothing of it has vanished
		clear(t.seen)
		t.fresh++
	}
}

// reload reads the whole tree again.
func (t *tree) reload() {
	opt := t.options()
	opt.Settled = false
	read, refused := dump.ReadFolders(context.Background(), t.root, opt)
	t.refused = refused
	old, waiting := t.folders, slices.Collect(maps.Keys(t.waiting))
	for _, f := range old {
		f.retired = true
	}
	t.folders, t.order = make(map[string]*folder, len(read)), make([]*dump.Folder, 0, len(read))
	t.fresh++
	clear(t.waiting)
	slices.SortFunc(read, byDir)
	for _, folder := range read {
		f := t.make(folder, old[folder.Dir])
		t.folders[f.Dir] = f
		t.order = append(t.order, f.Folder)
	}
	for _, dir := range waiting {
		t.begin(dir)
	}
	t.changed()
}

// missing reports whether the root does not exist.
func (t *tree) missing() bool { return t.refused != nil && t.refused.Code == problem.InputNotFound }

// options are how single directories are read: the watcher knows that they are
// at rest.
func (t *tree) options() dump.Options {
	return dump.Options{IgnoreTimes: t.cfg.IgnoreTimes, Digest: true, Settled: true}
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
		if name == dump.OriginName || dump.IsStage(name) {
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
	read := dump.ReadFolder(context.Background(), t.root, dir, t.options())
	old := t.folders[dir]
	if read != nil && !t.settled(read, old, told) {
		t.await(dir, read, old)
		return
	}
	delete(t.waiting, dir)
	delete(t.faults, dir)
	if read == nil {
		t.drop(dir)
		t.begin(dir)
		return
	}
	f := t.make(read, old)
	t.set(dir, f)
	t.place(f)
	if old != nil && len(old.Stages) > 0 {
		t.swaps, t.limited = append(t.swaps, swap{old, f}), nil
	} else {
		t.changed()
	}
	if len(read.Stages) == 0 {
		t.faults[dir] = true
	}
}

// settled reports whether the stage file that counts is one that settled, now or
// before. One that nobody told of is still being written.
func (t *tree) settled(read *dump.Folder, old *folder, told times) bool {
	used, ok := read.Used()
	if !ok || used.ModTime.IsZero() || t.faults[read.Dir] {
		return true
	}
	if at, ok := told[used.Name]; ok {
		return used.ModTime.Equal(at)
	}
	return old != nil && slices.ContainsFunc(old.Stages, func(s dump.Stage) bool {
		return s.Name == used.Name && s.ModTime.Equal(used.ModTime)
	})
}

// await leaves a directory as it was until the assembly that is being written has
// settled, which a later Change tells.
func (t *tree) await(dir string, read *dump.Folder, old *folder) {
	if old == nil || len(old.Stages) == 0 {
		t.begin(dir)
		return
	}
	listed := *old.Folder
	listed.Origin = read.Origin
	f := *old
	f.Folder, f.retired = &listed, false
	if f.compiling = t.underWay(&f); f.compiling {
		t.waiting[dir] = true
	}
	t.set(dir, &f)
	t.place(&f)
	t.changed()
}

// hold takes the directories for those of compiles under way whose assembly is
// damaged and did not settle: the watcher waits for its end.
func (t *tree) hold(told map[string]times) {
	for dir, f := range t.folders {
		used, ok := f.Used()
		if _, settled := told[dir][used.Name]; !ok || settled || len(f.Problems) == 0 || f.compiling {
			continue
		}
		held := *f
		held.compiling, held.retired = true, false
		t.waiting[dir] = true
		t.set(dir, &held)
	}
}

// drop takes a directory out of the side.
func (t *tree) drop(dir string) {
	if _, ok := t.folders[dir]; !ok {
		return
	}
	t.set(dir, nil)
	if i, ok := t.search(dir); ok {
		t.order = slices.Delete(t.order, i, i+1)
		t.changed()
	}
}

// place puts a directory into the side.
func (t *tree) place(f *folder) {
	if i, ok := t.search(f.Dir); ok {
		t.order[i] = f.Folder
	} else {
		t.order = slices.Insert(t.order, i, f.Folder)
	}
}

func (t *tree) search(dir string) (int, bool) {
	return slices.BinarySearchFunc(t.order, dir, func(f *dump.Folder, dir string) int { return strings.Compare(f.Dir, dir) })
}

// changed marks the sides as to be made again.
func (t *tree) changed() { t.all, t.swaps, t.limited = nil, nil, nil }

// A swap is a folder that took the place of another one.
type swap struct{ old, new *folder }

// patch returns a side in which swaps took place; ok is false if they changed
// more of it than figures, so that it has to be put together again.
func patch(side *resource.Side, swaps []swap) (patched *resource.Side, ok bool) {
	next := *side
	next.Records = slices.Clone(side.Records)
	for _, s := range swaps {
		if !slices.Equal(s.old.Problems, s.new.Problems) || !slices.Equal(s.old.Warnings, s.new.Warnings) || len(s.old.Records) != len(s.new.Records) {
			return nil, false
		}
		for i, r := range s.new.Records {
			was := s.old.Records[i]
			at, found := slices.BinarySearchFunc(next.Records, r.Key, keyOrder)
			if was.Key != r.Key || !found || next.Records[at] != was {
				return nil, false
			}
			next.Records[at] = r
		}
	}
	return &next, true
}

// set puts a folder into the place of a directory; nil for none.
func (t *tree) set(dir string, f *folder) {
	if old := t.folders[dir]; old != nil {
		old.retired = true
	} else {
		t.fresh++
	}
	if f == nil {
		delete(t.folders, dir)
	} else {
		t.folders[dir] = f
	}
}

// whole returns the side with all its kernels.
func (t *tree) whole() *resource.Side {
	if t.all != nil && len(t.swaps) > 0 {
		if patched, ok := patch(t.all, t.swaps); ok {
			t.all, t.swaps = patched, nil
		} else {
			t.changed()
		}
	}
	if t.all == nil {
		if t.refused != nil {
			t.all = dump.Refuse(t.root, *t.refused)
		} else {
			t.all = dump.Assemble(t.root, slices.Clone(t.order))
		}
	}
	return t.all
}

// side returns the side with the kernels that count.
func (t *tree) side() *resource.Side {
	if t.limited == nil {
		t.limited = limit(t.whole(), t.cfg.Project.Kernels)
	}
	return t.limited
}

// split divides an absolute path into its directory, relative to the root in
// slashes, and its name.
func (t *tree) split(path string) (dir, name string, ok bool) {
	rel, ok := t.relative(path)
	if !ok || rel == "" {
		return "", "", false
	}
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:], true
	}
	return "", rel, true
}

// relative returns a path below the root, in slashes; "" is the root.
func (t *tree) relative(path string) (string, bool) {
	rel, err := filepath.Rel(t.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func byDir(a, b *dump.Folder) int { return cmp.Compare(a.Dir, b.Dir) }
