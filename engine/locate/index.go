package locate

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/pysource"
)

// An Index has the kernel definitions of a project's sources. [Index.Set] costs as
// much as the file that it takes in, however many others there are.
type Index struct {
	files    map[string]*source   // by path
	bases    map[string][]*source // by the file's name in lower case, in the order of paths
	names    map[string][]ref     // by "function", "=constant" or "==function", see nameKey
	patterns []ref                // definitions whose name= has holes
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
	ix := &Index{files: map[string]*source{}, bases: map[string][]*source{}, names: map[string][]ref{}}
	if files != nil {
		for path, file := range files {
			ix.Set(path, file)
		}
	}
	return ix
}

// File returns the file of a path, or nil.
func (ix *Index) File(path string) *pysource.File {
	if s := ix.files[filepath.Clean(path)]; s != nil {
		return s.file
	}
	return nil
}

// Len returns the number of files.
func (ix *Index) Len() int { return len(ix.files) }

// Set replaces the file of this path, or adds it; a nil file is removed.
func (ix *Index) Set(path string, file *pysource.File) {
	path = filepath.Clean(path)
	if old := ix.files[path]; old != nil {
		ix.remove(old)
	}
	if file == nil {
		return
	}
	s := &source{path, file}
	ix.files[path] = s
	key := strings.ToLower(base(path))
	at, _ := slices.BinarySearchFunc(ix.bases[key], path, func(s *source, path string) int { return strings.Compare(s.path, path) })
	ix.bases[key] = slices.Insert(ix.bases[key], at, s)
	for i := range file.Definitions {
		d := &file.Definitions[i]
		switch key := nameKey(d); {
		case key != "":
			ix.names[key] = append(ix.names[key], ref{s, i})
		case d.Name.Kind == pysource.NamePattern && !d.Launcher:
			ix.patterns = append(ix.patterns, ref{s, i})
		}
	}
}

// remove takes out a file.
func (ix *Index) remove(s *source) {
	delete(ix.files, s.path)
	drop(ix.bases, strings.ToLower(base(s.path)), func(o *source) bool { return o == s })
	ofSource := func(r ref) bool { return r.source == s }
	for i := range s.file.Definitions {
		if key := nameKey(&s.file.Definitions[i]); key != "" {
			drop(ix.names, key, ofSource)
		}
	}
	ix.patterns = slices.DeleteFunc(ix.patterns, ofSource)
}

// drop takes elements out of a list of m, and the key of an empty one.
func drop[T any](m map[string][]T, key string, out func(T) bool) {
	if m[key] = slices.DeleteFunc(m[key], out); len(m[key]) == 0 {
		delete(m, key)
	}
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
