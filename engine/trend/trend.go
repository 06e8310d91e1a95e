// Package trend lines up the figures of many snapshots: Sides -> [Trend], a value
// that says for each kernel and metric what it was, in the order given.
//
// It judges nothing. Kernels are the same by their keys alone: over many
// snapshots a name that stands for another would not be seen.
package trend

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Trend is the figures of several sides.
type Trend struct {
	Points   []Point
	Kernels  []Series // sorted by key
	Problems []problem.Problem
	Warnings []string
}

// A Point is one side.
type Point struct {
	Label     string         // a revision, a day or a file's name, distinct among the points
	Side      *resource.Side // without its records
	Compilers []string       // of its kernels, as far as they are known, sorted
	Commit    *Commit        // nil unless the point is a revision of a history
	Gap       string         // why there are no figures; "" if there are
}

// A Commit is the revision of a point.
type Commit struct {
	Hash, Author, Date, Subject string
	Skipped                     int // revisions between the point before and this one that were not looked at
}

// A Series is one kernel over the points.
type Series struct {
	Key string
	// Records are its records by point; nil where the kernel is not. Neighbors of the
	// same figures, target and compilers are one, the first.
	Records []*resource.Record
}

// Of lines up sides in the order given, of which kernels selected what counts; nil
// for all.
func Of(sides []*resource.Side, kernels *resource.Matcher) *Trend {
	var l Lineup
	for _, side := range sides {
		l.Add(Point{Side: side})
	}
	return l.Trend(kernels)
}

// A Lineup makes a trend of one point after the other. Of many sides that hardly differ
// it holds little more than one. Its zero value is ready to be used.
type Lineup struct {
	trend    Trend
	series   map[string]*Series
	warnings []warning
}

// A warning is one that some sides have.
type warning struct {
	text   string
	origin string // of the first
	more   int    // others
}

// Add adds a point with what its side holds. A point without a label is called by its
// side's revision, day or file.
func (l *Lineup) Add(p Point) {
	if l.series == nil {
		l.series = map[string]*Series{}
	}
	at := len(l.trend.Points)
	side := *p.Side
	side.Records = nil
	l.trend.Problems = append(l.trend.Problems, p.Side.Doubts()...)
	for _, w := range p.Side.Warnings {
		if p.Commit != nil {
			l.warn(p.Label, w)
		} else {
			l.warn(side.Origin, w)
		}
	}
	compilers := map[string]bool{}
	for _, r := range p.Side.Records {
		s := l.series[r.Key]
		if s == nil {
			s = &Series{Key: r.Key}
			l.series[r.Key] = s
		}
		if last := s.last(); last != nil && alike(last, r) {
			r = last
		}
		s.Records = append(s.Records, make([]*resource.Record, at-len(s.Records))...)
		s.Records = append(s.Records, r)
		for _, c := range r.Compilers {
			compilers[c] = true
		}
	}
	p.Side, p.Compilers = &side, slices.Sorted(maps.Keys(compilers))
	if p.Label == "" {
		p.Label = label(p.Side)
	}
	l.trend.Points = append(l.trend.Points, p)
}

func (l *Lineup) warn(origin, text string) {
	for i := range l.warnings {
		if w := &l.warnings[i]; w.text == text {
			w.more++
			return
		}
	}
	l.warnings = append(l.warnings, warning{text: text, origin: origin})
}

// last returns the record of the last point at which the kernel is.
func (s *Series) last() *resource.Record {
	for _, r := range slices.Backward(s.Records) {
		if r != nil {
			return r
		}
	}
	return nil
}

// alike reports whether a trend tells no difference of two records.
func alike(a, b *resource.Record) bool {
	return a.Cells == b.Cells && target(a) == target(b) && slices.Equal(a.Compilers, b.Compilers)
}

// Trend returns the trend of what was added, of which kernels selected what counts;
// nil for all. Nothing is added afterwards.
func (l *Lineup) Trend(kernels *resource.Matcher) *Trend {
	t := &l.trend
	distinguish(t.Points)
	for _, w := range l.warnings {
		if w.more > 0 {
			w.origin += fmt.Sprintf(" and %d more", w.more)
		}
		t.Warnings = append(t.Warnings, w.origin+": "+w.text)
	}
	for _, k := range slices.Sorted(maps.Keys(l.series)) {
		s := l.series[k]
		s.Records = append(s.Records, make([]*resource.Record, len(t.Points)-len(s.Records))...)
		t.Kernels = append(t.Kernels, *s)
	}
	if w := t.retargeted(); w != "" {
		t.Warnings = append(t.Warnings, w)
	}
	if len(t.Kernels) == 0 && len(t.Problems) == 0 {
		nothing := problem.New(problem.NoKernels, "none of the %s holds a kernel", problem.Count(len(t.Points), "side"))
		if kernels != nil && !kernels.All() {
			sides := make([]*resource.Side, len(t.Points))
			for i := range t.Points {
				sides[i] = t.Points[i].Side
			}
			nothing = kernels.Unmatched("the "+problem.Count(len(t.Points), "side"), sides...)
		}
		t.Problems = append(t.Problems, nothing)
	}
	return t
}

// Only returns the trend at some of its points, in order.
func (t *Trend) Only(points []int) *Trend {
	some := &Trend{Problems: t.Problems, Warnings: t.Warnings}
	for _, p := range points {
		some.Points = append(some.Points, t.Points[p])
	}
	for i := range t.Kernels {
		s := Series{Key: t.Kernels[i].Key}
		for _, p := range points {
			s.Records = append(s.Records, t.Kernels[i].Records[p])
		}
		some.Kernels = append(some.Kernels, s)
	}
	return some
}

// Recompiled returns the compilers of the point before that has some, where those of a
// point are known and others; nil where they are not.
func (t *Trend) Recompiled(point int) []string {
	now := t.Points[point].Compilers
	for _, p := range slices.Backward(t.Points[:point]) {
		if p.Compilers == nil {
			continue
		}
		if now == nil || slices.Equal(p.Compilers, now) {
			return nil
		}
		return p.Compilers
	}
	return nil
}

// retargeted warns of kernels that were built for another target on the way, as
// the figures before and after it are of different register files; "" if there is
// none.
func (t *Trend) retargeted() string {
	count, first := 0, ""
	for i := range t.Kernels {
		s := &t.Kernels[i]
		from := -1 // the point before at which the kernel is
		for to, r := range s.Records {
			if r == nil {
				continue
			}
			if from >= 0 && target(s.Records[from]) != target(r) {
				if count++; count == 1 {
					first = fmt.Sprintf("%s, %s in %s and %s in %s", s.Key, target(s.Records[from]), t.Points[from].Label, target(r), t.Points[to].Label)
				}
				break
			}
			from = to
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%s built for more than one target, so that a difference says nothing about a change; the first: %s", problem.Count(count, "kernel"), first)
}

// target names the processor of a record and its features: "gfx90a:xnack+".
func target(r *resource.Record) string {
	return strings.Join(slices.Concat([]string{cmp.Or(r.Target.Processor, "unknown")}, r.Target.Features), ":")
}

// label names a side: by its revision, else by the day it was taken, else by its
// file.
func label(s *resource.Side) string {
	switch {
	case s.Revision != "":
		return s.Revision[:min(len(s.Revision), 12)]
	case !s.Written.IsZero():
		return s.Written.Format("2006-01-02")
	}
	name := strings.TrimRight(strings.ReplaceAll(s.Origin, `\`, "/"), "/")
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".json")
}

// distinguish makes labels distinct by the names of their files.
func distinguish(points []Point) {
	count := make(map[string]int)
	for _, p := range points {
		count[p.Label]++
	}
	for i := range points {
		if p := &points[i]; count[p.Label] > 1 || p.Label == "" {
			p.Label = strings.TrimSpace(p.Label + " " + p.Side.Origin)
		}
	}
}

// Cell returns a metric at a point; ok is false where the kernel is not there.
func (s *Series) Cell(point int, m resource.Metric) (c resource.Cell, ok bool) {
	if r := s.Records[point]; r != nil {
		return r.Cells[m], true
	}
	return resource.Cell{}, false
}

// A Step is a move of a metric: from a point to the next at which the kernel is.
type Step struct{ From, To int }

// Steps returns the moves of a metric, in order.
func (s *Series) Steps(m resource.Metric) (steps []Step) {
	last := -1
	for i, r := range s.Records {
		if r == nil {
			continue
		}
		if last >= 0 {
			if a, b := s.Records[last].Cells[m], r.Cells[m]; a.State != b.State || a.Value != b.Value {
				steps = append(steps, Step{last, i})
			}
		}
		last = i
	}
	return steps
}

// Moved reports whether a metric differs between any two points at which it has a
// value, or is known at some points only.
func (s *Series) Moved(m resource.Metric) bool { return len(s.Steps(m)) > 0 }

// Unseen counts the revisions between the two points of a step of which nothing is known:
// any of them may have made it. It is 0 where the points are neighbors.
func (t *Trend) Unseen(s Step) (n int) {
	for i := s.From + 1; i <= s.To; i++ {
		if c := t.Points[i].Commit; c != nil {
			n += c.Skipped
		}
		if i < s.To {
			n++
		}
	}
	return n
}

// Ends returns a metric at the first and the last point at which the kernel is; ok
// is false where there are not two, or where either has no value.
func (s *Series) Ends(m resource.Metric) (first, last int64, ok bool) {
	var ends []resource.Cell
	for i := range s.Records {
		if c, there := s.Cell(i, m); there {
			ends = append(ends, c)
		}
	}
	if len(ends) < 2 {
		return 0, 0, false
	}
	x, y := ends[0], ends[len(ends)-1]
	return x.Value, y.Value, x.State == resource.Known && y.State == resource.Known
}

// Metrics returns the triggers that moved for any kernel, in order.
func (t *Trend) Metrics() (moved []resource.Metric) {
	for m := range resource.Metric(resource.NumMetrics) {
		if m.Trigger() && slices.ContainsFunc(t.Kernels, func(s Series) bool { return s.Moved(m) }) {
			moved = append(moved, m)
		}
	}
	return moved
}
