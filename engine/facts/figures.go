package facts

import (
	"fmt"

	"isadiff/engine/diff"
	"isadiff/engine/occupancy"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Figure is one of those that matter first: of a metric, or words that stand for
// several.
type Figure struct {
	Metric resource.Metric // means nothing where there are Words
	Cell   resource.Cell
	More   string // what is to be said behind it: " + dynamic"
	Words  string // "no spill", "at most 8 waves"
}

// Figures returns the figures of a kernel that matter first. It has no spill only where
// all that counts spills and scratch says so.
func Figures(r *resource.Record) (all []Figure) {
	add := func(m resource.Metric, more string) {
		all = append(all, Figure{Metric: m, Cell: r.Cells[m], More: more})
	}
	add(resource.VGPR, "")
	for _, m := range resource.Triggers {
		if m.Spills() && r.Cells[m] != resource.Value(0) {
			add(m, "")
		}
	}
	if len(all) == 1 {
		all = append(all, Figure{Words: "no spill"})
	}
	more := ""
	if r.Launch.DynamicLDS {
		more = " + dynamic"
	}
	add(resource.LDSStaticBytes, more)
	if waves := Waves(r); waves != "" {
		all = append(all, Figure{Words: waves})
	}
	return all
}

// Reason says why a metric has no figure on one of the sides or both, of which one may be
// nil; "" if it has.
func Reason(before, after *resource.Record, m resource.Metric) string {
	if before == nil {
		return after.Cells[m].Reason
	}
	was := before.Cells[m].Reason
	switch {
	case after == nil || was == after.Cells[m].Reason:
		return was
	case was == "":
		return "after: " + after.Cells[m].Reason
	case after.Cells[m].Reason == "":
		return "before: " + was
	}
	return "before: " + was + "; after: " + after.Cells[m].Reason
}

// Waves returns the waves per SIMD of a kernel, as a bound where the launch decides;
// "" if they are not known, or there are none: that a kernel cannot be launched is
// said elsewhere, and first.
func Waves(r *resource.Record) string {
	n, _ := occupancy.Waves(r)
	if n == 0 {
		return ""
	}
	waves := problem.Count(n, "wave")
	if r.Launch.DynamicVGPR || r.Launch.DynamicLDS {
		return "at most " + waves
	}
	return waves
}

// WaveCount returns the waves of a kernel, marked where they are only a bound: 0 if it
// cannot be launched, "?" where they are not known.
func WaveCount(s *occupancy.Standing) string {
	switch {
	case s.Unlaunchable != "":
		return "0"
	case !s.Known:
		return "?"
	case s.Bound != "":
		return fmt.Sprintf("<=%d", s.Waves)
	}
	return fmt.Sprint(s.Waves)
}

// Limiter returns what limits the waves of a kernel.
func Limiter(s *occupancy.Standing) string {
	if s.Limit == "" {
		return "maximum"
	}
	return s.Limit
}

// NextStep says in a sentence what is in the way of more waves; "" if nothing is.
func NextStep(r *resource.Record) string {
	s := occupancy.Of(r)
	if next := s.Next(); next != "" {
		return next + " per SIMD."
	}
	return ""
}

// WavesMoved says which step of the occupancy curve a kernel crossed: "4 -> 3
// waves/SIMD (limited by VGPR); 8 VGPRs too many for 4 waves"; "" if it crossed
// none. It says so for a gain as well.
func WavesMoved(row *diff.Row) string {
	if !row.Comparable() || !occupancy.Crossed(row.Before, row.After) {
		return ""
	}
	before, after := occupancy.Of(row.Before), occupancy.Of(row.After)
	if !before.Known || !after.Known {
		return ""
	}
	s := fmt.Sprintf("%s -> %s waves/SIMD (limited by %s)", WaveCount(&before), WaveCount(&after), Limiter(&after))
	if after.Waves < before.Waves {
		if next := after.Next(); next != "" {
			s += "; " + next
		}
	}
	return s
}
