package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/watch/capture"
)

func (p *program) compare() *cobra.Command {
	var (
		to         destinations
		shown      report.Options
		opt        inputFlags
		out, archs string
		noCache    bool
		allow      bool
	)
	c := &cobra.Command{
		Use:   "compare REV [flags] [-- COMMAND...]",
		Short: "Tell whether any kernel got worse since a git revision",
		Long: `Check out REV into a temporary git worktree, capture what COMMAND compiles there
and in the working tree, and compare the two. Without COMMAND the project's
compile command is run.

The captured side of REV is cached by its content (sources, command,
architectures, compiler, environment), so a second comparison compiles only the
working tree. If the run of REV used code of the working tree, as with an editable
install, the comparison is refused, with the PYTHONPATH that mends it.

Exit codes: 0 no regression; 1 a kernel got worse; 2 not trustworthy.`,
		Example: `  isadiff compare HEAD~1 -- python -m pytest tests/kernels -q
  isadiff compare main --arch gfx942,gfx950 -- python softmax.py`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return missing(c, "REV")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := p.claim(&to); err != nil {
				return err
			}
			config, read, err := p.options(&opt, nil, needs{keys: slices.Concat(gate.Keys, []string{"producer"})})
			if err != nil {
				return err
			}
			read.Digest = to.placed()
			o := capture.CompareOptions{Revision: args[0], Producer: config.Producer, Out: out, NoCache: noCache, AllowFailures: allow, Quiet: shown.Quiet}
			if o.Command, o.Dir, err = p.compileCommand(args[1:]); err != nil {
				return err
			}
			if archs != "" {
				if o.Archs, err = capture.Archs(archs); err != nil {
					return usage("--arch: %v", err)
				}
			}
			ctx, stop := hangup(c.Context())
			defer stop()
			status := p.status()
			defer status.clear()
			o.Stdout, o.Stderr = status.above(p.textOut()), status.above(p.stderr)
			o.Base = func(base capture.Revision) {
				_, _ = fmt.Fprintf(o.Stdout, "base: %s (%s)\n", base, base.Name)
			}
			o.Progress = func(side string, g capture.Progress) { p.progress(status, "capturing "+side)(g) }
			sides, err := capture.Compare(ctx, o)
			status.clear()
			if err != nil {
				return err
			}
			defer sides.Close()
			p.warn(report.Warnings(sides.Warnings, p.style(p.stderr)))
			if len(sides.Problems) > 0 {
				p.warn(report.Problems(sides.Problems, p.style(p.stderr)))
				return p.end(diff.NotTrustworthy)
			}
			if sides.Cached {
				if err := p.say([]byte("base: captured by an earlier run\n")); err != nil {
					return err
				}
			}
			before, after, err := input.ReadBoth(ctx, sides.Before, sides.After, read)
			if err != nil {
				return err
			}
			shown.Base, shown.Head = sides.Base.Name, "the working tree"
			return p.judge(ctx, config, before, after, read, &to, shown)
		},
	}
	pathVar(c, &out, "output", "o", "keep both sides below `DIR`, as before and after")
	c.Flags().StringVar(&archs, "arch", "", "compile for the architectures `A,B`, such as gfx942,gfx1201")
	c.Flags().BoolVar(&noCache, "no-cache", false, "capture REV again even if an earlier run did")
	c.Flags().Var(jsonFlag{&to}, "json", "write the comparison as JSON to `PATH`; - is stdout, without other output")
	c.Flags().Var(&to, "format", "report as FORMAT to PATH, or to stdout, as diff does; may be repeated")
	c.Flags().BoolVarP(&shown.Quiet, "quiet", "q", false, "show no table, only the count of problems and the verdict, and no lines of the compiler about its dumps")
	allowFailures(c, &allow)
	c.Flags().BoolVar(&shown.Occupancy, "occupancy", false, "also show the waves per SIMD, what limits them, and the next steps")
	opt.add(c)
	opt.addPairs(c)
	return c
}

// compileCommand returns the command of the command line and where it runs, or
// else the project's.
func (p *program) compileCommand(args []string) (project.Command, string, error) {
	if len(args) > 0 {
		return project.Command{Args: args}, "", nil
	}
	wd, err := workingDir()
	if err != nil {
		return project.Command{}, "", err
	}
	config, err := project.Load(project.Options{Dir: wd})
	if err != nil {
		return project.Command{}, "", err
	}
	if lost := config.Lost("compile"); len(lost) > 0 {
		return project.Command{}, "", p.lost(config, lost)
	}
	command, err := config.Command(true)
	if err != nil {
		return command, "", usage("no command to run: give one after --, or set %s", config.Setting("compile"))
	}
	p.warn(fmt.Appendf(nil, "running %s (compile, from %s)\n", command, config.Origin("compile")))
	return command, config.Root, nil
}
