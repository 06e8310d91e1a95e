package main

import (
	"slices"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/judge"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/watch/capture"
)

func (p *program) doctor() *cobra.Command {
	var python string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check what isadiff and the compiler depend on, and say what to fix",
		Long: `Check Python, FlyDSL, torch, the linker and device libraries, the target, the
variables that control dumping, the dump directory, the limits of file events, the
baseline and how the dumps compare with it, the compile command, git, the
configuration and the accepted regressions. What only a compile needs is an error
if a compile command is configured, else a note.

Exit codes: 0 nothing prevents a trustworthy answer; 2 something does.`,
		Args: operands(),
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := p.project(nil, judge.Needs{Judged: append(slices.Clone(project.Comparing), project.Judging...)})
			if err != nil {
				return err
			}
			checks := capture.Doctor{Config: config, Python: python}.Examine(c.Context())
			if err := c.Context().Err(); err != nil {
				return err
			}
			if err := p.say(report.Checks(checks, p.style(p.stdout))); err != nil {
				return err
			}
			if slices.ContainsFunc(checks, func(c report.Check) bool { return c.State == report.Failed }) {
				return p.end(diff.NotTrustworthy)
			}
			return p.end(diff.OK)
		},
	}
	pathVar(c, &python, "python", "", "check the interpreter `PATH` instead of the one on the shell's PATH")
	return c
}
