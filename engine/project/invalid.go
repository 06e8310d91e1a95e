package project

import (
	"fmt"
	"slices"

	"isadiff/engine/problem"
)

// Comparing are the keys that decide what is compared, and Judging those that
// decide which kernels are one and what is allowed. While one of them has no
// usable value, nothing that depends on it is OK: the value of its default or of
// another layer is not what the user asked for.
var (
	Comparing = []string{dumpsKey, baselineKey, sourcesKey, kernelsKey, producerKey, producersKey}
	Judging   = []string{pairsKey, budgetsKey, toleranceKey, acceptedKey}
)

// Lost returns the faults because of which one of the keys has no usable value. A
// key that a later layer sets to a usable value is not lost, except pairs,
// budgets, tolerance and producers, to which each layer adds.
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

// Invalid returns why nothing that is compared under c can be OK; nil if it can.
func (c *Config) Invalid() []Fault {
	if c.invalid != nil {
		return c.invalid
	}
	return c.Lost(slices.Concat(Comparing, Judging)...)
}

// Usable reports whether c says what to compare, on its own or as the last good
// configuration.
func (c *Config) Usable() bool { return c.invalid != nil || len(c.Lost(Comparing...)) == 0 }

// After returns the configuration to use after c was read; last is the one in use
// before, nil at first. It is c or, while c is invalid, the last good one with the
// faults of c. A session then keeps showing what it showed, and [Config.Invalid]
// says why it is not reliable.
func (c *Config) After(last *Config) *Config {
	invalid := c.Invalid()
	if len(invalid) == 0 || last == nil || last.invalid == nil && len(last.Invalid()) > 0 {
		return c
	}
	kept := *last
	kept.Faults, kept.invalid = c.Faults, invalid
	return &kept
}

// Problem returns the problem that a fault of a deciding key is to an answer.
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

// Problems returns the problems that faults are to an answer.
func (c *Config) Problems(faults []Fault) (ps []problem.Problem) {
	for _, f := range faults {
		ps = append(ps, c.Problem(f))
	}
	return ps
}
