package capture

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

// configuration tells what of the configuration cannot be used: what decides an
// answer keeps it from being trustworthy.
func (d Doctor) configuration() (checks []report.Check) {
	lost := d.Config.Invalid()
	for _, f := range d.Config.Faults {
		c := report.Check{Name: "configuration", State: report.Note, Finding: f.String(), Mend: "correct the file, variable or setting that the message names"}
		if slices.Contains(lost, f) {
			c.State, c.Mend = report.Failed, d.Config.Problem(f).Mend()
		}
		checks = append(checks, c)
	}
	return checks
}

// accepted tells what of the accepted regressions cannot be read.
func (d Doctor) accepted() (checks []report.Check) {
	name := d.Config.Relative(d.Config.Accepted)
	for _, f := range accept.Read(d.Config.Accepted, name).Faults {
		checks = append(checks, report.Check{Name: "accepted", State: report.Failed, Finding: fmt.Sprintf("%s:%d: %s", name, f.Line, f.Message), Mend: "correct the file, variable or setting that the message names"})
	}
	return checks
}

// answer holds the baseline against the dumps as diff does, or the dumps alone
// against the budgets: a doctor that says OK where no answer can be trusted is none.
// Before anything was compiled there is nothing to hold.
func (d Doctor) answer(ctx context.Context) []report.Check {
	opt := input.Options{Producers: d.Config.Producers, Producer: d.Config.Producer}
	before, after, err := input.ReadBoth(ctx, d.Config.Baseline, d.Config.Dumps, opt)
	if err != nil || absent(after.Problems) {
		return nil
	}
	rules := gate.Load(d.Config, accept.DateOf(time.Now()))
	c := report.Check{Name: "comparison"}
	var problems []problem.Problem
	if absent(before.Problems) {
		opt.Kernels, opt.NeedKernels = d.Config.Kernels, true
		if after, err = input.Read(ctx, d.Config.Dumps, opt); err != nil {
			return nil
		}
		problems, c.Finding = rules.Side(after).Problems, problem.Count(len(after.Records), "kernel")+", and no baseline"
	} else {
		r := rules.Apply(diff.Compare(before, after, diff.Options{Kernels: d.Config.Kernels, Pairs: d.Config.Pairs}))
		problems, c.Finding = r.Problems, fmt.Sprintf("%d of %s can be compared", r.Compared, problem.Count(r.Total, "kernel"))
	}
	if len(problems) > 0 {
		p := problems[0]
		c.State, c.Finding, c.Mend = report.Failed, fmt.Sprintf("[%s] %s", p.Code, report.Describe(p)), p.Mend()
		if more := len(problems) - 1; more > 0 {
			c.Finding += fmt.Sprintf(" (and %d more)", more)
		}
	}
	return []report.Check{c}
}

// absent reports whether a side is not there.
func absent(ps []problem.Problem) bool { return len(ps) > 0 && ps[0].Code == problem.InputNotFound }
