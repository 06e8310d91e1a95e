package live

import (
	"cmp"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A subject is everything that one Kernel is made from. Two equal subjects make
// equal kernels, so the kernel of the State before is used again.
type subject struct {
	couple                 diff.Couple
	row                    *diff.Row // one-sided without a baseline
	compared               bool      // whether there is a usable baseline
	folder                 *folder   // the dump directory in the live tree; nil if there is none
	baseline               *folder   // the same of a baseline that is a dump tree
	found                  *foundPlace
	place                  *locate.Place // found's
	was                    *foundPlace   // where the baseline's was compiled, if that is another file; nil if not
	wasPlace               *locate.Place // was's
	instead                string        // see Kernel
	stale                  bool
	edited                 *[]string // see editedSince
	unwatched              bool      // no source of the project is known to be its
	seen                   bool      // it was in the dumps since they began
	awaited                bool      // a run is under way that has not compiled it yet
	renamedTo, renamedFrom string
	proposed               proposal
}

func (s *subject) key() string { return keyOf(s.couple) }

// kernel makes the kernel.
func (s *subject) kernel() *Kernel {
	before, after := s.couple.Before, s.couple.After
	k := &Kernel{
		Key: s.key(), Live: after, Baseline: before,
		Problems: s.problems(), Place: *s.place, Broken: s.row.Broken,
		RenamedTo: s.renamedTo, RenamedFrom: s.renamedFrom, Instead: s.instead,
	}
	if s.compared {
		k.Row = s.row
	}
	if p := s.proposed; p.before != nil {
		k.Proposed, k.Pair = new(diff.Pair(p.before, p.after)), p.order
	}
	if after != nil {
		file := s.folder.file(after)
		k.Compiled = s.folder.compiledAt(after).UTC() // equal times are equal values, whoever told them
		k.File, k.Dumped, k.Leftover = s.folder.absolute(file.Name), file.ModTime, s.folder.leftover
		k.Stale = s.stale
		if s.edited != nil {
			k.Edited = *s.edited
		}
		k.Variants = s.folder.current[after.Key]
	}
	if before != nil && after != nil && oneTarget(before, after) {
		k.Identical = before.Digest != "" && before.Digest == after.Digest && !s.folder.compiling && !s.awaited
		k.Remade = diff.RemadeOf(before, after, len(s.row.Deltas) > 0)
	}
	k.Status = s.status(k)
	return k
}

// oneTarget reports whether two records are of one target: for another one the
// same module becomes other code, and the same code means something else.
func oneTarget(a, b *resource.Record) bool {
	return a.Target.Processor == b.Target.Processor && slices.Equal(a.Target.Features, b.Target.Features)
}

// problems returns all reasons why the kernel cannot be judged.
func (s *subject) problems() []problem.Problem {
	var ps []problem.Problem
	switch {
	case s.compared:
		ps = slices.Clone(s.row.Blocked)
	case s.couple.After != nil:
		ps = slices.Clone(s.couple.After.Problems)
	}
	for _, p := range s.row.Unchecked {
		if s.compared {
			p = p.On(diff.SideAfter)
		}
		ps = append(ps, p)
	}
	add := func(f *folder, side string) {
		if f != nil && len(f.Problems) > 0 {
			for _, p := range f.Problems {
				if p.Code != problem.RunUnderWay { // which is of all
					ps = append(ps, p.On(side))
				}
			}
		}
	}
	if !s.compared {
		add(s.folder, "")
	} else {
		add(s.baseline, diff.SideBefore)
		add(s.folder, diff.SideAfter)
	}
	slices.SortStableFunc(ps, problem.Compare)
	return slices.CompactFunc(ps, func(a, b problem.Problem) bool { return a == b })
}

// status tells how the kernel stands. What is under way comes before what is
// wrong, and what is wrong before every figure.
func (s *subject) status(k *Kernel) Status {
	damaged := slices.ContainsFunc(k.Problems, func(p problem.Problem) bool {
		return p.Code != problem.OnlyInBefore && p.Code != problem.OnlyInAfter && p.Code != problem.BudgetUnknown
	})
	// A budget that cannot be checked takes nothing from the figures.
	unchecked := len(s.row.Unchecked) > 0 && !s.row.Failed() && (!s.compared || k.Baseline != nil)
	switch {
	case s.folder != nil && s.folder.compiling || s.awaited && k.Live != nil:
		return Compiling
	case s.awaited && k.Baseline != nil:
		return Pending
	case damaged || unchecked || k.Live != nil && !k.Live.Trustworthy():
		return Untrustworthy
	case k.Live == nil && !s.seen:
		return Pending
	case k.Live == nil || s.compared && k.Baseline == nil:
		return OneSided
	case s.compared && s.row.Failed():
		return Worse
	case len(k.Edited) > 0 && len(k.Broken) == 0:
		return Edited
	case !s.compared:
		return NoBaseline
	case s.row.Improved() > 0 && s.row.Worsened() == 0:
		return Better
	case len(s.row.Deltas) > 0:
		return Changed
	default:
		return Unchanged
	}
}

// WorstFirst orders kernels for one that reads from the top: what got worse, what
// cannot be launched and then the most Damaging first, then what cannot be judged, then the rest; by key within.
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
		for _, m := range Damaging {
			x, _ := a.Row.Delta(m)
			y, _ := b.Row.Delta(m)
			if d := cmp.Compare(max(y, 0), max(x, 0)); d != 0 {
				return d
			}
		}
	}
	if a.Status == NoBaseline && a.Live != nil && b.Live != nil {
		for _, m := range Damaging {
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

// Damaging orders the triggers by the harm that their growth does.
var Damaging = [...]resource.Metric{
	resource.VGPRSpill, resource.SGPRSpill, resource.ScratchBytes, resource.VGPR, resource.LDSStaticBytes, resource.SGPR,
}
