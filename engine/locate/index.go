package locate

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/pysource"
)

// An Index has the kernel definitions of a project's sources. It is
// immutable: [Index.With] makes a new one that shares all but what changed, at a
// cost that does not depend on the number of files.
type Index struct {
	files    shards[*source]   // by path
	bases    shards[[]*source] // by the file's name in lower case, in the order of paths
	names    shards[[]ref]     // by "function", "=constant" or "==function", see nameKey
	patterns []ref             // definitions whose name= has holes
	count    int
}

// A source is one file of the index.
type source struct {
	path string
	file *pysource.File
}

// A ref is one definition of a source: of its kernels, then of its other functions.
type ref struct {
	source *source
	def    int
}

func (r ref) definition() *pysource.Definition {
	f := r.source.file
	if n := len(f.Definitions); r.def >= n {
		return &f.Others[r.def-n]
	}
	return &f.Definitions[r.def]
}

// NewIndex makes an index of files by their absolute, cleaned paths. Files
// without definitions count as well: they decide whether the end of a path is
// unique.
func NewIndex(files iter.Seq2[string, *pysource.File]) *Index {
	ix := &Index{}
	if files == nil {
		return ix
	}
	for path, file := range files {
		ix.put(path, file, true)
	}
	return ix
}

// With returns an index in which the file of this path has been replaced, or
// added; a nil file is removed.
func (ix *Index) With(path string, file *pysource.File) *Index {
	next := *ix
	next.put(path, file, false)
	return &next
}

// File returns the file of a path, or nil.
func (ix *Index) File(path string) *pysource.File {
	if s, ok := ix.files.get(filepath.Clean(path)); ok {
		return s.file
	}
	return nil
}

// Len returns the number of files.
func (ix *Index) Len() int { return ix.count }

// put replaces a file. What is owned by ix alone is changed in place.
func (ix *Index) put(path string, file *pysource.File, owned bool) {
	path = filepath.Clean(path)
	old, had := ix.files.get(path)
	if had {
		ix.remove(old, owned)
	}
	if file == nil {
		return
	}
	s := &source{path, file}
	ix.count++
	ix.files.set(path, s, owned)
	key := strings.ToLower(base(path))
	same, _ := ix.bases.get(key)
	at, _ := slices.BinarySearchFunc(same, path, func(s *source, path string) int { return strings.Compare(s.path, path) })
	if !owned {
		same = slices.Clone(same)
	}
	ix.bases.set(key, slices.Insert(same, at, s), owned)
	// grown appends in place only to what nobody else holds.
	grown := func(refs []ref, r ref) []ref {
		if !owned {
			refs = slices.Clip(refs)
		}
		return append(refs, r)
	}
	for i := range file.Definitions {
		r := ref{s, i}
		switch key := nameKey(&file.Definitions[i]); {
		case key != "":
			refs, _ := ix.names.get(key)
			ix.names.set(key, grown(refs, r), owned)
		case file.Definitions[i].Name.Kind == pysource.NamePattern && !file.Definitions[i].Launcher:
			ix.patterns = grown(ix.patterns, r)
		}
	}
}

// remove takes out a file.
func (ix *Index) remove(s *source, owned bool) {
	ix.count--
	ix.files.unset(s.path, owned)
	key := strings.ToLower(base(s.path))
	same, _ := ix.bases.get(key)
	setList(&ix.bases, key, without(same, func(o *source) bool { return o == s }), owned)
	ofSource := func(r ref) bool { return r.source == s }
	for i := range s.file.Definitions {
		if key := nameKey(&s.file.Definitions[i]); key != "" {
			refs, _ := ix.names.get(key)
			setList(&ix.names, key, without(refs, ofSource), owned)
		}
	}
	if slices.ContainsFunc(ix.patterns, ofSource) {
		ix.patterns = without(ix.patterns, ofSource)
	}
}

// setList puts a list into s, or takes out the key of an empty one.
func setList[T any](s *shards[[]T], key string, list []T, owned bool) {
	if len(list) == 0 {
		s.unset(key, owned)
		return
	}
	s.set(key, list, owned)
}

// without returns a copy of s without the elements that f reports; nil if none
// is left.
func without[T any](s []T, f func(T) bool) (kept []T) {
	for _, v := range s {
		if !f(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// nameKey returns what a definition's symbols begin with: its function's name,
// or "=" and the constant that names it; "" for a pattern. "==" stands before
// a name that symbols are made of in another way.
func nameKey(d *pysource.Definition) string {
	switch {
	case d.Launcher:
		return ""
	case d.Naming != pysource.Numbered:
		return "==" + d.Function
	case d.Name.Kind == pysource.NameNone, d.Name.Kind == pysource.NameUnknown:
		return d.Function // an unknown name can be None, or missing in **options
	case d.Name.Kind == pysource.NameConstant && len(d.Name.Parts) == 1:
		return "=" + d.Name.Parts[0]
	default:
		return ""
	}
}
