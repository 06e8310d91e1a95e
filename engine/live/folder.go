package live

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A folder is one dump directory with what only a session knows of it. It is
// immutable once it stands in its tree, but for the mark that it no longer does.
type folder struct {
	*dump.Folder
	file        string                  // absolute path of the stage file that counts; "" if there is none
	dumped      time.Time               // its modification time
	leftover    string                  // absolute path of the stage file that hides a newer one
	compiling   bool                    // a compile is under way
	generations map[string][]Generation // by kernel name
	unheld      int                     // generations whose content is not known
	retired     bool                    // another one stands in its place now, or none
}

// outdated reports whether another folder may stand in the place of f; a nil one
// is replaced where folders appeared.
func (f *folder) outdated(appeared bool) bool {
	if f == nil {
		return appeared
	}
	return f.retired
}

// compiledAt returns when the compile that made the assembly began, as well as
// it is known: the source is read before the first file is written.
func (f *folder) compiledAt() time.Time {
	if !f.Origin.IsZero() && f.Origin.Before(f.dumped) {
		return f.Origin
	}
	return f.dumped
}

// make makes a folder of what was read of one directory and enters it into what
// the tree remembers.
func (t *tree) make(read *dump.Folder, old *folder) *folder {
	f := t.interpret(read, old)
	if f.compiling {
		t.waiting[f.Dir] = true
	} else if f.Origin.IsZero() || !f.Origin.After(f.dumped) {
		delete(t.awaited, f.Dir)
	}
	for _, r := range f.Records {
		t.seen[r.Key] = true
	}
	return f
}

// interpret adds what the origin says and whether a compile is under way. It
// changes nothing of the tree.
func (t *tree) interpret(read *dump.Folder, old *folder) *folder {
	f := &folder{Folder: read}
	used, ok := read.Used()
	if ok {
		f.file, f.dumped = t.path(read.Dir, used.Name), used.ModTime
	}
	if read.Leftover != "" {
		f.leftover = t.path(read.Dir, read.Leftover)
	}
	if f.compiling = t.underWay(f); f.compiling {
		for _, r := range f.Records {
			r.Origin.Digest = "" // of the compile that is under way
		}
	}
	f.keep(old)
	return f
}

// keep takes the records of the folder before that say the same, so that what
// did not change is seen by its pointer.
func (f *folder) keep(old *folder) {
	if old == nil {
		return
	}
	for i, r := range f.Records {
		for _, o := range old.Records {
			if o.Key == r.Key && reflect.DeepEqual(o, r) {
				f.Records[i] = o
			}
		}
	}
}

// underWay reports whether a compile has begun in a directory and may still
// write its assembly: 00_origin.mlir is newer than that, and something was
// written a short while ago. An origin that the session saw being written counts
// to the moment, another one with the tolerance that copied trees need.
func (t *tree) underWay(f *folder) bool {
	newer := f.Origin.Sub(f.LastAssembly())
	if f.Origin.IsZero() || newer <= 0 || newer <= dump.Tolerance && !t.awaited[f.Dir] {
		return false
	}
	return t.cfg.Clock.Now().Sub(t.activity(f.Dir)) < t.cfg.Quiet
}

// activity returns when a directory was last written into.
func (t *tree) activity(dir string) (last time.Time) {
	entries, err := os.ReadDir(t.path(dir, ""))
	if err != nil {
		return last
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// begin notes a first compile that is under way in a directory: there is an
// origin and no assembly. Its folder is no part of the side.
func (t *tree) begin(dir string) {
	if t.folders[dir] != nil {
		return
	}
	info, err := os.Stat(t.path(dir, dump.OriginName))
	if err != nil {
		delete(t.awaited, dir)
		return
	}
	if t.cfg.Clock.Now().Sub(t.activity(dir)) < t.cfg.Quiet {
		t.set(dir, &folder{Folder: &dump.Folder{Dir: dir, Origin: info.ModTime()}, compiling: true})
		t.waiting[dir] = true
	}
}

// expire ends the compiles under way that have written nothing for too long. It
// returns when the next one will.
func (t *tree) expire(now time.Time) (deadline time.Time, any bool) {
	for dir := range t.waiting {
		f := t.folders[dir]
		if f == nil {
			delete(t.waiting, dir)
			continue
		}
		if end := t.activity(dir).Add(t.cfg.Quiet); end.After(now) {
			if !any || end.Before(deadline) {
				deadline, any = end, true
			}
			continue
		}
		delete(t.waiting, dir)
		t.fail(f)
	}
	return deadline, any
}

// fail makes of a compile under way one that left no assembly.
func (t *tree) fail(f *folder) {
	used, ok := f.Used()
	if !ok {
		t.set(f.Dir, nil)
		return
	}
	failed := *f
	failed.compiling = false
	stale := func(p problem.Problem) bool { return p.Code == problem.DumpStale }
	if t.awaited[f.Dir] && !t.cfg.IgnoreTimes && !slices.ContainsFunc(f.Problems, stale) {
		source := resource.ValidText(join(f.Dir, used.Name))
		read := *f.Folder
		read.Problems = append(read.Problems[:len(read.Problems):len(read.Problems)],
			problem.New(problem.DumpStale, "%s is older than the %s beside it: the last compile left no assembly", source, dump.OriginName).In(source))
		failed.Folder = &read
	}
	t.set(f.Dir, &failed)
	t.place(&failed)
	t.changed()
}

// path returns the absolute path of a file in a directory of the tree.
func (t *tree) path(dir, name string) string {
	return filepath.Join(t.root, filepath.FromSlash(dir), name)
}
