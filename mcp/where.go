package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/judge"
	"isadiff/engine/report"
)

type whereInput struct {
	projectInput
	Path string `json:"path" jsonschema:"an assembly file, a dump directory, or a .json snapshot that keeps its assembly"`
	sideInput
	listInput
}

func (s *server) where() {
	add(s, &sdk.Tool{
		Name:        "where",
		Description: "Show which source lines the registers and spills of kernels come from: the peak of live registers, the lines with spill code, the loops.",
		Annotations: readOnly("Where registers come from"),
	}, func(ctx context.Context, c *call, in whereInput) (briefly, error) {
		o, err := c.open(in.projectInput, in.sideInput, nil, judge.Needs{})
		if err != nil {
			return briefly{}, err
		}
		path, err := o.side(in.Path)
		if err != nil {
			return briefly{}, err
		}
		c.progress.say("reading " + path)
		r, err := judge.Where(ctx, o.Opened, path)
		if err != nil {
			return briefly{}, err
		}
		about, err := judge.Places(ctx, o.Opened, judge.WhereRecords(r))
		if err != nil {
			return briefly{}, err
		}
		opt, err := options(in.listInput, about, o.Warnings)
		if err != nil {
			return briefly{}, err
		}
		return briefly{report.BriefWhere(r, opt)}, nil
	})
}
