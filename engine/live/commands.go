package live

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/atomicfile"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// A Written tells what a command did to the baseline.
type Written struct {
	Path    string
	Kernels int      // kernels in the baseline now
	Lost    []string // keys that the baseline held before and no longer does
	Redone  bool     // an undo put back what the undo before it had taken away: the newer baseline
	Lacking []string // keys whose assembly could not be kept beside the figures that were written
}

// SnapshotBaseline writes the live side as the new baseline and keeps the old one
// for UndoBaseline. Without force it refuses data that cannot be trusted.
func (s *Session) SnapshotBaseline(ctx context.Context, force bool) (Written, error) {
	return ask(ctx, s, func(o *owner) (Written, error) { return o.takeBaseline(force) })
}

// UndoBaseline puts the baseline back that stood before the last change by
// SnapshotBaseline, AcceptKernel or UndoBaseline.
func (s *Session) UndoBaseline(ctx context.Context) (Written, error) {
	return ask(ctx, s, (*owner).undoBaseline)
}

// AcceptKernel puts the figures that one kernel has now into the baseline.
func (s *Session) AcceptKernel(ctx context.Context, key string) (Written, error) {
	return ask(ctx, s, func(o *owner) (Written, error) { return o.accept(key) })
}

// NewestCounts makes the newest dump of a kernel that is overwritten the one that is
// compared, of all such kernels for "": what changed was not a source. It lasts until
// its place is written over again.
func (s *Session) NewestCounts(ctx context.Context, key string) error {
	_, err := ask(ctx, s, func(o *owner) (struct{}, error) {
		if !o.dumps.newestCounts(key) {
			return struct{}{}, ErrNotOverwritten
		}
		o.dirty = true
		o.publish()
		return struct{}{}, nil
	})
	return err
}

// RemoveLeftover removes a stage file of the dump tree that hides a newer one,
// and nothing else.
func (s *Session) RemoveLeftover(ctx context.Context, file string) error {
	_, err := ask(ctx, s, func(o *owner) (struct{}, error) { return struct{}{}, o.removeLeftover(file) })
	return err
}

// The reasons why a command refuses, to tell them apart.
var (
	ErrNotReady       = errors.New("the dumps are still being read; try again in a moment")
	ErrBaselineDir    = errors.New("the baseline is a dump directory, which only a compile can change; set baseline to a .json snapshot to take or accept one here")
	ErrUntrusted      = errors.New("the figures cannot be trusted")
	ErrNoBaseline     = errors.New("there is no baseline yet; take one first")
	ErrNoUndo         = errors.New("no earlier baseline is kept")
	ErrNoKernel       = errors.New("no such kernel in the dumps")
	ErrNotLeftover    = errors.New("it is no stage file of the dump tree that hides a newer one")
	ErrNotOverwritten = errors.New("no such kernel was overwritten by another compile of the same sources")
	errNoKernelYet    = errors.New("the dumps hold no kernel; compile first")
	errUndoUnusable   = errors.New("the earlier baseline cannot be read")
)

func (o *owner) takeBaseline(force bool) (Written, error) {
	if !o.ready() {
		return Written{}, ErrNotReady
	}
	if err := o.valid(); err != nil {
		return Written{}, err
	}
	if o.baseline.dumps != nil && o.baseline.exists {
		return Written{}, fmt.Errorf("%s: %w", o.cfg.Project.Baseline, ErrBaselineDir)
	}
	live := o.dumps.whole()
	if len(live.Records) == 0 {
		return Written{}, fmt.Errorf("%s: %w", o.cfg.Project.Dumps, errNoKernelYet)
	}
	if !force && o.crash != nil {
		return Written{}, fmt.Errorf("%w: %w", ErrUntrusted, o.crash)
	}
	if !force && !live.Trustworthy() {
		return Written{}, fmt.Errorf("%w: %s", ErrUntrusted, reasons(live))
	}
	if len(o.failed) > 0 && !force {
		return Written{}, fmt.Errorf("%w: %w", ErrUntrusted, o.failed[0])
	}
	if o.run() != nil && !force {
		return Written{}, fmt.Errorf("%w: a run is under way", ErrUntrusted)
	}
	if n := len(o.dumps.waiting); !force && n > 0 {
		return Written{}, fmt.Errorf("%w: %d compiles are under way", ErrUntrusted, n)
	}
	return o.changeBaseline(func(path string, old []byte) ([]string, error) {
		return o.writeBaseline(path, old, live, snapshot.Meta{}, kept.All(kept.Tree(o.dumps.root)))
	})
}

// reasons names the first problem of a side and counts the others.
func reasons(side *resource.Side) string {
	ps := side.Doubts()
	if len(ps) == 0 {
		return "a cell could not be read"
	}
	if len(ps) == 1 {
		return ps[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", ps[0].Error(), len(ps)-1)
}

func (o *owner) accept(key string) (Written, error) {
	switch {
	case !o.ready():
		return Written{}, ErrNotReady
	case o.crash != nil:
		return Written{}, fmt.Errorf("%w: %w", ErrUntrusted, o.crash)
	case o.valid() != nil:
		return Written{}, o.valid()
	case len(o.failed) > 0:
		return Written{}, fmt.Errorf("%w: %w", ErrUntrusted, o.failed[0])
	case !o.baseline.exists:
		return Written{}, ErrNoBaseline
	case o.baseline.dumps != nil:
		return Written{}, fmt.Errorf("%s: %w", o.cfg.Project.Baseline, ErrBaselineDir)
	}
	o.publish()
	if o.run() != nil {
		return Written{}, fmt.Errorf("%s: %w while a run is under way; wait for its end", key, ErrUntrusted)
	}
	k := o.session.Current().Kernel(key)
	if k == nil || k.Live == nil {
		return Written{}, fmt.Errorf("%s: %w", key, ErrNoKernel)
	}
	if f := o.dumps.directory(k.Live); !k.Live.Trustworthy() || f.underWay() || len(f.Problems) > 0 {
		return Written{}, fmt.Errorf("%s: %w; mend that first", key, ErrUntrusted)
	}
	return o.changeBaseline(func(path string, old []byte) ([]string, error) {
		side, meta := snapshot.Decode(path, old) // others may have changed it since it was loaded
		if len(side.Problems) > 0 {
			return nil, fmt.Errorf("%w; take a new baseline", side.Problems[0])
		}
		next := *side
		next.Records = slices.DeleteFunc(slices.Clone(side.Records), func(r *resource.Record) bool {
			return r.Key == key || r.Key == k.RenamedFrom || k.Baseline != nil && r.Key == k.Baseline.Key
		})
		next.Records = append(next.Records, k.Live)
		slices.SortFunc(next.Records, byKey)
		var assembly kept.From
		// Without one that can be used there is nothing to add one kernel to.
		if earlier, _ := kept.Of(side); earlier != nil {
			defer earlier.Close()
			tree := kept.Tree(o.dumps.root)
			assembly = func(r *resource.Record) *kept.Origin {
				if r == k.Live {
					return tree
				}
				return earlier
			}
		}
		lacking, err := o.writeBaseline(path, old, &next, meta, assembly)
		return slices.DeleteFunc(lacking, func(of string) bool { return of != key }), err // others had none before
	})
}

// changeBaseline runs a change of the baseline, which gets its text, nil if there
// is none, while no other process changes it. It returns the keys whose assembly could
// not be kept. What stands in its place and is no snapshot is refused.
func (o *owner) changeBaseline(change func(path string, old []byte) ([]string, error)) (Written, error) {
	path, err := o.cfg.Project.WritableBaseline()
	if err != nil {
		return Written{}, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe would hold up the session
		return Written{}, problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.ErrNotRegular)
	}
	if err := o.makeFolder(filepath.Dir(path)); err != nil {
		return Written{}, err
	}
	var lacking []string
	err = snapshot.Change(path, func() error {
		old, err := snapshot.Standing(path)
		if err != nil {
			return err
		}
		lacking, err = change(path, old)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	w := o.reloadBaseline()
	w.Lacking = lacking
	return w, nil
}

// writeBaseline replaces the baseline by a snapshot of side, with its assembly unless
// that is nil, and keeps the old one. It returns the keys whose assembly could not be kept.
func (o *owner) writeBaseline(path string, old []byte, side *resource.Side, meta snapshot.Meta, assembly kept.From) (lacking []string, err error) {
	meta.Written = o.cfg.Clock.Now()
	data, err := snapshot.Encode(side, meta)
	if err != nil {
		return nil, err
	}
	previous := ""
	if old != nil {
		previous = snapshot.PreviousPath(path)
	}
	var content func(io.Writer) error
	if assembly != nil {
		content = func(w io.Writer) (err error) {
			lacking, err = kept.Write(w, sha256.Sum256(data), side.Records, assembly)
			return err
		}
	}
	err = kept.Replace(o.place, path, previous, content, func() error {
		if old != nil {
			if err := o.write(previous, old); err != nil {
				return fmt.Errorf("keeping the old baseline: %w", err)
			}
		}
		return o.write(path, data)
	})
	return lacking, err
}

func (o *owner) undoBaseline() (Written, error) {
	if err := o.valid(); err != nil {
		return Written{}, err
	}
	if o.baseline.dumps != nil && o.baseline.exists {
		return Written{}, fmt.Errorf("%s: %w", o.cfg.Project.Baseline, ErrBaselineDir)
	}
	redone, undone := false, [sha256.Size]byte{}
	w, err := o.changeBaseline(func(path string, now []byte) ([]string, error) {
		previous := snapshot.PreviousPath(path)
		earlier, err := regular.Read(previous)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, ErrNoUndo
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errUndoUnusable, err)
		case !snapshot.Is(earlier):
			return nil, fmt.Errorf("%w: %s is no snapshot", errUndoUnusable, previous)
		}
		if now != nil {
			// Of two that were taken within a second the times tell nothing.
			redone = o.undone == sha256.Sum256(earlier) || snapshot.Newer(earlier, now)
			undone = sha256.Sum256(now)
		}
		return nil, kept.Exchange(o.place, path, previous, func() error {
			if err := o.write(path, earlier); err != nil {
				return err
			}
			if now == nil {
				return os.Remove(previous)
			}
			if err := o.write(previous, now); err != nil {
				return fmt.Errorf("keeping the newer baseline: %w", err)
			}
			return nil
		})
	})
	if w.Redone = redone; err == nil {
		if o.undone = undone; redone {
			o.undone = [sha256.Size]byte{}
		}
	}
	return w, err
}

// reloadBaseline reads what was just written, without waiting for a watcher.
func (o *owner) reloadBaseline() Written {
	before := o.baseline.whole()
	o.baseline.load()
	o.dirty = true
	o.publish()
	w := Written{Path: o.baseline.path}
	after := o.baseline.whole()
	if after != nil {
		w.Kernels = len(after.Records)
	}
	if before != nil {
		w.Lost = lost(before.Records, after)
	}
	return w
}

// whole returns the snapshot with all its kernels, nil if there is none.
func (b *baseline) whole() *resource.Side {
	if b.loaded == nil {
		return nil
	}
	return b.all
}

// lost returns the keys of records that side does not hold.
func lost(records []*resource.Record, side *resource.Side) (keys []string) {
	for _, r := range records {
		if side == nil {
			keys = append(keys, r.Key)
		} else if _, ok := slices.BinarySearchFunc(side.Records, r.Key, keyOrder); !ok {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// write writes a file of the baseline, in place of a snapshot and of no other file;
// outside of the project's root only if the command line named that place.
func (o *owner) write(path string, data []byte) error {
	if o.outside() {
		return snapshot.Save(path, data)
	}
	if _, err := snapshot.Standing(path); err != nil {
		return err
	}
	return o.place(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// place writes a file where the baseline is, whole or not at all; outside of the
// project's root only if the command line named that place.
func (o *owner) place(path string, content func(io.Writer) error) error {
	if o.outside() {
		return atomicfile.WriteFunc(path, content)
	}
	if led, err := filepath.EvalSymlinks(path); err == nil {
		path = led // so that a link stays one
	}
	return o.cfg.Project.WriteFunc(path, content)
}

// makeFolder makes the folder of the baseline.
func (o *owner) makeFolder(dir string) error {
	if !o.outside() {
		return o.cfg.Project.MakeFolder(dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return problem.New(problem.OutputUnwritable, "%s cannot be made: %v", dir, problem.Cause(err))
	}
	return nil
}

// outside reports whether the command line named the place of the baseline.
func (o *owner) outside() bool { return o.cfg.Project.Origin("baseline").Layer == project.Flag }

func (o *owner) removeLeftover(file string) error {
	dir, name, ok := o.dumps.split(file)
	f := o.dumps.dirs[dir]
	if !ok || f == nil || !o.cfg.Project.Producers.IsAssembly(name) || f.leftover() != file {
		return fmt.Errorf("%s: %w", file, ErrNotLeftover)
	}
	// A file of a repository can name any place for the dumps; whoever did not
	// trust it has not agreed to remove anything there.
	origin := o.cfg.Project.Origin("dumps")
	named := origin.Layer == project.File || origin.Layer == project.Client
	if err := o.cfg.Project.CheckWrite(file); err != nil && named && !o.cfg.Project.Trusted {
		return fmt.Errorf("dumps, set by %s, leads outside the project's root: %w; remove %s yourself", origin, err, file)
	}
	// The tree may have changed since: look again at what is removed and why.
	info, err := os.Lstat(file)
	if err != nil {
		return fmt.Errorf("removing the leftover: %w", err)
	}
	if !info.Mode().IsRegular() || !o.hidesNewer(file, info.ModTime()) {
		return fmt.Errorf("%s: %w", file, ErrNotLeftover)
	}
	if err := os.Remove(file); err != nil {
		return fmt.Errorf("removing the leftover: %w", err)
	}
	o.dumpsChanged(Batch{Removed: []string{file}, Missing: o.dumps.missing()})
	o.publish()
	return nil
}

// hidesNewer reports whether another stage file beside file is newer than it.
func (o *owner) hidesNewer(file string, modified time.Time) bool {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if e.Name() == filepath.Base(file) || !o.cfg.Project.Producers.IsAssembly(e.Name()) || !e.Type().IsRegular() {
			return false
		}
		info, err := e.Info()
		return err == nil && info.ModTime().After(modified)
	})
}

func byKey(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) }

func keyOrder(r *resource.Record, key string) int { return strings.Compare(r.Key, key) }
