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
// follows: a table for each metric that moved.
func Trend(t *trend.Trend, opt TrendOptions) []byte {
	var b bytes.Buffer
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
				row.cells = append(row.cells, tableCell{text: trendCell(s, i, m)})
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
		fmt.Fprintf(&b, "%s (%s)\n%s", m, resource.Metrics[m].Unit, text)
		if dropped > 0 {
			fmt.Fprintf(&b, "(%s left out for lack of room; a pipe gets all)\n", problem.Count(dropped, "column"))
		}
		b.WriteByte('\n')
	}
	moved := 0
	for i := range t.Kernels {
		if slices.ContainsFunc(opt.metrics(t), t.Kernels[i].Moved) {
			moved++
		}
	}
	fmt.Fprintf(&b, "%s in %s; %d moved\n", problem.Count(len(t.Kernels), "kernel"), problem.Count(len(t.Points), "snapshot"), moved)
	b.WriteString(Untrustworthy(len(t.Problems)))
	return b.Bytes()
}

// trendCell returns a figure, "-" where the kernel is not.
func trendCell(s *trend.Series, point int, m resource.Metric) string {
	if c, ok := s.Cell(point, m); ok {
		return c.String()
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
func TrendJSON(t *trend.Trend) ([]byte, error) {
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
		w.Key("points")
		w.Array(func() {
			for _, p := range t.Points {
				w.Object(func() {
					w.Key("label")
					w.String(p.Label)
					w.Key("origin")
					w.String(p.Side.Origin)
					w.Key("revision")
					w.String(p.Side.Revision)
					w.Key("trustworthy")
					w.Bool(p.Side.Trustworthy())
				})
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
	Points   []string
	Summary  string
	Problems []pageProblem
	Warnings []string
	Metrics  []trendMetric
	Tool     string
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
	Title       string
}

// TrendHTML returns the figures over many snapshots as one page that needs
// nothing else: for each metric that moved a table with a picture of each kernel's
// course.
func TrendHTML(t *trend.Trend, opt TrendOptions) ([]byte, error) {
	p := trendPage{Tool: opt.Tool, Summary: fmt.Sprintf("%s in %s", problem.Count(len(t.Kernels), "kernel"), problem.Count(len(t.Points), "snapshot"))}
	for _, point := range t.Points {
		p.Points = append(p.Points, visible(point.Label))
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
			shown.Rows = append(shown.Rows, newTrendRow(s, m))
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

func newTrendRow(s *trend.Series, m resource.Metric) trendRow {
	dir, name := resource.SplitKey(s.Key)
	row := trendRow{Name: visible(name), Dir: visible(dir), Ends: strings.NewReplacer("->", " → ", "(", " (").Replace(endsText(s, m))}
	if first, last, ok := s.Ends(m); ok && m.Trigger() && first != last {
		if row.Class = "better"; last > first {
			row.Class = "worse"
		}
	}
	low, high := int64(0), int64(1) // the picture begins at 0, so that heights compare
	for i := range s.Records {
		row.Cells = append(row.Cells, trendCell(s, i, m))
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
		x := courseWidth / 2
		if n := len(s.Records) - 1; n > 0 {
			x = courseMargin + (courseWidth-2*courseMargin)*float64(i)/float64(n)
		}
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
	return row
}
