package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trend"
)

// TrendOptions say what of a trend is shown.
type TrendOptions struct {
	Style
	Metrics []resource.Metric // nil for the triggers that moved
	All     bool              // also kernels that did not move
	Tool    string
	// Why says what made a move, of the points of a history; it may lack any.
	Why map[Move][]string
}

// A Move is a step of a kernel's figures between two points.
type Move struct {
	Kernel string
	trend.Step
}

// metrics returns the metrics that are shown.
func (o *TrendOptions) metrics(t *trend.Trend) []resource.Metric {
	if o.Metrics != nil {
		return o.Metrics
	}
	return t.Metrics()
}

// kernels returns the kernels that are shown of a metric.
func (o *TrendOptions) kernels(t *trend.Trend, m resource.Metric) (shown []*trend.Series) {
	for i := range t.Kernels {
		if s := &t.Kernels[i]; o.All || s.Moved(m) {
			shown = append(shown, s)
		}
	}
	return shown
}

// Trend returns the figures over many snapshots, without the verdict that
// follows: a table for each metric that moved. Of a history the tables have the
// revisions at which a figure moved, and a list says what is known of each.
func Trend(t *trend.Trend, opt TrendOptions) []byte {
	var b bytes.Buffer
	if points := newsworthy(t, &opt); points != nil {
		opt.Metrics = opt.metrics(t)
		writeTrend(&b, t.Only(points), &opt)
		writeCommits(&b, t, &opt)
	} else {
		writeTrend(&b, t, &opt)
	}
	moved := 0
	for i := range t.Kernels {
		if slices.ContainsFunc(opt.metrics(t), t.Kernels[i].Moved) {
			moved++
		}
	}
	fmt.Fprintf(&b, "%s; %d moved\n", trendSize(t), moved)
	b.WriteString(Untrustworthy(len(t.Problems)))
	return b.Bytes()
}

// trendSize says how much a trend is about.
func trendSize(t *trend.Trend) string {
	gaps, what := 0, "snapshot"
	for _, p := range t.Points {
		if p.Commit != nil {
			what = "revision"
		}
		if p.Gap != "" {
			gaps++
		}
	}
	s := fmt.Sprintf("%s in %s", problem.Count(len(t.Kernels), "kernel"), problem.Count(len(t.Points), what))
	if gaps > 0 {
		s += fmt.Sprintf(", of which %d without figures", gaps)
	}
	return s
}

// writeTrend writes a table for each metric.
func writeTrend(b *bytes.Buffer, t *trend.Trend, opt *TrendOptions) {
	for _, m := range opt.metrics(t) {
		shown := opt.kernels(t, m)
		if len(shown) == 0 {
			continue
		}
		tab := table{head: []string{"kernel"}}
		for _, p := range t.Points {
			tab.head = append(tab.head, visible(p.Label))
		}
		tab.head = append(tab.head, "first->last", "course")
		for _, s := range shown {
			row := tableRow{name: s.Key}
			for i := range t.Points {
				row.cells = append(row.cells, tableCell{text: trendCell(t, s, i, m)})
			}
			ends := tableCell{text: endsText(s, m), keep: essential}
			if first, last, ok := s.Ends(m); ok && m.Trigger() && first != last {
				if ends.paint = better; last > first {
					ends.paint = worse
				}
			}
			row.cells = append(row.cells, ends, tableCell{text: course(s, m), keep: essential})
			tab.rows = append(tab.rows, row)
		}
		text, dropped := tab.render(opt.Style)
		fmt.Fprintf(b, "%s (%s)\n%s", m, resource.Metrics[m].Unit, text)
		if dropped > 0 {
			fmt.Fprintf(b, "(%s left out for lack of room; a pipe gets all)\n", problem.Count(dropped, "column"))
		}
		b.WriteByte('\n')
	}
}

// trendCell returns a figure, "-" where the kernel is not, and "gap" where nothing is
// known of it.
func trendCell(t *trend.Trend, s *trend.Series, point int, m resource.Metric) string {
	if c, ok := s.Cell(point, m); ok {
		return c.String()
	}
	if t.Points[point].Gap != "" {
		return "gap"
	}
	return "-"
}

func endsText(s *trend.Series, m resource.Metric) string {
	first, last, ok := s.Ends(m)
	switch {
	case !ok:
		return "-"
	case first == last:
		return fmt.Sprint(last)
	default:
		return fmt.Sprintf("%d->%d(%+d)", first, last, last-first)
	}
}

// course draws a series with a letter a point: _ low, - middle, ^ high, a blank
// where there is no figure.
func course(s *trend.Series, m resource.Metric) string {
	low, high, any := int64(0), int64(0), false
	for i := range s.Records {
		if c, ok := s.Cell(i, m); ok && c.State == resource.Known {
			if !any {
				low, high, any = c.Value, c.Value, true
			}
			low, high = min(low, c.Value), max(high, c.Value)
		}
	}
	var b strings.Builder
	for i := range s.Records {
		c, ok := s.Cell(i, m)
		switch {
		case !ok || c.State != resource.Known:
			b.WriteByte(' ')
		case low == high:
			b.WriteByte('-')
		default:
			b.WriteByte("_.-~^"[(c.Value-low)*4/(high-low)])
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// TrendJSON returns the figures over many snapshots for programs: every kernel
// and metric, null where a kernel is not or a figure has no value.
func TrendJSON(t *trend.Trend, opt TrendOptions) ([]byte, error) {
	var buf bytes.Buffer
	w := snapshot.NewWriter(&buf)
	w.Object(func() {
		w.Key("kernels")
		w.Object(func() {
			for i := range t.Kernels {
				s := &t.Kernels[i]
				w.Key(s.Key)
				w.Object(func() {
					for _, m := range resource.ByKey {
						w.Key(m.String())
						w.Array(func() {
							for p := range t.Points {
								if c, ok := s.Cell(p, m); ok && c.State == resource.Known {
									w.Int(c.Value)
								} else {
									w.Null()
								}
							}
						})
					}
				})
			}
		})
		if isHistory(t) {
			w.KeyArray("moves", func() { writeMoves(w, t, opt.Why) })
		}
		w.KeyArray("points", func() {
			for i := range t.Points {
				w.Object(func() { writePoint(w, &t.Points[i]) })
			}
		})
		w.Problems(t.Problems)
		w.Key("warnings")
		w.Strings(t.Warnings)
	})
	return buf.Bytes(), w.Err()
}

//go:embed trend.gohtml
var trendText string

// A trendPage is what the template shows.
type trendPage struct {
	Points   []trendPoint
	History  bool
	Summary  string
	Problems []pageProblem
	Warnings []string
	Metrics  []trendMetric
	Tool     string
}

// A trendPoint is a column.
type trendPoint struct {
	Label, Title string
	Commit       *commitRow // nil unless it is a revision of which there is something to say
}

type trendMetric struct {
	pageMetric
	Unit string
	Rows []trendRow
}

type trendRow struct {
	Name, Dir   string
	Cells       []string
	Ends, Class string
	Line        string // the path of the picture
	Dots        []tick // where a point stands alone or last
	Marks       []tick // the revisions without figures and with other compilers
	Moves       []moveRow
	Title       string
}

// TrendHTML returns the figures over many snapshots as one page that needs
// nothing else: for each metric that moved a table with a picture of each kernel's
// course.
func TrendHTML(t *trend.Trend, opt TrendOptions) ([]byte, error) {
	p := trendPage{Tool: opt.Tool, Summary: trendSize(t), History: isHistory(t)}
	rows := commitRows(t, &opt)
	for i, point := range t.Points {
		column := trendPoint{Label: visible(point.Label), Commit: rows[i]}
		if point.Commit != nil {
			column.Title = oneLine(point.Commit.Subject)
		}
		p.Points = append(p.Points, column)
	}
	for _, x := range t.Problems {
		p.Problems = append(p.Problems, pageProblem{string(x.Code), Describe(x), oneLine(x.Mend())})
	}
	for _, w := range t.Warnings {
		p.Warnings = append(p.Warnings, oneLine(w))
	}
	for _, m := range opt.metrics(t) {
		shown := trendMetric{pageMetric: metricOf(m), Unit: resource.Metrics[m].Unit}
		for _, s := range opt.kernels(t, m) {
			shown.Rows = append(shown.Rows, newTrendRow(t, s, m, opt.Why))
		}
		if len(shown.Rows) > 0 {
			p.Metrics = append(p.Metrics, shown)
		}
	}
	page, err := template.New("trend").Parse(trendText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, p)
	return b.Bytes(), err
}

// The measures of a course's picture.
const courseWidth, courseHeight, courseMargin = 220.0, 44.0, 6.0

// courseAt returns where a point is in the picture of a course.
func courseAt(point, points int) float64 {
	if points < 2 {
		return courseWidth / 2
	}
	return courseMargin + (courseWidth-2*courseMargin)*float64(point)/float64(points-1)
}

func newTrendRow(t *trend.Trend, s *trend.Series, m resource.Metric, why map[Move][]string) trendRow {
	dir, name := resource.SplitKey(s.Key)
	row := trendRow{Name: visible(name), Dir: visible(dir), Ends: strings.NewReplacer("->", " → ", "(", " (").Replace(endsText(s, m))}
	if first, last, ok := s.Ends(m); ok && m.Trigger() && first != last {
		if row.Class = "better"; last > first {
			row.Class = "worse"
		}
	}
	low, high := int64(0), int64(1) // the picture begins at 0, so that heights compare
	for i := range s.Records {
		row.Cells = append(row.Cells, trendCell(t, s, i, m))
		if c, ok := s.Cell(i, m); ok && c.State == resource.Known {
			high = max(high, c.Value)
		}
	}
	row.Title = fmt.Sprintf("%s of %s: %s", m, row.Name, strings.Join(row.Cells, ", "))
	var line strings.Builder
	last := -1
	for i := range s.Records {
		c, ok := s.Cell(i, m)
		if !ok || c.State != resource.Known {
			continue
		}
		x := courseAt(i, len(s.Records))
		y := courseHeight - courseMargin - (courseHeight-2*courseMargin)*float64(c.Value-low)/float64(high-low)
		command := "L"
		if last != i-1 || last < 0 {
			command = "M" // a gap stays a gap
		}
		fmt.Fprintf(&line, "%s%.1f %.1f ", command, x, y)
		row.Dots = append(row.Dots, tick{At: x, Label: fmt.Sprintf("%.1f", y)})
		last = i
	}
	row.Line = strings.TrimSpace(line.String())
	if isHistory(t) {
		row.Marks, row.Moves = courseMarks(t), moveRows(t, s, m, why)
	}
	return row
}
