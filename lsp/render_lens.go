package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/symbol"
)

// A lens is the one line of figures above a definition, with the commands that
// fit.
type lens struct {
	Title   string
	Actions []action
}

// A lensContext is what the line of a definition depends on besides its kernels.
type lensContext struct {
	server *Server
	folder *folder
	state  *live.State
}

// definitionLens is the line of a definition with all the kernels that it
// compiles to, the worst first.
func (c lensContext) definitionLens(ks []*live.Kernel) lens {
	ks = paired(ks)
	switch len(ks) {
	case 0:
		return c.nothingYet()
	case 1:
		return c.kernelLens(ks[0])
	}
	return c.marked(c.variantsLens(ks))
}

// marked says first what makes every figure one that is not to be relied on.
func (c lensContext) marked(l lens) lens {
	if ps := c.state.Invalid; len(ps) > 0 {
		l.Title = "? " + invalidTitle(ps) + " · " + l.Title
		l.Actions = append(l.Actions[:len(l.Actions):len(l.Actions)], c.server.mends(c.folder, nil, ps[0])...)
	}
	return l
}

// nothingYet is the line of a definition that no kernel is known of.
func (c lensContext) nothingYet() lens {
	if ps := c.state.Invalid; len(ps) > 0 {
		return lens{"? " + invalidTitle(ps) + ": " + problem.Lookup(ps[0].Code).Title, c.server.mends(c.folder, nil, ps[0])}
	}
	if c.state.Run != nil {
		return lens{"◌ compiling …", nil}
	}
	if len(looseProblems(c.state)) == 0 {
		return lens{"not compiled yet", c.capture()}
	}
	for _, p := range unshown(c.state) {
		switch {
		case p.Side == diff.SideBefore || p.Code == problem.InputNotFound:
		case inFile(p.Code): // which may hold it
			return lens{fmt.Sprintf("? not compiled yet, or in a dump that cannot be read (%s)", p.Code), c.server.mends(c.folder, nil, p)}
		default:
			return lens{problemTitle(p), c.server.mends(c.folder, nil, p)}
		}
	}
	return lens{"not compiled yet", c.capture()}
}

// inFile reports whether a problem is one of what a file says: groups 3 to 10 of
// the contract.
func inFile(c problem.Code) bool {
	group := problem.Lookup(c).Group
	return group >= 3 && group <= 10
}

// capture offers to compile, where that is possible.
func (c lensContext) capture() []action {
	if !offersCapture(c.folder) {
		return nil
	}
	return []action{{"capture", commandCapture, commandArgs{Folder: string(c.folder.uri)}}}
}

func (c lensContext) take() action {
	return action{"take baseline", commandSnapshotBaseline, commandArgs{Folder: string(c.folder.uri)}}
}

// kernelLens is the line of one kernel.
func (c lensContext) kernelLens(k *live.Kernel) lens {
	l := c.statusLens(k)
	if k.Live != nil && k.Status != live.Compiling {
		switch {
		case len(k.Edited) > 0:
			l.Title = edited("edited since the last compile", c.staleTitle(k, l.Title))
		case k.Stale:
			l.Title = edited("older than this file", c.staleTitle(k, l.Title))
		}
	}
	if why := facts.Unlaunchable(k); why != "" && !strings.Contains(l.Title, why) {
		l.Title = "▲ " + why + " · " + l.Title
	}
	if note := facts.PlaceNote(k); note != "" {
		if strings.ContainsAny(l.Title, "▲▼?") { // news comes first
			l.Title += " · " + note
		} else {
			l.Title = note + " · " + l.Title
		}
	}
	if unmapped(k) {
		l.Actions = append(l.Actions, action{"map its path", commandMapPath, commandArgs{Folder: string(c.folder.uri), Kernel: k.Key}})
	}
	return c.marked(l)
}

// edited says of figures that their source was saved after the compile, or is edited now;
// shortly, where there is news as well.
func edited(words, title string) string {
	if strings.ContainsAny(title, "▲▼?") {
		words = strings.TrimSuffix(words, " the last compile")
	}
	return "✎ " + words + " · " + title
}

// staleTitle are the figures of a kernel that nothing happened to, and which changed
// means nothing: with the source changed that would be old news. What makes the verdict is none.
func (c lensContext) staleTitle(k *live.Kernel, title string) string {
	if len(k.Broken) > 0 || c.state.Baseline.Problem != nil {
		return title
	}
	if k.Status == live.Unchanged || k.Status == live.NoBaseline || k.Status == live.Changed || k.Status == live.Edited {
		return figures(k.Live, false)
	}
	return title
}

func (c lensContext) statusLens(k *live.Kernel) lens {
	folder := string(c.folder.uri)
	showISA := action{"show ISA", commandShowISA, commandArgs{Folder: folder, Kernel: k.Key}}
	if c.server.client.status { // it shows what a command answers
		showISA.Title, showISA.Command = "assembly", commandAssembly
	}
	switch k.Status {
	case live.Worse:
		l := lens{worseTitle(k), append(append(whyAction(c.folder, k), showISA), c.accepts(k)...)}
		if doubtful(k) {
			l.Title += " · " + problemTitle(problem.Gravest(k.Problems))
		}
		return l
	case live.Better:
		return lens{betterTitle(k), append(whyAction(c.folder, k), c.take())}
	case live.Pending:
		if k.RenamedTo != "" {
			return lens{oneSidedTitle(k), append(pairAction(c.folder, k), c.take())}
		}
		return lens{pendingWords, c.capture()}
	case live.Edited:
		if p := c.state.Baseline.Problem; p != nil {
			return lens{problemTitle(*p), c.server.mends(c.folder, k, *p)}
		}
		return lens{figures(k.Live, false), append(whyAction(c.folder, k), c.server.mends(c.folder, k, problem.Problem{Code: problem.SourceEdited})...)}
	case live.Compiling:
		if r := facts.Record(k); r != nil {
			return lens{"◌ compiling … (was " + figure(resource.VGPR, r.Cells) + ")", nil}
		}
		return lens{"◌ compiling …", nil}
	case live.NoBaseline:
		if p := c.state.Baseline.Problem; p != nil {
			return lens{problemTitle(*p), c.server.mends(c.folder, k, *p)}
		}
		if len(k.Broken) > 0 {
			l := lens{"▲ " + strings.Join(budgets(k), " · ") + " · " + figures(k.Live, false), append(append([]action{showISA}, budgetActions(c.folder, k)...), c.take())}
			if doubtful(k) {
				l.Title += " · " + problemTitle(problem.Gravest(k.Problems))
			}
			return l
		}
		return lens{figures(k.Live, false), []action{c.take()}}
	case live.OneSided:
		return lens{oneSidedTitle(k), append(append(pairAction(c.folder, k), c.take()), showIfThere(k, showISA)...)}
	case live.Untrustworthy:
		if len(k.Problems) > 0 {
			p := problem.Gravest(k.Problems)
			return lens{untrustworthyTitle(k, p), c.server.mends(c.folder, k, p)}
		}
		return lens{"? a figure could not be read", []action{showISA}}
	}
	if k.Identical && len(k.Row.Deltas) == 0 && otherSource(k) {
		return lens{"= same instructions · " + figure(resource.VGPR, k.Live.Cells), nil}
	}
	return lens{figures(k.Live, true) + acceptedNote(k) + compilerNote(k), whyAction(c.folder, k)}
}

// accepts are the ways to let a kernel be worse, as far as each would change something:
// to accept what grew, with a reason; to compare with its new figures from now on; to
// change the budget that it breaks.
func (c lensContext) accepts(k *live.Kernel) (all []action) {
	args := commandArgs{Folder: string(c.folder.uri), Kernel: k.Key}
	grown := k.Row.Worsened() > len(k.Row.Accepted)
	if grown {
		all = append(all, action{"accept", commandAcceptRegression, args})
	}
	if grown || k.Row.Unlaunchable != "" {
		all = append(all, action{"baseline", commandAcceptKernel, args})
	}
	return append(all, budgetActions(c.folder, k)...)
}

func showIfThere(k *live.Kernel, a action) []action {
	if k.File == "" {
		return nil
	}
	return []action{a}
}

// otherSource reports whether the source of a kernel moved or changed since the
// baseline, as far as its module tells.
func otherSource(k *live.Kernel) bool {
	return k.Live != nil && k.Baseline != nil && k.Live.Origin != k.Baseline.Origin && k.Baseline.Origin != (resource.Origin{})
}

func compilerNote(k *live.Kernel) string {
	if k.Remade.CompilerChanged() {
		return " · the compiler changed, not the kernel"
	}
	return ""
}

// lensFigures is how many figures a line tells of what changed.
const lensFigures = 3

// worseTitle: "▲ spill 0→136 · 5→4 waves · vgpr 88→127 · +1".
func worseTitle(k *live.Kernel) string {
	return moves(k.Row, lensFigures, budgets(k)...) + acceptedNote(k) + compilerNote(k)
}

// moves writes at most n figures of what got worse of a kernel, then of what got better,
// and how many more there are. A budget that it breaks is one of them.
func moves(row *diff.Row, n int, over ...string) string {
	changes := facts.Changes(row)
	var worse, parts []string
	if why := facts.CannotLaunch(row.Unlaunchable); why != "" {
		worse = append(worse, why)
	}
	grown, more := facts.Lead(facts.Of(changes, facts.Worse), n-len(worse)-min(len(over), 1))
	worse = append(worse, changeTexts(grown)...)
	if len(over) > 0 {
		worse, more = append(worse, over[0]), more+len(over)-1
	}
	if len(worse) > 0 {
		parts = append(parts, "▲ "+strings.Join(worse, " · "))
	}
	shrunk, left := facts.Lead(facts.Of(changes, facts.Better), n-len(worse))
	if more += left; len(shrunk) > 0 {
		parts = append(parts, "▼ "+strings.Join(changeTexts(shrunk), " · "))
	}
	return strings.Join(parts, " · ") + moreText(more)
}

// moreText counts what a line has no room for.
func moreText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" · +%d", n)
}

// budgets writes the budgets that a kernel breaks: "127 breaks vgpr <= 120".
func budgets(k *live.Kernel) (parts []string) {
	for _, b := range k.Broken {
		parts = append(parts, fmt.Sprintf("%d breaks %s", b.Figure, b.Budget))
	}
	return parts
}

// acceptedNote names the growth that was accepted, and that which is tolerated.
func acceptedNote(k *live.Kernel) (note string) {
	if k.Row == nil || len(k.Row.Accepted) == 0 {
		return ""
	}
	for _, word := range []string{"accepted", "tolerated"} {
		growth := slices.DeleteFunc(facts.Of(facts.Changes(k.Row), facts.Allowed), func(c facts.Change) bool { return report.Allowed(c.By) != word })
		if len(growth) > 0 {
			first, more := facts.Lead(growth, 1)
			note += " · " + word + ": " + strings.Join(changeTexts(first), ", ") + moreText(more)
		}
	}
	return note
}

// paired leaves those out of the kernels of a definition that are in the baseline
// alone and probably one with another of them, whose line shows both.
func paired(ks []*live.Kernel) []*live.Kernel {
	var kept []*live.Kernel
	for _, k := range ks {
		both := k.Live == nil && k.Proposed != nil && slices.ContainsFunc(ks, func(other *live.Kernel) bool { return other.Key == k.RenamedTo })
		if !both {
			kept = append(kept, k)
		}
	}
	return kept
}

// proposedTitle: "▲ vgpr 20→24 · ▼ sgpr 30→28", of two kernels that are probably one.
func proposedTitle(row *diff.Row) string {
	if !row.Comparable() {
		return "cannot be compared (" + string(row.Blocked[0].Code) + ")"
	}
	return cmp.Or(moves(row, lensFigures), "no change that counts")
}

// betterTitle: "▼ spill 557→0 · scratch 2232→0 · vgpr 128→98".
func betterTitle(k *live.Kernel) string {
	return moves(k.Row, lensFigures) + acceptedNote(k) + compilerNote(k)
}

// changeTexts writes changes: "spill 0→136", "5→4 waves", "LDS 8K→16K".
func changeTexts(changes []facts.Change) (parts []string) {
	for _, c := range changes {
		if c.Waves {
			parts = append(parts, fmt.Sprintf("%d→%d waves", c.Before, c.After))
			continue
		}
		before, after := amount(c.Metric, c.Before), amount(c.Metric, c.After)
		if kib := strings.HasSuffix(before+after, "K"); kib && (c.Before%1024 != 0 || c.After%1024 != 0) { // both or none
			before, after = fmt.Sprint(c.Before), fmt.Sprint(c.After)
		}
		parts = append(parts, c.Metric.Short()+" "+before+"→"+after)
	}
	return parts
}

// amount writes a figure, with K for whole KiB of LDS.
func amount(m resource.Metric, n int64) string {
	if m == resource.LDSStaticBytes && n != 0 && n%1024 == 0 {
		return fmt.Sprint(n/1024, "K")
	}
	return fmt.Sprint(n)
}

// figures: "vgpr 88 · no spill · LDS 0 · 4 waves".
func figures(r *resource.Record, lds bool) string {
	var parts []string
	for _, f := range facts.Figures(r) {
		switch {
		case f.Words != "":
			parts = append(parts, f.Words)
		case lds || f.Metric != resource.LDSStaticBytes:
			parts = append(parts, figure(f.Metric, r.Cells)+f.More)
		}
	}
	return strings.Join(parts, " · ")
}

func figure(m resource.Metric, cells resource.Cells) string {
	text := cells[m].String()
	if cells[m].State == resource.Known {
		text = amount(m, cells[m].Value)
	}
	return m.Short() + " " + text
}

// problemTitle: "? dump cut short (metadata-cut)".
func problemTitle(p problem.Problem) string {
	return fmt.Sprintf("? %s (%s)", problem.Lookup(p.Code).Title, p.Code)
}

// untrustworthyTitle names both targets where they are what differs.
func untrustworthyTitle(k *live.Kernel, p problem.Problem) string {
	more := ""
	if n := len(problem.Codes(k.Problems)); n > 1 {
		more = fmt.Sprintf(" · %d more", n-1)
	}
	if p.Code == problem.TargetDiffers && k.Baseline != nil && k.Live != nil {
		return fmt.Sprintf("? baseline %s, dump %s (%s)%s", oneLine(k.Baseline.Target.Processor), oneLine(k.Live.Target.Processor), p.Code, more)
	}
	return problemTitle(p) + more
}

// oneSidedTitle: "? only in baseline: column_means_0, renamed to average_columns_0?",
// "? axpy_f32_u2→u8 · ▲ vgpr 20→24".
func oneSidedTitle(k *live.Kernel) string {
	if k.Live != nil && k.Proposed != nil {
		return "? " + renaming(bare(k.RenamedFrom), name(k)) + " · " + proposedTitle(k.Proposed)
	}
	if k.Live == nil {
		title := "? only in baseline: " + name(k)
		if k.RenamedTo != "" {
			title += ", renamed to " + bare(k.RenamedTo) + "?"
		}
		return title
	}
	title := "? only in the new dump: " + name(k)
	if k.RenamedFrom != "" {
		title += ", renamed from " + bare(k.RenamedFrom) + "?"
	}
	return title
}

// renaming writes a name and what became of it: "axpy_f32_u2→u8".
func renaming(before, after string) string {
	same := strings.LastIndexByte(after[:commonPrefix(before, after)], '_') + 1
	return before + "→" + after[same:]
}

// bare is the kernel's name in a key, as a person would write it.
func bare(key string) string {
	_, name := resource.SplitKey(key)
	return oneLine(symbol.Readable(name))
}
