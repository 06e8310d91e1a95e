package diff

import (
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Verdict is the answer to "did any kernel get worse, and can the answer be
// trusted?". Its value is the exit code.
type Verdict int

// The verdicts.
const (
	OK             Verdict = 0
	Regression     Verdict = 1 // a claim about the code under test
	NotTrustworthy Verdict = 2 // a claim about the tool's own confidence
)

// String returns the verdict's words, as in "RESULT: REGRESSION".
func (v Verdict) String() string {
	switch v {
	case OK:
		return "OK"
	case Regression:
		return "REGRESSION"
	default:
		return "NOT TRUSTWORTHY"
	}
}

// ExitCode returns the process exit code that stands for v.
func (v Verdict) ExitCode() int { return int(v) }

// A Delta is after minus before for one metric; only changed metrics have one.
type Delta struct {
	Metric resource.Metric
	Change int64
}

// Worse reports whether d is a regression.
func (d Delta) Worse() bool { return d.Metric.Trigger() && d.Change > 0 }

// Better reports whether d is an improvement of a trigger.
func (d Delta) Better() bool { return d.Metric.Trigger() && d.Change < 0 }

// A Row is one kernel of the comparison.
type Row struct {
	Key     string            // the after side's key; the before side's if there is no after
	Before  *resource.Record  // nil if only in after
	After   *resource.Record  // nil if only in before
	Deltas  []Delta           // changed metrics in order; nil if not comparable
	Blocked []problem.Problem // why the two cannot be compared; includes only-in-before and only-in-after
	Notes   []string          // such as a pairing by bare name
	Remade  Remade            // what is known of how a kernel with deltas was made, as far as the sides were read for it
	Order   *Order            // by which the two are paired; of a one-sided kernel the one that fits it in several ways

	Accepted []Acceptance // the worsened metrics that are accepted or tolerated, in order; see package gate
	Broken   []Breach     // the budgets that the after side breaks
	// Unchecked are why budgets of the after side cannot be checked, which blocks no
	// comparison.
	Unchecked []problem.Problem

	Unlaunchable string // why the after side cannot be launched, where the before side could; else ""

	whole *resource.Record // see Whole; nil if it is After
}

// An Acceptance says that a metric's growth was looked at and accepted, or that it
// is within a tolerance.
type Acceptance struct {
	Metric    resource.Metric
	Value     int64  // what is accepted, at most
	Reason    string // "" if none was given
	Until     string // the last day, as 2026-12-31; "" without end
	Where     string // the file and line that say so
	Tolerance string // as it is written: "vgpr = 4", "waves"; "" if the growth was accepted
}

// A Breach is a budget that a kernel breaks.
type Breach struct {
	Budget string // as it is written: "vgpr <= 128"
	Figure int64  // the kernel's
	Where  string // the place that set the budget
}

// Record returns the record that names the row: the after side's, or the before
// side's if there is no after.
func (r *Row) Record() *resource.Record {
	if r.After != nil {
		return r.After
	}
	return r.Before
}

// Comparable reports whether the figures of the two sides were compared.
func (r *Row) Comparable() bool { return r.Before != nil && r.After != nil && len(r.Blocked) == 0 }

// Worsened counts the triggers of r that grew.
func (r *Row) Worsened() (n int) {
	for _, d := range r.Deltas {
		if d.Worse() {
			n++
		}
	}
	return n
}

// Failed reports whether r makes a regression: a trigger grew and is not
// accepted, a budget is broken, or the kernel cannot be launched any more, which
// no acceptance covers.
func (r *Row) Failed() bool {
	return r.Worsened() > len(r.Accepted) || len(r.Broken) > 0 || r.Unlaunchable != ""
}

// Acceptance returns how the growth of a metric was accepted; ok is false if it
// was not.
func (r *Row) Acceptance(m resource.Metric) (a Acceptance, ok bool) {
	for _, a := range r.Accepted {
		if a.Metric == m {
			return a, true
		}
	}
	return Acceptance{}, false
}

// Improved counts the triggers of r that shrank.
func (r *Row) Improved() (n int) {
	for _, d := range r.Deltas {
		if d.Better() {
			n++
		}
	}
	return n
}

// Delta returns the change of one metric; ok is false if it did not change or
// cannot be told.
func (r *Row) Delta(m resource.Metric) (change int64, ok bool) {
	for _, d := range r.Deltas {
		if d.Metric == m {
			return d.Change, true
		}
	}
	return 0, false
}

// A Result is the comparison of two sides. It is immutable: whoever holds one
// can show it, compare it or drop it, and never locks.
type Result struct {
	Before, After *resource.Side
	Rows          []Row             // every kernel, sorted by key
	Problems      []problem.Problem // every reason why the verdict is NotTrustworthy, of sides, records and rows
	Warnings      []string
	Kernels       string   // the glob that both sides were limited to; "" for all
	Renamed       []Rename // what is probably one kernel under two names, as far as it was looked for; it changes no verdict

	Total     int // kernels on either side
	Compared  int // rows that are comparable
	Unchanged int // compared rows without any delta
	Changed   int // compared rows with a delta
	Worsened  int // (kernel, trigger) pairs that grew
	Improved  int // (kernel, trigger) pairs that shrank
	Accepted  int // of Worsened, those that are accepted
	Tolerated int // of Worsened, those that are within a tolerance and not accepted
	Budgets   int // (kernel, budget) pairs that were checked
	Broken    int // of Budgets, those that are broken
	Verdict   Verdict

	Unlaunchable int // rows whose kernel cannot be launched any more; in none of the counts above
}

// Only returns some rows of r alone, for who looks closer at them. It is no comparison
// with a verdict: nothing is counted, and problems and warnings stay with r.
func (r *Result) Only(rows []*Row) *Result {
	some := &Result{Before: r.Before, After: r.After, Rows: make([]Row, len(rows))}
	for i, row := range rows {
		some.Rows[i] = *row
	}
	return some
}

// Decide returns the verdict that r's problems and counts amount to.
func (r *Result) Decide() Verdict {
	switch {
	case len(r.Problems) > 0:
		return NotTrustworthy
	case r.Worsened > r.Accepted+r.Tolerated || r.Broken > 0 || r.Unlaunchable > 0:
		return Regression
	default:
		return OK
	}
}
