package project

import (
	"fmt"
	"slices"

	"isadiff/engine/problem"
)

// Comparing are the keys that decide what is compared, and Judging those that decide
// what is one kernel and what is allowed. While one of them has no usable value, nothing that depends on it
// is OK: what its default or another layer says is not what was asked for.
var (
	Comparing = []string{dumpsKey, baselineKey, sourcesKey, kernelsKey, producerKey, producersKey}
	Judging   = []string{pairsKey, budgetsKey, toleranceKey, acceptedKey}
)

// Lost returns the faults for which one of some keys has no usable value. One that a
// later layer sets in a usable way is not lost; of pairs, budgets, tolerances and
// producers each layer adds some.
func (c *Config) Lost(keys ...string) (lost []Fault) {
	if layer := c.Origins[dumpsKey].Layer; slices.Contains(keys, dumpsKey) && (layer == Default || layer == Environment) {
		keys = append(slices.Clone(keys), producerKey, producersKey) // which say where the dumps are
	}
	for _, f := range c.Faults {
		if slices.ContainsFunc(keys, func(key string) bool {
			adds := key == pairsKey || key == budgetsKey || key == toleranceKey || key == producersKey
			return (f.Key == key || f.Whole) && (adds || c.Origins[key].Layer <= f.Layer)
		}) {
			lost = append(lost, f)
		}
	}
	return lost
}

// Invalid returns why nothing that is compared under c can be called OK; nothing if
// it can.
func (c *Config) Invalid() []Fault {
	if c.invalid != nil {
		return c.invalid
	}
	return c.Lost(slices.Concat(Comparing, Judging)...)
}

// Usable reports whether c says what is to be compared, on its own or since it was
// the last that did.
func (c *Config) Usable() bool { return c.invalid != nil || len(c.Lost(Comparing...)) == 0 }

// After returns the configuration that counts when c was read and last counted
// before, nil at first: c, but while c is invalid the last good one, with the faults
// of c. What a session shows then stays what it was, and [Config.Invalid] says why it
// is not to be relied on.
func (c *Config) After(last *Config) *Config {
	invalid := c.Invalid()
	if len(invalid) == 0 || last == nil || last.invalid == nil && len(last.Invalid()) > 0 {
		return c
	}
	kept := *last
	kept.Faults, kept.invalid = c.Faults, invalid
	return &kept
}

// Problem is what a fault of a key that decides means for an answer.
func (c *Config) Problem(f Fault) problem.Problem {
	code := problem.ConfigurationInvalid
	if f.Key == budgetsKey {
		code = problem.BudgetInvalid
	}
	p := problem.New(code, "%s", fmt.Sprint(f))
	if f.File != "" {
		p = p.In(c.Relative(f.File)).At(f.Line)
	}
	return p
}

// Problems is what faults mean for an answer.
func (c *Config) Problems(faults []Fault) (ps []problem.Problem) {
	for _, f := range faults {
		ps = append(ps, c.Problem(f))
	}
	return ps
}
