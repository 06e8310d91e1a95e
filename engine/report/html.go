package report

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/occupancy"
	"isadiff/engine/pressure"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

//go:embed page.gohtml
var pageText string

// maxFullPage is up to how many kernels a page shows in detail; of more, only
// those that changed or cannot be judged.
const maxFullPage = 300

// HTML returns a comparison as one page that needs nothing else and asks no
// network: a table to sort and search, and for each kernel its figures and a
// picture of the steps of the occupancy curve with before and after marked.
func HTML(r *diff.Result, opt Options) ([]byte, error) {
	return executed("page", pageText, newPage(r, opt))
}

// A page is what the template shows.
type page struct {
	Verdict, Class string // "REGRESSION", "failed"
	Tally          string
	Lines          []string // counts of what is accepted and of budgets
	Before, After  string
	Base, Head     string
	Glob           string
	Tool           string
	Metrics        []pageMetric // columns of the table
	Waves          bool
	Rows           []pageRow
	Details        []*pageRow
	LeftOut        int // kernels without details
	Problems       []pageProblem
	Warnings       []string
	Proxy          string
	Unexplained    string // which kernels have no explanation
}

type pageMetric struct {
	Key, Meaning string
	Trigger      bool
}

// A pageRow is one kernel.
type pageRow struct {
	ID, Name, Dir  string
	Place          string // file and line of its definition
	Processor      string
	Class, Status  string // "failed", "WORSE"
	Rank           int    // orders statuses
	Cells          []pageCell
	Waves          pageCell
	Unlaunchable   string // said first
	Reason         string // why it was not compared
	Figures        []pageFigure
	Picture        *picture
	Notes          []string
	Accepted       []string
	Tolerated      []string
	Broken         []string
	Causes         []string // where registers and spills come from
	Why            *pageWhy
	Advice         []facts.Advice
	WithoutDetails bool
}

// A pageCell is a figure of the table.
type pageCell struct {
	Text, Before, After string
	Change              string // signed; "" if it did not change
	Class               string // "worse", "better", "accepted", ""
	Value               int64  // sorts; -1 without a value
	Delta               int64
	Reason              string
}

type pageFigure struct {
	Metric pageMetric
	pageCell
}

// A pageWhy is what became of a kernel's instructions.
type pageWhy struct {
	Profile *profile
	Facts   []string
	Lines   []whyRow // the source lines that changed, the worst first
	LeftOut int      // lines that are left out
}

// maxPageLines bounds how many source lines of a kernel a page shows.
const maxPageLines = 20

func newPageWhy(k *trace.WhyKernel, code map[pressure.SourceLine]string) *pageWhy {
	t, _ := whyTable(k, code)
	n := min(len(t.rows), maxPageLines)
	return &pageWhy{
		Profile: newProfile(side{diff.SideBefore, k.Before}, side{diff.SideAfter, k.After}),
		Facts:   explain(k), Lines: whyRowsOf(t.rows[:n]), LeftOut: len(t.rows) - n,
	}
}

type pageProblem struct {
	Code, Text, Mend string
}

var verdictClasses = map[diff.Verdict]string{diff.OK: "fine", diff.Regression: "failed", diff.NotTrustworthy: "doubtful"}

// classWords are the statuses of kernels.
var classWords = [...]struct{ class, word string }{
	failed: {"failed", "WORSE"}, doubtful: {"doubtful", "UNKNOWN"}, excused: {"accepted", "ACCEPTED"},
	improved: {"improved", "BETTER"}, moved: {"moved", "CHANGED"}, same: {"same", "SAME"},
}

func newPage(r *diff.Result, opt Options) *page {
	p := &page{
		Verdict: r.Verdict.String(), Class: verdictClasses[r.Verdict], Tally: Tally(r),
		Before: visible(r.Before.Origin), After: visible(r.After.Origin), Base: visible(baseOf(r, opt.Context)), Head: visible(opt.Head),
		Glob: visible(r.Kernels), Tool: opt.Tool, Warnings: make([]string, 0, len(r.Warnings)), Proxy: facts.Proxy, Unexplained: opt.unexplained(r),
	}
	for _, s := range []string{unlaunchableLine(r), acceptedLine(r), toleratedLine(r), budgetLine(r.Budgets, r.Broken), Compilers(r)} {
		if s != "" {
			p.Lines = append(p.Lines, s)
		}
	}
	for _, m := range resource.Triggers {
		p.Metrics = append(p.Metrics, metricOf(m))
	}
	for _, w := range r.Warnings {
		p.Warnings = append(p.Warnings, oneLine(w))
	}
	for _, x := range r.Problems {
		p.Problems = append(p.Problems, pageProblem{string(x.Code), Describe(x), oneLine(x.Mend())})
	}
	proposed := map[string]string{} // by the key of either kernel
	for _, pair := range r.Renamed {
		proposed[pair.Before] = renamed(r, pair)
		proposed[pair.After] = proposed[pair.Before]
	}
	for c := failed; c <= same; c++ {
		for _, row := range worstFirst(r, c) {
			p.Rows = append(p.Rows, newPageRow(row, len(p.Rows)+1, opt))
			if s := proposed[row.Key]; s != "" && row.Side() != "" {
				p.Rows[len(p.Rows)-1].Notes = append(p.Rows[len(p.Rows)-1].Notes, s)
			}
		}
	}
	for i := range p.Rows {
		row := &p.Rows[i]
		if row.WithoutDetails = len(p.Rows) > maxFullPage && row.Class == "same"; row.WithoutDetails {
			p.LeftOut++
			continue
		}
		p.Details = append(p.Details, row)
	}
	return p
}

func metricOf(m resource.Metric) pageMetric {
	info := resource.Metrics[m]
	return pageMetric{info.Key, info.Meaning + " In " + info.Unit + ".", info.Trigger}
}

func newPageRow(row *diff.Row, number int, opt Options) pageRow {
	dir, name := resource.SplitKey(row.Key)
	c := classOf(row)
	p := pageRow{
		ID: "k" + strconv.Itoa(number), Name: visible(name), Dir: visible(dir), Processor: processor(row),
		Class: classWords[c].class, Status: classWords[c].word, Rank: int(c), Advice: facts.AdviceOn(row), Causes: opt.causeLines(row), Picture: newPicture(row),
	}
	if c == excused {
		p.Status = strings.ToUpper(allowed(row))
	}
	if k := opt.explanation(row); k != nil {
		p.Why, p.Causes = newPageWhy(k, opt.Why.Code), nil
	}
	if at, ok := opt.Places[row.Key]; ok {
		p.Place = fmt.Sprintf("%s:%d", visible(at.File), at.Line)
	}
	if row.After != nil {
		p.Unlaunchable = facts.CannotLaunch(row.After.Occupancy.Unlaunchable)
	}
	if s := row.Side(); s != "" {
		p.Reason = s
	} else if !row.Comparable() {
		p.Reason = oneLine(row.Reason())
	}
	for _, m := range resource.Triggers {
		p.Cells = append(p.Cells, newCell(row, m))
	}
	p.Waves = newWaves(row)
	for m := range resource.Metric(resource.NumMetrics) {
		p.Figures = append(p.Figures, pageFigure{metricOf(m), newCell(row, m)})
	}
	for _, n := range append(row.Notes[:len(row.Notes):len(row.Notes)], recordNotes(row)...) {
		p.Notes = append(p.Notes, oneLine(n))
	}
	for _, a := range row.Accepted {
		if a.Tolerance != "" {
			p.Tolerated = append(p.Tolerated, oneLine(Accepted(a)))
		} else {
			p.Accepted = append(p.Accepted, oneLine(Accepted(a)))
		}
	}
	for _, x := range row.Broken {
		p.Broken = append(p.Broken, oneLine(Broken(x)))
	}
	return p
}

// newCell returns one metric of a kernel.
func newCell(row *diff.Row, m resource.Metric) pageCell {
	c := pageCell{Value: -1, Reason: oneLine(facts.Reason(row.Before, row.After, m))}
	for _, side := range []struct {
		of   *resource.Record
		text *string
	}{{row.Before, &c.Before}, {row.After, &c.After}} {
		if side.of == nil {
			continue
		}
		c.Text = side.of.Cells[m].String()
		*side.text = c.Text
		if side.of.Cells[m].State == resource.Known {
			c.Value = side.of.Cells[m].Value
		}
	}
	change, moved := row.Delta(m)
	if !moved {
		return c
	}
	c.Text = c.Before + " → " + c.After
	c.Delta, c.Change = change, fmt.Sprintf("%+d", change)
	c.Class = [...]string{facts.Worse: "worse", facts.Allowed: "accepted", facts.Better: "better", facts.Context: ""}[facts.KindOf(row, diff.Delta{Metric: m, Change: change})]
	return c
}

// newWaves returns the waves per SIMD of a kernel.
func newWaves(row *diff.Row) pageCell {
	c := pageCell{Value: -1, Text: "?"}
	var before, after occupancy.Standing
	if row.Before != nil {
		before = occupancy.Of(row.Before)
		c.Reason = before.Why
	}
	if row.After != nil {
		after = occupancy.Of(row.After)
		c.Reason = after.Why
	}
	if before.Known {
		c.Before = facts.WaveCount(&before)
		c.Text, c.Value = c.Before, int64(before.Waves)
	}
	if after.Known {
		c.After = facts.WaveCount(&after)
		c.Text, c.Value = c.After, int64(after.Waves)
	}
	if after.Unlaunchable != "" {
		c.After, c.Text, c.Value, c.Class = "0", "0", 0, "fewer"
		if before.Known {
			c.Text = c.Before + " → 0"
		}
	}
	if row.Comparable() && before.Known && after.Known && before.Waves != after.Waves {
		c.Delta = int64(after.Waves - before.Waves)
		c.Change = fmt.Sprintf("%+d", c.Delta)
		c.Text = c.Before + " → " + c.After
		if c.Class = "fewer"; c.Delta > 0 {
			c.Class = "better"
		}
	}
	return c
}
