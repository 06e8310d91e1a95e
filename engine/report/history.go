package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
	"isadiff/engine/trend"
)

// isHistory reports whether the points of a trend are revisions.
func isHistory(t *trend.Trend) bool {
	return slices.ContainsFunc(t.Points, func(p trend.Point) bool { return p.Commit != nil })
}

// newsworthy returns the points of a history that its tables show: the first and the
// last with figures, and those between which a figure moved. It is nil if the trend is no
// history.
func newsworthy(t *trend.Trend, opt *TrendOptions) []int {
	if !isHistory(t) {
		return nil
	}
	points := []int{}
	for i, p := range t.Points {
		if p.Gap == "" {
			points = append(points, i)
		}
	}
	if len(points) > 0 {
		points = []int{points[0], points[len(points)-1]}
	}
	for _, m := range opt.metrics(t) {
		for _, s := range opt.kernels(t, m) {
			for _, step := range s.Steps(m) {
				points = append(points, step.From, step.To)
			}
		}
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// A commitRow says what is known of a revision.
type commitRow struct {
	Hash, Date, Author, Subject string
	Moved                       string // how many kernels moved at it, or since revisions of which nothing is known
	Gap                         string
	Compiler                    string // that it changed: "FlyDSL 0.4.2 -> FlyDSL 0.5.0"
}

// commitRows returns what there is to say of each point; nil where it is nothing.
func commitRows(t *trend.Trend, opt *TrendOptions) []*commitRow {
	moved, unseen := make([]int, len(t.Points)), make([]int, len(t.Points))
	metrics := opt.metrics(t)
	for i := range t.Kernels {
		var at []int
		for _, m := range metrics {
			for _, step := range t.Kernels[i].Steps(m) {
				at = append(at, step.To)
				unseen[step.To] = max(unseen[step.To], t.Unseen(step))
			}
		}
		slices.Sort(at)
		for _, point := range slices.Compact(at) {
			moved[point]++
		}
	}
	rows := make([]*commitRow, len(t.Points))
	for i, p := range t.Points {
		if p.Commit == nil {
			continue
		}
		row := commitRow{Hash: p.Label, Date: p.Commit.Date, Author: oneLine(p.Commit.Author), Subject: oneLine(p.Commit.Subject), Gap: oneLine(p.Gap)}
		if was := t.Recompiled(i); was != nil {
			row.Compiler = oneLine(strings.Join(was, ", ") + " -> " + strings.Join(p.Compilers, ", "))
		}
		if moved[i] > 0 {
			row.Moved = problem.Count(moved[i], "kernel") + " moved" + orBefore(unseen[i])
		}
		if row.Moved != "" || row.Gap != "" || row.Compiler != "" {
			rows[i] = &row
		}
	}
	return rows
}

// orBefore says that a revision may not be the one that made a move.
func orBefore(unseen int) string {
	switch unseen {
	case 0:
		return ""
	case 1:
		return ", here or at the revision before it, which has no figures"
	}
	return fmt.Sprintf(", here or at one of the %d revisions before it without figures", unseen)
}

// writeCommits lists the revisions of which there is something to say.
func writeCommits(b *bytes.Buffer, t *trend.Trend, opt *TrendOptions) {
	any := false
	for _, row := range commitRows(t, opt) {
		if row == nil {
			continue
		}
		any = true
		fmt.Fprintf(b, "%s  %s  %s (%s)\n", opt.paint(bold, row.Hash), row.Date, row.Subject, row.Author)
		if row.Compiler != "" {
			fmt.Fprintf(b, "%scompiler: %s\n", indented, row.Compiler)
		}
		if row.Gap != "" {
			fmt.Fprintf(b, "%s%s\n", indented, opt.paint(doubt, "no figures: "+row.Gap))
		}
		if row.Moved != "" {
			fmt.Fprintf(b, "%s%s\n", indented, row.Moved)
		}
	}
	if any {
		b.WriteByte('\n')
	}
}

// writePoint writes the members of a point.
func writePoint(w *snapshot.Writer, p *trend.Point) {
	c := p.Commit
	if c != nil {
		w.KeyString("author", c.Author)
		w.KeyStrings("compilers", p.Compilers)
		w.KeyString("date", c.Date)
		w.KeyString("gap", p.Gap)
	}
	w.KeyString("label", p.Label)
	w.KeyString("origin", p.Side.Origin)
	w.KeyString("revision", p.Side.Revision)
	if c != nil {
		w.KeyInt("skipped", int64(c.Skipped))
		w.KeyString("subject", c.Subject)
	}
	w.KeyBool("trustworthy", p.Gap == "" && p.Side.Trustworthy())
}

// writeMoves writes the moves of all metrics, by kernel. The points are those of the list
// of points, from 0.
func writeMoves(w *snapshot.Writer, t *trend.Trend, why map[Move][]string) {
	cell := func(name string, s *trend.Series, point int, m resource.Metric) {
		w.Key(name)
		if c, _ := s.Cell(point, m); c.State == resource.Known {
			w.Int(c.Value)
		} else {
			w.Null()
		}
	}
	for i := range t.Kernels {
		s := &t.Kernels[i]
		for _, m := range resource.ByKey {
			for _, step := range s.Steps(m) {
				w.Object(func() {
					cell("after", s, step.To, m)
					cell("before", s, step.From, m)
					w.KeyInt("from", int64(step.From))
					w.KeyString("kernel", s.Key)
					w.KeyString("metric", m.String())
					w.KeyInt("to", int64(step.To))
					w.KeyInt("unseen", int64(t.Unseen(step)))
					w.KeyStrings("why", why[Move{s.Key, step}])
				})
			}
		}
	}
}

// A moveRow is a move as the page shows it.
type moveRow struct {
	Hash, Subject, Author, Date string
	Change, Class               string
	Unseen                      string
	Why                         []string
	Next                        string // the command that shows all of it
}

func moveRows(t *trend.Trend, s *trend.Series, m resource.Metric, why map[Move][]string) (rows []moveRow) {
	for _, step := range s.Steps(m) {
		from, to := &t.Points[step.From], &t.Points[step.To]
		a, b := s.Records[step.From].Cells[m], s.Records[step.To].Cells[m]
		row := moveRow{Hash: to.Label, Change: a.String() + " → " + b.String(), Why: why[Move{s.Key, step}], Unseen: strings.TrimPrefix(orBefore(t.Unseen(step)), ", ")}
		if c := to.Commit; c != nil {
			row.Subject, row.Author, row.Date = oneLine(c.Subject), oneLine(c.Author), c.Date
		}
		if m.Trigger() && a.State == resource.Known && b.State == resource.Known {
			if row.Class = "better"; b.Value > a.Value {
				row.Class = "worse"
			}
		}
		row.Next = fmt.Sprintf("isadiff why %s %s --kernels %s", problem.Quoted(from.Side.Origin), problem.Quoted(to.Side.Origin), problem.Quoted(s.Key))
		rows = append(rows, row)
	}
	return rows
}

// courseMarks returns where in the pictures nothing is known, and where the compiler
// changed.
func courseMarks(t *trend.Trend) (marks []tick) {
	for i := range t.Points {
		switch {
		case t.Points[i].Gap != "":
			marks = append(marks, tick{At: courseAt(i, len(t.Points)), Label: "gap"})
		case t.Recompiled(i) != nil:
			marks = append(marks, tick{At: courseAt(i, len(t.Points)), Label: "compiler"})
		}
	}
	return marks
}

// A Stand is how far the captures of revisions have come.
type Stand struct {
	Done, Total, Running int
	Elapsed              time.Duration
	Left                 time.Duration // 0 if nobody knows
}

// Revisions returns the line that tells how far the captures of revisions have come.
func Revisions(s Stand, style Style) string {
	text := fmt.Sprintf("isadiff: %d of %s, %d running, %s", s.Done, problem.Count(s.Total, "revision"), s.Running, s.Elapsed.Truncate(time.Second))
	if s.Left > 0 {
		to := time.Second
		if s.Left > 10*time.Minute {
			to = time.Minute
		}
		text += ", about " + s.Left.Round(to).String() + " left"
	}
	return style.paint(dim, text)
}

// Reasons says in a few lines what became of a kernel's instructions.
func Reasons(k *trace.WhyKernel) []string {
	var lines []string
	for _, line := range whyFacts(k) {
		lines = append(lines, visible(line))
	}
	return lines
}
