package judge

import (
	"fmt"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/input"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/resource"
)

// Inputs say what of the sides counts.
type Inputs struct {
	IgnoreTimes bool     // a tree that was copied without its times: stale files are warnings
	Kernels     string   // a glob; "" for those that the project names
	Pairs       []string // OLD=NEW each

	// Dash stands before the names of these settings where they were given: "--" on a
	// command line.
	Dash string
}

// A Needs is what of the configuration decides an answer.
type Needs struct {
	Keys   []string // those without which there is none
	Judged []string // those whose loss the answer itself tells, see [gate.Load]
	// Confined refuses what the project's files name outside of its root.
	Confined bool
}

// An Opened is a project and how its sides are read.
type Opened struct {
	Config   *project.Config
	Read     input.Options
	Warnings []string // of the configuration, and that it limits the kernels
}

// An Unusable says which parts of the configuration, without which there is no answer,
// could not be used.
type Unusable []problem.Problem

func (u Unusable) Error() string { return u[0].Error() }
func (u Unusable) Unwrap() error { return u[0] }

// Open reads the configuration of a project and the settings of sides. The warnings are
// also those of an error.
func Open(opt project.Options, in Inputs, n Needs) (o Opened, err error) {
	kernels, err := in.Matcher()
	if err != nil {
		return o, err
	}
	pairs, err := in.Orders()
	if err != nil {
		return o, err
	}
	flags := map[string]any{}
	for key, value := range opt.Flags {
		flags[key] = value
	}
	if in.Kernels != "" {
		flags["kernels"] = in.Kernels
	}
	if pairs != nil {
		flags["pairs"] = pairs
	}
	opt.Flags = flags
	if n.Judged == nil {
		n.Keys = append(slices.Clone(n.Keys), "kernels", "producers")
	}
	if o.Config, o.Warnings, err = Project(opt, n); err != nil {
		return o, err
	}
	if in.Kernels == "" && !o.Config.Kernels.All() {
		kernels = o.Config.Kernels
		o.Warnings = append(o.Warnings, fmt.Sprintf("limited to kernels that match %q (kernels, %s); %skernels '*' takes all", kernels, o.Config.Origin("kernels"), in.Dash))
	}
	o.Read = input.Options{Producers: o.Config.Producers, Producer: o.Config.Producer, IgnoreTimes: in.IgnoreTimes, Kernels: kernels}
	return o, nil
}

// Project reads the configuration of a project, and says what of it could not be used.
// Where it is needed, that is an error, an [Unusable].
func Project(opt project.Options, n Needs) (c *project.Config, warnings []string, err error) {
	if c, err = project.Load(opt); err != nil {
		return nil, nil, err
	}
	if n.Confined {
		c.Confine()
	}
	lost, told := c.Lost(n.Keys...), c.Lost(n.Judged...)
	for _, f := range c.Faults {
		if f.Layer != project.Default && !slices.Contains(lost, f) && !slices.Contains(told, f) {
			warnings = append(warnings, fmt.Sprint(f))
		}
	}
	if len(lost) > 0 {
		return nil, warnings, Unusable(c.Problems(lost))
	}
	return c, warnings, nil
}

// Orders returns what the pairs say as the configuration has it; nil if there are none.
func (in Inputs) Orders() (map[string]any, error) {
	if len(in.Pairs) == 0 {
		return nil, nil
	}
	pairs := make(map[string]any, len(in.Pairs))
	for _, text := range in.Pairs {
		before, after, err := diff.SplitOrder(text)
		if err != nil {
			return nil, in.usage("pair %v", err)
		}
		if _, err := diff.NewOrder(before, after, ""); err != nil {
			return nil, in.usage("pair %s: %v", text, err)
		}
		if other, given := pairs[before]; given && other != after {
			return nil, in.usage("pair pairs %q with %q and with %q", before, other, after)
		}
		pairs[before] = after
	}
	return pairs, nil
}

// Matcher returns what the kernels match that were given.
func (in Inputs) Matcher() (*resource.Matcher, error) {
	m, err := resource.NewMatcher(in.Kernels)
	if err != nil {
		return nil, in.usage("kernels: %v", err)
	}
	return m.From(in.Dash + "kernels"), nil
}

func (in Inputs) usage(format string, args ...any) error {
	return problem.New(problem.Usage, "%s%s", in.Dash, fmt.Sprintf(format, args...))
}
