package report

import (
	"bytes"
	"fmt"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/gfx"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// occupancyHead names the columns of the occupancy table.
var occupancyHead = []string{"kernel", "waves/SIMD", "limited by", "llvm", "vgprs", "budget", "threads", "next step up", "next step down"}

const occupancyLegend = "waves per SIMD, from static resources: in whole workgroups where the metadata fix their size; fewer are no regression, no claim about time\n" +
	"llvm = LLVM's own figure; budget = VGPRs that a wave may have\n"

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
		if s := facts.WavesMoved(row); s != "" {
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
	cells := make([]tableCell, len(occupancyHead)-1)
	moved := before != nil && before.Known
	if !after.Known {
		for i := range cells {
			cells[i].text = "?"
			if after.Unlaunchable != "" {
				cells[i].text = "-"
			}
		}
		cells[0] = tableCell{text: facts.WaveCount(after), keep: essential}
		if moved && after.Unlaunchable != "" {
			cells[0].text, cells[0].paint = facts.WaveCount(before)+"->"+cells[0].text, worse
		}
		return cells
	}
	figures := func(s *occupancy.Standing) []string {
		return []string{facts.WaveCount(s), facts.Limiter(s), fmt.Sprint(s.LLVM), fmt.Sprint(s.VGPRs), fmt.Sprint(s.Budget), fmt.Sprint(s.Threads)}
	}
	for i, figure := range append(figures(after), step(after.Up), step(after.Down)) {
		cells[i].text = figure
	}
	cells[0].keep = essential
	if !moved {
		return cells
	}
	for i, was := range figures(before) {
		if was != cells[i].text {
			cells[i] = tableCell{text: was + "->" + cells[i].text, keep: essential}
		}
	}
	if d := after.Waves - before.Waves; d != 0 {
		cells[0].text += fmt.Sprintf("(%+d)", d)
		cells[0].paint = better
		if d < 0 {
			cells[0].paint = worse
		}
	}
	return cells
}

func step(s *occupancy.Step) string {
	if s == nil {
		return "-"
	}
	return s.String()
}

func occupancyNotes(key string, s *occupancy.Standing) (notes []string) {
	switch {
	case s.Unlaunchable != "":
		return []string{visible(key) + ": " + facts.CannotLaunch(s.Unlaunchable)}
	case !s.Known:
		return []string{visible(key) + ": waves: ? (" + s.Why + ")"}
	}
	if s.Bound != "" {
		notes = append(notes, visible(key)+": waves are an upper bound: "+s.Bound)
	}
	return notes
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
		writeStep(w, s.Down)
		w.Key("limiter")
		if s.Limit == "" {
			w.Null()
		} else {
			w.String(s.Limit)
		}
		w.Key("resident_waves")
		w.Int(int64(s.Resident.Waves))
		w.Key("resident_workgroups")
		w.Int(int64(s.Resident.Workgroups))
		w.Key("threads")
		w.Int(s.Threads)
		w.Key("up")
		writeStep(w, s.Up)
		w.Key("vgprs")
		w.Int(s.VGPRs)
		w.Key("waves")
		w.Int(int64(s.Waves))
		w.Key("whole_workgroups")
		w.Bool(s.Whole)
	})
}

// writeStep writes a step: of which resource, how much of it, how far away that is,
// and its waves; null if there is none.
func writeStep(w *snapshot.Writer, s *occupancy.Step) {
	if s == nil {
		w.Null()
		return
	}
	w.Object(func() {
		w.Key("amount")
		w.Int(s.Amount)
		w.Key("change")
		w.Int(s.Change)
		w.Key("resource")
		w.String(s.Resource)
		if s.Resource == gfx.VGPR {
			w.Key("vgprs")
			w.Int(s.Amount)
		}
		w.Key("waves")
		w.Int(int64(s.Waves))
	})
}
