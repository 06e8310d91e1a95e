package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Shard is one of several snapshots of one run.
type Shard struct {
	Side *resource.Side
	Meta Meta
}

// Merge makes one side of the shards of a run: tests that were divided over
// several machines. A kernel that several shards have must be the same in each;
// otherwise they are not of one run, and the side says so in its problems, as it
// does of whatever is wrong with a shard.
func Merge(shards []Shard) Shard {
	merged := &resource.Side{Snapshot: true}
	var meta Meta
	from := map[string]*resource.Side{}
	records := map[string]*resource.Record{}
	revised := ""
	for _, s := range shards {
		name := s.Side.Origin
		switch {
		case s.Meta.Revision == "":
		case meta.Revision == "":
			meta.Revision, revised = s.Meta.Revision, name
		case s.Meta.Revision != meta.Revision:
			merged.Problems = append(merged.Problems, problem.New(problem.MergeConflict,
				"%s is of revision %s, but %s is of %s", name, s.Meta.Revision, revised, meta.Revision).In(name))
		}
		if s.Meta.Written.After(meta.Written) {
			meta.Written = s.Meta.Written
		}
		merged.Problems = append(merged.Problems, s.Side.Problems...)
		for _, w := range s.Side.Warnings {
			if !slices.Contains(merged.Warnings, w) {
				merged.Warnings = append(merged.Warnings, w)
			}
		}
		for _, r := range s.Side.Records {
			first := records[r.Key]
			if first == nil {
				records[r.Key], from[r.Key] = r, s.Side
				merged.Records = append(merged.Records, r)
				continue
			}
			if what := difference(first, r); what != "" {
				merged.Problems = append(merged.Problems, problem.New(problem.MergeConflict,
					"%s: %s of %s and %s differ", r.Key, what, from[r.Key].Origin, name).In(name).Of(r.Key))
			}
		}
	}
	slices.SortFunc(merged.Records, func(a, b *resource.Record) int { return cmp.Compare(a.Key, b.Key) })
	return Shard{merged, meta}
}

// difference names what differs of two records of one kernel, "" if they are the
// same.
func difference(a, b *resource.Record) string {
	if a.Target.Processor != b.Target.Processor || !slices.Equal(a.Target.Features, b.Target.Features) {
		return "the targets"
	}
	for m := range a.Cells {
		if a.Cells[m].String() != b.Cells[m].String() && !a.Cells[m].Older() && !b.Cells[m].Older() {
			return fmt.Sprintf("the figures (%s %s and %s)", resource.Metric(m), a.Cells[m], b.Cells[m])
		}
	}
	if a.Digest != b.Digest && a.Digest != "" && b.Digest != "" {
		return "the instructions"
	}
	if len(a.Compilers) > 0 && len(b.Compilers) > 0 && !slices.Equal(a.Compilers, b.Compilers) {
		return fmt.Sprintf("the compilers (%s and %s)", strings.Join(a.Compilers, ", "), strings.Join(b.Compilers, ", "))
	}
	return ""
}
