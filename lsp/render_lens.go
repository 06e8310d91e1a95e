package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/occupancy"
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
		return lens{"compiling …", nil}
	}
	if len(looseProblems(c.state)) == 0 {
		return lens{"not compiled yet", c.capture()}
	}
	for _, p := range unshown(c.state) {
		switch {
		case p.Side == diff.SideBefore || p.Code == problem.InputNotFound:
		case p.Code == problem.NoDumpFiles, p.Code == problem.NoKernels, p.Code == problem.InputUnreadable:
			return lens{problemTitle(p), c.server.mends(c.folder, nil, p)}
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
			l.Title = "edited since: " + c.staleTitle(k, l.Title)
		case k.Stale:
			l.Title = "older than this file: " + c.staleTitle(k, l.Title)
		}
	}
	if why := unlaunchable(k); why != "" && !strings.Contains(l.Title, why) {
		l.Title = "▲ " + why + " · " + l.Title
	}
	if k.Place.Match == locate.Ambiguous {
		l.Title += " · ambiguous: fits " + fmt.Sprint(len(k.Place.Candidates)) + " definitions"
	}
	switch {
	case k.Place.Match != locate.None:
	case k.Place.Left != "":
		l.Title += " · nothing in " + filepath.Base(k.Place.Left) + " is known to define it"
	case k.Place.Outside != "":
		l.Title += " · its source is outside the project (path-map)"
	case k.Place.Origin.Path != "":
		l.Title += " · its source is not found here (path-map)"
	}
	if unmapped(k) {
		l.Actions = append(l.Actions, action{"map its path", commandMapPath, commandArgs{Folder: string(c.folder.uri), Kernel: k.Key}})
	}
	return c.marked(l)
}

// staleTitle is the shortest figure of a kernel that nothing happened to: with
// the source changed, more would be old news. What makes the verdict is none.
func (c lensContext) staleTitle(k *live.Kernel, title string) string {
	if len(k.Broken) > 0 || c.state.Baseline.Problem != nil {
		return title
	}
	if k.Status == live.Unchanged || k.Status == live.NoBaseline || k.Status == live.Changed || k.Status == live.Edited {
		return figure(resource.VGPR, k.Live.Cells)
	}
	return title
}

func (c lensContext) statusLens(k *live.Kernel) lens {
	folder := string(c.folder.uri)
	showISA := action{"show ISA", commandShowISA, commandArgs{Folder: folder, Kernel: k.Key}}
	accept := action{"accept", commandAcceptKernel, commandArgs{Folder: folder, Kernel: k.Key}}
	switch k.Status {
	case live.Worse:
		l := lens{worseTitle(k), append(whyAction(c.folder, k), showISA, accept)}
		if doubtful(k) {
			l.Title += " · " + problemTitle(gravest(k.Problems))
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
		if r := record(k); r != nil {
			return lens{"compiling … (was " + figure(resource.VGPR, r.Cells) + ")", nil}
		}
		return lens{"compiling …", nil}
	case live.NoBaseline:
		if p := c.state.Baseline.Problem; p != nil {
			return lens{problemTitle(*p), c.server.mends(c.folder, k, *p)}
		}
		if len(k.Broken) > 0 {
			l := lens{"▲ " + strings.Join(budgets(k), " · ") + " · " + figures(k.Live, false), []action{showISA, c.take()}}
			if doubtful(k) {
				l.Title += " · " + problemTitle(gravest(k.Problems))
			}
			return l
		}
		return lens{figures(k.Live, false), []action{c.take()}}
	case live.OneSided:
		return lens{oneSidedTitle(k), append(append(pairAction(c.folder, k), c.take()), showIfThere(k, showISA)...)}
	case live.Untrustworthy:
		if len(k.Problems) > 0 {
			p := gravest(k.Problems)
			return lens{untrustworthyTitle(k, p), c.server.mends(c.folder, k, p)}
		}
		return lens{"? a figure could not be read", []action{showISA}}
	}
	if k.Identical && len(k.Row.Deltas) == 0 && edited(k) {
		return lens{"= same instructions · " + figure(resource.VGPR, k.Live.Cells), nil}
	}
	return lens{figures(k.Live, true) + acceptedNote(k) + compilerNote(k), whyAction(c.folder, k)}
}

func showIfThere(k *live.Kernel, a action) []action {
	if k.File == "" {
		return nil
	}
	return []action{a}
}

// edited reports whether the source of a kernel moved or changed since the
// baseline, as far as its module tells.
func edited(k *live.Kernel) bool {
	return k.Live != nil && k.Baseline != nil && k.Live.Origin != k.Baseline.Origin && k.Baseline.Origin != (resource.Origin{})
}

func compilerNote(k *live.Kernel) string {
	if k.Remade.CompilerChanged() {
		return " · the compiler changed, not the kernel"
	}
	return ""
}

// worseTitle: "▲ spill 0→136 · scratch 0→276 · vgpr 88→127".
func worseTitle(k *live.Kernel) string {
	worse := changes(k.Row, failing(k.Row))
	if before, after, lost := lostWaves(k); lost {
		worse = insertWaves(k.Row, worse, fmt.Sprintf("%d→%d waves", before, after))
	}
	if k.Row.Unlaunchable != "" {
		worse = append([]string{unlaunchable(k)}, worse...)
	}
	title := "▲ " + strings.Join(append(worse, budgets(k)...), " · ")
	if better := changes(k.Row, diff.Delta.Better); len(better) > 0 {
		title += " · ▼ " + strings.Join(better, " · ")
	}
	return title + acceptedNote(k) + compilerNote(k)
}

// failing picks the deltas that make a regression: growth that is not accepted.
func failing(row *diff.Row) func(diff.Delta) bool {
	return func(d diff.Delta) bool {
		_, accepted := row.Acceptance(d.Metric)
		return d.Worse() && !accepted
	}
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
		growth := changes(k.Row, func(d diff.Delta) bool {
			a, ok := k.Row.Acceptance(d.Metric)
			return ok && d.Worse() && report.Allowed(a) == word
		})
		if len(growth) > 0 {
			note += " · " + word + ": " + strings.Join(growth, ", ")
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
	var parts []string
	worse := changes(row, diff.Delta.Worse)
	if before, after, lost := occupancy.Lost(row.Before, row.After); lost {
		worse = append(worse, fmt.Sprintf("%d→%d waves", before, after))
	}
	if row.Unlaunchable != "" {
		worse = append([]string{report.Unlaunchable(row.Unlaunchable)}, worse...)
	}
	if len(worse) > 0 {
		parts = append(parts, "▲ "+strings.Join(worse, " · "))
	}
	if better := changes(row, diff.Delta.Better); len(better) > 0 {
		parts = append(parts, "▼ "+strings.Join(better, " · "))
	}
	if len(parts) == 0 {
		parts = append(parts, "the same registers, spills and memory")
	}
	return strings.Join(parts, " · ")
}

// insertWaves puts lost waves behind spills and scratch.
func insertWaves(row *diff.Row, worse []string, text string) []string {
	at := 0
	for _, m := range damage[:3] {
		if change, ok := row.Delta(m); ok && failing(row)(diff.Delta{Metric: m, Change: change}) {
			at++
		}
	}
	return append(append(append([]string(nil), worse[:at]...), text), worse[at:]...)
}

// betterTitle: "▼ spill 557→0 · vgpr 128→98". Scratch that went with the spills
// says nothing more.
func betterTitle(k *live.Kernel) string {
	better := changes(k.Row, func(d diff.Delta) bool {
		if d.Metric == resource.ScratchBytes {
			if change, ok := k.Row.Delta(resource.VGPRSpill); ok && change < 0 {
				return false
			}
		}
		return d.Better()
	})
	if after, before, gained := occupancy.Lost(k.Row.After, k.Row.Before); gained { // seen from the other side
		better = append(better, fmt.Sprintf("%d→%d waves", before, after))
	}
	return "▼ " + strings.Join(better, " · ") + compilerNote(k)
}

// changes writes the changed triggers that fit, the most damaging first.
func changes(row *diff.Row, fits func(diff.Delta) bool) (parts []string) {
	for _, m := range damage {
		change, ok := row.Delta(m)
		if ok && fits(diff.Delta{Metric: m, Change: change}) {
			parts = append(parts, short(m)+" "+moved(m, row.Before.Cells[m], row.After.Cells[m]))
		}
	}
	return parts
}

// figures: "vgpr 88 · no spill · LDS 0 · 4 waves".
func figures(r *resource.Record, lds bool) string {
	parts := []string{figure(resource.VGPR, r.Cells), spillFigure(r.Cells)}
	if lds {
		parts = append(parts, figure(resource.LDSStaticBytes, r.Cells))
		if r.Launch.DynamicLDS {
			parts[len(parts)-1] += " + dynamic"
		}
	}
	if waves := report.Waves(r); waves != "" {
		parts = append(parts, waves)
	}
	return strings.Join(parts, " · ")
}

func figure(m resource.Metric, cells resource.Cells) string {
	if c := cells[m]; m == resource.LDSStaticBytes && c.State == resource.Known && c.Value%1024 == 0 {
		return short(m) + " " + kib(c.Value)
	}
	return short(m) + " " + cells[m].String()
}

// spillFigure: "no spill" only where all three figures say so.
func spillFigure(cells resource.Cells) string {
	v, s, scratch := cells[resource.VGPRSpill], cells[resource.SGPRSpill], cells[resource.ScratchBytes]
	var parts []string
	if v != resource.Value(0) {
		parts = append(parts, "spill "+v.String())
	}
	if s != resource.Value(0) {
		parts = append(parts, "sgpr spill "+s.String())
	}
	if len(parts) == 0 {
		parts = append(parts, "no spill")
	}
	if scratch != resource.Value(0) {
		parts = append(parts, "scratch "+scratch.String())
	}
	return strings.Join(parts, " · ")
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
// "? proposed pair of axpy_f32_u2 and axpy_f32_u8: ▲ vgpr 20→24".
func oneSidedTitle(k *live.Kernel) string {
	if k.Live != nil && k.Proposed != nil {
		return fmt.Sprintf("? proposed pair of %s and %s: %s", bare(k.RenamedFrom), name(k), proposedTitle(k.Proposed))
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

// bare is the kernel's name in a key, as a person would write it.
func bare(key string) string {
	_, name := resource.SplitKey(key)
	return oneLine(symbol.Readable(name))
}
