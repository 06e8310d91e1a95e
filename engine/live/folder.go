package live

import (
	"context"
	"os"
	"path"
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
	read      *dump.Folder         // the directory as it was read last; nil if there was nothing to read
	root      string               // of the tree, absolute
	leftover  string               // absolute path of the stage file that hides a newer one
	begun     bool                 // a first compile is under way: there is nothing of it in the side
	compiling bool                 // a compile is under way
	settled   *dump.Folder         // what counts if that leaves nothing; nil if none is under way
	failed    bool                 // the session saw a compile begin and leave nothing
	ran       *pastRuns            // of the tree
	alone     bool                 // Origin is that of an earlier compile
	variants  variants             // what other contents took the place of
	current   map[string][]Variant // those of them that were compiled from the same sources as what is there, by key
	displaced []string             // what there is to say of kernels that only such contents held
	retired   bool                 // another one stands in its place now, or none
}

// plain reports whether the figures of a folder are those that were read, and no
// compile is under way or failed.
func (f *folder) plain() bool {
	return f.Folder == f.read && !f.begun && !f.compiling && !f.failed
}

// absolute returns the absolute path of a file in the folder; "" for none.
func (f *folder) absolute(name string) string {
	if name == "" {
		return ""
	}
	return filepath.Join(f.root, filepath.FromSlash(f.Dir), name)
}

// file returns the assembly file that a record of the folder was read from.
func (f *folder) file(r *resource.Record) dump.Stage {
	s, _ := f.counting(path.Base(r.Source))
	return s
}

// counting returns the assembly file of that name, as sources spell it, if it is
// one that counts.
func (f *folder) counting(name string) (dump.Stage, bool) { return counting(f.Folder, name) }

func counting(f *dump.Folder, name string) (dump.Stage, bool) {
	if s, ok := f.Used(); ok && resource.ValidText(s.Name) == name {
		return s, true
	}
	for i := range f.Files {
		if s := f.Files[i].Stage; resource.ValidText(s.Name) == name {
			return s, true
		}
	}
	return dump.Stage{}, false
}

// outdated reports whether another folder may stand in the place of f; a nil one
// is replaced where folders appeared.
func (f *folder) outdated(appeared bool) bool {
	if f == nil {
		return appeared
	}
	return f.retired
}

// compiledAt returns when the compile that made a record's assembly began, as well
// as it is known: the source is read before the first file is written.
func (f *folder) compiledAt(r *resource.Record) time.Time {
	file := f.file(r)
	if f.ran != nil {
		if since := f.ran.during(f.Dir, file.ModTime); !since.IsZero() {
			return since // nobody knows when Python read the sources
		}
	}
	if !f.alone && !f.Origin.IsZero() && f.Origin.Before(file.ModTime) {
		return f.Origin
	}
	return file.ModTime
}

// readSources returns a moment before which a source was saved that the compile of a
// record read as it stands: that of compiledAt, or an earlier one, so that what nobody
// watched changes nothing.
func (f *folder) readSources(r *resource.Record) time.Time {
	at := f.compiledAt(r)
	if !f.Origin.IsZero() && f.Origin.Before(at) {
		return f.Origin
	}
	return at
}

// compiledAlone reports whether the assembly was replaced and the first file beside
// it was not: that is of a compile before.
func (f *folder) compiledAlone(old *folder) bool {
	if old == nil || old.read == nil || !f.Origin.Equal(old.read.Origin) {
		return false
	}
	now, ok := f.read.Used()
	was, _ := old.read.Used()
	if ok && now == was {
		return old.alone
	}
	return ok && now.ModTime.After(was.ModTime) && !f.Origin.After(was.ModTime) && !revealed(old.read, f.read)
}

// make makes a folder of what was read of one directory and enters it into what
// the tree remembers.
func (t *tree) make(read *dump.Folder, old *folder) *folder {
	f := &folder{Folder: read, read: read, root: t.root, ran: t.ran}
	if read.Leftover != "" {
		f.leftover = t.path(read.Dir, read.Leftover)
	}
	switch f.compiling = t.underWay(read); {
	case f.compiling:
		t.waiting[f.Dir] = true
		f.settled = withoutOrigins(read)
		f.Folder = ofLastCompile(f.settled)
	case f.Origin.IsZero() || !f.Origin.After(f.LastAssembly()):
		delete(t.awaited, f.Dir)
	case t.awaited[f.Dir] && old != nil && (old.compiling || old.failed):
		// Reading it again does not tell: the times are too near to each other.
		f.failed, f.Folder = true, t.ofFailedCompile(withoutOrigins(read))
	}
	before := old
	if before == nil {
		before = t.removed[f.Dir]
	}
	f.alone = f.compiledAlone(before)
	f.replaced(before)
	t.distrust(f)
	f.keep(old)
	for _, r := range f.Records {
		t.seen[r.Key] = true
	}
	return f
}

// withoutOrigins is a folder whose module is the one of a compile that is under
// way, and not the one that its records were made from.
func withoutOrigins(read *dump.Folder) *dump.Folder {
	next := *read
	next.Records = make([]*resource.Record, len(read.Records))
	for i, r := range read.Records {
		record := *r
		record.Origin.Digest = ""
		next.Records[i] = &record
	}
	return &next
}

// ofLastCompile is a folder whose figures a compile that is under way will replace:
// they are those of the last one, so nothing rests on them.
func ofLastCompile(read *dump.Folder) *dump.Folder {
	if slices.ContainsFunc(read.Problems, isStale) {
		return read
	}
	source := read.Dir
	if used, ok := read.Used(); ok {
		source = join(read.Dir, used.Name)
	}
	source = resource.ValidText(source)
	next := *read
	next.Problems = append(read.Problems[:len(read.Problems):len(read.Problems)],
		problem.New(problem.DumpStale, "%s is of the last compile, and another one is under way", source).In(source))
	return &next
}

func isStale(p problem.Problem) bool { return p.Code == problem.DumpStale }

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
// write its assembly: its first file is newer than that, or its last one is not
// there, and something was written a short while ago. A first file that the
// session saw being written counts to the moment, another one with the tolerance
// that copied trees need.
func (t *tree) underWay(f *dump.Folder) bool {
	newer := f.Origin.Sub(f.LastAssembly())
	begun := !f.Origin.IsZero() && newer > 0 && (newer > dump.Tolerance || t.awaited[f.Dir])
	return (begun || f.Missing() != "") && t.active(f.Dir)
}

// active reports whether something was written into a directory a short while
// ago.
func (t *tree) active(dir string) bool {
	return t.cfg.Clock.Now().Sub(t.activity(dir)) < t.cfg.Quiet
}

// An ahead is the time of a file that another clock set, and when that was found.
type ahead struct{ modTime, found time.Time }

// activity returns when a directory was last written into. A time of the future
// says no more than that it was before it was found.
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
	now := t.cfg.Clock.Now()
	if !last.After(now) {
		delete(t.ahead, dir)
		return last
	}
	if a := t.ahead[dir]; a.modTime.Equal(last) {
		return a.found
	}
	t.ahead[dir] = ahead{last, now}
	return now
}

// begin notes a first compile that is under way in a directory: its first file is
// there and no assembly.
func (t *tree) begin(dir string) {
	if t.folders[dir] != nil {
		return
	}
	_, modTime, ok := t.origin(dir)
	if !ok {
		delete(t.awaited, dir)
		return
	}
	if t.active(dir) {
		t.set(dir, &folder{Folder: &dump.Folder{Dir: dir, Origin: modTime}, begun: true, compiling: true})
		t.waiting[dir] = true
	}
}

// origin finds the first file of a compile in a directory.
func (t *tree) origin(dir string) (name string, modTime time.Time, ok bool) {
	entries, err := os.ReadDir(t.path(dir, ""))
	if err != nil {
		return "", time.Time{}, false
	}
	for _, e := range entries {
		if t.cfg.Project.Producers.IsOrigin(e.Name()) {
			info, err := e.Info()
			if err == nil {
				return e.Name(), info.ModTime(), true
			}
		}
	}
	return "", time.Time{}, false
}

// expire ends the compiles under way that have written nothing for too long. It
// returns when the next one will.
func (t *tree) expire(now time.Time) (deadline time.Time, any bool) {
	deadline, any = t.followRuns(now)
	for dir := range t.waiting {
		if end := t.activity(dir).Add(t.cfg.Quiet); end.After(now) {
			if !any || end.Before(deadline) {
				deadline, any = end, true
			}
			continue
		}
		delete(t.waiting, dir)
		if _, held := t.held[dir]; held {
			// What is there stays as it is, so it counts as it is.
			delete(t.held, dir)
			t.take(dir, dump.ReadFolder(context.Background(), t.root, dir, t.options()))
			t.overwrite()
		} else if f := t.folders[dir]; f != nil {
			t.fail(f)
		}
	}
	return deadline, any
}

// fail makes of a compile under way one that left no assembly.
func (t *tree) fail(f *folder) {
	if f.begun {
		t.set(f.Dir, nil)
		return
	}
	failed := *f
	failed.compiling, failed.retired, failed.failed = false, false, t.awaited[f.Dir]
	failed.Folder, failed.settled = f.settled, nil
	if failed.failed {
		failed.Folder = t.ofFailedCompile(f.settled)
	}
	t.set(f.Dir, &failed)
	t.place(&failed)
	t.changed()
}

// ofFailedCompile is a folder whose last compile was seen to leave no assembly.
func (t *tree) ofFailedCompile(read *dump.Folder) *dump.Folder {
	used, ok := read.Used()
	if !ok || t.cfg.IgnoreTimes || slices.ContainsFunc(read.Problems, isStale) {
		return read
	}
	source := resource.ValidText(join(read.Dir, used.Name))
	name, _, _ := t.origin(read.Dir)
	next := *read
	next.Problems = append(read.Problems[:len(read.Problems):len(read.Problems)],
		problem.New(problem.DumpStale, "%s is older than the %s beside it: the last compile left no assembly", source, name).In(source))
	return &next
}

// path returns the absolute path of a file in a directory of the tree.
func (t *tree) path(dir, name string) string {
	return filepath.Join(t.root, filepath.FromSlash(dir), name)
}
