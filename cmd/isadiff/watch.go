package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"isadiff/console"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/session"
)

func (p *program) watch() *cobra.Command {
	var (
		baseline   string
		asJSON     bool
		poll       bool
		opt        inputFlags
		configured = map[string]any{}
	)
	c := &cobra.Command{
		Use:   "watch [DIR]",
		Short: "Compare live: show what changes against the baseline whenever a compile ends",
		Long: `Watch the dump directory DIR, the baseline and the Python sources, and print a
block for each run that has settled: the kernels that were compiled, what moved
against the baseline, and the verdict. DIR and the baseline are those of the
configuration if they are not given; neither needs to exist yet.

On a terminal: q quit, r read again, p pause, b take a baseline, c clear, ? help.

Exit codes: those of the last verdict. 0 no regression; 1 a kernel got worse;
2 not trustworthy, which it also is while kernels of the baseline are pending.`,
		Example: `  isadiff watch
  isadiff watch dumps --baseline before.json --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return operands("DIR")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				configured["dumps"] = args[0]
			}
			if baseline != "" {
				configured["baseline"] = baseline
			}
			if opt.kernels != "" {
				if _, err := opt.options(); err != nil {
					return err
				}
				configured["kernels"] = opt.kernels
			}
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			config, err := project.Load(project.Options{Dir: wd, Flags: configured})
			if err != nil {
				return err
			}
			for _, f := range config.Faults {
				p.warn(report.Warnings([]string{fmt.Sprint(f)}, p.style(p.stderr)))
			}
			p.document = asJSON
			s := session.Open(c.Context(), session.Options{
				Project: config, Poll: poll, IgnoreTimes: opt.ignoreTimes,
				Log: func(line string) { p.warn([]byte(line + "\n")) },
			})
			defer s.Close()
			verdict, err := console.Run(c.Context(), s, console.Options{
				Out: p.stdout, Style: func() report.Style { return p.style(p.stdout) },
				JSON: asJSON, Root: config.Root, Terminal: p.terminal(asJSON),
			})
			if err != nil {
				return problem.New(problem.OutputUnwritable, "the output cannot be written: %v", problem.Cause(err))
			}
			return p.end(verdict)
		},
	}
	pathVar(c, &baseline, "baseline", "", "compare with `PATH`, a .json snapshot or a dump directory")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line on stdout, alone")
	c.Flags().BoolVar(&poll, "poll", false, "look from time to time instead of using file events")
	opt.add(c)
	return c
}

// terminal returns the terminal that a person is at: stdin, if stdout is one too
// and holds text for people. Otherwise nil.
func (p *program) terminal(document bool) *os.File {
	in, typed := p.stdin.(*os.File)
	out, shown := p.stdout.(*os.File)
	if document || !typed || !shown || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) || p.env("TERM") == "dumb" {
		return nil
	}
	return in
}
