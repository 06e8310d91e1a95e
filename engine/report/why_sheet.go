package report

import (
	"bytes"
	"fmt"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/trace"
	"isadiff/engine/why"
)

// A SheetLine is one line of plain text, and the source line that it is about; the zero
// Source if it is about none.
type SheetLine struct {
	Text   string
	Source pressure.SourceLine
}

// WhySheet returns what became of kernels as [Why] says it, changed or not, for an
// editor that leads from its lines to the source. There is nothing in it that cannot be
// printed.
func WhySheet(w *trace.Why) (sheet []SheetLine) {
	for i := range w.Kernels {
		sheet = append(sheet, sheetOf(&w.Kernels[i], w.Code)...)
	}
	for _, s := range whyDoubts(w) {
		sheet = append(sheet, SheetLine{Text: s})
	}
	return sheet
}

// whyDoubts says why what is shown is not to be trusted.
func whyDoubts(w *trace.Why) (lines []string) {
	for _, p := range w.Problems {
		lines = append(lines, "not trustworthy ("+string(p.Code)+"): "+Describe(p))
	}
	return lines
}

func sheetOf(k *trace.WhyKernel, code map[pressure.SourceLine]string) []SheetLine {
	sheet := []SheetLine{{Text: visible(k.Row.Key) + "  " + whyTarget(k)}}
	for _, s := range whyFacts(k) {
		l := SheetLine{Text: indented + s}
		if strings.Contains(s, "live VGPRs") {
			l.Source = peakSource(k)
		}
		sheet = append(sheet, l)
	}
	for _, s := range profileLines(k.Comparison) {
		sheet = append(sheet, SheetLine{Text: indented + s})
	}
	t, rows, same := whyRows(k, code)
	if len(t.rows) > 0 {
		text, _ := t.render(Style{})
		for i, s := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
			l := SheetLine{Text: s}
			if i > 0 { // the first is the head
				l.Source = rows[i-1].Source
			}
			sheet = append(sheet, l)
		}
	}
	if same > 0 {
		sheet = append(sheet, SheetLine{Text: indented + problem.Count(same, "line") + " without a change"})
	}
	for _, l := range whyLoops(k.Comparison) {
		sheet = append(sheet, SheetLine{indented + l.Text, l.Source})
	}
	if s := WhyPlaceless(k); s != "" {
		sheet = append(sheet, SheetLine{Text: indented + s})
	}
	return sheet
}

// peakSource returns the source line at which most VGPRs are live.
func peakSource(k *trace.WhyKernel) pressure.SourceLine {
	if p := k.After.VGPR; p.Refused == "" && p.Peak > 0 {
		if p.Source.Line > 0 {
			return p.Source
		}
		return p.Near
	}
	return pressure.SourceLine{}
}

// WhyPlaceless says which side has no source lines and how to get them; "" if both have
// some.
func WhyPlaceless(k *trace.WhyKernel) string {
	side, file := unlocated(k)
	if side == "" {
		return ""
	}
	return fmt.Sprintf("no debug locations %s: %s for the source lines", side, linesOf(file))
}

// WhyMarkdown returns the same as a Markdown page, which can be read as it is written.
// link returns the URL of a source line; "" if it is not here.
func WhyMarkdown(w *trace.Why, link func(pressure.SourceLine) string) []byte {
	var b bytes.Buffer
	for i := range w.Kernels {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeWhyMarkdown(&b, &w.Kernels[i], w.Code, link)
	}
	for i, s := range whyDoubts(w) {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- **%s**\n", HoverText(s))
	}
	return b.Bytes()
}

func writeWhyMarkdown(b *bytes.Buffer, k *trace.WhyKernel, code map[pressure.SourceLine]string, link func(pressure.SourceLine) string) {
	fmt.Fprintf(b, "# %s %s\n\n", codeSpan(k.Row.Key), HoverText(whyTarget(k)))
	for _, s := range whyFacts(k) {
		fmt.Fprintf(b, "- %s\n", HoverText(s))
	}
	if lines := profileLines(k.Comparison); len(lines) > 0 {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.Join(lines, "\n")) // words and blocks of our own
	}
	t, rows, same := whyRows(k, code)
	if len(t.rows) > 0 {
		b.WriteString("\n| " + strings.Join(t.head, " | ") + " | |\n|---|" + strings.Repeat("---:|", len(t.head)-1) + "---|\n")
	}
	for i, row := range t.rows {
		name := HoverText(row.name)
		if to := link(rows[i].Source); to != "" {
			name = "[" + name + "](" + to + ")"
		}
		b.WriteString("| " + name)
		for _, c := range row.cells {
			text := HoverText(c.text)
			if c.paint == worse {
				text = "**" + text + "**"
			}
			b.WriteString(" | " + text)
		}
		b.WriteString(" | " + codeSpan(row.note) + " |\n")
	}
	b.WriteByte('\n')
	if same > 0 {
		fmt.Fprintf(b, "- %s without a change\n", problem.Count(same, "line"))
	}
	for _, l := range whyLoops(k.Comparison) {
		fmt.Fprintf(b, "- %s\n", HoverText(l.Text))
	}
	if s := WhyPlaceless(k); s != "" {
		fmt.Fprintf(b, "- %s\n", HoverText(s))
	}
}

// profileWidthText is how many parts of a body a profile in text shows, each in a
// character.
const profileWidthText = 48

// profileLines draw the live VGPRs along a kernel on both sides, to one scale; none if
// they are not known.
func profileLines(c *why.Comparison) []string {
	if c.Before.VGPR.Refused != "" || c.After.VGPR.Refused != "" || len(c.Before.Body) == 0 || len(c.After.Body) == 0 {
		return nil
	}
	top := max(c.Before.VGPR.Peak, c.After.VGPR.Peak, 1)
	draw := func(body []pressure.Instruction) string {
		const levels = "▁▂▃▄▅▆▇█"
		var b strings.Builder
		n := min(profileWidthText, len(body))
		for p := range n {
			most := 0
			for i := p * len(body) / n; i < (p+1)*len(body)/n; i++ {
				most = max(most, body[i].Live)
			}
			b.WriteRune([]rune(levels)[min(7, most*8/(top+1))])
		}
		return b.String() + strings.Repeat(" ", profileWidthText-n)
	}
	return []string{
		fmt.Sprintf("live VGPRs        %s  before, %s at the peak", draw(c.Before.Body), facts.PeakCount(c.Before.VGPR)),
		fmt.Sprintf("along the kernel  %s  after, %s", draw(c.After.Body), facts.PeakCount(c.After.VGPR)),
	}
}

// A LineMark is what a change did to a source line, in few words.
type LineMark struct {
	Source pressure.SourceLine // as it is after
	Text   string              // "live VGPRs 80→127 · 20 spill stores"
}

// WhyMarks returns the lines that gained live VGPRs or spill code, the worst first. If the
// side before has no debug locations, it returns the lines that have some; if nothing is
// known, none.
func WhyMarks(k *trace.WhyKernel) (marks []LineMark) {
	if k.Before.Refused != "" || k.After.Refused != "" {
		return nil
	}
	side, _ := unlocated(k)
	if side != "" && side != diff.SideBefore {
		return nil
	}
	known := side == "" // what there was before
	live := k.Before.VGPR.Refused == "" && k.After.VGPR.Refused == ""
	bound := ""
	if k.Before.SpillBound == pressure.AtMost || k.After.SpillBound == pressure.AtMost {
		bound = "at most "
	}
	for _, l := range WorstChanges(k.Lines) {
		if l.Source.Line == 0 {
			continue
		}
		var parts []string
		if l.Live.After > l.Live.Before && live {
			if !known {
				parts = append(parts, fmt.Sprintf("live VGPRs %d", l.Live.After))
			} else if l.Instructions.Before == 0 {
				parts = append(parts, fmt.Sprintf("live VGPRs %d, new", l.Live.After))
			} else {
				parts = append(parts, fmt.Sprintf("live VGPRs %d→%d", l.Live.Before, l.Live.After))
			}
		}
		for _, n := range [...]struct {
			why.Sides
			word string
		}{{l.SpillStores, "spill store"}, {l.SpillLoads, "reload"}} {
			switch {
			case n.After <= n.Before:
			case n.Before == 0:
				parts = append(parts, bound+problem.Count(n.After, n.word))
			default:
				parts = append(parts, fmt.Sprintf("%s%d→%d %ss", bound, n.Before, n.After, n.word))
			}
		}
		if len(parts) > 0 {
			marks = append(marks, LineMark{l.Source, strings.Join(parts, " · ")})
		}
	}
	return marks
}
