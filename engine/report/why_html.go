package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/where"
)

//go:embed why.gohtml
var whyText string

// A whyPage is what the template of [WhyHTML] and [WhereHTML] shows.
type whyPage struct {
	Command, Tool string
	Sides         []string // what was looked at, as the user named it
	Summary       string
	TwoSided      bool
	Kernels       []whySection
	Others        []whyShort // kernels that are not shown whole
	LeftOut       string     // how to have them whole
	Notes         []string
	Problems      []pageProblem
	Warnings      []string
}

// A whySection is one kernel.
type whySection struct {
	ID, Name, Dir, Target string
	Facts                 []string
	Profile               *profile
	Lines                 []whyRow
	Same                  int // lines without a change, which are left out
	Classes               []whyRow
	Loops                 []string
	Assembly              []whyStep
	LeftOut               int // instructions that are left out
}

type whyRow struct {
	Name  string
	Code  string // the line's text, where it is known
	Cells []whyCell
}

type whyCell struct{ Text, Class string }

// A whyStep is a line of the assembly that is shown.
type whyStep struct{ Class, Text string }

// A whyShort is a kernel in one row.
type whyShort struct{ Name, Dir, Figures, Instructions string }

// maxShownSteps bounds how much assembly of a kernel a page holds, and maxPageSteps and
// maxWhole how much of all of them, so that a browser still opens a page of hundreds of
// kernels: those that are shown whole are the worst, and at least one is.
const maxShownSteps, maxPageSteps, maxWhole = 5000, 30000, 50

// A pageRoom is what is left of a page for whole kernels.
type pageRoom struct{ kernels, steps int }

// takes reports whether a kernel with so many lines of assembly has room.
func (r *pageRoom) takes(steps int) bool {
	steps = min(steps, maxShownSteps)
	if r.kernels > 0 && (r.kernels == maxWhole || r.steps+steps > maxPageSteps) {
		r.kernels = maxWhole // what is shown whole is worse than what is not
		return false
	}
	r.kernels++
	r.steps += steps
	return true
}

// WhyHTML returns what became of the instructions as one page that needs nothing
// else and asks no network: the worst kernels first.
func WhyHTML(w *trace.Why, tool string) ([]byte, error) {
	p := whyPage{Command: "why", Tool: tool, TwoSided: true, Sides: []string{"before " + visible(w.Before), "after " + visible(w.After)}, Notes: whyRenamed(w)}
	var changed []*trace.WhyKernel
	for i := range w.Kernels {
		if k := &w.Kernels[i]; k.Differs() {
			changed = append(changed, k)
		}
	}
	slices.SortStableFunc(changed, func(a, b *trace.WhyKernel) int {
		x, y := classOf(a.Row), classOf(b.Row)
		return cmp.Or(cmp.Compare(x, y), byHarm(a.Row, b.Row, x))
	})
	var room pageRoom
	for _, k := range changed {
		if room.takes(k.Counts.Added + k.Counts.Removed + 2*k.Counts.Changed) {
			p.Kernels = append(p.Kernels, whySectionOf(k, w.Code, len(p.Kernels)+1))
			continue
		}
		dir, name := resource.SplitKey(k.Row.Key)
		p.Others = append(p.Others, whyShort{visible(name), visible(dir), Changes(k.Row), WhyTally(k.Comparison)})
	}
	p.Summary = fmt.Sprintf("%s on both sides; %d changed", problem.Count(len(w.Kernels), "kernel"), len(changed))
	return p.render(w.Problems, w.Warnings)
}

// WhereHTML returns where registers and spills come from as one page. The kernels
// hold their instructions ([where.Options.List]).
func WhereHTML(r *where.Result, tool string) ([]byte, error) {
	p := whyPage{Command: "where", Tool: tool, Sides: []string{visible(r.Origin)}, Summary: problem.Count(len(r.Kernels), "kernel")}
	worst := make([]*where.Kernel, len(r.Kernels))
	for i := range r.Kernels {
		worst[i] = &r.Kernels[i]
	}
	slices.SortStableFunc(worst, func(a, b *where.Kernel) int {
		return cmp.Or(cmp.Compare(b.SpillStores+b.SpillLoads, a.SpillStores+a.SpillLoads), cmp.Compare(b.VGPR.Peak, a.VGPR.Peak))
	})
	var room pageRoom
	for _, k := range worst {
		steps := 0
		if k.Listing != nil {
			steps = len(k.Listing.Body)
		}
		if room.takes(steps) {
			p.Kernels = append(p.Kernels, whereSectionOf(k, len(p.Kernels)+1))
			continue
		}
		dir, name := resource.SplitKey(k.Key)
		figures := "? " + oneLine(k.Refused)
		if k.Refused == "" {
			figures = oneLine(facts.Peak(allocations(k)[0])) + "; " + facts.SpillCode(&k.Analysis)
		}
		p.Others = append(p.Others, whyShort{visible(name), visible(dir), figures, problem.Count(k.Instructions, "instruction")})
	}
	return p.render(r.Problems, r.Warnings)
}

func (p *whyPage) render(problems []problem.Problem, warnings []string) ([]byte, error) {
	for _, x := range problems {
		p.Problems = append(p.Problems, pageProblem{string(x.Code), Describe(x), oneLine(x.Mend())})
	}
	if n := len(p.Others); n > 0 {
		p.LeftOut = fmt.Sprintf("%s shown whole above, the worst; %d in a row each. isadiff %s --kernels NAME --html shows others whole.", problem.Count(len(p.Kernels), "kernel"), n, p.Command)
	}
	for _, w := range warnings {
		p.Warnings = append(p.Warnings, oneLine(w))
	}
	return executed("why", whyText, p)
}

func whySectionOf(k *trace.WhyKernel, code map[pressure.SourceLine]string, n int) whySection {
	dir, name := resource.SplitKey(k.Row.Key)
	s := whySection{ID: fmt.Sprintf("k%d", n), Name: visible(name), Dir: visible(dir), Target: whyTarget(k), Facts: whyFacts(k), Loops: loopLines(k.Comparison)}
	s.Profile = newProfile(side{"before", k.Before}, side{"after", k.After})
	t, same := whyTable(k, code)
	s.Same = same
	s.Lines = whyRowsOf(t.rows)
	for _, n := range k.Classes {
		c := changeCell(n.Sides, true, false)
		s.Classes = append(s.Classes, whyRow{Name: classWord[n.Name], Cells: []whyCell{{Text: c.text}}})
	}
	for _, step := range k.Steps {
		switch {
		case !isNews(step):
		case len(s.Assembly) >= maxShownSteps:
			s.LeftOut++
		default:
			if step.Before >= 0 {
				s.Assembly = append(s.Assembly, whyStep{"gone", "- " + whyStepText(&k.Before.Body[step.Before])})
			}
			if step.After >= 0 {
				s.Assembly = append(s.Assembly, whyStep{"new", "+ " + whyStepText(&k.After.Body[step.After])})
			}
		}
	}
	return s
}

func whyRowsOf(rows []tableRow) (all []whyRow) {
	for _, r := range rows {
		row := whyRow{Name: r.name, Code: r.note}
		for _, c := range r.cells {
			row.Cells = append(row.Cells, whyCell{c.text, paintClass[c.paint]})
		}
		all = append(all, row)
	}
	return all
}

// paintClass is the class of what text paints.
var paintClass = map[paint]string{worse: "worse", better: "better", unsure: "doubt"}

func whyStepText(ins *pressure.Instruction) string {
	text := fmt.Sprintf("%6d  %s%s", ins.Line, ins.Mnemonic, visibleOperands(ins))
	if ins.Source.Line > 0 {
		text = fmt.Sprintf("%-64s  %s", text, sourcePlace(ins.Source))
	}
	return text
}

func whereSectionOf(k *where.Kernel, n int) whySection {
	dir, name := resource.SplitKey(k.Key)
	s := whySection{ID: fmt.Sprintf("k%d", n), Name: visible(name), Dir: visible(dir), Target: visible(k.File)}
	if k.Record != nil {
		s.Target = visible(k.Record.Target.Processor)
	}
	if k.Refused != "" {
		s.Facts = []string{"? " + oneLine(k.Refused)}
		return s
	}
	for _, p := range allocations(k) {
		if p.Registers != "AGPRs" || p.Refused != "" || p.Peak.Peak > 0 || p.Allocated > 0 {
			s.Facts = append(s.Facts, oneLine(facts.Peak(p)))
		}
	}
	s.Facts = append(s.Facts, facts.SpillCode(&k.Analysis))
	for _, l := range facts.WorstLines(k.Lines) {
		live := fmt.Sprint(l.VGPRs)
		if k.VGPR.Refused != "" {
			live = "?"
		}
		row := whyRow{Name: sourcePlace(l.Source)}
		for _, text := range []string{live, fmt.Sprint(l.Instructions), fmt.Sprint(l.SpillStores), fmt.Sprint(l.SpillLoads)} {
			row.Cells = append(row.Cells, whyCell{Text: text})
		}
		s.Lines = append(s.Lines, row)
	}
	for _, n := range k.Classes {
		s.Classes = append(s.Classes, whyRow{Name: classWord[n.Name], Cells: []whyCell{{Text: fmt.Sprint(n.After)}}})
	}
	for i := range k.Loops {
		s.Loops = append(s.Loops, loopAlone(&k.Loops[i]))
	}
	if k.Listing == nil {
		return s
	}
	s.Profile = newProfile(side{diff.SideAfter, k.Listing})
	for i := range k.Listing.Body {
		ins := &k.Listing.Body[i]
		if len(s.Assembly) >= maxShownSteps {
			s.LeftOut++
			continue
		}
		class := ""
		if ins.Spill != pressure.NoSpill {
			class = "new"
		}
		live := "?"
		if k.VGPR.Refused == "" {
			live = fmt.Sprint(ins.Live)
		}
		s.Assembly = append(s.Assembly, whyStep{class, fmt.Sprintf("%4s %s", live, whyStepText(ins))})
	}
	return s
}
