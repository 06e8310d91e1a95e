package gate

import (
	"fmt"
	"iter"
	"slices"

	"isadiff/engine/accept"
	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

// Rules are what a project allows. The zero Rules allow nothing and limit
// nothing.
type Rules struct {
	Accepted  accept.List
	Budgets   []budget.Budget
	Tolerated tolerance.List
	Invalid   []problem.Problem // deciding configuration that cannot be read
	Today     accept.Date       // decides which entries have expired

	moved   map[string]string // by the glob of an entry, the key under which its kernel is now; see Over
	limited map[string]string // the same of budgets
}

// Idle reports whether no rule is in use, so that every result stays as it is.
func (g *Rules) Idle() bool {
	return g == nil || len(g.Accepted.Entries) == 0 && len(g.Accepted.Faults) == 0 && len(g.Budgets) == 0 && len(g.Tolerated) == 0 && len(g.Invalid) == 0
}

// Row returns the row with its accepted growth, broken budgets and budgets that
// cannot be checked, which replace those of r.
func (g *Rules) Row(r diff.Row) diff.Row {
	r.Accepted, r.Broken, r.Unchecked = nil, nil, nil
	if g.Idle() {
		return r
	}
	r.Accepted = g.acceptances(&r)
	if r.After != nil {
		a := g.assess(r.Whole(), nil)
		r.Broken, r.Unchecked = a.broken, a.unknown
	}
	return r
}

// acceptances returns what is accepted of a row, or else tolerated.
func (g *Rules) acceptances(r *diff.Row) (accepted []diff.Acceptance) {
	if r.Worsened() == 0 {
		return nil
	}
	tolerated := g.Tolerated.For(r.After)
	for _, d := range r.Deltas {
		if !d.Worse() {
			continue
		}
		if e := g.covering(r, d.Metric); e != nil {
			accepted = append(accepted, diff.Acceptance{
				Metric: d.Metric, Value: e.Value, Reason: e.Reason, Until: string(e.Until), Where: g.Accepted.At(e.Line),
			})
		} else if a, ok := tolerated.Covers(r, d); ok {
			accepted = append(accepted, a)
		}
	}
	return accepted
}

// covering returns the entry that accepts a row's growth: of those that do, the
// tightest.
func (g *Rules) covering(r *diff.Row, m resource.Metric) *accept.Entry {
	var best *accept.Entry
	for i := range g.Accepted.Entries {
		e := &g.Accepted.Entries[i]
		if e.Metric == m && r.After.Cells[m].Value <= e.Value && !e.Expired(g.Today) && g.selects(e, r) &&
			(best == nil || e.Value < best.Value) {
			best = e
		}
	}
	return best
}

// An assessment is how one kernel stands to the budgets that select it.
type assessment struct {
	checked int
	broken  []diff.Breach
	unknown []problem.Problem // why one cannot be checked
}

// assess holds a kernel against the budgets and marks those that select it in
// used, if it is not nil. A kernel whose figures are in doubt breaks none, and has
// that as its problem already.
func (g *Rules) assess(r *resource.Record, used []bool) (a assessment) {
	trusted := len(g.Budgets) > 0 && r.Trustworthy()
	for i := range g.Budgets {
		b := &g.Budgets[i]
		if !g.limits(b, r) {
			continue
		}
		a.checked++
		if used != nil {
			used[i] = true
		}
		if !trusted {
			continue
		}
		switch f := b.Check(r); f.State {
		case budget.Broken:
			a.broken = append(a.broken, diff.Breach{Budget: b.String(), Figure: f.Figure, Where: b.Where})
		case budget.Unknown:
			a.unknown = append(a.unknown, problem.New(problem.BudgetUnknown, "%s: whether it keeps %s (%s) cannot be told: %s", r.Key, b, b.Where, f.Reason).
				In(r.Source).Of(r.Key))
		}
	}
	return a
}

// Apply returns the comparison with the rules applied to its rows, counts,
// problems, warnings and verdict. It does not change r, and returns r itself if no
// rule is in use.
func (g *Rules) Apply(r *diff.Result) *diff.Result {
	if g.Idle() {
		return r
	}
	g = g.Over(pairsOf(r.Rows))
	judged := *r
	judged.Rows = slices.Clone(r.Rows) // nil if a side was not read
	judged.Accepted, judged.Tolerated, judged.Budgets, judged.Broken = 0, 0, 0, 0
	judged.Problems = slices.Concat(r.Problems, g.Invalid)
	used := make([]bool, len(g.Budgets))
	for i := range judged.Rows {
		row := &judged.Rows[i]
		row.Accepted, row.Broken, row.Unchecked = g.acceptances(row), nil, nil
		for _, a := range row.Accepted {
			if a.Tolerance != "" {
				judged.Tolerated++
			} else {
				judged.Accepted++
			}
		}
		if row.After == nil {
			continue
		}
		a := g.assess(row.Whole(), used)
		row.Broken, row.Unchecked = a.broken, a.unknown
		judged.Budgets += a.checked
		judged.Broken += len(a.broken)
		for _, p := range a.unknown {
			judged.Problems = append(judged.Problems, p.On(diff.SideAfter))
		}
	}
	slices.SortStableFunc(judged.Problems, problem.Compare)
	judged.Warnings = slices.Concat(r.Warnings, g.stale(&judged))
	if r.Kernels == "" && whole(r) {
		judged.Warnings = append(judged.Warnings, g.idleBudgets(used, pairsOf(r.Rows))...)
	}
	judged.Verdict = judged.Decide()
	return &judged
}

// idleBudgets names the budgets that select no kernel, and a kernel that has the name of
// the one that a budget is for.
func (g *Rules) idleBudgets(used []bool, pairs iter.Seq[diff.Pair]) (warnings []string) {
	for i, b := range g.Budgets {
		if used[i] {
			continue
		}
		w := fmt.Sprintf("%s: the budget %s is for kernels that match %q, and there is none", b.Where, b, b.Kernels)
		if key, ok := keyOf(b); ok {
			_, name := resource.SplitKey(key)
			for c := range pairs {
				if c.After != nil && c.After.Name == name {
					w += fmt.Sprintf(", but %s has the name; write its key if it is the same kernel", c.After.Key)
					break
				}
			}
		}
		warnings = append(warnings, w)
	}
	return warnings
}

// keyOf returns the key that a budget is for, if it is for one.
func keyOf(b budget.Budget) (string, bool) {
	if b.Kernels == nil {
		return "", false
	}
	return accept.Key(b.Kernels.String())
}

// A Standing is the result of checking a side alone against the budgets.
type Standing struct {
	Broken   map[string][]diff.Breach // by the kernel's key
	Checked  int                      // (kernel, budget) pairs
	Breaches int                      // of Checked, those that are broken
	Problems []problem.Problem        // of the side, and of budgets that cannot be checked
	Warnings []string                 // of the side, and about budgets
	Verdict  diff.Verdict
}

// Side checks a side alone against the budgets.
func (g *Rules) Side(s *resource.Side) Standing {
	st := Standing{Broken: map[string][]diff.Breach{}, Problems: s.Doubts(), Warnings: append(diff.Unlaunchable(s.Records...), s.Warnings...)}
	if !g.Idle() {
		g = g.Over(alone(s.Records))
		st.Problems = append(st.Problems, g.Invalid...)
		used := make([]bool, len(g.Budgets))
		for _, r := range s.Records {
			a := g.assess(r, used)
			st.Checked += a.checked
			st.Problems = append(st.Problems, a.unknown...)
			if a.broken != nil {
				st.Broken[r.Key] = a.broken
				st.Breaches += len(a.broken)
			}
		}
		if len(s.Problems) == 0 {
			st.Warnings = append(st.Warnings, g.idleBudgets(used, alone(s.Records))...)
		}
	}
	slices.SortStableFunc(st.Problems, problem.Compare)
	switch {
	case len(st.Problems) > 0:
		st.Verdict = diff.NotTrustworthy
	case st.Breaches > 0:
		st.Verdict = diff.Regression
	}
	return st
}
