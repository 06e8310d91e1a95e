package report

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/snapshot"
)

// Taken returns what moved from the old baseline to the new one, and where both
// are now.
func Taken(t *snapshot.Taken, opt Options) []byte {
	var b bytes.Buffer
	if t.Old != nil && len(t.Old.Records) > 0 {
		r := diff.Compare(t.Old, t.New, diff.Options{})
		lost, fresh := diff.OneSided(r.Rows)
		r.Renamed = diff.Renames(lost, fresh, nil)
		writeTable(&b, comparison(r), opt.Style)
		writeNotes(&b, r, renamedAlone)
		fmt.Fprintf(&b, "against the old baseline: %d of %d kernels compared; %d unchanged; %d changed; %s\n",
			r.Compared, r.Total, r.Unchanged, r.Changed, facts.Moved(r))
	} else if t.Old != nil {
		fmt.Fprintf(&b, "the old baseline could not be read: %s\n", Describe(t.Old.Problems[0]))
	}
	fmt.Fprintf(&b, "%s in %s\n", problem.Count(len(t.New.Records), "kernel"), oneLine(t.Path))
	if t.Previous != "" {
		fmt.Fprintf(&b, "the old baseline is kept in %s\n", oneLine(t.Previous))
	}
	return b.Bytes()
}

// Unkept returns the warning that the assembly of kernels is not kept; none if there are
// no such kernels.
func Unkept(keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	others := ""
	if n := len(keys) - 1; n > 0 {
		others = fmt.Sprintf(" and %d more", n)
	}
	return []string{fmt.Sprintf("the assembly of %s%s is not kept: it cannot be read, or is no longer the one that the figures were read from", oneLine(keys[0]), others)}
}

// Undone returns what was done by an undo, or by the undo of one.
func Undone(path string, redone bool) []byte {
	if redone {
		return fmt.Appendf(nil, "the undo is undone: %s is the newer baseline again; the one before is kept in %s\n", oneLine(path), oneLine(snapshot.PreviousPath(path)))
	}
	return fmt.Appendf(nil, "the previous baseline is restored to %s; the newer one is kept in %s\n", oneLine(path), oneLine(snapshot.PreviousPath(path)))
}

// Unmerged is [Unkept] of merged snapshots. bare has the snapshots that keep no assembly
// by the keys of their kernels.
func Unmerged(keys []string, bare map[string]string) []string {
	kernels := map[string]int{}
	var unkept []string
	for _, key := range keys {
		if name, ok := bare[key]; ok {
			kernels[name]++
		} else {
			unkept = append(unkept, key)
		}
	}
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		warnings = append(warnings, fmt.Sprintf("%s keeps no assembly: %s is not beside it, so why cannot tell of its %s; copy it along, or merge with --no-isa",
			oneLine(name), oneLine(kept.Path(filepath.Base(name))), problem.Count(kernels[name], "kernel")))
	}
	return append(warnings, Unkept(unkept)...)
}
