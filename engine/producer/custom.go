package producer

import (
	"fmt"
	"strings"

	"isadiff/engine/pysource"
)

// Custom makes the row of a compiler that only a project knows: the pattern of its
// final assembly and the decorators that define its kernels, whose symbols are the
// functions' names. Each file is a compile of its own; keys are made of directories.
func Custom(name, files string, decorators []string) (*Producer, error) {
	switch stem := strings.ReplaceAll(files, "*", ""); {
	case files == "":
		return nil, fmt.Errorf("names no files; add files = \"*.s\", the pattern of its final assembly")
	case strings.ContainsAny(files, `/\`):
		return nil, fmt.Errorf("has a folder in files = %q; name the files alone, such as \"*.s\"", files)
	case stem == "":
		return nil, fmt.Errorf("takes every file for assembly; name an ending, such as files = \"*.s\"")
	}
	p := &Producer{Name: name, Title: name, Assembly: files, Names: true}
	for _, path := range decorators {
		if i := strings.IndexByte(path, '.'); i <= 0 || strings.HasSuffix(path, ".") || strings.ContainsAny(path, " @()") {
			return nil, fmt.Errorf("has the decorator %q; write the whole dotted name, such as \"package.kernel\"", path)
		}
		p.Decorators.Known = append(p.Decorators.Known, pysource.Decorator{Path: path, Naming: pysource.Verbatim})
	}
	return p, nil
}

// With returns the table with more rows behind those that it has.
func (t *Table) With(rows ...*Producer) *Table {
	if len(rows) == 0 {
		return t
	}
	have := t.Rows()
	return NewTable(append(have[:len(have):len(have)], rows...)...)
}
