package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// Remade says why a kernel differs although its sources are the same; "" if that is not
// known. It begins in lower case and has no full stop.
func Remade(m diff.Remade, before, after *resource.Record) string {
	switch m {
	case diff.ByAnother:
		return fmt.Sprintf("the compiler changed, the kernel did not: both were made from the same module, by %s before and by %s after", compilersOf(before), compilersOf(after))
	case diff.BySomething:
		return "the compiler changed, the kernel did not: both were made from the same module; which compilers made them is not known, so its options may be what changed"
	case diff.ByOptions:
		return fmt.Sprintf("the kernel did not change: both were made from the same module by %s, so its build, options or environment did", compilersOf(after))
	case diff.ByAnotherOfSource:
		return fmt.Sprintf("the compiler changed from %s to %s, and the source files that the assembly names did not", compilersOf(before), compilersOf(after))
	}
	return ""
}

// CompilersOf says which compilers made the two sides of a kernel; "" if that is not
// known of either. A side is nil where the kernel is not on it.
func CompilersOf(before, after *resource.Record) string {
	was, is := compilersOf(before), compilersOf(after)
	switch {
	case was == "" && is == "":
		return ""
	case before == nil || was == is:
		return "compiled by " + is
	case after == nil:
		return "compiled by " + was
	}
	return fmt.Sprintf("compiled by %s; the baseline by %s", cmp.Or(is, unnamed), cmp.Or(was, unnamed))
}

// unnamed stands for a compiler that nothing names.
const unnamed = "a compiler that is not known"

// compilersOf joins the names of a record's compilers: they are the ones that it may
// be, or each made a part of it.
func compilersOf(r *resource.Record) string {
	if r == nil {
		return ""
	}
	return visible(strings.Join(r.Compilers, " / "))
}

// Compilers returns the line that names the compilers of both sides; "" if those of
// neither are known.
func Compilers(r *diff.Result) string {
	before, after := sideCompilers(r.Before), sideCompilers(r.After)
	switch {
	case before == "" && after == "":
		return ""
	case before == after:
		return "compiler: " + after
	}
	return fmt.Sprintf("compiler: before %s; after %s", cmp.Or(before, "not known"), cmp.Or(after, "not known"))
}

// sideCompilers names the compilers of a side; "" if none is known. Where there are
// several it counts their kernels.
func sideCompilers(s *resource.Side) string {
	kernels := map[string]int{}
	for _, r := range s.Records {
		kernels[compilersOf(r)]++
	}
	unknown := kernels[""]
	delete(kernels, "")
	if len(kernels) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(kernels))
	if len(names) == 1 && unknown == 0 {
		return names[0]
	}
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s (%s)", name, problem.Count(kernels[name], "kernel")))
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("not known (%s)", problem.Count(unknown, "kernel")))
	}
	return strings.Join(parts, ", ")
}

// writeCompilers writes the key that names the compilers of both sides, if any is
// known.
func writeCompilers(w *snapshot.Writer, r *diff.Result) {
	before, after := names(r.Before), names(r.After)
	if len(before)+len(after) == 0 {
		return
	}
	w.KeyObject("compilers", func() {
		w.KeyStrings("after", after)
		w.KeyStrings("before", before)
	})
}

// names returns the compilers of a side, each once.
func names(s *resource.Side) []string {
	all := map[string]bool{}
	for _, r := range s.Records {
		for _, name := range r.Compilers {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
