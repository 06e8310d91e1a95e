package live

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// A baseline is the before side: a snapshot file or a dump tree, whichever
// stands at its path.
type baseline struct {
	cfg     Config
	path    string
	heard   bool
	exists  bool
	written time.Time
	dumps   *tree          // if it is a dump tree
	all     *resource.Side // of the last snapshot that was read, with all its kernels
	loaded  *resource.Side // of a snapshot, with the kernels that count; nil if there is none
	meta    snapshot.Meta
	sum     snapshot.Sum     // of the text that loaded is of
	problem *problem.Problem // why it cannot be used, or why it is missed
}

func newBaseline(cfg Config) *baseline {
	return &baseline{cfg: cfg, path: cfg.Project.Baseline}
}

// IsSnapshot reports whether a baseline of this path is a snapshot file rather
// than a dump tree, also while nothing stands there.
func IsSnapshot(path string) bool {
	if info, err := os.Stat(path); err == nil {
		return !info.IsDir()
	}
	return strings.EqualFold(filepath.Ext(path), ".json")
}

// apply takes in a Batch: of the snapshot file, or of the files of the tree.
func (b *baseline) apply(c Batch) {
	if b.heard && c.nothing() && c.Missing != b.exists && b.sound() {
		return
	}
	b.heard = true
	b.read(func(t *tree) { t.apply(c) })
}

// sound reports whether all that stands there was read.
func (b *baseline) sound() bool {
	return b.problem == nil && (b.dumps == nil || len(b.dumps.faults) == 0)
}

// read reads the snapshot, or what dumps reads of the tree, whichever stands there
// now.
func (b *baseline) read(dumps func(*tree)) {
	if IsSnapshot(b.path) {
		b.load()
		return
	}
	if b.dumps == nil {
		b.dumps = newTree(b.path, b.cfg)
	}
	b.loaded, b.meta, b.sum, b.written = nil, snapshot.Meta{}, snapshot.Sum{}, time.Time{}
	dumps(b.dumps)
	b.judgeDumps()
}

// judgeDumps tells whether the tree can be compared with.
func (b *baseline) judgeDumps() {
	b.exists = !b.dumps.missing()
	b.judge(b.dumps.side())
}

// expire ends the compiles of a tree that have written nothing for too long. It
// returns when to look again, the zero time for never.
func (b *baseline) expire(now time.Time) (again time.Time) {
	if b.dumps == nil {
		return again
	}
	again = b.dumps.expire(now)
	b.judgeDumps()
	return again
}

// load reads the snapshot.
func (b *baseline) load() {
	b.dumps = nil
	info, err := os.Stat(b.path)
	b.written, b.exists = time.Time{}, !errors.Is(err, fs.ErrNotExist) // a file that we may not read is there
	if err == nil {
		b.written = info.ModTime()
	}
	side, meta, sum := snapshot.LoadChanged(b.path, b.sum)
	if b.exists && !strings.HasSuffix(b.path, ".json") {
		p := problem.New(problem.InputKind, "%s is neither a directory nor a .json snapshot", b.path).In(b.path)
		side, meta, sum = &resource.Side{Origin: b.path, Problems: []problem.Problem{p}}, snapshot.Meta{}, snapshot.Sum{}
	}
	b.exists = b.exists || side == nil || len(side.Records) > 0 // it may come between two looks
	if side != nil {
		b.judge(side)
		b.loaded, b.meta, b.sum = nil, snapshot.Meta{}, snapshot.Sum{}
		if !b.exists && b.problem == nil {
			return
		}
		b.all, b.meta, b.sum = keepRecords(side, b.all), meta, sum
		b.loaded = b.all.Narrow(b.cfg.Project.Kernels)
	}
	if !b.meta.Written.IsZero() {
		b.written = b.meta.Written
	}
}

// judge tells whether a side can be compared with. A baseline that is not there
// is one that was not taken yet, unless the command line asked for it.
func (b *baseline) judge(side *resource.Side) {
	b.problem = nil
	missing := !b.exists && b.cfg.Project.Origin("baseline").Layer != project.Flag
	if len(side.Records) == 0 && len(side.Problems) > 0 && !missing {
		b.problem = new(side.Problems[0].On(diff.SideBefore))
	}
}

func (b *baseline) reload(force bool) {
	if b.heard {
		b.read(func(t *tree) {
			t.heard = true
			t.reload(force)
		})
	}
}

// side returns the before side, nil if there is no baseline. One that cannot be
// used has no records and says why.
func (b *baseline) side() *resource.Side {
	switch {
	case !b.exists && b.problem == nil:
		return nil
	case b.dumps != nil:
		return b.dumps.side()
	default:
		return b.loaded
	}
}

// directory returns the dump directory of a record, nil if the baseline is a
// snapshot.
func (b *baseline) directory(r *resource.Record) *directory {
	if b.dumps == nil {
		return nil
	}
	return b.dumps.directory(r)
}

// moved reports whether a directory of a tree has changed since the last State.
func (b *baseline) moved(dir string) bool { return b.dumps != nil && b.dumps.moved[dir] }

func (b *baseline) state() Baseline {
	return Baseline{
		Path: b.path, Exists: b.exists, Written: b.written, Dir: b.dumps != nil,
		Undo: regular.Exists(snapshot.PreviousPath(b.path)), Problem: b.problem,
	}
}

// keepRecords takes the records of the side before that say the same, so that
// what did not change is seen by its pointer.
func keepRecords(side, before *resource.Side) *resource.Side {
	if before == nil {
		return side
	}
	next, old := *side, before.Records
	next.Records = slices.Clone(side.Records)
	for i, r := range next.Records {
		for len(old) > 0 && old[0].Key < r.Key {
			old = old[1:]
		}
		if len(old) > 0 && reflect.DeepEqual(old[0], r) {
			next.Records[i] = old[0]
		}
	}
	return &next
}
