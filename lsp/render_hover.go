package lsp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// Of a definition with many kernels a hover shows the tables of the worst, at
// most this many, and lists of the rest the worst by name.
const (
	hoverTables = 3
	hoverOthers = 20
)

// A page is the content of a hover in the format that the client takes.
type page struct {
	markdown bool
	b        strings.Builder
}

// block adds text whose columns must stay.
func (p *page) block(text string) {
	p.gap()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	text = strings.Join(lines, "\n")
	if p.markdown {
		fence := "```" // longer than any run of backticks in a name of a hostile dump
		for strings.Contains(text, fence) {
			fence += "`"
		}
		text = fence + "text\n" + text + "\n" + fence
	}
	p.b.WriteString(text + "\n")
}

// text adds a paragraph.
func (p *page) text(text string) {
	if text == "" {
		return
	}
	p.gap()
	p.b.WriteString(p.plain(text) + "\n")
}

func (p *page) gap() {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
}

// plain keeps text from being read as Markdown.
func (p *page) plain(text string) string {
	if !p.markdown {
		return oneLine(text)
	}
	return report.HoverText(text)
}

// link writes a link to a line of a file, or its path and line.
func (p *page) link(title, path string, line int) string {
	at := title
	if line > 0 {
		at = fmt.Sprintf("%s:%d", title, line)
	}
	if !p.markdown {
		return p.plain(at)
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	if line > 0 {
		u.Fragment = fmt.Sprintf("L%d", line)
	}
	return fmt.Sprintf("[%s](%s)", p.plain(at), u.String())
}

// hoverText is the hover of the kernels of one definition, the worst first.
// look looks at the assembly of one that is shown.
func hoverText(cfg *project.Config, s *live.State, ks []*live.Kernel, markdown bool, now time.Time, look func(*live.Kernel) looked) string {
	p := &page{markdown: markdown}
	label := variantLabels(ks)
	whole := 1
	for whole < min(len(ks), hoverTables) && noteworthy(ks[whole]) {
		whole++
	}
	for _, k := range ks[:whole] {
		variant := ""
		if len(ks) > 1 {
			variant = label(k)
		}
		p.kernel(cfg, s, k, variant, now, look(k))
	}
	if whole < len(ks) {
		p.others(ks[whole:], label)
	}
	return strings.TrimRight(p.b.String(), "\n")
}

// A looked is what the assembly of a kernel tells.
type looked struct {
	marks  []placedMark // the lines that matter most
	reason string       // what became of the instructions, where no line can be told
	causes []string     // where live registers peak, then where spill code stands
}

// kernel adds one kernel: the verdict and its reason, what moved, the lines that matter,
// cause and advice, what did not move, links.
func (p *page) kernel(cfg *project.Config, s *live.State, k *live.Kernel, variant string, now time.Time, seen looked) {
	p.head(s, k, variant, now)
	p.reasons(s, k, &seen)
	moved, rest := "", ""
	if before, after := sides(k); before != nil && after != nil {
		moved, rest = splitTable(k)
	} else {
		moved = kernelTable(k)
	}
	if moved != "" {
		p.block(moved)
	}
	p.marks(seen.marks)
	if k.Row != nil {
		for _, a := range k.Row.Accepted {
			p.text(facts.Capital(report.Allowed(a)) + ": " + report.Accepted(a))
		}
	}
	if k.Status != live.Untrustworthy && k.Status != live.Compiling {
		p.text(advice(k))
		p.text(facts.NextStep(facts.Record(k)))
		for _, cause := range seen.causes {
			p.text(facts.Capital(cause) + ".")
		}
	}
	p.text(rest)
	p.text(k.Place.Reason)
	if s := report.CompilersOf(k.Baseline, k.Live); s != "" {
		p.text(facts.Capital(s) + ".")
	}
	for _, n := range notes(k) {
		p.text("note: " + n)
	}
	p.links(cfg, s, k)
}

// head adds what the kernel is, how it stands, and how old its sides are.
func (p *page) head(s *live.State, k *live.Kernel, variant string, now time.Time) {
	strong := func(text string) string {
		if text = strings.TrimSpace(p.plain(text)); p.markdown && text != "" { // a blank beside the stars would make them plain
			return "**" + text + "**"
		}
		return text
	}
	title := name(k)
	if variant != "" && variant != processor(k) {
		title += " " + variant
	}
	parts := append([]string{strong(title), p.plain(processor(k)), strong(facts.Standing(k, s))}, ages(k, s, now)...)
	p.gap()
	p.b.WriteString(strings.Join(parts, " · ") + "\n")
}

// reasons adds why the kernel stands as it does: what it does worse, what is wrong with
// it, and what only a live session knows.
func (p *page) reasons(s *live.State, k *live.Kernel, seen *looked) {
	if why := facts.Unlaunchable(k); why != "" {
		p.text("It " + why + ".")
	} else if k.Row != nil && k.Row.Failed() && verdictOf(k) != "" {
		text := "It " + verdictOf(k)
		grew := func(m resource.Metric) bool { change, _ := k.Row.Delta(m); return change > 0 }
		if len(seen.causes) > 0 && (grew(resource.VGPR) || grew(resource.VGPRSpill)) {
			text += ": " + seen.causes[0]
			seen.causes = seen.causes[1:]
		}
		p.text(text + ".")
	}
	p.text(seen.reason)
	for _, pr := range s.Invalid {
		p.text(string(pr.Code) + ": " + withMend(pr))
	}
	for _, pr := range k.Problems {
		if k.Status == live.Pending && pr.Code == problem.OnlyInBefore || k.Status == live.Compiling && pr.Code == problem.DumpStale {
			continue
		}
		p.text(string(pr.Code) + ": " + tersely(k, pr))
	}
	if b := s.Baseline.Problem; b != nil {
		p.text(string(b.Code) + ": " + withMend(*b))
	}
	for _, b := range k.Broken {
		p.text("Budget " + report.Broken(b) + ".")
	}
	for _, line := range circumstances(k) {
		p.text(line)
	}
}

// marks adds the lines that matter, each on one of its own.
func (p *page) marks(marks []placedMark) {
	for i, m := range marks {
		if i == 0 {
			p.gap()
		} else if p.markdown {
			p.b.WriteByte('\n')
		}
		at := ""
		switch {
		case m.path != "":
			at = p.link(m.title, m.path, m.line) + "  "
		case m.title != "":
			at = p.plain(m.title) + "  "
		}
		p.b.WriteString(at + p.plain(m.text) + "\n")
	}
}

// circumstances are what only a live session knows of a kernel.
func circumstances(k *live.Kernel) (lines []string) {
	switch k.Status {
	case live.Pending:
		lines = append(lines, "It is in the baseline and was not compiled since.")
	case live.Compiling:
		lines = append(lines, "A compile of it is under way; the figures are those of the last one.")
	}
	mend := "take a new baseline."
	if k.Proposed != nil {
		mend = fmt.Sprintf("%s. “Pair them” makes the two one (pairs: %q = %q), or take a new baseline.", oneLine(report.Proposed(k.Proposed)), k.Pair[0], k.Pair[1])
	}
	if k.RenamedTo != "" {
		lines = append(lines, "Probably renamed to "+bare(k.RenamedTo)+": "+mend)
	}
	if k.RenamedFrom != "" {
		lines = append(lines, "Probably renamed from "+bare(k.RenamedFrom)+": "+mend)
	}
	if len(k.Edited) > 0 {
		lines = append(lines, "Saved after this compile, so the figures are those of the code before: "+strings.Join(k.Edited, ", ")+".")
	} else if k.Stale {
		lines = append(lines, "The text changed after this compile: the figures are older than it.")
	}
	if k.Identical && k.Row != nil && k.Row.Comparable() && len(k.Row.Deltas) == 0 {
		lines = append(lines, "The ISA is byte-identical: the same instructions as in the baseline.")
	}
	if s := report.Remade(k.Remade, k.Baseline, k.Live); s != "" {
		lines = append(lines, facts.Capital(s)+".")
	}
	if k.Instead != "" {
		lines = append(lines, "Two kernels are compared: the baseline's was compiled from "+k.Instead+", which has one of the same name. Give each its own dump directory.")
	}
	for i, v := range k.Variants {
		lines = append(lines, fmt.Sprintf("Variant %d of %d, overwritten: %s", i+1, len(k.Variants)+1, variantText(v, k)))
	}
	return lines
}

// variantText names the figures of an overwritten variant that differ from those that
// are left.
func variantText(v live.Variant, k *live.Kernel) string {
	if v.Unknown > 0 {
		return "too large to be held, so its figures are not known"
	}
	var parts []string
	for m := range resource.Metric(resource.NumMetrics) {
		if k.Live == nil || v.Cells[m] != k.Live.Cells[m] {
			parts = append(parts, m.String()+" "+v.Cells[m].String())
		}
	}
	if len(parts) == 0 {
		return "other instructions with the same figures"
	}
	return strings.Join(parts, ", ")
}

// notes are the facts on a record and on its pairing.
func notes(k *live.Kernel) (all []string) {
	if k.Row != nil {
		all = append(all, k.Row.Notes...)
	}
	if r := facts.Record(k); r != nil {
		all = append(all, r.Notes...)
	}
	return all
}

// links lead to the assembly and to the baseline.
func (p *page) links(cfg *project.Config, s *live.State, k *live.Kernel) {
	var all []string
	if k.File != "" && k.Live != nil {
		base := filepath.Base(k.File)
		all = append(all, p.link(base, k.File, k.Live.Sites.Label))
		if line := k.Live.Sites.FirstSpill; line > 0 {
			all = append(all, "first spill "+p.link(base, k.File, line))
		}
	}
	if s.Baseline.Exists {
		all = append(all, "baseline "+p.link(relativeTo(cfg.Root, s.Baseline.Path), s.Baseline.Path, 0))
	}
	if len(all) == 0 {
		return
	}
	p.gap()
	p.b.WriteString(strings.Join(all, " · ") + "\n")
}

// others lists kernels without their tables.
func (p *page) others(ks []*live.Kernel, label func(*live.Kernel) string) {
	more := max(len(ks)-hoverOthers, 0)
	ks = ks[:len(ks)-more]
	var b strings.Builder
	width := 0
	for _, k := range ks {
		width = max(width, columns(label(k)))
	}
	for _, k := range ks {
		name := label(k)
		line := name + strings.Repeat(" ", width-columns(name)) + "   " + k.Status.String()
		if r := facts.Record(k); r != nil {
			line += "   " + figures(r, true)
			if facts.Unlaunchable(k) != "" {
				line += " · cannot be launched"
			}
		}
		b.WriteString(line + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	p.block(b.String())
}
