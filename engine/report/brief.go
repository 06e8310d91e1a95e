package report

import (
	"bytes"
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

// A Brief is an answer for a reader with little room, as a coding agent is: the verdict,
// the kernels that matter most, the problems, and what to run next. What is left out is
// counted. It stands for a comparison, for the figures of one side and for a look at
// instructions alike, as text ([Brief.Text]) and as JSON.
type Brief struct {
	Verdict  string         `json:"verdict" jsonschema:"OK, REGRESSION (a claim about the code) or NOT TRUSTWORTHY (no claim about the code: the reasons are in problems)"`
	ExitCode int            `json:"exit_code" jsonschema:"0 for OK, 1 for REGRESSION, 2 for NOT TRUSTWORTHY"`
	Summary  []string       `json:"summary" jsonschema:"what was looked at and what was counted, a sentence each"`
	Problems []BriefProblem `json:"problems" jsonschema:"why the answer is not trustworthy, alike ones together; empty if it is"`
	Kernels  []BriefKernel  `json:"kernels" jsonschema:"the kernels that matter, the worst first"`
	Warnings []string       `json:"warnings" jsonschema:"what is worth knowing and changes no verdict"`
	LeftOut  []BriefCount   `json:"left_out" jsonschema:"what is not listed here for lack of room"`
	Next     []string       `json:"next" jsonschema:"what to run next"`
}

// A BriefKernel is one kernel of a [Brief].
type BriefKernel struct {
	Standing string        `json:"standing" jsonschema:"worse, accepted, tolerated, better or changed; of one side or where nothing is compared, empty"`
	Kernel   string        `json:"kernel" jsonschema:"the kernel's key: its folder in the dumps, :: and its name"`
	Target   string        `json:"target" jsonschema:"the processor, such as gfx942"`
	File     string        `json:"file" jsonschema:"the source file that defines it, relative to the project's root; empty if that is not certain"`
	Line     int           `json:"line" jsonschema:"the 1-based line of the definition; 0 if it is not certain"`
	Figures  []BriefFigure `json:"figures" jsonschema:"in a comparison what changed, else all figures; the gravest first"`
	Facts    []string      `json:"facts" jsonschema:"what else is known: waves, budgets, the reason, the lines that did it"`

	named string // as text shows it
}

// A BriefFigure is a metric of a [BriefKernel], on both sides or on one.
type BriefFigure struct {
	Metric  string `json:"metric"`
	Before  *int64 `json:"before,omitempty" jsonschema:"absent if only one side is looked at"`
	After   *int64 `json:"after,omitempty" jsonschema:"absent if it is not a number: see state"`
	Change  *int64 `json:"change,omitempty" jsonschema:"after minus before"`
	State   string `json:"state,omitempty" jsonschema:"of a figure without a number: n/a (does not exist here, which is not 0) or ? (could not be read)"`
	Trigger bool   `json:"trigger" jsonschema:"whether growth of this metric is a regression"`
}

// A BriefProblem is what makes an answer not trustworthy: one problem and how many are
// like it.
type BriefProblem struct {
	Code    string `json:"code" jsonschema:"the stable code; explain tells of it"`
	Count   int    `json:"count" jsonschema:"how many problems have this code and this mend"`
	Message string `json:"message" jsonschema:"the first of them: the file, the kernel and the cause"`
	Mend    string `json:"mend" jsonschema:"what to do about it"`
}

// A BriefCount says how many of something are left out.
type BriefCount struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// BriefLimits say how much a [Brief] lists; the rest is counted.
type BriefLimits struct {
	Kernels  int
	Problems int // different ones
	Warnings int
}

// The limits of text, within which it has [BriefLines] at most.
var textLimits = BriefLimits{Kernels: 8, Problems: 6, Warnings: 3}

// LimitTo returns how much is listed of at most so many kernels; of no number, that of text.
func LimitTo(kernels int) BriefLimits {
	l := textLimits
	if kernels > 0 {
		l.Kernels, l.Problems = kernels, max(kernels, l.Problems)
	}
	return l
}

// How many facts a text has: maxFacts for all kernels together, and at least minFacts for
// each.
const (
	maxFacts = 12
	minFacts = 2
)

// limits returns those of the options.
func (o Options) limits() BriefLimits {
	l := cmp.Or(o.Limits, textLimits)
	if o.Quiet {
		l.Kernels = 0
	}
	return l
}

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
	if rows := worstFirst(r, failed); len(rows) > 0 {
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

// briefOf begins a brief with what all have.
func briefOf(v diff.Verdict, problems []problem.Problem, warnings []string, opt Options) *Brief {
	b := &Brief{Verdict: v.String(), ExitCode: v.ExitCode()}
	limits := opt.limits()
	type kind struct {
		code problem.Code
		mend string
	}
	var order []kind
	count := map[kind]int{}
	first := map[kind]problem.Problem{}
	for _, code := range codeOrder(problems) {
		for _, p := range problems {
			if p.Code != code {
				continue
			}
			k := kind{code, p.Mend()}
			if count[k]++; count[k] == 1 {
				order, first[k] = append(order, k), p
			}
		}
	}
	for i, k := range order {
		if i >= limits.Problems {
			b.count("problem", count[k])
			continue
		}
		b.Problems = append(b.Problems, BriefProblem{Code: string(k.code), Count: count[k], Message: Describe(first[k]), Mend: oneLine(k.mend)})
	}
	if len(order) > 0 {
		b.Next = append(b.Next, explainer(opt.Context, order[0].code))
	}
	limit := min(len(warnings), limits.Warnings)
	b.Warnings = warnings[:limit]
	b.count("warning", len(warnings)-limit)
	return b
}

// explainer returns the command that explains a code.
func explainer(c Context, code problem.Code) string {
	if c.Explain != nil {
		return c.Explain(string(code))
	}
	return Command("explain", string(code))
}

// leave counts kernels that are left out, by their standing.
func (b *Brief) leave(standing string, n int) {
	b.count(strings.TrimSpace(standing+" kernel"), n)
}

func (b *Brief) count(what string, n int) {
	if n <= 0 {
		return
	}
	for i := range b.LeftOut {
		if b.LeftOut[i].What == what {
			b.LeftOut[i].Count += n
			return
		}
	}
	b.LeftOut = append(b.LeftOut, BriefCount{what, n})
}

// tell adds a kernel, with as many facts as there is room for.
func (b *Brief) tell(k BriefKernel) {
	k.Facts = b.cut(k.Facts, maxFacts)
	b.Kernels = append(b.Kernels, k)
}

// cut returns the first of facts and counts the others.
func (b *Brief) cut(facts []string, limit int) []string {
	b.count("fact", len(facts)-limit)
	return facts[:min(len(facts), limit)]
}

// clean makes text printable, and lists lists: JSON has no null among them.
func (b *Brief) clean() *Brief {
	lines := func(list []string) []string {
		out := make([]string, 0, len(list))
		for _, s := range list {
			out = append(out, oneLine(s))
		}
		return out
	}
	b.Summary, b.Warnings, b.Next = lines(b.Summary), lines(b.Warnings), lines(b.Next)
	b.Problems, b.Kernels, b.LeftOut = listed(b.Problems), listed(b.Kernels), listed(b.LeftOut)
	for i := range b.Kernels {
		k := &b.Kernels[i]
		k.Figures, k.Facts = listed(k.Figures), lines(k.Facts)
	}
	return b
}

func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// How much room a brief takes as text: so many lines, with the verdict behind them that
// ends every comparison, and so many cells a line. Commands are never cut.
const (
	BriefLines = 40
	briefWidth = 240
	briefName  = 120 // of a kernel
)

// Text returns a brief as text of fewer than [BriefLines] lines. Of what has no room the
// kernels give way first, the least grave before the others.
func (b *Brief) Text(style Style) []byte {
	short := *b
	short.LeftOut = slices.Clone(b.LeftOut)
	room := BriefLines - 2 - len(b.Next) - min(len(b.Warnings), textLimits.Warnings) - len(b.Summary) - 1 // that on what is left out
	var out bytes.Buffer
	line := func(p paint, indent, text string) {
		fmt.Fprintf(&out, "%s%s\n", indent, style.paint(p, head(text, briefWidth)))
	}
	for i, s := range b.Summary {
		if i == 0 {
			line(verdictPaint(b.ExitCode), "", b.Verdict+": "+s)
			continue
		}
		line(plain, "", s)
	}
	for i, p := range b.Problems {
		if room < 2 || i >= textLimits.Problems {
			short.count("problem", p.Count)
			continue
		}
		room -= 2
		text := "[" + p.Code + "] " + p.Message
		if p.Count > 1 {
			text = fmt.Sprintf("[%s] %d times, first: %s", p.Code, p.Count, p.Message)
		}
		line(doubt, "", text)
		line(plain, indented, "to mend it: "+p.Mend)
	}
	for i := range b.Kernels {
		k := &b.Kernels[i]
		about := k.text(&short, len(b.Kernels))
		if room < len(about) {
			short.leave(k.Standing, 1)
			room = 0 // what follows is less grave
			continue
		}
		room -= len(about)
		for j, s := range about {
			if j == 0 {
				line(bold, "", s)
				continue
			}
			line(plain, indented, s)
		}
	}
	for i, w := range b.Warnings {
		if i >= textLimits.Warnings {
			short.count("warning", 1)
			continue
		}
		line(plain, "", "warning: "+w)
	}
	if len(short.LeftOut) > 0 {
		var parts []string
		for _, c := range short.LeftOut {
			parts = append(parts, problem.Count(c.Count, c.What))
		}
		line(plain, "", "left out: "+strings.Join(parts, ", "))
	}
	for _, s := range b.Next {
		fmt.Fprintf(&out, "next: %s\n", s)
	}
	return out.Bytes()
}

func verdictPaint(exit int) paint {
	switch diff.Verdict(exit) {
	case diff.OK:
		return good
	case diff.Regression:
		return worse
	}
	return doubt
}

// text returns the lines about a kernel, one of many. What of its facts has no room is
// counted.
func (k *BriefKernel) text(b *Brief, of int) []string {
	name := tail(visible(cmp.Or(k.named, k.Kernel)), briefName)
	if k.Standing != "" {
		name = k.Standing + ": " + name
	}
	if k.Target != "" {
		name += " " + k.Target
	}
	if k.File != "" {
		name += fmt.Sprintf(", %s:%d", visible(k.File), k.Line)
	}
	lines := []string{name}
	var figures []string
	moved := slices.ContainsFunc(k.Figures, func(f BriefFigure) bool { return f.Trigger && f.Change != nil })
	for _, f := range k.Figures {
		switch {
		case f.Before != nil && moved && !f.Trigger: // context, beside what counts
		case f.Before != nil:
			figures = append(figures, fmt.Sprintf("%s %d -> %d (%+d)", f.Metric, *f.Before, *f.After, *f.Change))
		case f.State != "":
			figures = append(figures, f.Metric+" "+f.State)
		case f.Trigger && f.After != nil:
			figures = append(figures, fmt.Sprintf("%s %d", f.Metric, *f.After))
		}
	}
	if len(figures) > 0 {
		lines = append(lines, strings.Join(figures, ", "))
	}
	return append(lines, b.cut(k.Facts, max(minFacts, maxFacts/of))...)
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

// ToolCall returns the call of a tool with arguments, as a person tells an agent of it.
func ToolCall(tool string, arguments ...string) string {
	text := "tool " + tool
	for i := 0; i+1 < len(arguments); i += 2 {
		sign := ","
		if i == 0 {
			sign = ":"
		}
		text += fmt.Sprintf("%s %s %s", sign, arguments[i], problem.Quoted(arguments[i+1]))
	}
	return oneLine(text)
}
