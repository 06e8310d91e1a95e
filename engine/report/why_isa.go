package report

import (
	"bytes"
	"fmt"
	"strings"

	"isadiff/engine/pressure"
	"isadiff/engine/trace"
	"isadiff/engine/where"
	"isadiff/engine/why"
)

// around is how many paired instructions stand before and behind those that changed.
const around = 2

// writeAssemblyDiff writes the instructions that are gone (-), new (+) or changed
// (both), with the lines of the assembly before and after. What is only in other
// registers or elsewhere is left out, but for some around.
func writeAssemblyDiff(b *bytes.Buffer, k *trace.WhyKernel, style Style) {
	steps := k.Steps
	shown := make([]bool, len(steps))
	for i, s := range steps {
		if isNews(s) {
			for j := max(0, i-around); j <= min(len(steps)-1, i+around); j++ {
				shown[j] = true
			}
		}
	}
	width := len(fmt.Sprint(max(last(k.Before.Body), last(k.After.Body))))
	write := func(sign string, p paint, before, after int, ins *pressure.Instruction) {
		text := fmt.Sprintf("%s %s %s  %s%s", sign, asmLine(before, width), asmLine(after, width), ins.Mnemonic, visibleOperands(ins))
		fmt.Fprintf(b, "%s%s\n", indented, style.paint(p, strings.TrimRight(text, " ")))
	}
	place := ""
	for i, s := range steps {
		if !shown[i] {
			continue
		}
		if at := stepPlace(k.Comparison, s); at != place || i == 0 || !shown[i-1] {
			place = at
			fmt.Fprintf(b, "%s@@ %s\n", indented, style.paint(dim, place))
		}
		var old, now *pressure.Instruction
		if s.Before >= 0 {
			old = &k.Before.Body[s.Before]
		}
		if s.After >= 0 {
			now = &k.After.Body[s.After]
		}
		switch s.Op {
		case why.Removed:
			write("-", better, old.Line, 0, old)
		case why.Added:
			write("+", worse, 0, now.Line, now)
		case why.Changed:
			write("-", better, old.Line, 0, old)
			write("+", worse, 0, now.Line, now)
		default:
			write(" ", plain, old.Line, now.Line, now)
		}
	}
}

func isNews(s why.Step) bool { return s.Op == why.Removed || s.Op == why.Added || s.Op == why.Changed }

func last(body []pressure.Instruction) int {
	if len(body) == 0 {
		return 0
	}
	return body[len(body)-1].Line
}

func asmLine(n, width int) string {
	if n == 0 {
		return strings.Repeat(" ", width)
	}
	return fmt.Sprintf("%*d", width, n)
}

// visibleOperands returns an instruction's operands on one line.
func visibleOperands(ins *pressure.Instruction) string {
	text := strings.Join(strings.Fields(string(ins.Operands)), " ")
	if text == "" {
		return ""
	}
	return " " + oneLine(text)
}

// stepPlace is the source line of an instruction, that of before for one that is gone.
func stepPlace(c *why.Comparison, s why.Step) string {
	if s.After >= 0 {
		return sourcePlace(c.After.Body[s.After].Source)
	}
	if source := c.Before.Body[s.Before].Source; source != (pressure.SourceLine{}) {
		return sourcePlace(source) + " before"
	}
	return sourcePlace(pressure.SourceLine{})
}

// writeListing writes the assembly of a kernel: line, live VGPRs, spill code, source
// line.
func writeListing(b *bytes.Buffer, k *where.Kernel, style Style) {
	l := k.Listing
	width := len(fmt.Sprint(last(l.Body)))
	source := pressure.SourceLine{Line: -1}
	for i := range l.Body {
		ins := &l.Body[i]
		if ins.Source != source {
			source = ins.Source
			fmt.Fprintf(b, "%s@@ %s\n", indented, style.paint(dim, sourcePlace(source)))
		}
		mark, p := " ", plain
		switch ins.Spill {
		case pressure.SpillStore:
			mark, p = "s", worse
		case pressure.SpillLoad:
			mark, p = "r", worse
		}
		live := "?"
		if l.VGPR.Refused == "" {
			live = fmt.Sprint(ins.Live)
		}
		fmt.Fprintf(b, "%s%s\n", indented, style.paint(p, fmt.Sprintf("%s %*d %4s  %s%s", mark, width, ins.Line, live, ins.Mnemonic, visibleOperands(ins))))
	}
}
