package gate

import (
	"fmt"
	"slices"

	"isadiff/engine/accept"
	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Rules are what a project allows. The zero Rules allow nothing and limit
// nothing.
type Rules struct {
	Accepted accept.List
	Budgets  []budget.Budget
	Invalid  []problem.Problem // budgets that cannot be read
	Today    accept.Date       // decides which entries have expired
}

// Idle reports whether no rule is in use, so that every result stays what it is.
func (g *Rules) Idle() bool {
	return g == nil || len(g.Accepted.Entries) == 0 && len(g.Accepted.Faults) == 0 && len(g.Budgets) == 0 && len(g.Invalid) == 0
}

// Row returns a row with what is accepted of it and which budgets it breaks.
// What r has of either is replaced.
func (g *Rules) Row(r diff.Row) diff.Row {
	r.Accepted, r.Broken = nil, nil
	if g.Idle() {
		return r
	}
	for _, d := range r.Deltas {
		if !d.Worse() {
			continue
		}
		if e := g.covering(&r, d.Metric); e != nil {
			r.Accepted = append(r.Accepted, diff.Acceptance{
				Metric: d.Metric, Value: e.Value, Reason: e.Reason, Until: string(e.Until), Where: g.Accepted.At(e.Line),
			})
		}
	}
	r.Broken = g.breaches(r.After)
	return r
}

// covering returns the entry that accepts a row's growth: of those that do, the
// tightest.
func (g *Rules) covering(r *diff.Row, m resource.Metric) *accept.Entry {
	var best *accept.Entry
	for i := range g.Accepted.Entries {
		e := &g.Accepted.Entries[i]
		if e.Metric == m && r.After.Cells[m].Value <= e.Value && !e.Expired(g.Today) && e.Kernels.Match(r.Key) &&
			(best == nil || e.Value < best.Value) {
			best = e
		}
	}
	return best
}

// breaches returns the budgets that a kernel breaks. Figures that are in doubt
// break none.
func (g *Rules) breaches(r *resource.Record) (broken []diff.Breach) {
	if r == nil || !r.Trustworthy() {
		return nil
	}
	for _, f := range budget.Check(g.Budgets, r) {
		if f.State == budget.Broken {
			broken = append(broken, diff.Breach{Budget: f.Budget.String(), Figure: f.Figure, Where: f.Budget.Where})
		}
	}
	return broken
}

// Apply returns a comparison with its rows, counts, problems, warnings and
// verdict as the rules make them. The comparison given is left as it is; it is
// returned itself if no rule is in use.
func (g *Rules) Apply(r *diff.Result) *diff.Result {
	if g.Idle() {
		return r
	}
	judged := *r
	judged.Rows = make([]diff.Row, len(r.Rows))
	judged.Accepted, judged.Budgets, judged.Broken = 0, 0, 0
	judged.Problems = slices.Concat(r.Problems, g.Invalid)
	used := make([]bool, len(g.Budgets))
	for i := range r.Rows {
		row := g.Row(r.Rows[i])
		judged.Rows[i] = row
		judged.Accepted += len(row.Accepted)
		if row.After != nil {
			checked, unknown := g.check(row.After, used)
			judged.Budgets += checked
			judged.Broken += len(row.Broken)
			for _, p := range unknown {
				judged.Problems = append(judged.Problems, p.On(diff.SideAfter))
			}
		}
	}
	slices.SortStableFunc(judged.Problems, problem.Compare)
	judged.Warnings = slices.Concat(r.Warnings, g.stale(&judged))
	if r.Kernels == "" && r.Rows != nil {
		judged.Warnings = append(judged.Warnings, g.idleBudgets(used)...)
	}
	judged.Verdict = judged.Decide()
	return &judged
}

// check counts the budgets that select a kernel, and returns those that cannot
// be checked. A kernel whose figures are in doubt has that as its problem already.
func (g *Rules) check(r *resource.Record, used []bool) (checked int, unknown []problem.Problem) {
	for i, b := range g.Budgets {
		if b.Kernels != nil && !b.Kernels.Match(r.Key) {
			continue
		}
		checked++
		used[i] = true
		if f := b.Check(r); f.State == budget.Unknown && r.Trustworthy() {
			unknown = append(unknown, problem.New(problem.BudgetUnknown, "%s: whether it keeps %s (%s) cannot be told: %s", r.Key, b, b.Where, f.Reason).
				In(r.Source).Of(r.Key))
		}
	}
	return checked, unknown
}

// idleBudgets names the budgets that select no kernel.
func (g *Rules) idleBudgets(used []bool) (warnings []string) {
	for i, b := range g.Budgets {
		if !used[i] {
			warnings = append(warnings, fmt.Sprintf("%s: the budget %s is for kernels that match %q, and there is none", b.Where, b, b.Kernels))
		}
	}
	return warnings
}

// A Standing is how a side alone stands to the budgets.
type Standing struct {
	Broken   map[string][]diff.Breach // by the kernel's key
	Checked  int                      // (kernel, budget) pairs
	Breaches int                      // of Checked, those that are broken
	Problems []problem.Problem        // of the side, and of budgets that cannot be checked
	Warnings []string                 // of the side, and about budgets
	Verdict  diff.Verdict
}

// Side holds a side alone against the budgets.
func (g *Rules) Side(s *resource.Side) Standing {
	st := Standing{Broken: map[string][]diff.Breach{}, Problems: s.Doubts(), Warnings: slices.Clone(s.Warnings)}
	if !g.Idle() {
		st.Problems = append(st.Problems, g.Invalid...)
		used := make([]bool, len(g.Budgets))
		for _, r := range s.Records {
			checked, unknown := g.check(r, used)
			st.Checked += checked
			st.Problems = append(st.Problems, unknown...)
			if broken := g.breaches(r); broken != nil {
				st.Broken[r.Key] = broken
				st.Breaches += len(broken)
			}
		}
		st.Warnings = append(st.Warnings, g.idleBudgets(used)...)
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
