package live

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/pysource"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// sources holds the Python files of a project and leads kernels to them.
type sources struct {
	cfg    Config
	heard  bool
	files  map[string]*pyFile // by absolute path
	index  *locate.Index
	places places
	edits  edits
	placed map[string][]string // by kernel: the files that it was led to last

	large   map[string]bool               // files that are too large to be read
	changed map[string]bool               // paths whose Source has to be made again
	kernels map[string]map[string]*Kernel // by path, then by key: what sits in a file
	seed    maphash.Seed
}

// A pyFile is one Python file: what stands on the disk, or in an editor.
type pyFile struct {
	onDisk  bool
	stamp   regular.Stamp // when it was read last
	modTime time.Time
	disk    uint64 // hash of the text on the disk
	overlay bool   // an editor holds the text
	text    uint64 // hash of the text that counts
	file    *pysource.File
	version int64
}

// edited reports whether an editor holds another text than the disk.
func (f *pyFile) edited() bool { return f.overlay && f.text != f.disk }

func newSources(cfg Config) *sources {
	s := &sources{
		cfg: cfg, files: map[string]*pyFile{}, index: locate.NewIndex(nil),
		large: map[string]bool{}, changed: map[string]bool{}, kernels: map[string]map[string]*Kernel{}, seed: maphash.MakeSeed(), edits: newEdits(cfg),
		placed: map[string][]string{},
	}
	s.places.reset()
	return s
}

// A scanned is a file as it was read.
type scanned struct {
	path    string
	gone    bool
	large   bool // and so it was not read
	modTime time.Time
	hash    uint64
	file    *pysource.File // nil if the text is already known
	code    pysource.Code  // with file
	since   time.Time      // when the file became what it is, according to the file system
	stamp   regular.Stamp  // it had before it was read
}

// apply takes in a Batch.
func (s *sources) apply(c Batch) {
	first := !s.heard
	s.heard = true
	paths := make([]string, 0, len(c.Settled))
	for _, f := range c.Settled {
		paths = append(paths, f.Path)
	}
	for _, f := range c.Touched {
		switch p := s.files[f.Path]; {
		case p == nil || !p.onDisk: // it did not exist when it was read
			paths = append(paths, f.Path)
		case !p.modTime.Equal(f.ModTime):
			p.modTime = f.ModTime
			s.places.timeChanged(f.Path)
		}
	}
	s.read(paths, first)
	for _, path := range c.Removed {
		delete(s.large, path)
		s.remove(path)
	}
}

// reload reads those files again that are others by their stamps, or all if forced.
func (s *sources) reload(force bool) {
	paths := make([]string, 0, len(s.files))
	for path, f := range s.files {
		if !force && f.onDisk && f.stamp.Final() {
			if now, err := regular.Stat(path); err == nil && now == f.stamp {
				continue
			}
		}
		paths = append(paths, path)
	}
	s.read(paths, false)
	s.places.reset()
}

// read reads files, with several workers if there are many. With first, the
// index is made at once.
func (s *sources) read(paths []string, first bool) {
	slices.Sort(paths)
	results := make([]scanned, len(paths))
	next := make(chan int, len(paths))
	for i := range paths {
		next <- i
	}
	close(next)
	var readers sync.WaitGroup
	for range min(workers(), len(paths)) {
		readers.Go(func() {
			var buffer []byte
			for i := range next {
				if s.cfg.ctx.Err() != nil {
					return
				}
				runtime.Gosched() // a server has requests to answer meanwhile
				results[i] = s.scan(paths[i], &buffer)
			}
		})
	}
	readers.Wait()
	if s.cfg.ctx.Err() != nil {
		return // the session has ended
	}
	for _, r := range results {
		s.take(r, first)
	}
	if first {
		for path := range s.edits.sources { // of a session before
			if s.files[path] == nil {
				s.edits.leave(path)
			}
		}
		s.index = locate.NewIndex(func(yield func(string, *pysource.File) bool) {
			for path, f := range s.files {
				if !yield(path, f.file) {
					return
				}
			}
		})
		s.places.reset()
	}
}

// workers is how many goroutines read files: one fewer than there are processors.
// Readers compute all the time, and the system lets a thread that computes go on
// for some milliseconds before one that woke up: the free processor is for those
// who ask meanwhile, and for the editor itself.
func workers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// scan reads one file, into buffer if that is large enough. It changes nothing of s.
func (s *sources) scan(path string, buffer *[]byte) scanned {
	r := scanned{path: path}
	text, info, err := readSource(path, buffer)
	if err != nil {
		_, r.large = errors.AsType[problem.TooLarge](err)
		r.gone = true
		return r
	}
	r.stamp, r.modTime, r.hash = regular.StampOf(info), info.ModTime(), maphash.Bytes(s.seed, text)
	if _, real := s.cfg.Clock.(wallClock); real {
		r.since = r.stamp.Changed
	}
	if known := s.files[path]; known == nil || known.disk != r.hash {
		r.file = s.scanText(path, func() *pysource.File { return s.cfg.Project.Producers.Scan(path, bytes.Clone(text)) })
		r.code = s.cfg.Project.Producers.ReadCode(s.edits.seed, path, text)
	}
	return r
}

// scanText finds the definitions of a text by scan. A crash of the scanner costs the
// definitions of that file, whose kernels are then shown on the assembly, and no more.
func (s *sources) scanText(path string, scan func() *pysource.File) (f *pysource.File) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log(problem.Crashed("looking for kernels in "+path, r).Message)
			f = &pysource.File{}
		}
	}()
	return scan()
}

// readSource reads a regular file, into buffer if that is large enough.
func readSource(path string, buffer *[]byte) (text []byte, info os.FileInfo, err error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	b := bytes.NewBuffer((*buffer)[:0])
	b.Grow(int(min(info.Size(), 1<<20)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(f, pysource.MaxSize+1))
	*buffer = b.Bytes()
	if len(*buffer) > pysource.MaxSize {
		*buffer = nil
		return nil, nil, problem.TooLarge(pysource.MaxSize)
	}
	return *buffer, info, err
}

// take enters what was read. With first, the index is made later, of all files.
func (s *sources) take(r scanned, first bool) {
	if delete(s.large, r.path); r.large {
		s.large[r.path] = true
	}
	if r.gone {
		s.remove(r.path)
		return
	}
	f := s.files[r.path]
	if f == nil {
		f = &pyFile{}
		s.files[r.path] = f
	}
	if !f.onDisk || !f.modTime.Equal(r.modTime) || f.disk != r.hash {
		s.places.timeChanged(r.path)
	}
	f.onDisk, f.stamp, f.modTime, f.disk = true, r.stamp, r.modTime, r.hash
	if r.file != nil {
		kernels := slices.ContainsFunc(r.file.Definitions, func(d pysource.Definition) bool { return !d.Launcher })
		since := r.modTime
		if !first || s.edits.sources[r.path] != nil { // it can be older than its place: moved, copied or unpacked there
			since = later(since, r.since)
		}
		s.edits.enter(r.path, r.code, kernels, since, first)
	}
	if !f.overlay && (f.file == nil || f.text != r.hash) && r.file != nil {
		s.set(r.path, f, r.hash, r.file, !first)
	}
}

// set gives a file another text.
func (s *sources) set(path string, f *pyFile, hash uint64, file *pysource.File, index bool) {
	f.text, f.file = hash, file
	f.version++
	s.changed[path] = true
	if index {
		s.index.Set(path, file)
		s.places.sourceChanged(path)
	}
}

func (s *sources) setOverlay(path string, draft *producer.Draft) {
	text := draft.Text()
	if len(text) > pysource.MaxSize {
		s.clearOverlay(path)
		return
	}
	f := s.files[path]
	if f == nil {
		f = &pyFile{}
		s.files[path] = f
	}
	hash := maphash.String(s.seed, text)
	if f.overlay && f.text == hash {
		return
	}
	f.overlay = true
	s.places.timeChanged(path)
	file := s.scanText(path, func() *pysource.File { return draft.Scan(s.cfg.Project.Producers) }) // the next version may need it
	if f.file == nil || f.text != hash {
		s.set(path, f, hash, file, true)
	}
}

func (s *sources) clearOverlay(path string) {
	f := s.files[path]
	if f == nil || !f.overlay {
		return
	}
	f.overlay = false
	s.places.timeChanged(path)
	switch {
	case !f.onDisk: // according to the batches
		s.remove(path)
	case f.text != f.disk:
		f.disk = 0 // so that it is scanned again
		s.take(s.scan(path, new([]byte)), false)
	}
}

// remove forgets a file, or all files of a directory. A text that an editor
// holds stays.
func (s *sources) remove(path string) {
	f, ok := s.files[path]
	if !ok {
		for large := range s.large {
			if isBelow(large, path) {
				delete(s.large, large)
			}
		}
		for below := range s.files {
			if isBelow(below, path) {
				s.remove(below)
			}
		}
		return
	}
	s.places.timeChanged(path)
	s.edits.leave(path)
	if f.overlay {
		f.onDisk, f.disk = false, 0
		return
	}
	delete(s.files, path)
	s.changed[path] = true
	s.index.Set(path, nil)
	s.places.sourceChanged(path)
}

// unread says which files are not known, as they are too large.
func (s *sources) unread() (warnings []string) {
	for _, path := range slices.Sorted(maps.Keys(s.large)) {
		warnings = append(warnings, fmt.Sprintf("%s is larger than %d MiB and was not read: no kernel is led to it, and no edit of it is noticed; name in sources what to read instead",
			resource.ValidText(s.cfg.Project.Relative(path)), pysource.MaxSize>>20))
	}
	return warnings
}

func isBelow(path, dir string) bool {
	return len(path) > len(dir) && path[:len(dir)] == dir && os.IsPathSeparator(path[len(dir)])
}

// look reads the files that have changed on the disk and that no batch has named yet.
func (s *sources) look() {
	var paths []string
	for path, f := range s.files {
		if info, err := os.Stat(path); err == nil && f.onDisk && !info.ModTime().Equal(f.modTime) {
			paths = append(paths, path)
		}
	}
	s.read(paths, false)
}

// age marks the kernels that may have become older than an edit, or are no longer.
func (s *sources) age() {
	if touched := s.edits.touched(); touched != nil {
		s.places.age(touched)
	}
}

// resolver leads kernels to the definitions that the sources hold now.
func (s *sources) resolver() *locate.Resolver {
	return &locate.Resolver{Index: s.index, Map: s.cfg.Project.PathMap, Stat: s.places.stat}
}

// place leads a kernel to its definition.
func (s *sources) place(p *pair) *foundPlace {
	record := p.After
	var at []locate.Location
	if record == nil {
		record = p.Before
	} else if k := p.dir.Module.Kernel(record.Name); k != nil {
		at = k.Locations
	}
	if len(at) == 0 && record.Origin.Path != "" && record.Origin.Line > 0 {
		at = []locate.Location{{Path: record.Origin.Path, Line: record.Origin.Line}}
	}
	query := locate.Query{Symbol: record.Name, At: at}
	if p.After == nil {
		query.Edited = true // since when is not known
		return s.places.find(query, s.resolver())
	}
	compiled := p.dir.compiledAt(record)
	if len(at) > 0 {
		path, ok := s.resolver().Source(at[0].Path)
		query.Edited = ok && s.changedAfter(path, compiled)
	}
	return s.places.find(query, s.resolver())
}

// stale reports whether the definition of a kernel is another text by now than was
// compiled, saved or not. Of several definitions it is not known which it is, but
// all can have changed.
func (s *sources) stale(p *pair) bool {
	at := p.found.place.Candidates
	if p.After == nil || len(at) == 0 {
		return false
	}
	compiled := p.dir.compiledAt(p.After)
	return !slices.ContainsFunc(at, func(c locate.Candidate) bool {
		f, e := s.files[c.Path], s.edits.sources[c.Path]
		return f == nil || !f.edited() && (e == nil || !e.changedSince(compiled))
	})
}

// editedSince returns the saved sources that a kernel, which was compiled from the files
// given, was compiled with and that mean something else by now: sorted, with NUL between.
func (s *sources) editedSince(p *pair, from []string) string {
	if p.After == nil {
		return ""
	}
	var paths []string
	for _, path := range from {
		paths = append(paths, s.edits.since(path, p.dir.compiledAt(p.After))...)
	}
	slices.Sort(paths)
	return strings.Join(slices.Compact(paths), "\x00")
}

// compiledFrom returns the project's files that a kernel may have been compiled from:
// those of its definition, or where there is none any more those that it had, or that
// its compile named.
func (s *sources) compiledFrom(p *pair) (paths []string) {
	place, placed := p.found.place, s.placed[p.key()]
	if len(placed) == 1 && len(place.Candidates) == 1 && placed[0] == place.Candidates[0].Path {
		return placed // as nearly always
	}
	for _, c := range place.Candidates {
		paths = append(paths, c.Path)
	}
	if len(paths) == 0 {
		paths = slices.Clone(place.Near)
		for _, at := range append(p.found.at, locate.Location{Path: p.After.Origin.Path}) {
			if path, ok := s.resolver().Source(at.Path); ok {
				paths = append(paths, path)
			} else if s.edits.sources[at.Path] != nil { // it is gone
				paths = append(paths, at.Path)
			}
		}
		paths = append(paths, placed...)
	} else if placed == nil || !slices.Equal(placed, paths) {
		s.placed[p.key()] = paths
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// changedAfter reports whether a file of the project changed after a compile.
func (s *sources) changedAfter(path string, compiled time.Time) bool {
	f := s.files[path]
	return f != nil && (f.edited() || f.onDisk && f.modTime.After(compiled))
}

// wasElsewhere leads the baseline's kernel to its definition, if it was compiled
// from another file than the one of the dumps; nil if not.
func (s *sources) wasElsewhere(p *pair) *foundPlace {
	before, after := p.Before, p.After
	if before == nil || after == nil || before.Origin.Line <= 0 || after.Origin.Path == "" || before.Origin.Path == "" || before.Origin.Path == after.Origin.Path {
		return nil
	}
	at := []locate.Location{{Path: before.Origin.Path, Line: before.Origin.Line}}
	return s.places.find(locate.Query{Symbol: before.Name, At: at, Edited: true}, s.resolver())
}

// attach makes the Sources of the next State and keeps those of the last one
// that did not change.
func (s *sources) attach(last map[string]*Source, changes []change) (next map[string]*Source, moved bool) {
	for _, c := range changes {
		s.list(c.old, false)
		s.list(c.new, true)
	}
	if len(s.changed) == 0 {
		return last, false
	}
	next = make(map[string]*Source, len(last)+1)
	for path, src := range last {
		next[path] = src
	}
	for path := range s.changed {
		src := s.source(path)
		if src == nil {
			if _, had := last[path]; had {
				delete(next, path)
				moved = true
			}
			continue
		}
		if old := last[path]; old == nil || !sameSource(old, src) {
			next[path] = src
			moved = true
		}
	}
	clear(s.changed)
	if !moved {
		return last, false
	}
	return next, true
}

// list keeps the list of what sits in a file.
func (s *sources) list(k *Kernel, there bool) {
	if k == nil {
		return
	}
	for _, c := range k.Place.Candidates {
		if s.kernels[c.Path] == nil {
			s.kernels[c.Path] = map[string]*Kernel{}
		}
		if delete(s.kernels[c.Path], k.Key); there {
			s.kernels[c.Path][k.Key] = k
		} else if len(s.kernels[c.Path]) == 0 {
			delete(s.kernels, c.Path)
		}
		s.changed[c.Path] = true
	}
}

// source makes the Source of a file; nil if it defines no kernels.
func (s *sources) source(path string) *Source {
	f := s.files[path]
	if f == nil || f.file == nil {
		return nil
	}
	definitions := f.file.With(s.isKernel(path))
	if !slices.ContainsFunc(definitions, func(d pysource.Definition) bool { return !d.Launcher }) {
		return nil
	}
	src := &Source{Path: path, File: f.file, Version: f.version, Definitions: make([]Defined, len(definitions))}
	at := make(map[int]*Defined, len(src.Definitions))
	for i, d := range definitions {
		src.Definitions[i].Definition = d
		at[d.Ident.Start.Offset] = &src.Definitions[i]
	}
	for _, k := range s.kernels[path] {
		for _, c := range k.Place.Candidates {
			if d := at[c.Definition.Ident.Start.Offset]; d != nil && c.Path == path {
				d.Kernels = append(d.Kernels, k)
			}
		}
	}
	for i := range src.Definitions {
		slices.SortFunc(src.Definitions[i].Kernels, WorstFirst)
	}
	return src
}

// isKernel tells of a file's functions whether a kernel was led to them.
func (s *sources) isKernel(path string) func(*pysource.Definition) bool {
	led := map[int]bool{}
	for _, k := range s.kernels[path] {
		for _, c := range k.Place.Candidates {
			if c.Path == path && c.Definition.Via == "" {
				led[c.Definition.Ident.Start.Offset] = true
			}
		}
	}
	return func(d *pysource.Definition) bool { return led[d.Ident.Start.Offset] }
}

func sameSource(a, b *Source) bool {
	return a.File == b.File && a.Version == b.Version && slices.EqualFunc(a.Definitions, b.Definitions, func(x, y Defined) bool {
		return slices.Equal(x.Kernels, y.Kernels)
	})
}
