package diff

import (
	"slices"
	"strings"

	"isadiff/engine/resource"
)

// A Remade says of a kernel whose instructions or figures differ that it was made of
// the same, and what is known of that which made it.
type Remade uint8

// What is known of two compiles of the same.
const (
	NotRemade         Remade = iota // it is not known that they are of the same
	ByAnother                       // of one module, by compilers that are known and differ
	BySomething                     // of one module; not all of the compilers are known
	ByOptions                       // of one module, by compilers of one name and version
	ByAnotherOfSource               // by compilers that are known and differ, of source files that are the same as far as the assembly names them
)

// CompilerChanged reports whether the kernel did not change and what compiled it
// did: the compiler or, if that is not known, its options.
func (m Remade) CompilerChanged() bool { return m == ByAnother || m == BySomething }

// RemadeOf compares how two records of one target were made. They are those of one
// kernel; changed reports whether their figures differ.
func RemadeOf(before, after *resource.Record, changed bool) Remade {
	a, b := &before.Origin, &after.Origin
	if before.Digest != "" && after.Digest != "" {
		changed = before.Digest != after.Digest
	}
	switch known := len(before.Compilers) > 0 && len(after.Compilers) > 0; {
	case !changed:
		return NotRemade
	case a.Digest != "" && a.Digest == b.Digest:
		switch {
		case !known:
			return BySomething
		case disjoint(before.Compilers, after.Compilers):
			return ByAnother
		case len(before.Compilers) == 1 && len(after.Compilers) == 1 && strings.ContainsAny(before.Compilers[0], "0123456789"):
			return ByOptions
		}
		return BySomething
	case a.Digest == "" && b.Digest == "" && a.Sources != "" && a.Sources == b.Sources && known && disjoint(before.Compilers, after.Compilers):
		return ByAnotherOfSource
	}
	return NotRemade
}

func disjoint(a, b []string) bool {
	return !slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}
