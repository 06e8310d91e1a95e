package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/gate"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
	"isadiff/engine/where"
)

// BriefDiff returns a comparison in short.
func BriefDiff(r *diff.Result, opt Options) *Brief {
	warnings := append(slices.Clone(opt.Cautions), r.Warnings...)
	if s := opt.unexplained(r); s != "" && len(worstFirst(r, failed)) > 0 {
		warnings = append([]string{s}, warnings...)
	}
	b := briefOf(r.Verdict, r.Problems, warnings, opt)
	headline := "no kernel got worse"
	switch r.Verdict {
	case diff.NotTrustworthy:
		headline = makes(len(r.Problems)) + " the answer not trustworthy, so nothing is claimed about the code"
	case diff.Regression:
		headline = strings.TrimSuffix(blame(worstFirst(r, failed)), ".")
	}
	b.Summary = append(b.Summary, headline, sidesOf(r, opt.Context), Tally(r))
	if r.Kernels != "" {
		b.Summary = append(b.Summary, fmt.Sprintf("limited to kernels that match %q", r.Kernels))
	}
	if s := Compilers(r); s != "" {
		b.Summary = append(b.Summary, s)
	}
	if s := allowance(r); s != "" {
		b.Summary = append(b.Summary, strings.ReplaceAll(strings.TrimSpace(s), "\n", "; "))
	}
	b.rows(r, opt)
	b.Next = append(b.Next, nextOf(r, opt.Context)...)
	return b.clean()
}

// rows tells of the rows that changed, the worst first.
func (b *Brief) rows(r *diff.Result, opt Options) {
	left := opt.limits().Kernels
	for _, c := range []class{failed, excused, improved, moved} {
		for _, row := range worstFirst(r, c) {
			if left--; left < 0 {
				b.leave(standingOf(row), 1)
				continue
			}
			b.tell(briefRow(row, opt))
		}
	}
}

// briefText is [BriefDiff] as text.
func briefText(r *diff.Result, opt Options) ([]byte, error) {
	return BriefDiff(r, opt).Text(opt.Style), nil
}

// sidesOf names what is compared.
func sidesOf(r *diff.Result, c Context) string {
	name := func(revision, origin string) string {
		switch {
		case revision == "":
			return oneLine(origin)
		case c.Passing:
			return oneLine(revision)
		}
		return fmt.Sprintf("%s (%s)", oneLine(revision), oneLine(origin))
	}
	return "before " + name(baseOf(r, c), r.Before.Origin) + ", after " + name(c.Head, r.After.Origin)
}

// standingOf is the word for what became of a kernel.
func standingOf(row *diff.Row) string {
	switch classOf(row) {
	case failed:
		return "worse"
	case excused:
		return allowed(row)
	case improved:
		return "better"
	case moved, same:
		return "changed"
	}
	return ""
}

func briefRow(row *diff.Row, opt Options) BriefKernel {
	k := BriefKernel{Standing: standingOf(row), Kernel: row.Key, Target: processor(row), named: demangledRow(row)}
	k.place(opt.Context)
	for _, c := range facts.Metrics(facts.Changes(row)) {
		delta := c.Delta()
		k.Figures = append(k.Figures, BriefFigure{Metric: c.Metric.String(), Before: &c.Before, After: &c.After, Change: &delta, Trigger: c.Metric.Trigger()})
	}
	if row.Unlaunchable != "" {
		k.Facts = append(k.Facts, facts.CannotLaunch(row.Unlaunchable))
	}
	if found := opt.explanation(row); found != nil {
		k.Facts = append(k.Facts, "why: "+WhyReason(found.Comparison))
	} else {
		k.Facts = append(k.Facts, opt.causeLines(row)...)
	}
	if s := facts.WavesMoved(row); s != "" {
		k.Facts = append(k.Facts, s)
	}
	for _, x := range row.Broken {
		k.Facts = append(k.Facts, "budget "+Broken(x))
	}
	for _, a := range row.Accepted {
		k.Facts = append(k.Facts, Allowed(a)+": "+Accepted(a))
	}
	if s := Remade(row.Remade, row.Before, row.After); s != "" {
		k.Facts = append(k.Facts, s)
	}
	return k
}

// place says where a kernel is defined, if that is certain.
func (k *BriefKernel) place(c Context) {
	if p, ok := c.Places[k.Kernel]; ok {
		k.File, k.Line = p.File, p.Line
	}
}

// nextOf says what to run after a comparison.
func nextOf(r *diff.Result, c Context) (next []string) {
	if r.Verdict == diff.NotTrustworthy {
		return nil // see briefOf
	}
	if rows := worstFirst(r, failed); len(rows) > 0 && (rows[0].After == nil || !rows[0].After.Object) { // else why has no code to show
		next = append(next, c.look(r.Before.Origin, r.After.Origin, rows[0].Key))
	}
	return next
}

// look returns the command that shows which code made a kernel what it is.
func (c Context) look(before, after, key string) string {
	if c.Look != nil {
		return c.Look(key)
	}
	return Command("why", before, after, "--kernels", accept.Exactly(key))
}

// Command returns a command of isadiff as a shell takes it.
func Command(args ...string) string {
	text := "isadiff"
	for _, a := range args {
		text += " " + problem.Quoted(a)
	}
	return oneLine(text)
}

// BriefSide returns the figures of one side in short, and how it stands to the budgets.
func BriefSide(s *resource.Side, st gate.Standing, opt Options) *Brief {
	b := briefOf(st.Verdict, st.Problems, append(slices.Clone(opt.Cautions), st.Warnings...), opt)
	headline := "all figures were read"
	switch st.Verdict {
	case diff.NotTrustworthy:
		headline = makes(len(st.Problems)) + " the figures not trustworthy"
	case diff.Regression:
		headline = "a budget is broken"
	}
	b.Summary = append(b.Summary, headline, fmt.Sprintf("%s in %s", problem.Count(len(s.Records), "kernel"), oneLine(s.Origin)))
	if name := sideCompilers(s); name != "" {
		b.Summary = append(b.Summary, "compiler: "+name)
	}
	if line := strings.TrimSpace(budgetLine(st.Checked, st.Breaches)); line != "" {
		b.Summary = append(b.Summary, line)
	}
	records := slices.Clone(s.Records)
	slices.SortStableFunc(records, func(x, y *resource.Record) int {
		if d := cmp.Compare(len(st.Broken[y.Key]), len(st.Broken[x.Key])); d != 0 {
			return d
		}
		for _, m := range resource.Triggers {
			if d := cmp.Compare(y.Cells[m].Value, x.Cells[m].Value); d != 0 {
				return d
			}
		}
		return strings.Compare(x.Key, y.Key)
	})
	limit := min(len(records), opt.limits().Kernels)
	for _, r := range records[:limit] {
		k := BriefKernel{Kernel: r.Key, Target: visible(r.Target.Processor), named: demangled(r)}
		if len(st.Broken[r.Key]) > 0 {
			k.Standing = "worse"
		}
		k.place(opt.Context)
		for _, m := range resource.ByHarm {
			f := BriefFigure{Metric: m.String(), Trigger: m.Trigger()}
			if c := r.Cells[m]; c.State == resource.Known {
				f.After = &c.Value
			} else {
				f.State = c.String()
			}
			k.Figures = append(k.Figures, f)
		}
		for _, x := range st.Broken[r.Key] {
			k.Facts = append(k.Facts, "budget "+Broken(x))
		}
		if s := facts.Waves(r); s != "" {
			k.Facts = append(k.Facts, s+" per SIMD")
		}
		b.tell(k)
	}
	b.leave("", len(records)-limit)
	return b.clean()
}

// BriefWhy returns what became of instructions in short: of kernels that changed, the
// reason and the lines that did it.
func BriefWhy(w *trace.Why, opt Options) *Brief {
	b := briefOf(w.Verdict, w.Problems, append(slices.Clone(opt.Cautions), w.Warnings...), opt)
	changed := slices.DeleteFunc(slices.Clone(w.Kernels), func(k trace.WhyKernel) bool { return !k.Differs() })
	slices.SortStableFunc(changed, func(x, y trace.WhyKernel) int {
		return cmp.Or(cmp.Compare(classOf(x.Row), classOf(y.Row)), byHarm(x.Row, y.Row, classOf(x.Row)))
	})
	b.Summary = append(b.Summary, fmt.Sprintf("%s on both sides; %d changed", problem.Count(len(w.Kernels), "kernel"), len(changed)),
		fmt.Sprintf("before %s, after %s", oneLine(w.Before), oneLine(w.After)))
	limit := min(len(changed), opt.limits().Kernels)
	for i := range changed[:limit] {
		found := &changed[i]
		opt.Why = w
		k := briefRow(found.Row, opt)
		k.Facts = explain(found)
		t, _ := whyTable(found, w.Code)
		for _, row := range t.rows {
			k.Facts = append(k.Facts, lineFact(t.head, row))
		}
		b.tell(k)
	}
	for _, k := range changed[limit:] {
		b.leave(standingOf(k.Row), 1)
	}
	return b.clean()
}

// lineFact writes a row of a table as one line: "k.py:12: live VGPRs 3->5(+2), …: code".
func lineFact(head []string, row tableRow) string {
	var parts []string
	for i, c := range row.cells {
		if c.text != "0" {
			parts = append(parts, head[i+1]+" "+c.text)
		}
	}
	text := row.name + ": " + strings.Join(parts, ", ")
	if row.note != "" {
		text += ": " + row.note
	}
	return text
}

// BriefWhere returns where registers and spills come from in short.
func BriefWhere(r *where.Result, opt Options) *Brief {
	b := briefOf(WhereVerdict(r), r.Problems, append(slices.Clone(opt.Cautions), r.Warnings...), opt)
	b.Summary = append(b.Summary, fmt.Sprintf("%s in %s", problem.Count(len(r.Kernels), "kernel"), oneLine(r.Origin)))
	list := slices.Clone(r.Kernels)
	slices.SortStableFunc(list, func(x, y where.Kernel) int {
		return cmp.Or(cmp.Compare(y.SpillStores+y.SpillLoads, x.SpillStores+x.SpillLoads), cmp.Compare(y.VGPR.Peak, x.VGPR.Peak), strings.Compare(x.Key, y.Key))
	})
	limit := min(len(list), opt.limits().Kernels)
	for i := range list[:limit] {
		found := &list[i]
		k := BriefKernel{Kernel: found.Key, named: found.Key}
		if found.Record != nil {
			k.Target, k.named = visible(found.Record.Target.Processor), demangled(found.Record)
		}
		k.place(opt.Context)
		if found.Refused != "" {
			k.Facts = append(k.Facts, "?: "+found.Refused)
		} else {
			for i, p := range allocations(found) {
				if i == 1 { // behind the VGPRs
					k.Facts = append(k.Facts, facts.SpillCode(&found.Analysis))
				}
				if p.Refused != "" || p.Peak.Peak > 0 {
					k.Facts = append(k.Facts, facts.Peak(p))
				}
			}
			for _, l := range facts.WorstLines(found.Lines) {
				if l.Source == (pressure.SourceLine{}) {
					continue
				}
				k.Facts = append(k.Facts, fmt.Sprintf("%s: %s, at most %s live, %s, %s", facts.Place(l.Source), problem.Count(l.Instructions, "instruction"),
					problem.Count(l.VGPRs, "VGPR"), problem.Count(l.SpillStores, "spill store"), problem.Count(l.SpillLoads, "reload")))
			}
			for j := range found.Loops {
				k.Facts = append(k.Facts, loopAlone(&found.Loops[j]))
			}
		}
		b.tell(k)
	}
	b.leave("", len(list)-limit)
	return b.clean()
}

// BriefNone is the answer of what could not be looked at at all.
func BriefNone(problems []problem.Problem, warnings []string, opt Options) *Brief {
	b := briefOf(diff.NotTrustworthy, problems, append(slices.Clone(opt.Cautions), warnings...), opt)
	b.Summary = append(b.Summary, makes(len(problems))+" the answer not trustworthy, so nothing is claimed about the code")
	return b.clean()
}

// BriefTaken returns what became of a baseline in short.
func BriefTaken(t *snapshot.Taken, opt Options) *Brief {
	v := SideVerdict(t.New)
	b := briefOf(v, t.New.Doubts(), opt.Cautions, opt)
	b.Summary = append(b.Summary, fmt.Sprintf("%s in %s", problem.Count(len(t.New.Records), "kernel"), t.Path))
	if t.Previous != "" {
		b.Summary = append(b.Summary, "the old baseline is kept in "+t.Previous)
	}
	if t.Old != nil && len(t.Old.Records) > 0 {
		r := diff.Compare(t.Old, t.New, diff.Options{})
		b.Summary = append(b.Summary, "against the old baseline: "+Tally(r))
		b.rows(r, opt)
	}
	return b.clean()
}
