package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/occupancy"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

// Limits of a Markdown report: a comment on GitHub holds 65,536 characters, and
// nobody reads a hundred rows in one.
const (
	maxMarkdown = 60_000
	maxRows     = 50
	maxDetails  = 20
	maxWhys     = 10
	maxLines    = 8 // source lines of a kernel
)

// Markdown returns a comparison for a pull request or a job's summary: the
// verdict and totals, the kernels that got worse, what cannot be told, what is
// accepted and what got better apart, and the details folded. Every list that is
// cut says how many entries it leaves out.
func Markdown(r *diff.Result, opt Options) []byte {
	m := markdown{result: r, opt: opt, told: map[string]bool{}}
	m.summary()
	if !opt.Quiet {
		m.sections()
		short := m.b.Len()
		m.details()
		if m.b.Len() > maxMarkdown {
			m.b.Truncate(short)
			m.line("The details are left out for lack of room.")
		}
		if m.b.Len() > maxMarkdown { // thousands of long names: the totals remain
			m.b.Reset()
			m.summary()
			m.line("The kernels are left out for lack of room; see the text of the job.")
		}
	}
	return m.b.Bytes()
}

type markdown struct {
	b      bytes.Buffer
	result *diff.Result
	opt    Options
	told   map[string]bool // by key: which instructions did it
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n\n", args...) }

// verdictMarks are shown beside the words, which say it alone.
var verdictMarks = map[diff.Verdict]string{diff.OK: "✅", diff.Regression: "❌", diff.NotTrustworthy: "❔"}

func (m *markdown) summary() {
	r := m.result
	m.line("### %s isadiff: %s", verdictMarks[r.Verdict], r.Verdict)
	switch {
	case r.Verdict == diff.NotTrustworthy:
		m.line("This is no verdict about the code: **%s the answer not trustworthy.**", makes(len(r.Problems)))
	case r.Verdict == diff.Regression:
		m.line("**%s**", blame(worstFirst(r, failed)))
	}
	head, rule, figures := "|", "|", "|"
	for _, column := range []struct {
		name, figure string
		shown        bool
	}{
		{"kernels compared", fmt.Sprintf("%d of %d", r.Compared, r.Total), true},
		{"unchanged", fmt.Sprint(r.Unchanged), true},
		{"changed", fmt.Sprint(r.Changed), true},
		{"figures worsened", fmt.Sprint(r.Worsened), true},
		{"figures improved", fmt.Sprint(r.Improved), true},
		{"figures accepted", fmt.Sprintf("%d of %d", r.Accepted, r.Worsened), r.Accepted > 0},
		{"figures tolerated", fmt.Sprintf("%d of %d", r.Tolerated, r.Worsened), r.Tolerated > 0},
		{"budgets broken", fmt.Sprintf("%d of %d", r.Broken, r.Budgets), r.Budgets > 0},
	} {
		if column.shown {
			head, rule, figures = head+" "+column.name+" |", rule+"---:|", figures+" "+column.figure+" |"
		}
	}
	fmt.Fprintf(&m.b, "%s\n%s\n%s\n\n", head, rule, figures)
	named := func(word, revision, origin string) string {
		text := word + " " + codeSpan(revision)
		if m.opt.Passing { // where the side was tells nobody anything
			return text
		}
		return text + " (" + codeSpan(origin) + ")"
	}
	from := "before " + codeSpan(r.Before.Origin)
	if base := baseOf(r, m.opt.Context); base != "" {
		from = named("base", base, r.Before.Origin)
	}
	to := "after " + codeSpan(r.After.Origin)
	if m.opt.Head != "" {
		to = named("head", m.opt.Head, r.After.Origin)
	}
	limit := ""
	if r.Kernels != "" {
		limit = "; limited to kernels that match " + codeSpan(r.Kernels)
	}
	m.line("%s → %s%s", from, to, limit)
	if s := Compilers(r); s != "" {
		m.line("%s", escapeMarkdown(s))
	}
}

// baseOf returns the revision of the before side, as it was given or as the
// snapshot names it.
func baseOf(r *diff.Result, c Context) string {
	if c.Base != "" {
		return c.Base
	}
	return r.Before.Revision
}

func (m *markdown) sections() {
	r := m.result
	if rows := worstFirst(r, failed); len(rows) > 0 {
		m.line("#### Worse (%d)", len(rows))
		m.unlaunchable(rows)
		m.table(rows)
		m.whys(rows)
	}
	m.problems()
	if rows := worstFirst(r, excused); len(rows) > 0 {
		word := "accepted"
		if r.Tolerated > 0 {
			word = "accepted or tolerated"
		}
		if r.Accepted == 0 {
			word = "tolerated"
		}
		m.line("#### Worse and %s (%d)", word, len(rows))
		m.table(rows)
		m.whys(rows)
	}
	if rows := worstFirst(r, improved); len(rows) > 0 {
		m.line("#### Better (%d)", len(rows))
		m.table(rows)
	}
}

// unlaunchable says first which kernels cannot be launched any more.
func (m *markdown) unlaunchable(rows []*diff.Row) {
	n := 0
	for _, row := range rows {
		if row.Unlaunchable == "" {
			break // they stand first
		}
		if n++; n <= maxRows {
			fmt.Fprintf(&m.b, "- **%s %s**\n", codeSpan(bare(row.Key)), escapeMarkdown(facts.CannotLaunch(row.Unlaunchable)))
		}
	}
	if n > 0 {
		m.b.WriteByte('\n')
	}
	m.more(n - maxRows)
}

// table writes rows with the triggers that moved in any of them, and the waves.
func (m *markdown) table(rows []*diff.Row) {
	metrics, waves, budgets := movedTriggers(rows), false, false
	for _, row := range rows {
		waves = waves || row.Unlaunchable != "" || occupancy.Crossed(row.Before, row.After)
		budgets = budgets || len(row.Broken) > 0
	}
	head, rule := "| kernel |", "|---|"
	for _, t := range metrics {
		head, rule = head+" "+t.String()+" |", rule+"---:|"
	}
	if waves {
		head, rule = head+" waves/SIMD |", rule+"---:|"
	}
	if budgets {
		head, rule = head+" budget |", rule+"---|"
	}
	fmt.Fprintf(&m.b, "%s\n%s\n", head, rule)
	for i, row := range rows {
		if i == maxRows {
			break
		}
		fmt.Fprintf(&m.b, "| %s |", m.name(row))
		for _, t := range metrics {
			fmt.Fprintf(&m.b, " %s |", markdownCell(row, t))
		}
		if waves {
			fmt.Fprintf(&m.b, " %s |", waveCell(row))
		}
		if budgets {
			var broken []string
			for _, x := range row.Broken {
				broken = append(broken, codeSpan(x.Budget)+fmt.Sprintf(" is **%d**", x.Figure))
			}
			fmt.Fprintf(&m.b, " %s |", strings.Join(broken, m.breaks()))
		}
		m.b.WriteByte('\n')
	}
	m.b.WriteByte('\n')
	m.more(len(rows) - maxRows)
	for _, row := range rows[:min(len(rows), maxRows)] {
		for _, a := range row.Accepted {
			m.b.WriteString("- " + codeSpan(bare(row.Key)) + ": " + Allowed(a) + " " + escapeMarkdown(Accepted(a)) + "\n")
		}
	}
	if len(rows[0].Accepted) > 0 {
		m.b.WriteByte('\n')
	}
}

// whys tells below the worst kernels that got worse which instructions did it, folded.
func (m *markdown) whys(rows []*diff.Row) {
	left := 0
	names := whyNames(rows)
	for i, row := range rows {
		k := m.opt.explanation(row)
		switch {
		case k == nil:
		case len(m.told) == maxWhys:
			left++
		default:
			start := m.b.Len()
			if title := names[i] + " " + processor(row); m.opt.Plain {
				m.line("#### Why: %s", codeSpan(title))
				m.why(k)
			} else {
				// A mention is one in a block of HTML too.
				fmt.Fprintf(&m.b, "<details><summary>Why: <code>%s</code></summary>\n\n", strings.ReplaceAll(html.EscapeString(title), "@", "&#64;"))
				m.why(k)
				m.b.WriteString("</details>\n\n")
			}
			if m.told[row.Key] = m.b.Len() <= maxMarkdown/2; !m.told[row.Key] {
				m.b.Truncate(start) // the others may be shorter
				delete(m.told, row.Key)
				left++
			}
		}
	}
	if left > 0 {
		m.line("… and why of %d more: `isadiff why`.", left)
	}
}

// whyNames returns the names of kernels, with the key of those that share theirs.
func whyNames(rows []*diff.Row) []string {
	names, count := make([]string, len(rows)), map[string]int{}
	for _, row := range rows {
		count[bare(row.Key)]++
	}
	for i, row := range rows {
		if names[i] = visible(bare(row.Key)); count[bare(row.Key)] > 1 {
			names[i] = visible(row.Key)
		}
	}
	return names
}

// why tells what became of a kernel's instructions, and on which lines.
func (m *markdown) why(k *trace.WhyKernel) {
	for _, line := range explain(k) {
		fmt.Fprintf(&m.b, "- %s\n", escapeMarkdown(line))
	}
	m.b.WriteByte('\n')
	t, _ := whyTable(k, m.opt.Why.Code)
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(&m.b, "| %s | |\n|---|%s---|\n", strings.Join(t.head, " | "), strings.Repeat("---:|", len(t.head)-1))
	for _, row := range t.rows[:min(len(t.rows), maxLines)] {
		m.b.WriteString("| " + escapeMarkdown(row.name))
		for _, c := range row.cells {
			text := escapeMarkdown(c.text)
			if c.paint == worse {
				text = "**" + text + "**"
			}
			m.b.WriteString(" | " + text)
		}
		m.b.WriteString(" | " + codeSpan(row.note) + " |\n")
	}
	m.b.WriteByte('\n')
	m.more(len(t.rows) - maxLines)
}

func (m *markdown) more(n int) {
	if n > 0 {
		m.line("… and %d more.", n)
	}
}

// movedTriggers returns the triggers that changed in any of the rows, the
// gravest first.
func movedTriggers(rows []*diff.Row) (metrics []resource.Metric) {
	for _, t := range resource.Triggers {
		for _, row := range rows {
			if _, moved := row.Delta(t); moved {
				metrics = append(metrics, t)
				break
			}
		}
	}
	return metrics
}

// name returns a kernel with where it is defined and its folder.
func (m *markdown) name(row *diff.Row) string {
	dir, name := resource.SplitKey(row.Key)
	s := codeSpan(name)
	var rest []string
	if p, ok := m.opt.Places[row.Key]; ok {
		rest = append(rest, codeSpan(fmt.Sprintf("%s:%d", p.File, p.Line)))
	}
	if dir != "" && dir != name {
		rest = append(rest, codeSpan(dir))
	}
	if p := processor(row); p != "" {
		rest = append(rest, escapeMarkdown(p))
	}
	if len(rest) > 0 && m.opt.Plain {
		s += " · " + strings.Join(rest, " · ")
	} else if len(rest) > 0 {
		s += "<br><sub>" + strings.Join(rest, " · ") + "</sub>"
	}
	return s
}

func markdownCell(row *diff.Row, t resource.Metric) string {
	change, moved := row.Delta(t)
	if !moved {
		return row.After.Cells[t].String()
	}
	s := fmt.Sprintf("%s → %s (%+d)", row.Before.Cells[t], row.After.Cells[t], change)
	switch facts.KindOf(row, diff.Delta{Metric: t, Change: change}) {
	case facts.Allowed:
		a, _ := row.Acceptance(t)
		return s + " " + Allowed(a)
	case facts.Worse:
		return "**" + s + "**"
	default:
		return s
	}
}

func waveCell(row *diff.Row) string {
	before, after := occupancy.Of(row.Before), occupancy.Of(row.After)
	was, is := facts.WaveCount(&before), facts.WaveCount(&after)
	if was == is {
		return is
	}
	return was + " → " + is
}

// commonMend returns what mends all problems of a code.
func commonMend(ps []problem.Problem, code problem.Code) (mend string) {
	for _, p := range ps {
		switch {
		case p.Code != code:
		case mend == "":
			mend = p.Mend()
		case mend != p.Mend():
			return problem.Lookup(code).Mend
		}
	}
	return mend
}

func (m *markdown) problems() {
	if len(m.result.Problems) == 0 {
		return
	}
	m.line("#### Not trustworthy because (%d)", len(m.result.Problems))
	shown := 0
	for _, code := range codeOrder(m.result.Problems) {
		if shown >= maxRows {
			break
		}
		fmt.Fprintf(&m.b, "- %s (%s): %s\n", codeSpan(string(code)), problem.Lookup(code).Title, escapeMarkdown(commonMend(m.result.Problems, code)))
		for _, p := range m.result.Problems {
			if p.Code == code && shown < maxRows {
				fmt.Fprintf(&m.b, "  - %s\n", escapeMarkdown(Describe(p)))
				shown++
			}
		}
	}
	m.b.WriteByte('\n')
	m.more(len(m.result.Problems) - shown)
}

func (m *markdown) details() {
	r := m.result
	if s := m.opt.unexplained(r); s != "" {
		m.line("%s.", escapeMarkdown(s))
	}
	rows, others := Explained(r)
	rows = append(rows, others...)
	if len(rows) > 0 {
		m.fold(fmt.Sprintf("All figures (%s)", problem.Count(len(rows), "kernel")), func() {
			for i, row := range rows {
				if i == maxDetails {
					break
				}
				m.figures(row)
			}
			m.more(len(rows) - maxDetails)
		})
	}
	if text := m.notes(); text != "" {
		m.fold("Notes", func() { m.b.WriteString(text + "\n") })
	}
	if len(r.Warnings) > 0 {
		m.fold(problem.Count(len(r.Warnings), "warning"), func() {
			for i, w := range r.Warnings {
				if i == maxRows {
					break
				}
				fmt.Fprintf(&m.b, "- %s\n", escapeMarkdown(oneLine(w)))
			}
			m.b.WriteByte('\n')
			m.more(len(r.Warnings) - maxRows)
		})
	}
}

// notes returns the notes of the rows that are shown.
func (m *markdown) notes() string {
	var b strings.Builder
	n := 0
	for i := range m.result.Rows {
		row := &m.result.Rows[i]
		notes := row.Notes
		if shown(row) {
			for _, note := range recordNotes(row) {
				notes = append(notes[:len(notes):len(notes)], visible(row.Key)+": "+note)
			}
		}
		for _, note := range notes {
			if n++; n <= maxRows {
				fmt.Fprintf(&b, "- %s\n", escapeMarkdown(oneLine(note)))
			}
		}
	}
	for _, pair := range m.result.Renamed {
		if n++; n <= maxRows {
			fmt.Fprintf(&b, "- %s\n", escapeMarkdown(renamed(m.result, pair)))
		}
	}
	if n > maxRows {
		fmt.Fprintf(&b, "\n… and %d more.\n", n-maxRows)
	}
	return b.String()
}

// breaks is what stands between the lines of a cell.
func (m *markdown) breaks() string {
	if m.opt.Plain {
		return ", "
	}
	return "<br>"
}

func (m *markdown) fold(title string, body func()) {
	if m.opt.Plain {
		m.line("#### %s", escapeMarkdown(title))
		body()
		return
	}
	fmt.Fprintf(&m.b, "<details><summary>%s</summary>\n\n", html.EscapeString(title))
	body()
	m.b.WriteString("</details>\n\n")
}

// figures writes every metric of a kernel, then cause and advice.
func (m *markdown) figures(row *diff.Row) {
	fmt.Fprintf(&m.b, "%s\n\n| metric | before | after | change |\n|---|---:|---:|---:|\n", m.name(row))
	for t := range resource.Metric(resource.NumMetrics) {
		change := ""
		if d, moved := row.Delta(t); moved {
			change = fmt.Sprintf("%+d", d)
		}
		name := t.String()
		if t.Trigger() {
			name = "**" + name + "**"
		}
		fmt.Fprintf(&m.b, "| %s | %s | %s | %s |\n", name, row.Before.Cells[t], row.After.Cells[t], change)
	}
	before, after := occupancy.Of(row.Before), occupancy.Of(row.After)
	if before.Known && after.Known {
		change := ""
		if d := after.Waves - before.Waves; d != 0 {
			change = fmt.Sprintf("%+d", d)
		}
		fmt.Fprintf(&m.b, "| waves/SIMD (%s) | %s | %s | %s |\n", facts.Limiter(&after), escapeMarkdown(facts.WaveCount(&before)), escapeMarkdown(facts.WaveCount(&after)), change)
	}
	m.b.WriteByte('\n')
	if s := facts.WavesMoved(row); s != "" {
		m.line("%s", escapeMarkdown(s))
	}
	if !m.told[row.Key] {
		for _, line := range m.opt.causeLines(row) {
			fmt.Fprintf(&m.b, "- %s\n", escapeMarkdown(line))
		}
	}
	advice := facts.AdviceOn(row)
	for _, a := range advice {
		fmt.Fprintf(&m.b, "- %s: %s. %s.\n", a.Metric, escapeMarkdown(a.Cause), escapeMarkdown(a.Try))
	}
	if len(advice) > 0 {
		m.line("- %s.", facts.Proxy)
	}
}

func makes(n int) string {
	if n == 1 {
		return "1 problem makes"
	}
	return fmt.Sprintf("%d problems make", n)
}

// blame says what kernels that fail did.
func blame(rows []*diff.Row) string {
	worse, over, gone := 0, 0, 0
	for _, row := range rows {
		if row.Unlaunchable != "" {
			gone++
		}
		if row.Worsened() > len(row.Accepted) {
			worse++
		}
		if len(row.Broken) > 0 {
			over++
		}
	}
	var parts []string
	if gone > 0 {
		parts = append(parts, problem.Count(gone, "kernel")+" cannot be launched any more")
	}
	if worse > 0 {
		parts = append(parts, problem.Count(worse, "kernel")+" got worse")
	}
	if over == 1 {
		parts = append(parts, "1 kernel breaks a budget")
	} else if over > 1 {
		parts = append(parts, problem.Count(over, "kernel")+" break a budget")
	}
	return strings.Join(parts, "; ") + "."
}
