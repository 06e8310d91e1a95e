package report

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// indent is the room that the time takes in front of the first line of a block.
const indent = "          "

// A Project says what the lines of a live session refer to.
type Project struct {
	Root     string // absolute; paths are shown relative to it
	Snapshot string // the command that takes a baseline of what is there; `isadiff snapshot` if empty
}

func (p Project) snapshot() string { return cmp.Or(p.Snapshot, "isadiff snapshot") }

// Block returns what a live session has to say that is new since another State:
// the kernels that were compiled or changed their standing, the worst first, the
// counts and the verdict. It is empty if nothing happened that is worth a line: a
// compile that has only begun, or a source that was edited. before is nil for the
// first block, which shows what changed against the baseline.
func Block(before, now *live.State, at time.Time, project Project, style Style) []byte {
	var body bytes.Buffer
	list := news(before, now)
	var still []quiet
	for i, name := range shownNames(now, list) {
		start := body.Len()
		writeKernel(&body, list[i], name, project.Root, style)
		if list[i].Status == live.Unchanged && bytes.Count(body.Bytes()[start:], []byte("\n")) == 2 {
			still = append(still, quiet{list[i], string(body.Bytes()[start:])})
			body.Truncate(start)
		}
	}
	writeQuiet(&body, still)
	if gone := goneKernels(before, now); len(gone) > 0 {
		fmt.Fprintf(&body, "%sgone: %s\n", indent, some(gone))
	}
	writeProblems(&body, before, now, style)
	var warned map[string]bool
	if before != nil {
		warned = setOf(before.Warnings)
	}
	for _, w := range now.Warnings {
		if !warned[w] {
			fmt.Fprintf(&body, "%s%s %s\n", indent, style.paint(bold, "warning:"), oneLine(w))
		}
	}
	if now.Dumps.Polling && (before == nil || before.Dumps.Reason != now.Dumps.Reason) {
		fmt.Fprintf(&body, "%spolling: %s\n", indent, oneLine(now.Dumps.Reason))
	}
	if s := Compilers(resultOf(now)); s != "" && (before == nil || s != Compilers(resultOf(before))) {
		fmt.Fprintf(&body, "%s%s\n", indent, s)
	}
	if body.Len() == 0 && before != nil && sameVerdict(before, now) {
		return nil
	}
	counts := facts.Counts(now)
	if now.Result == nil && !now.Refused && now.Run == nil {
		counts += fmt.Sprintf(": `%s` takes one", project.snapshot())
	}
	fmt.Fprintf(&body, "%s%s\n", indent, counts)
	if now.Pending > 0 && now.Run == nil && (before == nil || before.Pending == 0 || before.Run != nil) {
		fmt.Fprintf(&body, "%s%s\n", indent, pendingHint)
	}
	if now.Result != nil {
		if now.Result.Kernels != "" {
			fmt.Fprintf(&body, "%slimited to kernels that match %q\n", indent, now.Result.Kernels)
		}
		for line := range strings.Lines(allowance(now.Result)) {
			fmt.Fprintf(&body, "%s%s", indent, line)
		}
	}
	fmt.Fprintf(&body, "%s%s", indent, Verdict(now.Verdict, style))
	return timed(body.Bytes(), at)
}

// A quiet kernel was compiled, and there is nothing to say but its figures.
type quiet struct {
	kernel *live.Kernel
	lines  string // as writeKernel wrote them
}

// writeQuiet writes quiet kernels. More of them than a line would mention are counted,
// on one line of each kind: a compile of hundreds would push what got worse off the screen.
func writeQuiet(b *bytes.Buffer, list []quiet) {
	if len(list) <= mentioned {
		for _, q := range list {
			b.WriteString(q.lines)
		}
		return
	}
	same := 0
	for _, q := range list {
		if q.kernel.Identical {
			same++
		}
	}
	if same > 0 {
		fmt.Fprintf(b, "%s= same instructions in %s\n", indent, problem.Count(same, "kernel"))
	}
	if unchanged := len(list) - same; unchanged > 0 {
		fmt.Fprintf(b, "%sfigures unchanged in %s\n", indent, problem.Count(unchanged, "kernel"))
	}
}

// timed puts the time into the room that the first line of a block has for it.
func timed(block []byte, at time.Time) []byte {
	copy(block, at.Format(time.TimeOnly))
	return block
}

// Ending returns the block of a session that ends: its counts and its verdict, where
// no block has told them.
func Ending(now *live.State, at time.Time, style Style) []byte {
	return timed(fmt.Appendf(nil, "%s%s\n%s%s", indent, facts.Counts(now), indent, Verdict(now.Verdict, style)), at)
}

// pendingHint says once why nothing can be trusted yet.
const pendingHint = "pending: of the baseline, and not compiled yet; compile the rest, or limit with --kernels"

// goneKernels returns the keys of the kernels of an earlier State that a State
// does not have; before may be nil.
func goneKernels(before, now *live.State) (gone []string) {
	if before == nil {
		return nil
	}
	for _, k := range before.Kernels {
		if now.Kernel(k.Key) == nil {
			gone = append(gone, k.Key)
		}
	}
	return gone
}

// mentioned is how many names a line lists.
const mentioned = 8

// some lists names, and counts those that are too many.
func some(names []string) string { return upTo(mentioned, names) }

// upTo lists n names, and counts the others.
func upTo(n int, names []string) string {
	more := ""
	if len(names) > n {
		more = fmt.Sprintf(" and %d more", len(names)-n)
		names = names[:n]
	}
	return strings.Join(labels(names, 0), ", ") + more
}

// sameVerdict reports whether two States end in the same lines. What is under way
// is not compared: it has the status line.
func sameVerdict(a, b *live.State) bool {
	if a.Run != nil && b.Run == nil {
		return false // what it was about is known now
	}
	return a.Verdict == b.Verdict && a.Baseline.Exists == b.Baseline.Exists && a.Baseline.Written.Equal(b.Baseline.Written) ||
		b.Compiling > 0 || b.Run != nil
}

// news returns the kernels to show, the worst first.
func news(before, now *live.State) []*live.Kernel {
	var old map[string]*live.Kernel
	if before != nil {
		old = make(map[string]*live.Kernel, len(before.Kernels))
		for _, k := range before.Kernels {
			old[k.Key] = k
		}
	}
	var list []*live.Kernel
	for _, k := range now.Kernels {
		if was := old[k.Key]; was != k && worthALine(was, k, before == nil) {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, live.WorstFirst)
	return list
}

// worthALine reports whether a kernel belongs into a block. In the first block
// those do that have something to say; later those that were compiled or whose
// standing changed.
func worthALine(was, k *live.Kernel, first bool) bool {
	switch {
	case k.Status == live.Compiling || k.Status == live.Pending:
		return false
	case was != nil && (was.Status == live.Edited || k.Status == live.Edited) && was.Live == k.Live && was.Dumped.Equal(k.Dumped):
		return false // what was saved is said once for each source
	case first:
		return k.Status != live.Edited && k.Status != live.Unchanged && k.Status != live.NoBaseline || len(k.Broken) > 0 || facts.Unlaunchable(k) != ""
	case was == nil:
		return true
	case was.Status == live.Compiling && was.Live == k.Live && was.Baseline == k.Baseline && was.Dumped.Equal(k.Dumped) && slices.Equal(was.Problems, k.Problems):
		return false // a run has ended and had not compiled it
	case !slices.Equal(was.Broken, k.Broken) || !slices.Equal(accepted(was), accepted(k)):
		return true
	case sameBuild(was.Live, k.Live) && was.Dumped.Equal(k.Dumped) && (k.Status == live.Unchanged || k.Status == live.NoBaseline):
		return false // another baseline, which has nothing to say of it
	default:
		return was.Status != k.Status || !sameBuild(was.Live, k.Live) || was.Baseline != k.Baseline || !was.Dumped.Equal(k.Dumped) ||
			!slices.Equal(was.Problems, k.Problems)
	}
}

// sameBuild reports whether two records are of one dump. A capture that has ended
// names the compiler of what was shown already.
func sameBuild(a, b *resource.Record) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	named := *a
	named.Compilers = b.Compilers
	return reflect.DeepEqual(&named, b)
}

// accepted returns what is accepted of a kernel.
func accepted(k *live.Kernel) []diff.Acceptance {
	if k.Row == nil {
		return nil
	}
	return k.Row.Accepted
}

// writeKernel writes what there is to say about one kernel.
func writeKernel(b *bytes.Buffer, k *live.Kernel, name, root string, style Style) {
	head := []string{name}
	for _, c := range k.Place.Candidates {
		name := c.Path
		if rel, err := filepath.Rel(root, c.Path); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		head = append(head, fmt.Sprintf("%s:%d", visible(name), c.Definition.Ident.Start.Line+1))
	}
	if r := facts.Record(k); r.Target.Processor != "" {
		head = append(head, visible(r.Target.Processor))
	}
	fmt.Fprintf(b, "%s%s\n", indent, style.paint(bold, strings.Join(head, "  ")))
	say := func(p paint, format string, args ...any) {
		fmt.Fprintf(b, "%s  %s\n", indent, style.paint(p, fmt.Sprintf(format, args...)))
	}
	if why := facts.Unlaunchable(k); why != "" {
		say(worse, "%s", why)
	}
	switch k.Status {
	case live.Worse, live.Better, live.Changed:
		writeDeltas(b, k, style)
	case live.Unchanged:
		if k.Identical {
			say(plain, "= same instructions: %s", Figures(k.Live))
		} else {
			say(plain, "unchanged: %s", Figures(k.Live))
		}
	case live.NoBaseline, live.Edited:
		say(plain, "%s", Figures(k.Live))
	}
	for _, a := range accepted(k) {
		say(plain, "%s: %s", Allowed(a), oneLine(Accepted(a)))
	}
	for _, x := range k.Broken {
		say(worse, "budget: %s", oneLine(Broken(x)))
	}
	for _, p := range k.Problems {
		p.Message = strings.TrimPrefix(p.Message, k.Key+": ")
		if p.Code.OneSided() {
			p.Side = "" // the message names it
		}
		say(unsure, "[%s] %s", p.Code, Describe(p))
	}
	for _, mend := range mends(k.Problems) {
		say(plain, "hint: %s", oneLine(mend))
	}
	switch {
	case k.RenamedTo != "":
		say(plain, "probably renamed to %s", visible(k.RenamedTo))
	case k.RenamedFrom != "":
		say(plain, "probably renamed from %s", visible(k.RenamedFrom))
	}
	if k.Proposed != nil && k.Live != nil {
		say(plain, "proposed pair: %s; %s compares them", Proposed(k.Proposed), PairFlag(k.Pair[0], k.Pair[1]))
	}
	if k.Row != nil && k.Row.Order != nil && k.Live != nil && k.Baseline != nil {
		say(plain, "paired with %s by %s", visible(k.Baseline.Key), oneLine(k.Row.Order.String()))
	}
	if s := Remade(k.Remade, k.Baseline, k.Live); s != "" {
		say(plain, "%s", s)
	}
	if len(k.Edited) > 0 {
		say(unsure, "edited since: compile again to see what it takes now")
	}
}

// mends returns what mends problems, each once.
func mends(ps []problem.Problem) (list []string) {
	for _, p := range ps {
		if m := p.Mend(); !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// writeDeltas writes the changed triggers and waves, the gravest first; if no trigger
// changed, the other metrics.
func writeDeltas(b *bytes.Buffer, k *live.Kernel, style Style) {
	changes := facts.Changes(k.Row)
	if triggers := facts.Of(changes, facts.Worse, facts.Allowed, facts.Better); len(facts.Metrics(triggers)) > 0 {
		changes = triggers
	}
	name := func(c facts.Change) string {
		switch {
		case c.Waves:
			return "  waves per SIMD"
		case c.Kind == facts.Context:
			return "  " + c.Metric.String()
		}
		return "* " + c.Metric.String()
	}
	var names, befores, afters int
	for _, c := range changes {
		names, befores, afters = max(names, width(name(c))), max(befores, width(fmt.Sprint(c.Before))), max(afters, width(fmt.Sprint(c.After)))
	}
	for _, c := range changes {
		text := fmt.Sprintf("%s  %*d -> %*d  (%+d)", pad(name(c), names), befores, c.Before, afters, c.After, c.Delta())
		p := paints[c.Kind]
		if c.Waves {
			p = plain
		}
		fmt.Fprintf(b, "%s  %s\n", indent, style.paint(p, text))
	}
}

// Figures returns the figures of a kernel that matter first, in one line.
func Figures(r *resource.Record) string {
	var parts []string
	for _, f := range facts.Figures(r) {
		if f.Words == "" {
			f.Words = f.Metric.Long() + " " + f.Cell.String() + f.More
		}
		parts = append(parts, f.Words)
	}
	return strings.Join(parts, ", ")
}

// writeProblems writes the problems that concern no kernel, if they are new.
func writeProblems(b *bytes.Buffer, before, now *live.State, style Style) {
	if len(now.Problems) == 0 {
		return
	}
	var said map[problem.Problem]bool
	if before != nil {
		said = setOf(before.Problems)
	}
	shown := map[problem.Problem]bool{}
	for _, k := range now.Kernels {
		for _, p := range k.Problems {
			shown[p] = true
		}
	}
	for _, p := range now.Problems {
		// By a run; the counts say how far it has come.
		answered := p.Code == problem.RunUnderWay || p.Code == problem.SourceEdited || p.Code == problem.InputNotFound && p.Side != diff.SideBefore
		if answered && now.Run != nil {
			continue
		}
		if facts.Shows(now, p) || p.File != "" && shown[p] || said[p] && !(answered && before.Run != nil) {
			continue
		}
		fmt.Fprintf(b, "%s%s %s\n", indent, style.paint(doubt, "["+string(p.Code)+"]"), Describe(p))
		if p.Code == problem.SourceEdited {
			continue // after each save, so no more than a line
		}
		fmt.Fprintf(b, "%s  hint: %s\n", indent, oneLine(p.Mend()))
	}
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}
