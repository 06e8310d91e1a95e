package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/gate"
	"isadiff/engine/judge"
	"isadiff/engine/report"
)

type statusInput struct {
	projectInput
	listInput
}

// A status is what is known of a project without compiling anything.
type status struct {
	Project judge.Here    `json:"project"`
	Roots   []string      `json:"roots" jsonschema:"the folders that this server may use"`
	Answer  *report.Brief `json:"answer,omitempty" jsonschema:"how the dumps compare with the baseline; without a baseline the figures of the dumps. Absent if there are no dumps"`
	Note    string        `json:"note" jsonschema:"why there is no answer, and what to do; empty if there is one"`
}

func (s status) text() string {
	var b strings.Builder
	stored := func(name string, s judge.Stored) {
		if s.There {
			fmt.Fprintf(&b, "%s %s, of %s\n", name, report.OneLine(s.Path), s.Of)
		} else {
			fmt.Fprintf(&b, "%s %s, not there\n", name, report.OneLine(s.Path))
		}
	}
	fmt.Fprintf(&b, "project %s\n", report.OneLine(s.Project.Root))
	stored("dumps", s.Project.Dumps)
	stored("baseline", s.Project.Baseline)
	if s.Project.Compile != "" {
		fmt.Fprintf(&b, "compile %s\n", report.OneLine(s.Project.Compile))
	}
	if s.Note != "" {
		fmt.Fprintf(&b, "%s\n", report.OneLine(s.Note))
	}
	if s.Answer != nil {
		b.Write(s.Answer.Text(report.Style{}))
	}
	return b.String()
}

func (s *server) status() {
	add(s, &sdk.Tool{
		Name:        "status",
		Description: "Tell where the project has its dumps, its baseline and its compile command, and how the dumps that are there compare with the baseline. It compiles nothing. Ask it first.",
		Annotations: readOnly("The project as it is"),
	}, func(ctx context.Context, c *call, in statusInput) (status, error) {
		o, err := c.open(in.projectInput, sideInput{}, nil, judge.Needs{Judged: gate.Keys})
		if err != nil {
			return status{}, err
		}
		st := status{Project: judge.HereOf(o.Config), Roots: c.places.dirs}
		dumps, baseline := o.Config.Dumps, o.Config.Baseline
		switch dumpsUsed, baselineUsed := o.places.side(dumps), o.places.side(baseline); {
		case dumpsUsed != nil:
			st.Note, st.Project.Dumps = dumpsUsed.Error(), judge.Stored{Path: dumps}
		case baselineUsed != nil:
			st.Note, st.Project.Baseline = baselineUsed.Error(), judge.Stored{Path: baseline}
		case !st.Project.Dumps.There:
			st.Note = "there are no dumps yet: compile into " + dumps + ", or compare with a revision"
		case !st.Project.Baseline.There:
			st.Note = "there is no baseline yet, so nothing is compared; the tool snapshot takes one of code that is known to be good"
			b, err := o.summary(ctx, c, dumps, in.listInput)
			if err != nil {
				return status{}, err
			}
			st.Answer = b.Brief
		default:
			b, err := o.difference(ctx, c, baseline, dumps, in.listInput)
			if err != nil {
				return status{}, err
			}
			st.Answer = b.Brief
		}
		return st, nil
	})
}
