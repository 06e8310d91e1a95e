package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/where"
	"isadiff/engine/why"
)

// Where returns where registers and spills come from, without the verdict that
// follows it: for each kernel the peaks, the spill code, and what stands on each
// source line, the worst lines first; the loops, and with Options.Assembly the
// instructions.
func Where(r *where.Result, opt Options) []byte {
	var b bytes.Buffer
	placeless := map[string]int{} // by what to do about it
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if !writeWhere(&b, k, opt.Style) {
			placeless[linesOf(k.File)]++
		}
		for j := range k.Loops {
			fmt.Fprintf(&b, "%s%s\n", indented, loopAlone(&k.Loops[j]))
		}
		if opt.Assembly && k.Listing != nil {
			writeListing(&b, k, opt.Style)
		}
		b.WriteByte('\n')
	}
	for _, mend := range slices.Sorted(maps.Keys(placeless)) {
		fmt.Fprintf(&b, "no debug locations in %s: %s for the source lines\n", problem.Count(placeless[mend], "kernel"), mend)
	}
	fmt.Fprintf(&b, "%s\n", problem.Count(len(r.Kernels), "kernel"))
	b.WriteString(Untrustworthy(len(r.Problems)))
	return b.Bytes()
}

// loopAlone says what a loop of one side holds.
func loopAlone(l *why.Loop) string {
	s := fmt.Sprintf("loop at %s: %s an iteration", loopPlace(l), problem.Count(l.Instructions.After, "instruction"))
	if l.Spills.After > 0 {
		s += fmt.Sprintf(", %d of them spill code", l.Spills.After)
	}
	return s
}

// linesOf says how to get the source lines of what the compiler of a file wrote.
func linesOf(file string) string {
	if p, _ := producer.Builtin().Role(path.Base(file)); p != nil && p.Lines != "" {
		return p.Lines
	}
	return "compile with debug locations"
}

// writeWhere writes one kernel; located is false if it has no source lines to show.
func writeWhere(b *bytes.Buffer, k *where.Kernel, style Style) (located bool) {
	fmt.Fprintf(b, "%s  %s\n", style.paint(bold, visible(k.Kernel)), visible(k.File))
	if k.Refused != "" {
		fmt.Fprintf(b, "  %s: %s\n", style.paint(unsure, "?"), oneLine(k.Refused))
		return true
	}
	for _, p := range allocations(k) {
		if p.Registers == "AGPRs" && p.Refused == "" && p.Peak.Peak == 0 && p.Allocated == 0 {
			continue // most kernels and processors have none
		}
		fmt.Fprintf(b, "  %s\n", Peak(p))
	}
	fmt.Fprintf(b, "  %s\n", Spills(&k.Analysis))
	t := table{head: []string{"near line", "instructions", "live VGPRs", "spill stores", "reloads", "scratch", "LDS"}}
	for _, l := range WorstLines(k.Lines) {
		t.rows = append(t.rows, tableRow{name: Place(l.Source), cells: []tableCell{
			count(l.Instructions), count(l.VGPRs), count(l.SpillStores), count(l.SpillLoads),
			count(l.ScratchStores + l.ScratchLoads), count(l.LDSReads + l.LDSWrites + l.LDSDirect),
		}})
	}
	if len(k.Lines) == 1 && k.Lines[0].Source == (pressure.Source{}) {
		return false
	}
	if len(t.rows) == 0 {
		return true
	}
	text, _ := t.render(style)
	b.Write(text)
	return true
}

func count(n int) tableCell { return tableCell{text: fmt.Sprint(n), keep: essential} }

func allocations(k *where.Kernel) [3]pressure.Allocation {
	if k.Record == nil {
		return k.Allocations(nil)
	}
	return k.Allocations(&k.Record.Cells)
}

// Peak returns the most live registers of a file: "live VGPRs peak at 131 of 136
// allocated, near softmax.py:83 (assembly line 412)".
func Peak(p pressure.Allocation) string {
	if p.Refused != "" {
		return fmt.Sprintf("live %s: ? (%s)", p.Registers, oneLine(p.Refused))
	}
	s := fmt.Sprintf("live %s peak at %s", p.Registers, peakCount(p.Peak))
	if p.Known {
		s += fmt.Sprintf(" of %d allocated", p.Allocated)
	}
	if p.Peak.Peak > 0 {
		s += ", " + peakPlace(p.Peak)
	}
	if p.Bound == pressure.OwnBody {
		s += "; the functions it calls are not counted"
	}
	return s
}

// peakCount returns the figure of a peak as far as it is known.
func peakCount(p pressure.Peak) string {
	switch {
	case p.Refused != "":
		return "?"
	case p.Bound == pressure.AtLeast:
		return fmt.Sprintf("%d or more", p.Peak)
	}
	return fmt.Sprint(p.Peak)
}

// peakPlace returns the source line of a peak, if it has one, and its assembly
// line.
func peakPlace(p pressure.Peak) string {
	switch {
	case p.Source != (pressure.Source{}):
		return fmt.Sprintf("%s (assembly line %d)", Place(p.Source), p.Line)
	case p.Near != (pressure.Source{}):
		return fmt.Sprintf("near %s (assembly line %d)", Place(p.Near), p.Line)
	}
	return fmt.Sprintf("assembly line %d", p.Line)
}

// PeakChange returns how a peak moved, for registers such as "VGPRs": "live VGPRs
// peak at 512 -> 548, line 83 (was line 79)", with the arrow that is given. It is
// "" if neither the count nor the line changed.
func PeakChange(registers string, before, after pressure.Peak, arrow string) string {
	was, is := peakCount(before), peakCount(after)
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

// Spills returns how much spill code a kernel has: "34 spill stores, 36 reloads".
func Spills(a *pressure.Analysis) string {
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
func Place(s pressure.Source) string {
	if s == (pressure.Source{}) {
		return "(no source line)"
	}
	return fmt.Sprintf("%s:%d", visible(path.Base(s.File)), s.Line)
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
