package gate

import (
	"cmp"
	"slices"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Choice says what to accept of a comparison, and on which terms.
type Choice struct {
	Kernels *resource.Matcher
	Metrics []resource.Metric // nil for all that grew
	Reason  string
	Until   accept.Date
}

// Propose returns the entries that accept what grew, one for each kernel and
// metric at its present figure. Growth that is already accepted gets an entry only
// if c changes its terms; terms that c leaves open stay. A chosen kernel that was
// not compared is a problem, because its figures are unknown.
func Propose(r *diff.Result, c Choice) (entries []accept.Entry, err error) {
	matched := false
	for i := range r.Rows {
		row := &r.Rows[i]
		if !c.Kernels.Match(row.Record()) {
			continue
		}
		matched = true
		if !row.Comparable() {
			p := row.Blocked[0]
			p.Message = "nothing was accepted: " + p.Message
			return nil, p
		}
		exact, err := resource.NewMatcher(accept.Exactly(row.Key))
		if err != nil {
			return nil, problem.New(problem.InternalError, "the kernel %q has no glob: %v", row.Key, err)
		}
		for _, d := range row.Deltas {
			if !d.Worse() || !c.chooses(d.Metric) {
				continue
			}
			e := accept.Entry{Kernels: exact, Metric: d.Metric, Value: row.After.Cells[d.Metric].Value, Reason: c.Reason, Until: c.Until}
			if a, already := row.Acceptance(d.Metric); already {
				if a.Tolerance != "" {
					continue // it needs no entry
				}
				e.Reason, e.Until = cmp.Or(e.Reason, a.Reason), cmp.Or(e.Until, accept.Date(a.Until))
				if e.Reason == a.Reason && string(e.Until) == a.Until {
					continue
				}
			}
			entries = append(entries, e)
		}
	}
	if !matched {
		if r.Rows == nil && len(r.Problems) > 0 { // a side was not read
			return nil, r.Problems[0]
		}
		p := problem.New(problem.NoKernels, "nothing was accepted: no kernel of either side matches %q", c.Kernels)
		var records []*resource.Record
		for i := range r.Rows {
			records = append(records, r.Rows[i].Record())
		}
		if closest := c.Kernels.Closest(records); closest != "" {
			p = p.Mended("check the glob; %s; `isadiff summarize %s` lists them", closest, problem.Quoted(r.After.Origin))
		}
		return nil, p
	}
	return entries, nil
}

func (c *Choice) chooses(m resource.Metric) bool {
	return c.Metrics == nil || slices.Contains(c.Metrics, m)
}
