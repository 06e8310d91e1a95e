package live

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/pysource"
)

// A version is what a source meant from some moment on.
type version struct {
	since time.Time
	code  uint64 // pysource.Code.Hash; 0 for a file that did not exist
}

// A history holds the versions of a source that a session saw on the disk, the
// oldest first. What the file held before the first one is not known.
type history []version

// maxVersions bounds a history. What is forgotten is not known.
const maxVersions = 64

// changedSince reports whether the source means something else now than it did at a
// moment, or whether that is not known.
func (h history) changedSince(t time.Time) bool {
	for _, v := range slices.Backward(h) {
		if !v.since.After(t) {
			return v.code != h[len(h)-1].code
		}
	}
	return len(h) > 0
}

// edits tells how the sources of a project changed on the disk by what they mean,
// and which of them are compiled together.
type edits struct {
	clock    Clock
	timeless bool // the times of files that are found at the start mean nothing
	sources  map[string]*edited
	changes  []time.Time         // when one of them changed, sorted
	dirty    map[string]bool     // those that changed since the kernels were looked at
	stems    map[string][]string // paths by the last part of the name that others import them by; nil if it has to be made again
	uses     map[string][]string // by path: the project's files that it names; made with stems
	users    map[string][]string // the same backwards
	related  map[string][]string // what compiledWith returned since
}

// An edited is one source.
type edited struct {
	history
	imports []pysource.Import
	gone    bool
}

func newEdits(cfg Config) edits {
	return edits{clock: cfg.Clock, timeless: cfg.IgnoreTimes, sources: map[string]*edited{}, dirty: map[string]bool{}}
}

// maxChanges bounds the moments that are kept. Before the oldest one, no dump is of
// the same sources as a newer one.
const maxChanges = 1 << 14

// enter notes what a source holds. first says that the session has just begun, so
// nobody saw what it held before.
func (e *edits) enter(path string, code pysource.Code, modTime time.Time, first bool) {
	f := e.sources[path]
	if f == nil {
		f = &edited{}
		e.sources[path] = f
		if !first {
			f.history = history{{}}
		} else if e.timeless {
			modTime = time.Time{}
		}
		e.stems = nil
	}
	if f.gone || !slices.EqualFunc(f.imports, code.Imports, sameImport) {
		e.stems = nil
	}
	f.gone, f.imports = false, code.Imports
	if n := len(f.history); n > 0 {
		last := f.history[n-1]
		if last.code == code.Hash {
			return
		}
		if !modTime.After(last.since) { // as of a file that was put there with an older time
			modTime = e.clock.Now()
		}
		if !modTime.After(last.since) {
			modTime = last.since.Add(1)
		}
	}
	f.history = append(f.history, version{modTime, code.Hash})
	if n := len(f.history); n > maxVersions {
		f.history = slices.Clone(f.history[n-maxVersions:])
	}
	i, _ := slices.BinarySearchFunc(e.changes, modTime, time.Time.Compare)
	e.changes = slices.Insert(e.changes, i, modTime)
	if n := len(e.changes); n > maxChanges {
		e.changes = slices.Clone(e.changes[n-maxChanges/2:])
	}
	e.dirty[path] = true
}

func sameImport(a, b pysource.Import) bool {
	return a.Module == b.Module && slices.Equal(a.Names, b.Names)
}

// leave notes that a source is gone. It may be back in a moment with what it held.
func (e *edits) leave(path string) {
	if f := e.sources[path]; f != nil && !f.gone {
		f.gone, e.stems = true, nil
	}
}

// epoch returns when one of the sources changed last before a moment, the zero time
// if none is known to. What was compiled between two moments of one epoch was
// compiled from the same sources.
func (e *edits) epoch(t time.Time) time.Time {
	i, found := slices.BinarySearchFunc(e.changes, t, time.Time.Compare)
	for found && i+1 < len(e.changes) && e.changes[i+1].Equal(t) {
		i++
	}
	if !found {
		i--
	}
	if i < 0 {
		return time.Time{}
	}
	return e.changes[i]
}

// since returns the sources that one is compiled with and that changed after a
// moment, sorted.
func (e *edits) since(path string, t time.Time) (changed []string) {
	if n := len(e.changes); n == 0 || !e.changes[n-1].After(t) {
		return nil
	}
	for _, p := range e.compiledWith(path) {
		if f := e.sources[p]; !f.gone && f.changedSince(t) {
			changed = append(changed, p)
		}
	}
	return changed
}

// touched returns the sources whose kernels may have become older than an edit, or
// are no longer, since it was called last.
func (e *edits) touched() map[string]bool {
	if len(e.dirty) == 0 {
		return nil
	}
	all := maps.Clone(e.dirty)
	for path := range e.dirty {
		for _, p := range e.compiledWith(path) {
			all[p] = true
		}
	}
	clear(e.dirty)
	return all
}

// compiledWith returns a source, those that it imports or includes and those that
// import it, directly or through others, sorted. A test that imports a kernel says
// how it is compiled as much as a helper that the kernel imports.
func (e *edits) compiledWith(path string) []string {
	e.connect()
	if paths, ok := e.related[path]; ok {
		return paths
	}
	seen := map[string]bool{}
	if e.sources[path] != nil {
		seen[path] = true
	}
	for _, edges := range []map[string][]string{e.uses, e.users} {
		reached := map[string]bool{path: true}
		for todo := []string{path}; len(todo) > 0; {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, p := range edges[next] {
				if !reached[p] {
					reached[p], seen[p] = true, true
					todo = append(todo, p)
				}
			}
		}
	}
	paths := slices.Sorted(maps.Keys(seen))
	e.related[path] = paths
	return paths
}

// connect finds out which sources name which.
func (e *edits) connect() {
	if e.stems != nil {
		return
	}
	e.stems, e.uses, e.users, e.related = map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}
	for path, f := range e.sources {
		if !f.gone {
			stem := filepath.Base(importName(path))
			e.stems[stem] = append(e.stems[stem], path)
		}
	}
	for path, f := range e.sources {
		if f.gone {
			continue
		}
		named := map[string]bool{}
		for _, i := range f.imports {
			e.named(path, i, named)
		}
		delete(named, path)
		e.uses[path] = slices.Collect(maps.Keys(named))
		for p := range named {
			e.users[p] = append(e.users[p], path)
		}
	}
}

// importName is the path by which others import a source: without the ending of a
// Python file, and a package by its folder.
func importName(path string) string {
	name, python := strings.CutSuffix(path, ".py")
	if !python {
		return path
	}
	if folder, name := filepath.Split(name); name == "__init__" {
		return filepath.Clean(folder)
	}
	return name
}

// named adds the sources that an import of one of them names.
func (e *edits) named(from string, i pysource.Import, to map[string]bool) {
	if filepath.Ext(from) != ".py" {
		e.find(from, filepath.Dir(from), filepath.FromSlash(i.Module), true, to)
		return
	}
	folder, module, absolute := filepath.Dir(from), i.Module, true
	for rest, ok := strings.CutPrefix(module, "."); ok; rest, ok = strings.CutPrefix(module, ".") {
		if !absolute {
			folder = filepath.Dir(folder)
		}
		module, absolute = rest, false
	}
	module = filepath.FromSlash(strings.ReplaceAll(module, ".", "/"))
	whole := len(i.Names) == 0
	for _, name := range i.Names {
		if name == "*" || !e.find(from, folder, filepath.Join(module, name), absolute, to) {
			whole = true // the module itself defines it
		}
	}
	if whole {
		e.find(from, folder, cmp.Or(module, "."), absolute, to)
	}
}

// find adds the sources that a name means, and reports whether there are any: the one
// in a folder, or where nobody knows what Python's path is all whose paths end so.
func (e *edits) find(from, folder, name string, absolute bool, to map[string]bool) bool {
	here := filepath.Join(folder, name)
	var ending []string
	for _, path := range e.stems[filepath.Base(here)] {
		switch full := importName(path); {
		case full == here:
			to[path] = true
			return true
		case absolute && path != from && strings.HasSuffix(full, string(filepath.Separator)+filepath.Clean(name)):
			ending = append(ending, path)
		}
	}
	for _, path := range ending {
		to[path] = true
	}
	return len(ending) > 0
}
