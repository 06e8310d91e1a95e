package report

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"

	"isadiff/engine/facts"
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

var whereHead = []string{"near line", "instructions", "live VGPRs", "spill stores", "reloads", "scratch", "LDS"}

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
		fmt.Fprintf(b, "  %s\n", oneLine(facts.Peak(p)))
	}
	fmt.Fprintf(b, "  %s\n", facts.SpillCode(&k.Analysis))
	t := table{head: whereHead}
	for _, l := range facts.WorstLines(k.Lines) {
		t.rows = append(t.rows, tableRow{name: sourcePlace(l.Source), cells: []tableCell{
			count(l.Instructions), count(l.VGPRs), count(l.SpillStores), count(l.SpillLoads),
			count(l.ScratchStores + l.ScratchLoads), count(l.LDSReads + l.LDSWrites + l.LDSDirect),
		}})
	}
	if len(k.Lines) == 1 && k.Lines[0].Source == (pressure.SourceLine{}) {
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

// sourcePlace returns a source line as tables show it.
func sourcePlace(s pressure.SourceLine) string { return visible(facts.Place(s)) }
