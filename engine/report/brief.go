package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
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
