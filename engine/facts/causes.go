package facts

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// worstLines is how many source lines are named as where spill code stands.
const worstLines = 3

// Causes says where the registers and spills of a kernel come from: the peak of its live
// registers and how it moved, with the arrow that is given, and the lines with the most
// spill code. before is nil where its assembly is not at hand; without that of after
// there is nothing to say.
func Causes(before, after *pressure.Analysis, cells *resource.Cells, arrow string) (lines []string) {
	if after == nil {
		return nil
	}
	peak := ""
	if before != nil {
		peak = PeakChange("VGPRs", before.VGPR, after.VGPR, arrow)
	}
	if peak == "" {
		peak = Peak(after.Allocations(cells)[0])
	}
	lines = append(lines, peak)
	if after.SpillStores+after.SpillLoads == 0 {
		return lines
	}
	text := SpillCode(after)
	var near []string
	for _, l := range WorstLines(after.Lines) {
		if n := l.SpillStores + l.SpillLoads; n > 0 && l.Source.Line > 0 && len(near) < worstLines {
			near = append(near, fmt.Sprintf("%s (%d)", Place(l.Source), n))
		}
	}
	if len(near) > 0 {
		text += ", most near " + strings.Join(near, ", ")
	}
	return append(lines, text)
}

// Peak returns the most live registers of a file: "live VGPRs peak at 131 of 136
// allocated, near softmax.py:83 (assembly line 412)".
func Peak(p pressure.Allocation) string {
	if p.Refused != "" {
		return fmt.Sprintf("live %s: ? (%s)", p.Registers, p.Refused)
	}
	s := fmt.Sprintf("live %s peak at %s", p.Registers, PeakCount(p.Peak))
	if p.Known {
		s += fmt.Sprintf(" of %d allocated", p.Allocated)
	}
	if p.Peak.Peak > 0 {
		s += ", " + PeakPlace(p.Peak)
	}
	if p.Bound == pressure.OwnBody {
		s += "; the functions it calls are not counted"
	}
	return s
}

// PeakCount returns the figure of a peak as far as it is known.
func PeakCount(p pressure.Peak) string {
	switch {
	case p.Refused != "":
		return "?"
	case p.Bound == pressure.AtLeast:
		return fmt.Sprintf("%d or more", p.Peak)
	}
	return fmt.Sprint(p.Peak)
}

// PeakPlace returns the source line of a peak, if it has one, and its assembly
// line.
func PeakPlace(p pressure.Peak) string {
	switch {
	case p.Source != (pressure.SourceLine{}):
		return fmt.Sprintf("%s (assembly line %d)", Place(p.Source), p.Line)
	case p.Near != (pressure.SourceLine{}):
		return fmt.Sprintf("near %s (assembly line %d)", Place(p.Near), p.Line)
	}
	return fmt.Sprintf("assembly line %d", p.Line)
}

// PeakChange returns how a peak moved, for registers such as "VGPRs": "live VGPRs
// peak at 512 -> 548, line 83 (was line 79)", with the arrow that is given. It is
// "" if neither the count nor the line changed.
func PeakChange(registers string, before, after pressure.Peak, arrow string) string {
	was, is := PeakCount(before), PeakCount(after)
	from, to := peakLine(before), peakLine(after)
	if was == is && from == to {
		return ""
	}
	s := fmt.Sprintf("live %s peak at %s", registers, is)
	if was != is {
		s = fmt.Sprintf("live %s peak at %s %s %s", registers, was, arrow, is)
	}
	if to == "" {
		return s
	}
	s += ", " + to
	if from != "" && from != to {
		s += " (was " + from + ")"
	}
	return s
}

// peakLine returns the line of a peak without its file; "" if there is none.
func peakLine(p pressure.Peak) string {
	switch {
	case p.Refused != "" || p.Peak == 0:
		return ""
	case p.Source.Line > 0:
		return fmt.Sprintf("line %d", p.Source.Line)
	case p.Near.Line > 0:
		return fmt.Sprintf("near line %d", p.Near.Line)
	}
	return fmt.Sprintf("assembly line %d", p.Line)
}

// SpillCode returns how much spill code a kernel has: "34 spill stores, 36 reloads".
func SpillCode(a *pressure.Analysis) string {
	if a.SpillStores == 0 && a.SpillLoads == 0 {
		return "no spill code"
	}
	s := problem.Count(a.SpillStores, "spill store") + ", " + problem.Count(a.SpillLoads, "reload")
	if a.SpillBound == pressure.AtMost {
		s = "at most " + s
	}
	return s
}

// Place returns a source line as tables show it: the file without its directory.
func Place(s pressure.SourceLine) string {
	if s == (pressure.SourceLine{}) {
		return "(no source line)"
	}
	return fmt.Sprintf("%s:%d", path.Base(s.File), s.Line)
}

// WorstLines returns lines with the most spill code first, then those with the
// most live VGPRs.
func WorstLines(lines []pressure.Line) []pressure.Line {
	worst := slices.Clone(lines)
	slices.SortStableFunc(worst, func(x, y pressure.Line) int {
		return cmp.Or(
			cmp.Compare(y.SpillStores+y.SpillLoads, x.SpillStores+x.SpillLoads),
			cmp.Compare(y.VGPRs, x.VGPRs),
		)
	})
	return worst
}
