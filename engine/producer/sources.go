package producer

import (
	"hash/maphash"
	"path/filepath"
	"slices"

	"isadiff/engine/csource"
	"isadiff/engine/pysource"
)

// pythonSources and cppSources end the names of sources that can define kernels.
var (
	pythonSources = []string{".py"}
	cppSources    = []string{".hip", ".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hpp", ".h"}
)

// Sources returns how the names of sources end that can define kernels: ".py".
func (t *Table) Sources() []string {
	if t.markers() == nil {
		return pythonSources
	}
	return slices.Concat(pythonSources, cppSources)
}

// IsSource reports whether a file of this name is a source that can define
// kernels.
func (t *Table) IsSource(path string) bool {
	ext := filepath.Ext(path)
	return slices.Contains(pythonSources, ext) || t.markers() != nil && slices.Contains(cppSources, ext)
}

// Scan finds the kernel definitions in the text of a source; the path tells its
// language.
func (t *Table) Scan(path string, text []byte) *pysource.File {
	if slices.Contains(pythonSources, filepath.Ext(path)) {
		return t.orBuiltin().decorators.Scan(text)
	}
	return csource.Scan(text, t.markers())
}

// Rescan is Scan for a file that was scanned before and edited since; see
// [pysource.Rescan].
func (t *Table) Rescan(path string, old *pysource.File, oldText, newText []byte) *pysource.File {
	if slices.Contains(pythonSources, filepath.Ext(path)) {
		return t.orBuiltin().decorators.Rescan(old, oldText, newText)
	}
	return t.Scan(path, newText)
}

// ReadCode reads what the text of a source means to its compiler, and which others
// it names; the path tells its language. What C++ makes of a text is not known, so
// that counts to the letter.
func (t *Table) ReadCode(seed maphash.Seed, path string, text []byte) pysource.Code {
	if slices.Contains(pythonSources, filepath.Ext(path)) {
		return pysource.ReadCode(seed, text)
	}
	c := pysource.Code{Hash: maphash.Bytes(seed, text)}
	for _, included := range csource.Includes(text) {
		c.Imports = append(c.Imports, pysource.Import{Module: included})
	}
	return c
}

// markers returns the words that make C++ functions kernels.
func (t *Table) markers() (all []string) {
	for _, p := range t.Rows() {
		all = append(all, p.Markers...)
	}
	return all
}
