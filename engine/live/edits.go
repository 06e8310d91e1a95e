package live

import (
	"cmp"
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/pysource"
)

// A version is what a source meant from some moment on.
type version struct {
	since time.Time
	code  uint64 // pysource.Code.Hash; 0 while there is no such file
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

// A turn is a moment at which what the sources mean changed, and the hash of all that
// they mean from then on.
type turn struct {
	at  time.Time
	sum uint64
}

// edits tells how the sources of a project changed on the disk by what they mean,
// and which of them are compiled together.
type edits struct {
	seed     maphash.Seed
	name     func(path string) string // the name of a source in messages
	clock    Clock
	timeless bool // the times of files that are found at the start mean nothing
	sources  map[string]*edited
	turns    []turn              // sorted
	known    time.Time           // from when on it is known what all sources held
	dirty    map[string]bool     // sources that changed since the kernels were looked at
	stems    map[string][]string // paths by the last part of the name that others import them by; nil if it has to be made again
	uses     map[string][]string // by path: the project's files that it names; made with stems
	users    map[string][]string // the same backwards
	related  map[string][]string // what compiledWith returned since
}

// An edited is one source.
type edited struct {
	history
	imports []pysource.Import
	kernels bool // it defines some
}

func (f *edited) gone() bool { return len(f.history) > 0 && f.history[len(f.history)-1].code == 0 }

func newEdits(cfg Config) edits {
	return edits{seed: maphash.MakeSeed(), name: cfg.Project.Relative, clock: cfg.Clock, timeless: cfg.IgnoreTimes, sources: map[string]*edited{}, dirty: map[string]bool{}}
}

// maxTurns bounds the moments that are kept. Before the oldest one nothing is known.
const maxTurns = 1 << 14

// enter notes what a source holds since a moment. first says that the session has just
// begun, so its earlier content is not known.
func (e *edits) enter(path string, code pysource.Code, kernels bool, since time.Time, first bool) {
	f := e.sources[path]
	if f == nil {
		f = &edited{}
		e.sources[path] = f
		if !first {
			f.history = history{{}} // it did not exist
		} else if e.timeless {
			since = time.Time{}
		}
		e.disconnect()
	}
	if f.kernels != kernels || !slices.EqualFunc(f.imports, code.Imports, sameImport) {
		e.disconnect()
	}
	f.imports, f.kernels = code.Imports, kernels
	e.change(path, f, version{since, max(code.Hash, 1)}, first)
}

// change appends a version to the history of a source.
func (e *edits) change(path string, f *edited, v version, first bool) {
	var was uint64
	if n := len(f.history); n > 0 {
		last := f.history[n-1]
		if last.code == v.code {
			return
		}
		was = last.code
		switch fine := v.since.Nanosecond() != 0; {
		case fine && v.since.Equal(last.since):
			// It was read while it was written: both versions are of one tick of the clock.
		case !v.since.After(last.since):
			v.since = later(e.clock.Now(), last.since.Add(1))
		}
	} else if first && v.since.After(e.known) {
		e.known = v.since
	}
	f.history = append(f.history, v)
	if n := len(f.history); n > maxVersions {
		f.history = slices.Clone(f.history[n-maxVersions:])
	}
	e.turn(v.since, e.hash(path, was)^e.hash(path, v.code))
	e.dirty[path] = true
}

// turn enters a moment from which on the sum of all sources differs.
func (e *edits) turn(at time.Time, by uint64) {
	i, _ := slices.BinarySearchFunc(e.turns, at, func(t turn, at time.Time) int { return t.at.Compare(at) })
	before := uint64(0)
	if i > 0 {
		before = e.turns[i-1].sum
	}
	e.turns = slices.Insert(e.turns, i, turn{at, before})
	for j := i; j < len(e.turns); j++ {
		e.turns[j].sum ^= by
	}
	if n := len(e.turns); n > maxTurns {
		e.turns = slices.Clone(e.turns[n-maxTurns/2:])
		e.known = later(e.known, e.turns[0].at)
	}
}

func (e *edits) hash(path string, code uint64) uint64 {
	if code == 0 {
		return 0
	}
	return maphash.Comparable(e.seed, struct {
		path string
		code uint64
	}{path, code})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func sameImport(a, b pysource.Import) bool {
	return a.Module == b.Module && slices.Equal(a.Names, b.Names)
}

// leave notes that a source is gone. Those that name it are compiled without it from
// then on; if it comes back with what it held, nothing has changed.
func (e *edits) leave(path string) {
	f := e.sources[path]
	if f == nil || f.gone() {
		return
	}
	at := e.clock.Now()
	if _, real := e.clock.(wallClock); real {
		// The folder changed when its last file came or went.
		if info, err := os.Stat(filepath.Dir(path)); err == nil && info.ModTime().Before(at) {
			at = info.ModTime()
		}
	}
	e.change(path, f, version{at, 0}, false)
}

// last returns the index of the last turn that is not after a moment, -1 if there is
// none.
func (e *edits) last(t time.Time) int {
	i, found := slices.BinarySearchFunc(e.turns, t, func(turn turn, t time.Time) int { return turn.at.Compare(t) })
	for found && i+1 < len(e.turns) && e.turns[i+1].at.Equal(t) {
		i++
	}
	if !found {
		i--
	}
	return i
}

// epoch returns when one of the sources changed last before a moment, the zero time
// if none is known to.
func (e *edits) epoch(t time.Time) time.Time {
	if i := e.last(t); i >= 0 {
		return e.turns[i].at
	}
	return time.Time{}
}

// same reports whether compiles at two moments are known to have read the same sources.
func (e *edits) same(a, b time.Time) bool {
	if a.After(e.epoch(b)) && !a.After(b) {
		return true // none changed in between
	}
	if a.Before(e.known) || b.Before(e.known) {
		return false
	}
	i, j := e.last(a), e.last(b)
	return i >= 0 && j >= 0 && e.turns[i].sum == e.turns[j].sum // an edit was taken back
}

// since returns the names of the sources that one is compiled with and that changed
// after a moment.
func (e *edits) since(path string, t time.Time) (changed []string) {
	if n := len(e.turns); n == 0 || !e.turns[n-1].at.After(t) {
		return nil
	}
	for _, p := range e.compiledWith(path) {
		if e.sources[p].changedSince(t) {
			changed = append(changed, e.name(p))
		}
	}
	return changed
}

// touched returns a test for sources whose kernels may have become older than an edit,
// or are no longer, since it was called last; nil if none has.
func (e *edits) touched() func(path string) bool {
	if len(e.dirty) == 0 {
		return nil
	}
	dirty, answers := e.dirty, map[string]bool{}
	e.dirty = map[string]bool{}
	return func(path string) bool {
		answer, known := answers[path]
		if !known {
			answer = slices.ContainsFunc(e.compiledWith(path), func(p string) bool { return dirty[p] })
			answers[path] = answer
		}
		return answer
	}
}

// compiledWith returns a source and those that it is compiled with, sorted: those that
// it names, directly or through others, those that name it so, and what these name
// besides but for other kernels. A test that imports a kernel says how it is compiled
// as much as a helper that the kernel imports.
func (e *edits) compiledWith(path string) []string {
	e.connect()
	if paths, ok := e.related[path]; ok {
		return paths
	}
	seen := map[string]bool{}
	if e.sources[path] != nil {
		seen[path] = true
	}
	walk := func(from []string, edges map[string][]string, through func(path string) bool) (reached []string) {
		visited := map[string]bool{}
		for todo := slices.Clone(from); len(todo) > 0; {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, p := range edges[next] {
				if !visited[p] && through(p) {
					visited[p], seen[p] = true, true
					reached = append(reached, p)
					todo = append(todo, p)
				}
			}
		}
		return reached
	}
	always := func(string) bool { return true }
	walk([]string{path}, e.uses, always)
	users := walk([]string{path}, e.users, always)
	walk(users, e.uses, func(p string) bool { return !e.sources[p].kernels })
	for _, p := range append(users, path) {
		for dir := filepath.Dir(p); ; dir = filepath.Dir(dir) {
			// pytest loads it for the tests below, which do not name it.
			if conftest := filepath.Join(dir, "conftest.py"); e.sources[conftest] != nil {
				seen[conftest] = true
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for p := range maps.Clone(seen) {
		// A module of a package is imported after the package.
		for dir := filepath.Dir(p); ; dir = filepath.Dir(dir) {
			init := filepath.Join(dir, "__init__.py")
			if e.sources[init] == nil {
				break
			}
			seen[init] = true
		}
	}
	paths := slices.Sorted(maps.Keys(seen))
	e.related[path] = paths
	return paths
}

// disconnect forgets which sources name which.
func (e *edits) disconnect() { e.stems = nil }

// connect finds out which sources name which, and which named one that is gone.
func (e *edits) connect() {
	if e.stems != nil {
		return
	}
	e.stems, e.uses, e.users, e.related = map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}
	for path := range e.sources {
		stem := filepath.Base(importName(path))
		e.stems[stem] = append(e.stems[stem], path)
	}
	for path, f := range e.sources {
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
