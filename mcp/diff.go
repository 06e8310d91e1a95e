package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/gate"
	"isadiff/engine/judge"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

type diffInput struct {
	projectInput
	Before string `json:"before" jsonschema:"a dump directory or a .json snapshot of the code before the change"`
	After  string `json:"after" jsonschema:"a dump directory or a .json snapshot of the code after the change"`
	sideInput
	pairInput
	listInput
}

func (s *server) diff() {
	add(s, &sdk.Tool{
		Name: "diff",
		Description: "Tell whether any kernel got worse from one side to another: registers, spills, scratch memory or LDS that grew. Both sides must have been compiled by the same " +
			"command for the same processor. The project's accepted regressions, tolerances and budgets apply.",
		Annotations: readOnly("Compare two sides"),
	}, func(ctx context.Context, c *call, in diffInput) (briefly, error) {
		o, err := c.open(in.projectInput, in.sideInput, in.Pairs, judge.Needs{Judged: gate.Keys})
		if err != nil {
			return briefly{}, err
		}
		before, after, err := o.sides(in.Before, in.After)
		if err != nil {
			return briefly{}, err
		}
		return o.difference(ctx, c, before, after, in.listInput)
	})
}

// difference compares two sides.
func (o *opened) difference(ctx context.Context, c *call, before, after string, l listInput) (briefly, error) {
	c.progress.say("reading both sides")
	o.Read.Digest = true
	b, a, edited, err := judge.Sides(ctx, o.Opened, before, after)
	if err != nil {
		return briefly{}, err
	}
	return o.judged(ctx, c, b, a, l, edited, report.Context{Look: look(before, after)})
}

// judged compares two sides that were read.
func (o *opened) judged(ctx context.Context, c *call, before, after *resource.Side, l listInput, warnings []string, names report.Context) (briefly, error) {
	c.progress.say("comparing")
	r, about, err := judge.Judge(ctx, o.Opened, before, after, judge.Tell{Places: true, Reasons: true})
	if err != nil {
		return briefly{}, err
	}
	about.Base, about.Head, about.Look, about.Passing = names.Base, names.Head, names.Look, names.Passing
	opt, err := options(l, about, append(o.Warnings, warnings...))
	if err != nil {
		return briefly{}, err
	}
	return briefly{report.BriefDiff(r, opt)}, nil
}
