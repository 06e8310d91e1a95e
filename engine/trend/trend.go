// Package trend lines up the figures of many snapshots: Sides -> [Trend], a value
// that says for each kernel and metric what it was, in the order given.
//
// It judges nothing. Kernels are the same by their keys alone: over many
// snapshots a name that stands for another would not be seen.
package trend

import (
	"cmp"
	"fmt"
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
	Label string // a revision, a day or a file's name, distinct among the points
	Side  *resource.Side
}

// A Series is one kernel over the points.
type Series struct {
	Key     string
	Records []*resource.Record // by point; nil where the kernel is not
}

// Of lines up sides in the order given, of which kernels selected what counts; nil
// for all.
func Of(sides []*resource.Side, kernels *resource.Matcher) *Trend {
	t := &Trend{}
	byKey := make(map[string]*Series)
	var keys []string
	for i, side := range sides {
		t.Points = append(t.Points, Point{Label: label(side), Side: side})
		t.Problems = append(t.Problems, side.Doubts()...)
		for _, w := range side.Warnings {
			t.Warnings = append(t.Warnings, side.Origin+": "+w)
		}
		for _, r := range side.Records {
			s := byKey[r.Key]
			if s == nil {
				s = &Series{Key: r.Key, Records: make([]*resource.Record, len(sides))}
				byKey[r.Key] = s
				keys = append(keys, r.Key)
			}
			s.Records[i] = r
		}
	}
	distinguish(t.Points)
	slices.Sort(keys)
	for _, k := range keys {
		t.Kernels = append(t.Kernels, *byKey[k])
	}
	if w := t.retargeted(); w != "" {
		t.Warnings = append(t.Warnings, w)
	}
	if len(keys) == 0 && len(t.Problems) == 0 {
		nothing := problem.New(problem.NoKernels, "none of the %s holds a kernel", problem.Count(len(sides), "side"))
		if kernels != nil && !kernels.All() {
			nothing = kernels.Unmatched("the "+problem.Count(len(sides), "side"), sides...)
		}
		t.Problems = append(t.Problems, nothing)
	}
	return t
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

// Moved reports whether a metric differs between any two points at which it has a
// value, or is known at some points only.
func (s *Series) Moved(m resource.Metric) bool {
	first, seen := resource.Cell{}, false
	for i := range s.Records {
		c, ok := s.Cell(i, m)
		if !ok {
			continue
		}
		if seen && (c.State != first.State || c.Value != first.Value) {
			return true
		}
		first, seen = c, true
	}
	return false
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
