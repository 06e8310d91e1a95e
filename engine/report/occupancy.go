package report

import (
	"bytes"
	"fmt"

	"isadiff/engine/diff"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// occupancyHead names the columns of the occupancy table.
var occupancyHead = []string{"kernel", "waves/SIMD", "limited by", "llvm", "whole groups", "vgprs", "budget", "threads", "next step up", "next step down"}

const occupancyLegend = "waves per SIMD at the workgroup size of the launch, from static resources: never a regression, no claim about time\n" +
	"llvm = LLVM's own figure; whole groups = waves when workgroups are resident as a whole, at most; budget = VGPRs that a wave may have\n"

// comparedOccupancy returns the occupancy of the kernels that changed, and of
// those whose waves did.
func comparedOccupancy(r *diff.Result) (t table, notes []string) {
	t.head = occupancyHead
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.Comparable() || !shown(row) && !occupancy.Crossed(row.Before, row.After) {
			continue
		}
		before, after := occupancy.Of(row.Before), occupancy.Of(row.After)
		t.rows = append(t.rows, tableRow{name: demangledRow(row), key: row.Key, cells: occupancyCells(&before, &after)})
		notes = append(notes, occupancyNotes(row.Key, &after)...)
		if s := WavesLost(row); s != "" {
			notes = append(notes, visible(row.Key)+": "+s)
		}
	}
	return t, notes
}

// sideOccupancy returns the occupancy of every kernel of a side.
func sideOccupancy(s *resource.Side) (t table, notes []string) {
	t.head = occupancyHead
	for _, r := range s.Records {
		o := occupancy.Of(r)
		t.rows = append(t.rows, tableRow{name: demangled(r), key: r.Key, cells: occupancyCells(nil, &o)})
		notes = append(notes, occupancyNotes(r.Key, &o)...)
	}
	return t, notes
}

func writeOccupancy(b *bytes.Buffer, t table, notes []string, style Style) {
	if len(t.rows) == 0 {
		return
	}
	text, _ := t.render(style)
	b.WriteString(occupancyLegend)
	b.Write(text)
	for _, n := range notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	b.WriteByte('\n')
}

// occupancyCells returns the cells of one kernel; before is nil for one side.
func occupancyCells(before, after *occupancy.Standing) []tableCell {
	moved := func(x, y string, known bool) tableCell {
		if before == nil || !known || x == y {
			return tableCell{text: y}
		}
		return tableCell{text: x + "->" + y, keep: essential}
	}
	if !after.Known {
		cells := make([]tableCell, len(occupancyHead)-1)
		for i := range cells {
			cells[i].text = "?"
		}
		return cells
	}
	known := before != nil && before.Known
	x := after // with nothing before, nothing moved
	if known {
		x = before
	}
	waves := moved(waveCount(x), waveCount(after), known)
	switch {
	case after.Launch < x.Launch:
		waves.text, waves.paint = fmt.Sprintf("%s(%d)", waves.text, after.Launch-x.Launch), worse
	case after.Launch > x.Launch:
		waves.text, waves.paint = fmt.Sprintf("%s(+%d)", waves.text, after.Launch-x.Launch), better
	}
	cells := []tableCell{
		waves,
		moved(limiter(x), limiter(after), known),
		moved(fmt.Sprint(x.LLVM), fmt.Sprint(after.LLVM), known),
		moved(fmt.Sprint(x.Resident.Waves), fmt.Sprint(after.Resident.Waves), known),
		moved(fmt.Sprint(x.VGPRs), fmt.Sprint(after.VGPRs), known),
		moved(fmt.Sprint(x.Budget), fmt.Sprint(after.Budget), known),
		moved(fmt.Sprint(x.Threads), fmt.Sprint(after.Threads), known),
		{text: dash(stepUp(after))},
		{text: dash(stepDown(after))},
	}
	cells[0].keep = essential
	return cells
}

// waveCount returns the waves, marked where they are only a bound.
func waveCount(s *occupancy.Standing) string {
	if s.Bound != "" {
		return fmt.Sprintf("<=%d", s.Launch)
	}
	return fmt.Sprint(s.Launch)
}

func limiter(s *occupancy.Standing) string {
	if s.Limiter == "" {
		return "maximum"
	}
	return s.Limiter
}

// stepUp: "5 at 96 (-31)".
func stepUp(s *occupancy.Standing) string {
	up, save, ok := s.Up()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d at %d (-%d)", up.Waves, up.VGPRs, save)
}

// stepDown: "3 at 129 (+2)".
func stepDown(s *occupancy.Standing) string {
	down, spare, ok := s.Down()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d at %d (+%d)", down.Waves, int(s.VGPRs)+spare+1, spare+1)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func occupancyNotes(key string, s *occupancy.Standing) (notes []string) {
	if !s.Known {
		return []string{visible(key) + ": waves: ? (" + s.Why + ")"}
	}
	if s.Bound != "" {
		notes = append(notes, visible(key)+": waves are an upper bound: "+s.Bound)
	}
	return notes
}

// WavesLost says which step of the occupancy curve a kernel crossed: "4 -> 3
// waves/SIMD (limited by VGPR); 8 VGPRs too many for 4 waves"; "" if it crossed
// none. It says so for a gain as well.
func WavesLost(row *diff.Row) string {
	if !row.Comparable() || !occupancy.Crossed(row.Before, row.After) {
		return ""
	}
	before, after := occupancy.Of(row.Before), occupancy.Of(row.After)
	if !before.Known || !after.Known {
		return ""
	}
	s := fmt.Sprintf("%s -> %s waves/SIMD (limited by %s)", waveCount(&before), waveCount(&after), limiter(&after))
	if after.Launch < before.Launch {
		if next := after.Next(); next != "" {
			s += "; " + next
		}
	}
	if after.Resident.Waves == before.Resident.Waves {
		s += fmt.Sprintf("; still %d in whole workgroups of %d threads", after.Resident.Waves, after.Threads)
	}
	return s
}

// writeSteps writes the member "occupancy_steps" of a record: where it is on
// the curve of its processor.
func writeSteps(w *snapshot.Writer, r *resource.Record) {
	s := occupancy.Of(r)
	if !s.Known {
		return
	}
	w.Key("occupancy_steps")
	w.Object(func() {
		w.Key("at_most")
		w.String(s.Bound)
		w.Key("budget")
		w.Int(int64(s.Budget))
		w.Key("down")
		if down, spare, ok := s.Down(); ok {
			writeStep(w, down.Waves, int(s.VGPRs)+spare+1, spare+1)
		} else {
			w.Null()
		}
		w.Key("resident_waves")
		w.Int(int64(s.Resident.Waves))
		w.Key("resident_workgroups")
		w.Int(int64(s.Resident.Workgroups))
		w.Key("threads")
		w.Int(s.Threads)
		w.Key("up")
		if up, save, ok := s.Up(); ok {
			writeStep(w, up.Waves, up.VGPRs, -save)
		} else {
			w.Null()
		}
		w.Key("vgprs")
		w.Int(s.VGPRs)
	})
}

// writeStep writes a step: its waves, the register count that is on it, and how
// many registers away that is.
func writeStep(w *snapshot.Writer, waves, vgprs, change int) {
	w.Object(func() {
		w.Key("change")
		w.Int(int64(change))
		w.Key("vgprs")
		w.Int(int64(vgprs))
		w.Key("waves")
		w.Int(int64(waves))
	})
}
