package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/gate"
	"isadiff/engine/judge"
	"isadiff/engine/report"
)

func (s *server) why() {
	add(s, &sdk.Tool{
		Name: "why",
		Description: "Show which code made the difference between two sides: what became of the instructions of each kernel that changed, and on which source lines and loops registers and " +
			"spills came in. Ask it before you change a kernel that got worse, with kernels set to its key. Both sides need their assembly: dump directories have it, and snapshots that keep it.",
		Annotations: readOnly("Which code did it"),
	}, func(ctx context.Context, c *call, in diffInput) (briefly, error) {
		o, err := c.open(in.projectInput, in.sideInput, in.Pairs, judge.Needs{Judged: gate.Keys})
		if err != nil {
			return briefly{}, err
		}
		before, after, err := o.sides(in.Before, in.After)
		if err != nil {
			return briefly{}, err
		}
		c.progress.say("pairing instructions")
		w, edited, err := judge.Why(ctx, o.Opened, before, after)
		if err != nil {
			return briefly{}, err
		}
		about, err := judge.PlacesOf(ctx, o.Opened, w)
		if err != nil {
			return briefly{}, err
		}
		opt, err := options(in.listInput, about, append(o.Warnings, edited...))
		if err != nil {
			return briefly{}, err
		}
		return briefly{report.BriefWhy(w, opt)}, nil
	})
}
