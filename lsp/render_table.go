package lsp

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/gfx"
	"isadiff/engine/live"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

// Columns of the table: where the name ends, and how wide each figure is.
const (
	nameWidth  = 21
	valueWidth = 8
)

// ages are how old the two sides of a kernel are.
func ages(k *live.Kernel, s *live.State, now time.Time) (parts []string) {
	if !k.Dumped.IsZero() {
		parts = append(parts, "dump "+ago(now, k.Dumped))
	}
	if k.Baseline != nil && !s.Baseline.Written.IsZero() {
		parts = append(parts, "baseline "+ago(now, s.Baseline.Written))
	}
	return parts
}

// A table has the figures of a kernel, of both sides or of one. Its columns are padded,
// so that it reads well where Markdown is not rendered.
type table struct {
	b    strings.Builder
	both bool
}

func (t *table) row(label, x, y, delta, note string) {
	line := fmt.Sprintf("%-*s%*s", nameWidth, label, valueWidth, x)
	if t.both {
		line += fmt.Sprintf("%*s%*s", valueWidth+1, y, valueWidth, delta)
	}
	if note != "" {
		line += "   " + oneLine(note)
	}
	t.b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// kernelTable is the table of all metrics of a kernel, before and after, with the
// reason wherever there is no figure.
func kernelTable(k *live.Kernel) string {
	before, after := sides(k)
	t := table{both: before != nil && after != nil}
	const legend = "* counts for the verdict"
	switch {
	case before != nil && after != nil:
		t.row("", "before", "after", "", legend)
	case before != nil:
		t.row("", "before", "", "", legend)
	case after != nil:
		t.row("", "now", "", "", legend)
	default:
		return ""
	}
	for m := range resource.Metric(resource.NumMetrics) {
		label := "    " + m.String()
		if m.Trigger() {
			label = "* " + m.String()
		}
		x, y, delta, reason := cells(k, before, after, m)
		t.row(label, x, y, delta, join(reason, note(facts.Record(k), m)))
	}
	x, y, delta, text := waveCells(before, after, k.Row != nil && k.Row.Comparable())
	if x != "" {
		t.row("  waves per SIMD", x, y, delta, text)
	}
	return t.b.String()
}

// kindMarks are the marks of what counts for the verdict.
var kindMarks = map[facts.Kind]string{facts.Worse: "▲", facts.Allowed: "△", facts.Better: "▼", facts.Context: ""}

// marked is the note of a row behind its mark.
func marked(mark, note string) string {
	return strings.TrimRight(fmt.Sprintf("%-3s%s", mark, note), " ")
}

// splitTable is the table of what is not the same on the two sides of a kernel or could
// not be read, the waves first and then the worst, and the other figures in a line.
func splitTable(k *live.Kernel) (moved, rest string) {
	before, after := sides(k)
	t := table{both: true}
	var same []string
	compared := k.Row != nil && k.Row.Comparable()
	if x, y, delta, text := waveCells(before, after, compared); x != y {
		mark := ""
		for _, c := range facts.Changes(k.Row) {
			if c.Waves {
				mark = kindMarks[c.Kind]
			}
		}
		if k.Row != nil && k.Row.Unlaunchable != "" {
			mark = kindMarks[facts.Worse]
		}
		t.row("waves per SIMD", x, y, delta, marked(mark, text))
	} else if x != "" {
		same = append(same, fmt.Sprintf("waves per SIMD %s (%s)", x, text))
	}
	for _, m := range resource.ByHarm {
		x, y, delta, reason := cells(k, before, after, m)
		reason = oneLine(reason)
		unread := before.Cells[m].State == resource.Unparsed || after.Cells[m].State == resource.Unparsed
		if x == y && !unread {
			text := m.String() + " " + x
			if n := note(after, m); n != "" {
				text += " " + n
			}
			if reason != "" {
				text += " (" + reason + ")"
			}
			same = append(same, text)
			continue
		}
		mark := ""
		if k.Row != nil {
			if change, ok := k.Row.Delta(m); ok {
				mark = kindMarks[facts.KindOf(k.Row, diff.Delta{Metric: m, Change: change})]
			}
		}
		t.row(m.String(), x, y, delta, marked(mark, join(reason, note(after, m))))
	}
	if rows := t.b.String(); rows != "" {
		head := table{both: true}
		legend := "▲ ▼ count for the verdict"
		switch {
		case !compared:
			legend = "not compared"
		case strings.Contains(rows, kindMarks[facts.Allowed]):
			legend += ", △ is allowed"
		}
		head.row("", "before", "after", "", legend)
		moved = head.b.String() + rows
	}
	if len(same) > 0 {
		rest = "Unchanged: " + strings.Join(same, " · ")
		if !compared {
			rest = "The same on both sides: " + strings.Join(same, " · ")
		}
	}
	return moved, rest
}

func join(notes ...string) string {
	var some []string
	for _, n := range notes {
		if n != "" {
			some = append(some, n)
		}
	}
	return strings.Join(some, "; ")
}

// sides are the two records of a kernel, as far as they are there to be shown.
func sides(k *live.Kernel) (before, after *resource.Record) {
	if k.Row != nil {
		return k.Row.Before, k.Row.After
	}
	return k.Baseline, k.Live
}

// cells writes one metric of both sides, its change if they were compared, and
// why a figure is missing.
func cells(k *live.Kernel, before, after *resource.Record, m resource.Metric) (x, y, delta, reason string) {
	if before == nil {
		c := after.Cells[m]
		return c.String(), "", "", c.Reason
	}
	c := before.Cells[m]
	if after == nil {
		return c.String(), "", "", c.Reason
	}
	d := after.Cells[m]
	if k.Row != nil {
		if change, ok := k.Row.Delta(m); ok {
			delta = signed(change)
		}
	}
	return c.String(), d.String(), delta, facts.Reason(before, after, m)
}

// note says what a figure is measured against.
func note(r *resource.Record, m resource.Metric) string {
	if m != resource.VGPR || r.Cells[m].State != resource.Known {
		return ""
	}
	p, ok := r.Target.Shape()
	if !ok {
		return ""
	}
	budget, ok := gfx.Budget(p, r.Demand())
	if !ok {
		return ""
	}
	text := fmt.Sprintf("of %d", budget)
	if n := r.Threads(); n > 0 {
		text += fmt.Sprintf(" at %d threads", n)
	}
	return text
}

// waveCells writes the waves per SIMD of both sides and what limits them.
func waveCells(before, after *resource.Record, compared bool) (x, y, delta, text string) {
	last := after
	if last == nil {
		last = before
	}
	a, aok := occupancy.Waves(last)
	b, bok := occupancy.Waves(before)
	if !aok && !bok {
		return "", "", "", ""
	}
	text = waveNote(last)
	if before == nil || after == nil {
		return waveText(a, aok), "", "", text
	}
	if compared && aok && bok && a != b {
		delta = signed(int64(a - b))
	}
	return waveText(b, bok), waveText(a, aok), delta, text
}

func waveText(n int, known bool) string {
	if !known {
		return "?"
	}
	return fmt.Sprint(n)
}

// waveNote: "VGPRs; in whole workgroups of 1024; 5 by LLVM".
func waveNote(r *resource.Record) string {
	s := occupancy.Of(r)
	if r.Occupancy.Unlaunchable != "" {
		return facts.CannotLaunch(r.Occupancy.Unlaunchable)
	}
	if !s.Known {
		return s.Why
	}
	var notes []string
	switch s.Limit {
	case gfx.VGPR, gfx.SGPR:
		notes = append(notes, s.Limit+"s")
	case "":
		notes = append(notes, "the maximum")
	default:
		notes = append(notes, s.Limit)
	}
	if s.Whole {
		notes = append(notes, fmt.Sprintf("in whole workgroups of %d", s.Threads))
	}
	if s.LLVM > 0 && s.LLVM != s.Waves {
		notes = append(notes, fmt.Sprintf("%d by LLVM's best case", s.LLVM))
	}
	if r.Launch.DynamicVGPR || r.Launch.DynamicLDS {
		notes = append(notes, "at most: dynamic "+dynamic(r))
	}
	return strings.Join(notes, "; ")
}

func dynamic(r *resource.Record) string {
	if r.Launch.DynamicVGPR {
		return "VGPRs"
	}
	return "LDS"
}

// columns is the width of a text as a terminal shows it, near enough for names.
func columns(s string) int { return utf8.RuneCountInString(s) }
