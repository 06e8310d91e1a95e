package judge

import (
	"context"
	"slices"
	"time"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

// Standing are the keys of a configuration that decide how a side alone stands.
var Standing = []string{"kernels", "producers", "budgets"}

// Rules returns what a project allows today; see [gate.Load] for keys.
func Rules(c *project.Config, keys ...string) *gate.Rules {
	return gate.Load(c, accept.DateOf(time.Now()), keys...)
}

// Compare compares two sides under the rules of a project.
func Compare(o Opened, before, after *resource.Side) *diff.Result {
	return Rules(o.Config).Apply(diff.Compare(before, after, diff.Options{Kernels: o.Read.Kernels, Pairs: o.Config.Pairs}))
}

// Sides reads the two sides that a user names, and warns of sources that were saved
// after a side was compiled from them.
func Sides(ctx context.Context, o Opened, before, after string) (b, a *resource.Side, warnings []string, err error) {
	if b, a, err = input.ReadBoth(ctx, before, after, o.Read); err != nil {
		return nil, nil, nil, err
	}
	for _, side := range []*resource.Side{b, a} {
		edited, err := trace.Edited(ctx, o.Config.Producers, side)
		if err != nil {
			return nil, nil, nil, err
		}
		warnings = append(warnings, edited...)
	}
	return b, a, warnings, nil
}

// Tell is what is to be known of a comparison besides the figures.
type Tell struct {
	Places  bool // where kernels are defined, and where their registers come from
	Reasons bool // which instructions did it
}

// Judge compares two sides under the rules of a project, and gathers what reports tell
// besides.
func Judge(ctx context.Context, o Opened, before, after *resource.Side, tell Tell) (r *diff.Result, about report.Context, err error) {
	r = Compare(o, before, after)
	if r.Renamed, err = trace.Renames(ctx, o.Config, r); err != nil {
		return nil, about, err
	}
	if err = trace.Remade(ctx, o.Config, r); err != nil {
		return nil, about, err
	}
	about.Dir, about.Root = o.Config.Relative("."), o.Config.Root
	if !tell.Places {
		return r, about, nil
	}
	if about.Places, err = trace.Positions(ctx, o.Config, r.Rows); err != nil {
		return nil, about, err
	}
	return r, about, explain(ctx, r, tell, &about, o.why())
}

// why says how assembly is compared.
func (o Opened) why() trace.WhyOptions {
	return trace.WhyOptions{Root: o.Config.Root, IgnoreTimes: o.Read.IgnoreTimes}
}

// explain looks at the assembly for what reports say of kernels that changed. Nothing of
// it is part of the verdict.
func explain(ctx context.Context, r *diff.Result, tell Tell, c *report.Context, opt trace.WhyOptions) (err error) {
	rows, others := report.Explained(r)
	looked := map[string]bool{}
	if tell.Reasons {
		if c.Why, err = trace.Whys(ctx, r.Only(rows), opt); err != nil {
			return err
		}
		for i := range c.Why.Kernels {
			looked[c.Why.Kernels[i].Row.Key] = true
		}
	}
	rest := slices.DeleteFunc(append(rows, others...), func(row *diff.Row) bool { return looked[row.Key] })
	c.Causes, err = trace.Causes(ctx, r.Only(rest))
	return err
}

// Why compares the assembly of two sides.
func Why(ctx context.Context, o Opened, before, after string) (w *trace.Why, warnings []string, err error) {
	o.Read.Assembly = true
	b, a, warnings, err := Sides(ctx, o, before, after)
	if err != nil {
		return nil, nil, err
	}
	r := Compare(o, b, a)
	if r.Renamed, err = trace.Renames(ctx, o.Config, r); err != nil {
		return nil, nil, err
	}
	w, err = trace.Whys(ctx, r, o.why())
	return w, warnings, err
}
