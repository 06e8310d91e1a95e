// Package facts says what there is to say of a kernel, once for all surfaces: its
// figures and waves, what changed, why and what to try. engine/report and lsp lay that
// out, each in the words' length that it has room for, and decide nothing of it.
package facts

import (
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

// A Kind is what a change means.
type Kind uint8

// The kinds of changes.
const (
	Worse   Kind = iota // growth that is a regression; of waves, that there are fewer
	Allowed             // growth that is accepted or tolerated
	Better
	Context // what changes no verdict
)

// A Change is what moved between the two sides of a kernel: a metric, or the waves per
// SIMD.
type Change struct {
	Metric        resource.Metric // means nothing for Waves
	Waves         bool
	Kind          Kind
	Before, After int64
	By            diff.Acceptance // what allows it, if it is Allowed
}

// Delta returns after minus before.
func (c Change) Delta() int64 { return c.After - c.Before }

// Spills reports whether it is a change of what went to scratch memory.
func (c Change) Spills() bool { return !c.Waves && c.Metric.Spills() }

// Changes returns what changed of a kernel, in the order in which every surface has it:
// what went to scratch memory, then the waves, then registers and LDS, then context. It
// is empty if the two sides cannot be compared.
func Changes(row *diff.Row) (all []Change) {
	if !row.Comparable() {
		return nil
	}
	waves := func() {
		if occupancy.Crossed(row.Before, row.After) {
			b, _ := occupancy.Waves(row.Before)
			a, _ := occupancy.Waves(row.After)
			c := Change{Waves: true, Kind: Worse, Before: int64(b), After: int64(a)}
			if a > b {
				c.Kind = Better
			}
			all = append(all, c)
		}
	}
	told := false
	for _, m := range resource.ByHarm {
		if !told && !m.Spills() {
			waves()
			told = true
		}
		change, ok := row.Delta(m)
		if !ok {
			continue
		}
		c := Change{Metric: m, Before: row.Before.Cells[m].Value, After: row.After.Cells[m].Value}
		c.Kind, c.By = kindOf(row, m, change)
		all = append(all, c)
	}
	return all
}

// KindOf returns what the change of a metric means.
func KindOf(row *diff.Row, d diff.Delta) Kind {
	kind, _ := kindOf(row, d.Metric, d.Change)
	return kind
}

func kindOf(row *diff.Row, m resource.Metric, change int64) (Kind, diff.Acceptance) {
	a, allowed := row.Acceptance(m)
	switch {
	case !m.Trigger():
		return Context, diff.Acceptance{}
	case change < 0:
		return Better, diff.Acceptance{}
	case allowed:
		return Allowed, a
	}
	return Worse, diff.Acceptance{}
}

// Of returns those of changes that are of one of the kinds.
func Of(changes []Change, kinds ...Kind) (some []Change) {
	for _, c := range changes {
		for _, k := range kinds {
			if c.Kind == k {
				some = append(some, c)
			}
		}
	}
	return some
}

// Metrics returns changes without that of the waves.
func Metrics(changes []Change) (some []Change) {
	for _, c := range changes {
		if !c.Waves {
			some = append(some, c)
		}
	}
	return some
}

// Lead returns those of the changes that a line has room for, n of them in their order,
// and how many it leaves out. Scratch memory that grew with spills, of which it tells
// nothing new, gives way first, then what does least harm; the waves never do.
func Lead(changes []Change, n int) (lead []Change, more int) {
	n = max(n, 0)
	lead = slices.Clone(changes)
	spilled := slices.ContainsFunc(lead, func(c Change) bool { return c.Spills() && c.Metric != resource.ScratchBytes })
	if scratch := slices.IndexFunc(lead, func(c Change) bool { return !c.Waves && c.Metric == resource.ScratchBytes }); spilled && scratch >= 0 && len(lead) > n {
		lead = slices.Delete(lead, scratch, scratch+1)
	}
	for len(lead) > n {
		last := len(lead) - 1
		if lead[last].Waves && n > 0 && last > 0 {
			last--
		}
		lead = slices.Delete(lead, last, last+1)
	}
	return lead, len(changes) - len(lead)
}
