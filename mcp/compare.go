package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/watch/capture"
)

type compareInput struct {
	projectInput
	Revision      string   `json:"revision" jsonschema:"the git revision to compare the working tree with, such as HEAD or main"`
	Command       []string `json:"command" jsonschema:"the program that compiles the kernels and its arguments, such as python, -m, pytest, tests/kernels, -q. It runs on both sides"`
	Archs         []string `json:"archs,omitempty" jsonschema:"compile for these processors, such as gfx942, without a GPU; the machine's own if they are left out"`
	AllowFailures bool     `json:"allow_failures,omitempty" jsonschema:"do not count that the command fails if every compile ended well, as tests do that compare numbers where no GPU is"`
	Output        string   `json:"output,omitempty" jsonschema:"keep both sides in this folder, as before and after, so that why can look at them"`
	sideInput
	pairInput
	listInput
}

func (s *server) compare() {
	yes := true
	add(s, &sdk.Tool{
		Name: "compare",
		Description: "Tell whether any kernel got worse since a git revision: it checks the revision out into a temporary worktree, runs the command that compiles the kernels there and in the " +
			"working tree, and compares what they compiled. It takes as long as the command does, twice. Sides of a revision are cached.",
		Annotations: &sdk.ToolAnnotations{Title: "Compare with a revision", DestructiveHint: &yes, OpenWorldHint: &yes}, // the command may do anything
	}, func(ctx context.Context, c *call, in compareInput) (briefly, error) {
		o, err := c.open(in.projectInput, in.sideInput, in.Pairs, judge.Needs{Keys: append(slices.Clone(gate.Keys), "producer")})
		if err != nil {
			return briefly{}, err
		}
		run, err := o.comparison(c, in)
		if err != nil {
			return briefly{}, err
		}
		sides, err := capture.Compare(ctx, run)
		if err != nil {
			return briefly{}, err
		}
		defer sides.Close()
		if len(sides.Problems) > 0 {
			opt, err := options(in.listInput, report.Context{}, append(o.Warnings, sides.Warnings...))
			return briefly{report.BriefNone(sides.Problems, nil, opt)}, err
		}
		o.Read.Digest = true
		before, after, err := input.ReadBoth(ctx, sides.Before, sides.After, o.Read)
		if err != nil {
			return briefly{}, err
		}
		names := report.Context{Base: sides.Base.Name, Head: "the working tree", Passing: run.Out == "", Look: func(key string) string {
			return report.ToolCall("compare", "revision", in.Revision, "output", "sides") + ", then " + look("sides/before", "sides/after")(key)
		}}
		if run.Out != "" {
			names.Look = look(filepath.Join(run.Out, "before"), filepath.Join(run.Out, "after"))
		}
		return o.judged(ctx, c, before, after, in.listInput, sides.Warnings, names)
	})
}

// comparison returns what is captured. The command is always that of the call, so that
// whoever allows the call has seen what runs.
func (o *opened) comparison(c *call, in compareInput) (capture.CompareOptions, error) {
	run := capture.CompareOptions{
		Revision: in.Revision, Dir: o.dir, Producer: o.Config.Producer, AllowFailures: in.AllowFailures,
		Command: project.Command{Args: in.Command},
		Base:    func(base capture.Revision) { c.progress.say(fmt.Sprintf("base: %s (%s)", base, base.Name)) },
		Progress: func(side string, g capture.Progress) {
			c.progress.say(report.Progress("capturing "+side, g.Arch, g.Kernels, g.Elapsed.Truncate(5*time.Second), report.Style{}))
		},
	}
	if len(in.Command) == 0 || in.Command[0] == "" {
		p := problem.New(problem.Usage, "no command to run")
		if compile := o.Config.CompileText(); compile != "" {
			return run, p.Mended("give it as command; that of the project is %s, for the system's shell", compile)
		}
		return run, p.Mended("give the program that compiles the kernels and its arguments as command")
	}
	if len(in.Archs) > 0 {
		archs, err := capture.Archs(strings.Join(in.Archs, ","))
		if err != nil {
			return run, problem.New(problem.Usage, "archs: %v", err)
		}
		run.Archs = archs
	}
	if in.Output != "" {
		run.Out = absolute(o.dir, in.Output)
		if err := c.places.side(run.Out); err != nil {
			return run, err
		}
	}
	return run, nil
}
