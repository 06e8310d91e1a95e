package mcp

import (
	"context"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

type snapshotInput struct {
	projectInput
	Dumps    string `json:"dumps,omitempty" jsonschema:"the dump directory to take the figures of; the project's if it is left out"`
	Output   string `json:"output,omitempty" jsonschema:"the .json file to write; the project's baseline if it is left out"`
	Revision string `json:"revision,omitempty" jsonschema:"the revision of the sources, to be noted"`
	sideInput
	listInput
}

func (s *server) snapshot() {
	yes, no := true, false
	add(s, &sdk.Tool{
		Name: "snapshot",
		Description: "Take a baseline: write the figures of a dump directory, and its assembly beside them, in place of the baseline before, which is kept. " +
			"Take it of code that is known to be good, never to make a regression go away. Figures that cannot be trusted are refused.",
		Annotations: &sdk.ToolAnnotations{Title: "Take a baseline", DestructiveHint: &yes, OpenWorldHint: &no},
	}, func(ctx context.Context, c *call, in snapshotInput) (briefly, error) {
		var keys []string
		if in.Output == "" {
			keys = append(keys, "baseline")
		}
		if in.Dumps == "" {
			keys = append(keys, "dumps")
		}
		o, err := c.open(in.projectInput, in.sideInput, nil, judge.Needs{Keys: keys})
		if err != nil {
			return briefly{}, err
		}
		dumps := o.Config.Dumps
		if in.Dumps != "" {
			dumps = in.Dumps
		}
		if dumps, err = o.side(dumps); err != nil {
			return briefly{}, err
		}
		path := absolute(o.dir, in.Output)
		if in.Output == "" {
			if path, err = o.Config.WritableBaseline(); err != nil {
				return briefly{}, err
			}
		}
		if err := c.places.side(path); err != nil {
			return briefly{}, err
		}
		c.progress.say("reading " + dumps)
		side, warnings, err := judge.Baseline(ctx, o.Opened, dumps)
		if err != nil {
			return briefly{}, err
		}
		opt, err := options(in.listInput, report.Context{}, append(o.Warnings, warnings...))
		if err != nil {
			return briefly{}, err
		}
		c.progress.say("writing " + path)
		taken, warnings, err := judge.Take(path, side, judge.TakeOptions{Revision: in.Revision})
		opt.Cautions = append(opt.Cautions, warnings...)
		if refused := (problem.Problem{}); errors.As(err, &refused) {
			return briefly{report.BriefNone(append([]problem.Problem{refused}, side.Doubts()...), nil, opt)}, nil
		}
		if err != nil {
			return briefly{}, err
		}
		return briefly{report.BriefTaken(taken, opt)}, nil
	})
}
