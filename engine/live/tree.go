package live

import (
	"cmp"
	"context"
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
	missing bool               // the root does not exist
	fresh   int                // grows when a directory appears where none was, or all are others
	folders map[string]*folder // by relative directory in slashes, as it stands on the disk
	order   []*dump.Folder     // those of folders that belong to the side, sorted by directory
	awaited map[string]bool    // directories whose 00_origin.mlir was written in this session and whose assembly was not yet
	waiting map[string]bool    // directories with a compile under way
	seen    map[string]bool    // keys that were in the tree since its dumps began
	refused *problem.Problem   // why there is no tree to read
	faults  map[string]bool    // directories that could not be read

	all     *resource.Side // what whole returned last; nil if it has to be made again
	limited *resource.Side // the same with the kernels that count
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
// and the first time the whole tree.
func (t *tree) apply(c Change) {
	was := t.missing
	t.missing = c.Missing
	if !t.heard || was || t.missing {
		t.heard = true
		first := t.named(c)
		clear(t.awaited) // none of it was seen being written
		t.reload()
		for dir := range first {
			t.begin(dir)
		}
		t.generations(c)
		return
	}
	dirs := t.named(c)
	for _, err := range c.Problems {
		if path, ok := pathOf(err); ok {
			if dir, ok := t.relative(path); ok {
				dirs[dir] = true
				t.faults[dir] = true
			}
		}
	}
	for dir := range t.faults { // perhaps one can be read again
		dirs[dir] = true
	}
	times := t.times(c)
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		t.refresh(dir, times[dir])
	}
	t.generations(c)
	t.forget()
}

// reload reads the whole tree again.
func (t *tree) reload() {
	opt := t.options()
	opt.Settled = false
	read, refused := dump.ReadFolders(context.Background(), t.root, opt)
	t.refused = refused
	t.missing = refused != nil && refused.Code == problem.InputNotFound
	t.order = t.order[:0]
	old := t.folders
	for _, f := range old {
		f.retired = true
	}
	t.folders = make(map[string]*folder, len(read))
	t.fresh++
	waiting := slices.Collect(maps.Keys(t.waiting))
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
	t.forget()
}

// options are how single directories are read: the watcher knows that they are
// at rest.
func (t *tree) options() dump.Options {
	return dump.Options{IgnoreTimes: t.cfg.IgnoreTimes, Digest: true, Settled: true}
}

// times are the modification times of the files of one directory that settled.
type times map[string]time.Time

// times tells for each directory what settled in it.
func (t *tree) times(c Change) map[string]times {
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

// named returns the directories that a Change names.
func (t *tree) named(c Change) map[string]bool {
	dirs := map[string]bool{}
	for _, files := range [][]File{c.Settled, c.Touched} {
		for _, f := range files {
			if dir, name, ok := t.split(f.Path); ok {
				dirs[dir] = true
				if name == dump.OriginName {
					t.awaited[dir] = true
				}
			}
		}
	}
	for _, path := range c.Removed {
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

// refresh reads one directory again. settled are the modification times of what
// settled in it; nil if nothing did.
func (t *tree) refresh(dir string, settled times) {
	read := dump.ReadFolder(context.Background(), t.root, dir, t.options())
	old := t.folders[dir]
	if read != nil && old != nil && unsettled(read, settled) {
		return // it is being written again: a later Change tells
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
	t.changed()
	if len(read.Stages) == 0 {
		t.faults[dir] = true
	}
}

// unsettled reports whether the stage file that counts is another one than the
// one that settled.
func unsettled(read *dump.Folder, settled times) bool {
	used, ok := read.Used()
	at, told := settled[used.Name]
	return ok && told && !used.ModTime.IsZero() && !used.ModTime.Equal(at)
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
func (t *tree) changed() { t.all, t.limited = nil, nil }

// forget begins a new set of dumps when the tree is empty: what is not there
// then is to be compiled, and did not vanish.
func (t *tree) forget() {
	if len(t.order) == 0 {
		clear(t.seen)
		t.fresh++
	}
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

// pathOf returns the path that an error of the file system names.
func pathOf(err error) (string, bool) {
	if e, ok := err.(*fs.PathError); ok {
		return e.Path, true
	}
	return "", false
}
