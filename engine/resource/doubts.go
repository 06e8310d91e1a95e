package resource

import (
	"slices"

	"isadiff/engine/problem"
)

// Doubts returns why the figures of r cannot be believed; nothing if they can. A
// cell that was not read counts even if whoever made the record gave no problem
// for it.
func (r *Record) Doubts() []problem.Problem {
	if len(r.Problems) > 0 {
		return r.Problems
	}
	var ps []problem.Problem
	for m, c := range r.Cells {
		if c.State == Unparsed {
			ps = append(ps, problem.New(problem.CountMissing, "%s: %s could not be read: %s", r.Key, Metric(m), c.Reason).
				In(r.Source).Of(r.Key))
		}
	}
	return ps
}

// Doubts returns the problems of the side as a whole and of every kernel on it,
// in order, each once.
func (s *Side) Doubts() []problem.Problem {
	all := slices.Clone(s.Problems)
	for _, r := range s.Records {
		all = append(all, r.Doubts()...)
	}
	slices.SortStableFunc(all, problem.Compare)
	return slices.Compact(all)
}
