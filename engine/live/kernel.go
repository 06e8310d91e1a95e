package live

import (
	"cmp"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// kernel makes the kernel.
func (p *pair) make() *Kernel {
	before, after := p.Before, p.After
	k := &Kernel{
		Key: p.key(), Live: after, Baseline: before,
		Problems: p.problems(), Place: *p.place, Broken: p.row.Broken,
		Instead: p.instead,
	}
	if p.compared {
		k.Row = p.row
	}
	if two := p.renamed; two.before != nil {
		if k.Proposed, k.Pair = new(diff.RowOf(two.before, two.after)), two.order; after == nil {
			k.RenamedTo = two.after.Key
		} else {
			k.RenamedFrom = two.before.Key
		}
	}
	if after != nil {
		file := p.dir.file(after)
		k.File, k.Dumped, k.Leftover = p.dir.absolute(file.Name), file.ModTime, p.dir.leftover()
		k.Compiled = p.dir.readSources(after).UTC() // one moment, one value
		k.Stale = p.stale
		if p.edited != "" {
			k.Edited = strings.Split(p.edited, "\x00")
		}
		k.Variants = p.dir.current[after.Key]
	}
	if before != nil && after != nil && oneTarget(before, after) {
		k.Identical = before.Digest != "" && before.Digest == after.Digest && !p.dir.underWay() && !p.due
		k.Remade = diff.RemadeOf(before, after, len(p.row.Deltas) > 0)
	}
	k.Status = p.status(k)
	return k
}

// oneTarget reports whether two records are of one target: for another one the
// same module becomes other code, and the same code means something else.
func oneTarget(a, b *resource.Record) bool {
	return a.Target.Processor == b.Target.Processor && slices.Equal(a.Target.Features, b.Target.Features)
}

// problems returns all reasons why the kernel cannot be judged.
func (p *pair) problems() []problem.Problem {
	var ps []problem.Problem
	switch {
	case p.compared:
		ps = slices.Clone(p.row.Blocked)
	case p.After != nil:
		ps = slices.Clone(p.After.Problems)
	}
	for _, unchecked := range p.row.Unchecked {
		if p.compared {
			unchecked = unchecked.On(diff.SideAfter)
		}
		ps = append(ps, unchecked)
	}
	add := func(f *directory, side string) {
		if f == nil {
			return
		}
		for _, p := range f.Problems {
			if p.Code != problem.RunUnderWay { // which is of all
				ps = append(ps, p.On(side))
			}
		}
	}
	if !p.compared {
		add(p.dir, "")
	} else {
		add(p.baseline, diff.SideBefore)
		add(p.dir, diff.SideAfter)
	}
	slices.SortStableFunc(ps, problem.Compare)
	return slices.CompactFunc(ps, func(a, b problem.Problem) bool { return a == b })
}

// status tells how the kernel stands. What is under way comes before what is
// wrong, and what is wrong before every figure.
func (p *pair) status(k *Kernel) Status {
	damaged := slices.ContainsFunc(k.Problems, func(p problem.Problem) bool {
		return p.Code != problem.OnlyInBefore && p.Code != problem.OnlyInAfter && p.Code != problem.BudgetUnknown
	})
	// A budget that cannot be checked takes nothing from the figures.
	unchecked := len(p.row.Unchecked) > 0 && !p.row.Failed() && (!p.compared || k.Baseline != nil)
	switch {
	case p.dir != nil && p.dir.underWay() || p.due && k.Live != nil:
		return Compiling
	case p.due && k.Baseline != nil:
		return Pending
	case damaged || unchecked || k.Live != nil && !k.Live.Trustworthy():
		return Untrustworthy
	case k.Live == nil && !p.seen:
		return Pending
	case k.Live == nil || p.compared && k.Baseline == nil:
		return OneSided
	case p.compared && p.row.Failed():
		return Worse
	case len(k.Edited) > 0 && len(k.Broken) == 0:
		return Edited
	case !p.compared:
		return NoBaseline
	case p.row.Improved() > 0 && p.row.Worsened() == 0:
		return Better
	case len(p.row.Deltas) > 0:
		return Changed
	default:
		return Unchanged
	}
}

// WorstFirst orders kernels for one that reads from the top: what got worse, what
// cannot be launched and then the gravest first, then what cannot be judged, then the rest; by key within.
// Of those without a baseline the one that takes most comes first.
func WorstFirst(a, b *Kernel) int {
	if d := rank[a.Status] - rank[b.Status]; d != 0 {
		return d
	}
	if x, y := a.unlaunchable(), b.unlaunchable(); x != y {
		if x {
			return -1
		}
		return 1
	}
	if a.Status == Worse {
		for _, m := range resource.Triggers {
			x, _ := a.Row.Delta(m)
			y, _ := b.Row.Delta(m)
			if d := cmp.Compare(max(y, 0), max(x, 0)); d != 0 {
				return d
			}
		}
	}
	if a.Status == NoBaseline && a.Live != nil && b.Live != nil {
		for _, m := range resource.Triggers {
			if d := cmp.Compare(b.Live.Cells[m].Value, a.Live.Cells[m].Value); d != 0 {
				return d
			}
		}
	}
	return strings.Compare(a.Key, b.Key)
}

// unlaunchable reports whether the kernel as it is now cannot be launched.
func (k *Kernel) unlaunchable() bool { return k.Live != nil && k.Live.Occupancy.Unlaunchable != "" }

// rank orders statuses for WorstFirst.
var rank = [...]int{
	Worse: 0, Untrustworthy: 1, OneSided: 2, Compiling: 3, Edited: 4, Better: 5, Changed: 6, Unchanged: 7, NoBaseline: 8, Pending: 9,
}
