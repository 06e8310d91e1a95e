package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/judge"
	"isadiff/engine/report"
)

type summarizeInput struct {
	projectInput
	Path string `json:"path" jsonschema:"a dump directory or a .json snapshot"`
	sideInput
	listInput
}

func (s *server) summarize() {
	add(s, &sdk.Tool{
		Name:        "summarize",
		Description: "Show registers, spills, scratch memory, LDS and instruction sites of the kernels in a dump directory or snapshot, those that spill most first, and whether the figures can be trusted.",
		Annotations: readOnly("Figures of kernels"),
	}, func(ctx context.Context, c *call, in summarizeInput) (briefly, error) {
		o, err := c.open(in.projectInput, in.sideInput, nil, judge.Needs{Judged: judge.Standing})
		if err != nil {
			return briefly{}, err
		}
		path, err := o.side(in.Path)
		if err != nil {
			return briefly{}, err
		}
		return o.summary(ctx, c, path, in.listInput)
	})
}

// summary returns the figures of one side.
func (o *opened) summary(ctx context.Context, c *call, path string, l listInput) (briefly, error) {
	c.progress.say("reading " + path)
	side, stands, err := judge.Side(ctx, o.Opened, path)
	if err != nil {
		return briefly{}, err
	}
	c.progress.say("looking for the definitions of kernels")
	about, err := judge.Places(ctx, o.Opened, side.Records)
	if err != nil {
		return briefly{}, err
	}
	opt, err := options(l, about, o.Warnings)
	if err != nil {
		return briefly{}, err
	}
	return briefly{report.BriefSide(side, stands, opt)}, nil
}
