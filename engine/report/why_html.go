package report

import (
	_ "embed"
	"fmt"

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

// maxShownSteps bounds how much assembly of a kernel a page holds.
const maxShownSteps = 5000

// WhyHTML returns what became of the instructions as one page that needs nothing
// else and asks no network.
func WhyHTML(w *trace.Why, tool string) ([]byte, error) {
	p := whyPage{Command: "why", Tool: tool, TwoSided: true, Sides: []string{"before " + visible(w.Before), "after " + visible(w.After)}}
	changed := 0
	for i := range w.Kernels {
		if k := &w.Kernels[i]; k.Differs() {
			changed++
			p.Kernels = append(p.Kernels, whySectionOf(k, w.Code, changed))
		}
	}
	p.Summary = fmt.Sprintf("%s on both sides; %d changed", problem.Count(len(w.Kernels), "kernel"), changed)
	return p.render(w.Problems, w.Warnings)
}

// WhereHTML returns where registers and spills come from as one page. The kernels
// hold their instructions ([where.Options.List]).
func WhereHTML(r *where.Result, tool string) ([]byte, error) {
	p := whyPage{Command: "where", Tool: tool, Sides: []string{visible(r.Origin)}, Summary: problem.Count(len(r.Kernels), "kernel")}
	for i := range r.Kernels {
		p.Kernels = append(p.Kernels, whereSectionOf(&r.Kernels[i], i+1))
	}
	return p.render(r.Problems, r.Warnings)
}

func (p *whyPage) render(problems []problem.Problem, warnings []string) ([]byte, error) {
	for _, x := range problems {
		p.Problems = append(p.Problems, pageProblem{string(x.Code), Describe(x), oneLine(x.Mend())})
	}
	for _, w := range warnings {
		p.Warnings = append(p.Warnings, oneLine(w))
	}
	return executed("why", whyText, p)
}

func whySectionOf(k *trace.WhyKernel, code map[pressure.Source]string, n int) whySection {
	dir, name := resource.SplitKey(k.Row.Key)
	s := whySection{ID: fmt.Sprintf("k%d", n), Name: visible(name), Dir: visible(dir), Target: whyTarget(k), Facts: whyFacts(k), Loops: loopLines(k.Comparison)}
	s.Profile = newProfile(side{"before", k.Before}, side{"after", k.After})
	t, same := whyTable(k, code)
	s.Same = same
	s.Lines = whyRowsOf(t.rows)
	for _, n := range k.Classes {
		c := changeCell(n.Change, true, false)
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
