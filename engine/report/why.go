package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/trace"
	"isadiff/engine/why"
)

// Why returns what became of the instructions of the kernels that changed, without
// the verdict that follows it; with Options.Assembly, also the instructions that are
// gone, new or changed.
func Why(w *trace.Why, opt Options) []byte {
	var b bytes.Buffer
	changed, calling := 0, 0
	placeless := map[string]int{}
	for i := range w.Kernels {
		k := &w.Kernels[i]
		if calls(k.Comparison) {
			calling++
		}
		if !k.Differs() {
			continue
		}
		changed++
		writeWhy(&b, k, w.Code, opt.Style)
		if opt.Assembly {
			writeAssemblyDiff(&b, k, opt.Style)
		}
		b.WriteByte('\n')
		if side, file := unlocated(k); side != "" {
			placeless[side+": "+linesOf(file)]++
		}
	}
	for _, text := range slices.Sorted(maps.Keys(placeless)) {
		side, mend, _ := strings.Cut(text, ": ")
		fmt.Fprintf(&b, "no debug locations %s in %s: %s for the source lines\n", side, problem.Count(placeless[text], "kernel"), mend)
	}
	for _, s := range whyRenamed(w) {
		fmt.Fprintf(&b, "note: %s\n", s)
	}
	if calling > 0 {
		fmt.Fprintf(&b, "functions that kernels call are not compared (%s)\n", problem.Count(calling, "kernel"))
	}
	fmt.Fprintf(&b, "%s on both sides; %d changed\n", problem.Count(len(w.Kernels), "kernel"), changed)
	b.WriteString(Untrustworthy(len(w.Problems)))
	return b.Bytes()
}

// whyRenamed says which kernels, each on one side only, are probably one under two names.
func whyRenamed(w *trace.Why) (notes []string) {
	if w.Compared != nil {
		for _, pair := range w.Compared.Renamed {
			notes = append(notes, renamed(w.Compared, pair))
		}
	}
	return notes
}

// calls reports whether a kernel calls functions, which its body does not include.
func calls(c *why.Comparison) bool {
	return c.Before.VGPR.Bound == pressure.OwnBody || c.After.VGPR.Bound == pressure.OwnBody
}

// unlocated tells which side of a kernel has no debug locations, and a file of it;
// "" if both have some.
func unlocated(k *trace.WhyKernel) (side, file string) {
	before, after := k.Before.Located() || len(k.Before.Body) == 0, k.After.Located() || len(k.After.Body) == 0
	switch {
	case before && after:
		return "", ""
	case before:
		return diff.SideAfter, k.Row.After.Source
	case after:
		return diff.SideBefore, k.Row.Before.Source
	}
	return "before and after", k.Row.After.Source
}

// indented is how far the facts of a kernel stand to the right of its name.
const indented = "  "

func writeWhy(b *bytes.Buffer, k *trace.WhyKernel, code map[pressure.SourceLine]string, style Style) {
	fmt.Fprintf(b, "%s  %s\n", style.paint(bold, visible(k.Row.Key)), whyTarget(k))
	for _, s := range whyFacts(k) {
		fmt.Fprintf(b, "%s%s\n", indented, s)
	}
	t, same := whyTable(k, code)
	if len(t.rows) > 0 {
		text, _ := t.render(style)
		b.Write(text)
	}
	if same > 0 {
		fmt.Fprintf(b, "%s%s without a change\n", indented, problem.Count(same, "line"))
	}
	for _, s := range loopLines(k.Comparison) {
		fmt.Fprintf(b, "%s%s\n", indented, s)
	}
}

func whyTarget(k *trace.WhyKernel) string {
	before, after := visible(k.Row.Before.Target.Processor), visible(k.Row.After.Target.Processor)
	if before != after {
		return before + " -> " + after
	}
	return after
}

// whyFacts says what became of a kernel, one fact a line.
func whyFacts(k *trace.WhyKernel) []string {
	var lines []string
	if s := Changes(k.Row); s != "" {
		lines = append(lines, s)
	}
	lines = append(lines, WhyTally(k.Comparison))
	if s := WhyReason(k.Comparison); s != "" {
		lines = append(lines, "why: "+s)
	}
	for _, r := range whyPeaks(k) {
		if r.before.Refused != "" || r.after.Refused != "" {
			continue // which is said below
		}
		if s := oneLine(facts.PeakChange(r.registers, r.before.Peak, r.after.Peak, "->")); s != "" {
			lines = append(lines, s)
		}
	}
	return append(lines, whyLacks(k.Comparison)...)
}

type peaks struct {
	registers     string
	before, after pressure.Allocation
}

func whyPeaks(k *trace.WhyKernel) (all [3]peaks) {
	before, after := k.Before.Allocations(&k.Row.Before.Cells), k.After.Allocations(&k.Row.After.Cells)
	for i := range all {
		all[i] = peaks{before[i].Registers, before[i], after[i]}
	}
	return all
}

// whyLacks says what is not known of a side.
func whyLacks(c *why.Comparison) []string {
	var lines []string
	for _, side := range [...]struct {
		name string
		l    *pressure.Listing
	}{{diff.SideBefore, c.Before}, {diff.SideAfter, c.After}} {
		switch {
		case side.l.Refused != "":
			lines = append(lines, fmt.Sprintf("%s: the steps are those of the text as it stands; live registers, spill code and loops: ? (%s)", side.name, oneLine(side.l.Refused)))
		case side.l.VGPR.Refused != "":
			lines = append(lines, fmt.Sprintf("%s: live registers and loops: ? (%s)", side.name, oneLine(side.l.VGPR.Refused)))
		case side.l.LoopsRefused != "":
			lines = append(lines, fmt.Sprintf("%s: loops: ? (%s)", side.name, oneLine(side.l.LoopsRefused)))
		case side.l.SpillBound == pressure.AtMost:
			lines = append(lines, side.name+": spill code is at most so much: the metadata does not confirm it")
		}
	}
	return lines
}

// WhyTally counts what became of the instructions: "468 -> 1640 instructions: 34 the
// same, 357 in other registers, 73 moved, 4 gone, 1176 new: 1000 VALU, 67 scratch".
func WhyTally(c *why.Comparison) string {
	n := c.Counts
	if n.Equal() {
		return problem.Count(n.After, "instruction") + ", all the same"
	}
	s := fmt.Sprintf("%d -> %s: ", n.Before, problem.Count(n.After, "instruction"))
	var parts []string
	for _, p := range [...]struct {
		n    int
		word string
	}{{n.Same, "the same"}, {n.Renamed, "in other registers"}, {n.Changed, "changed"}, {n.Moved, "moved"}, {n.Removed, "gone"}, {n.Added, "new"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	s += strings.Join(parts, ", ")
	if n.Added > 0 {
		s += ": " + classCounts(c.Added)
	}
	return s
}

// classWord is how a class is called.
var classWord = map[string]string{
	string(pressure.VALU): "VALU", string(pressure.Matrix): "matrix", string(pressure.SALU): "SALU", string(pressure.SMEM): "scalar memory",
	string(pressure.Branch): "branch", string(pressure.VMEM): "VMEM", string(pressure.Flat): "flat", string(pressure.LDS): "LDS",
	string(pressure.Scratch): "scratch", string(pressure.Wait): "wait", string(pressure.Other): "other",
}

func classCounts(list []why.Tally) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, fmt.Sprintf("%d %s", n.After, classWord[n.Name]))
	}
	return strings.Join(parts, ", ")
}

// WhyReason says in one sentence what the new instructions mostly are and where the
// peak of live registers rose. It counts what was read and tells nothing of time.
func WhyReason(c *why.Comparison) string {
	var parts []string
	before, after := c.Before, c.After
	if before.Refused == "" && after.Refused == "" {
		if b, a := before.SpillStores+before.SpillLoads, after.SpillStores+after.SpillLoads; a != b {
			parts = append(parts, fmt.Sprintf("spill stores and reloads %s%d -> %s%d", atMost(before), b, atMost(after), a))
		}
	}
	news := whyNews(c)
	if before.Refused != "" || after.Refused != "" {
		news = "as the text stands, " + news
	}
	parts = append(parts, news)
	if b, a := before.VGPR, after.VGPR; b.Refused == "" && a.Refused == "" && a.Peak > b.Peak {
		parts = append(parts, fmt.Sprintf("the peak of live VGPRs rose from %s to %s, at %s", facts.PeakCount(b), facts.PeakCount(a), oneLine(facts.PeakPlace(a))))
	}
	return strings.Join(parts, ", ")
}

// atMost stands before a count of spill code that the metadata does not confirm.
func atMost(l *pressure.Listing) string {
	if l.SpillBound == pressure.AtMost {
		return "at most "
	}
	return ""
}

// whyNews says what the new instructions mostly are.
func whyNews(c *why.Comparison) string {
	n := c.Counts
	switch {
	case c.Redirected > 0:
		return fmt.Sprintf("the instructions are the same, but branches lead elsewhere (%d)", c.Redirected)
	case n.Equal() && calls(c):
		return "the instructions are the same; the functions that it calls are not compared"
	case n.Equal():
		return "the instructions are the same"
	case n.Paired() == n.Before && n.Paired() == n.After:
		return "only register numbers differ"
	case n.Paired()+n.Moved == n.Before && n.Paired()+n.Moved == n.After:
		if n.Renamed == 0 {
			return "only the order differs"
		}
		return "only the order and register numbers differ"
	case n.Removed > n.Added && n.Added > 0:
		return fmt.Sprintf("%s gone, %d new", problem.Count(n.Removed, "instruction"), n.Added)
	case n.Added > 0 && c.Added[0].After == n.Added:
		return problem.Count(n.Added, "new "+classWord[c.Added[0].Name]+" instruction")
	case n.Added > 0:
		return fmt.Sprintf("%d new instructions (%d %s)", n.Added, c.Added[0].After, classWord[c.Added[0].Name])
	case n.Removed > 0:
		return fmt.Sprintf("%s gone and none new", problem.Count(n.Removed, "instruction"))
	}
	return fmt.Sprintf("%s changed in place", problem.Count(n.Changed, "instruction"))
}

// whyTable lists the source lines on which something changed, the worst first, and
// counts the others.
func whyTable(k *trace.WhyKernel, code map[pressure.SourceLine]string) (t table, same int) {
	t, _, same = whyRows(k, code)
	return t, same
}

var whyHead = []string{"near line", "live VGPRs", "instructions", "spill stores", "reloads"}

// whyRows is whyTable with the line of each row.
func whyRows(k *trace.WhyKernel, code map[pressure.SourceLine]string) (t table, rows []why.Line, same int) {
	t.head = whyHead
	live := k.Before.VGPR.Refused == "" && k.After.VGPR.Refused == ""
	counted := k.Before.Refused == "" && k.After.Refused == ""
	located := k.Before.Located() || k.After.Located()
	if side, _ := unlocated(k); located && side != "" {
		t.rows, rows = rowsOfSide(k, code, side == diff.SideBefore)
		return t, rows, 0
	}
	for _, l := range WorstChanges(k.Lines) {
		if !located {
			break
		}
		if unchangedLine(&l) {
			same++
			continue
		}
		rows = append(rows, l)
		t.rows = append(t.rows, tableRow{name: linePlace(&l), note: codeOf(code[l.Source]), cells: []tableCell{
			liveCell(&l, live), instructionCell(&l), changeCell(l.SpillStores, counted, true), changeCell(l.SpillLoads, counted, true),
		}})
	}
	return t, rows, same
}

// rowsOfSide lists the lines of the one side that has debug locations. What stood on them
// on the other side is not known, so that nothing of them is called new or gone.
func rowsOfSide(k *trace.WhyKernel, code map[pressure.SourceLine]string, after bool) (rows []tableRow, lines []why.Line) {
	figure := func(n why.Sides, known bool) tableCell {
		switch {
		case !known:
			return tableCell{text: "?", paint: unsure, keep: essential}
		case after:
			return count(n.After)
		}
		return count(n.Before)
	}
	listing := k.Before
	if after {
		listing = k.After
	}
	list := k.Lines
	if after {
		list = WorstChanges(list)
	}
	for _, l := range list {
		name := sourcePlace(l.Source)
		switch {
		case after && l.Source.Line == 0, !after && l.Was.Line == 0:
			continue
		case !after:
			name = sourcePlace(l.Was) + " before"
		}
		lines = append(lines, l)
		rows = append(rows, tableRow{name: name, note: codeOf(code[l.Source]), cells: []tableCell{
			figure(l.Live, listing.VGPR.Refused == ""), figure(l.Instructions, true), figure(l.SpillStores, listing.Refused == ""), figure(l.SpillLoads, listing.Refused == ""),
		}})
	}
	return rows, lines
}

// maxCode bounds how much of a source line is shown beside its figures.
const maxCode = 60

// codeOf returns a source line as it is shown.
func codeOf(text string) string {
	text = oneLine(strings.Join(strings.Fields(text), " "))
	if width(text) > maxCode {
		return head(text, maxCode)
	}
	return text
}

// linePlace names a line as it is after, and what it was before if it bore another
// number.
func linePlace(l *why.Line) string {
	switch {
	case l.Source.Line == 0 && l.Was.Line == 0:
		return sourcePlace(pressure.SourceLine{})
	case l.Source.Line == 0:
		return sourcePlace(l.Was) + " before, gone"
	case l.Was.Line == 0:
		return sourcePlace(l.Source) + " new"
	case l.Was.Line != l.Source.Line:
		return fmt.Sprintf("%s (was %d)", sourcePlace(l.Source), l.Was.Line)
	}
	return sourcePlace(l.Source)
}

func unchangedLine(l *why.Line) bool {
	if l.Other != (why.Sides{}) {
		return false
	}
	for _, n := range [...]why.Sides{l.Live, l.Instructions, l.SpillStores, l.SpillLoads} {
		if n.Before != n.After {
			return false
		}
	}
	return true
}

// changeCell shows a count before and after. more tells whether a growth is worse.
func changeCell(n why.Sides, known, more bool) tableCell {
	switch {
	case !known:
		return tableCell{text: "?", paint: unsure, keep: essential}
	case n.Before == n.After:
		return tableCell{text: fmt.Sprint(n.After), keep: essential}
	}
	cell := tableCell{text: fmt.Sprintf("%d->%d(%+d)", n.Before, n.After, n.After-n.Before), keep: essential}
	if more {
		if cell.paint = better; n.After > n.Before {
			cell.paint = worse
		}
	}
	return cell
}

// liveCell shows the most live VGPRs of a line; of one that is on one side only, those
// that it has there.
func liveCell(l *why.Line, known bool) tableCell {
	switch {
	case !known:
	case l.Instructions.Before == 0:
		return tableCell{text: fmt.Sprint(l.Live.After), keep: essential}
	case l.Instructions.After == 0:
		return tableCell{text: fmt.Sprintf("%d before", l.Live.Before), keep: essential}
	}
	return changeCell(l.Live, known, true)
}

// instructionCell shows how many instructions stand on a line, and where that is as
// many as before, how many of them are other ones.
func instructionCell(l *why.Line) tableCell {
	cell := changeCell(l.Instructions, true, false)
	if l.Instructions.Before == l.Instructions.After && l.Other.After > 0 {
		cell.text = fmt.Sprintf("%d (%d new or changed)", l.Instructions.After, l.Other.After)
	}
	return cell
}

// WorstChanges returns lines by how much spill code they gained, then live VGPRs,
// then instructions.
func WorstChanges(lines []why.Line) []why.Line {
	worst := slices.Clone(lines)
	grown := func(n why.Sides) int { return n.After - n.Before }
	slices.SortStableFunc(worst, func(x, y why.Line) int {
		return cmp.Or(
			cmp.Compare(grown(y.SpillStores)+grown(y.SpillLoads), grown(x.SpillStores)+grown(x.SpillLoads)),
			cmp.Compare(grown(y.Live), grown(x.Live)),
			cmp.Compare(grown(y.Instructions), grown(x.Instructions)),
		)
	})
	return worst
}

// loopLines says how the loops changed, one a line: "loop at line 27: 402 -> 1534
// instructions an iteration, 67 of them spill code".
func loopLines(c *why.Comparison) []string {
	var lines []string
	for _, l := range whyLoops(c) {
		lines = append(lines, l.Text)
	}
	return lines
}

// whyLoops is loopLines with the first line of each loop.
func whyLoops(c *why.Comparison) (lines []SheetLine) {
	same := 0
	for i := range c.Loops {
		l := &c.Loops[i]
		if !l.Gone && !l.New && l.Instructions.Before == l.Instructions.After && l.Spills.Before == l.Spills.After {
			same++
			continue
		}
		at := pressure.SourceLine{File: l.File, Line: l.From}
		if l.Gone || l.From == 0 {
			at = pressure.SourceLine{}
		}
		lines = append(lines, SheetLine{loopLine(l, c.Before.LoopsRefused, c.After.LoopsRefused), at})
	}
	if same > 0 {
		lines = append(lines, SheetLine{Text: fmt.Sprintf("%s with as many instructions as before", problem.Count(same, "loop"))})
	}
	return lines
}

func loopLine(l *why.Loop, before, after string) string {
	s := "loop at " + loopPlace(l) + ": "
	switch {
	case l.New:
		s += fmt.Sprintf("%s an iteration; before: %s", problem.Count(l.Instructions.After, "instruction"), noneOr(before))
	case l.Gone:
		return s + fmt.Sprintf("%s an iteration before; after: %s", problem.Count(l.Instructions.Before, "instruction"), noneOr(after))
	default:
		s += fmt.Sprintf("%d -> %s an iteration", l.Instructions.Before, problem.Count(l.Instructions.After, "instruction"))
	}
	switch {
	case l.Spills.After > 0:
		s += fmt.Sprintf(", %d of them spill code", l.Spills.After)
	case l.Spills.Before > 0:
		s += ", none of them spill code any more"
	}
	return s
}

// noneOr says that there is no loop, or that it is not known for the reason given.
func noneOr(refused string) string {
	if refused != "" {
		return "?"
	}
	return "none"
}

func loopPlace(l *why.Loop) string {
	switch {
	case l.From > 0 && l.From != l.To:
		return fmt.Sprintf("lines %d to %d", l.From, l.To)
	case l.From > 0:
		return fmt.Sprintf("line %d", l.From)
	case l.Label != "":
		return visible(l.Label)
	}
	return visible(l.Was)
}
