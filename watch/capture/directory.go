package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/atomicfile"
	"isadiff/engine/dump"
	"isadiff/engine/gitignore"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
)

// A directory is a dump directory while something is captured into it.
type directory struct {
	root  string
	live  bool
	owned bool      // all that is in it was captured
	since time.Time // by the clock of its file system: what is older was there before
	table *producer.Table
	hold  *dump.Hold
}

// prepare makes a directory ready to be captured into. It is held until
// [directory.release].
func prepare(ctx context.Context, root string, o Options) (*directory, error) {
	d := &directory{root: root, live: o.Live, table: tableOf(o.Producer)}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, unwritable(root, err)
	}
	gitignore.Beside(root, os.OpenFile)
	if err := d.take(ctx); err != nil {
		return nil, err
	}
	if err := d.clear(); err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

// patience is how long a capture into a directory of its own waits for another
// run; a live one waits for its end, as it is there for what was saved meanwhile.
const (
	patience = time.Second
	retry    = 20 * time.Millisecond
)

// take holds the directory, in which no other run writes then.
func (d *directory) take(ctx context.Context) (err error) {
	for begin := time.Now(); ; {
		d.hold, err = dump.Take(d.root)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, dump.ErrHeld):
			return unwritable(d.root, err)
		case !d.live && time.Since(begin) > patience:
			return problem.New(problem.RunUnderWay, "%s: %v", d.root, err).In(d.root)
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// release says that nothing is written into the directory any more.
func (d *directory) release() { d.hold.End() }

// clear marks the directory, as far as it is isadiff's own, and removes what an
// earlier capture left.
func (d *directory) clear() error {
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return unwritable(d.root, err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == dump.RunningName })
	d.owned = len(entries) == 0 || owned(d.root)
	if !d.owned && !d.live {
		return problem.New(problem.CaptureNotFresh, "%s is not empty, and isadiff did not write what is in it", d.root).In(d.root)
	}
	if d.owned {
		if err := d.mark(dump.Begun(time.Now())); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if d.live || e.Name() == dump.IncompleteName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(d.root, e.Name())); err != nil {
			return unwritable(d.root, err)
		}
	}
	if d.since, err = now(d.root); err != nil {
		return unwritable(d.root, err)
	}
	return nil
}

// owned reports whether a directory holds a capture, whole or not, and so
// belongs to isadiff.
func owned(root string) bool {
	for _, name := range []string{dump.ManifestName, dump.IncompleteName} {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// now returns the time as the file system of a directory tells it.
func now(dir string) (time.Time, error) {
	f, err := os.CreateTemp(dir, ".isadiff-time-*")
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// mark says that the directory is no whole capture, and why.
func (d *directory) mark(reason string) error {
	if err := atomicfile.Write(filepath.Join(d.root, dump.IncompleteName), []byte(reason+"\n")); err != nil {
		return unwritable(d.root, err)
	}
	return nil
}

// finish makes the directory say what it holds.
func (d *directory) finish(ctx context.Context, r *Result, o Options) error {
	if !r.Whole() {
		switch {
		case d.live && !d.owned:
			return nil // the user's own: a later plain run could not take the mark away
		case d.live && errors.Is(context.Cause(ctx), ErrSuperseded):
			return nil // the newer run says how it ended
		}
		return d.mark(r.Problems[0].Message)
	}
	if d.owned {
		if d.live {
			if err := d.sweep(r); err != nil {
				return err
			}
		}
		m := dump.Manifest{
			Command: o.Command.Args, Archs: slices.Concat([]string{}, o.Archs), Revision: o.Revision,
			Compilers: slices.Concat([]dump.Compiler{}, r.Compilers), Unseen: r.unseen, Allowed: r.allowed,
			Captured: time.Now().UTC().Truncate(time.Second), Seconds: r.Took.Round(time.Millisecond).Seconds(), Kernels: r.Kernels,
		}
		text, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return fmt.Errorf("the manifest of %s: %w", d.root, err)
		}
		if err := atomicfile.Write(filepath.Join(d.root, dump.ManifestName), append(text, '\n')); err != nil {
			return unwritable(d.root, err)
		}
	}
	if err := os.Remove(filepath.Join(d.root, dump.IncompleteName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(d.root, err)
	}
	return nil
}

// sweep removes what an earlier run left: stage files beside newer ones, and the
// dumps of what this run did not compile.
func (d *directory) sweep(r *Result) error {
	folders, err := findFolders(d.root, d.table)
	if err != nil {
		return unwritable(d.root, err)
	}
	for _, f := range folders {
		fresh := f.assembly(d.since)
		switch {
		case fresh == 0:
			err = f.remove(d.root)
		case fresh < len(f.stages):
			for name, at := range f.stages {
				if at.Before(d.since) {
					err = errors.Join(err, os.Remove(filepath.Join(f.path, name)))
				}
			}
		}
		if err != nil {
			return unwritable(d.root, err)
		}
	}
	return nil
}

// A folder is a directory that a compile wrote into.
type folder struct {
	path   string
	origin time.Time            // zero if there is none
	stages map[string]time.Time // the times of its final assembly files
}

// assembly counts the stage files that were written since a time.
func (f *folder) assembly(since time.Time) (n int) {
	for _, at := range f.stages {
		if !at.Before(since) {
			n++
		}
	}
	return n
}

// findFolders returns the directories below root that compiles wrote into,
// deepest first.
func findFolders(root string, table *producer.Table) (folders []*folder, err error) {
	at := map[string]*folder{}
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !table.IsOrigin(e.Name()) && !table.IsAssembly(e.Name()) {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		f := at[dir]
		if f == nil {
			f = &folder{path: dir, stages: map[string]time.Time{}}
			at[dir] = f
			folders = append(folders, f)
		}
		if table.IsOrigin(e.Name()) {
			f.origin = info.ModTime()
		} else {
			f.stages[e.Name()] = info.ModTime()
		}
		return nil
	})
	slices.SortFunc(folders, func(a, b *folder) int { return len(b.path) - len(a.path) })
	return folders, err
}

// remove removes the files of a directory, and the directory if nothing else is
// in it.
func (f *folder) remove(root string) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	rest := 0
	for _, e := range entries {
		if !e.Type().IsRegular() || f.path == root && strings.HasPrefix(e.Name(), ".isadiff-") {
			rest++
			continue
		}
		err = errors.Join(err, os.Remove(filepath.Join(f.path, e.Name())))
	}
	for dir := f.path; rest == 0 && err == nil && dir != root; dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // not empty
		}
	}
	return err
}

func unwritable(path string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		path, err = pathError.Path, pathError.Err
	}
	return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, err).In(path)
}
