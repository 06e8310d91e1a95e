package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/judge"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
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
			opened, err := p.open(&opt, nil, judge.Needs{Keys: slices.Concat(gate.Keys, []string{"producer"})})
			if err != nil {
				return err
			}
			opened.Read.Digest = to.placed()
			o := capture.CompareOptions{Revision: args[0], Producer: opened.Config.Producer, Out: out, NoCache: noCache, AllowFailures: allow, Quiet: shown.Quiet}
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
			if p.whole { // why the command failed is told, and its other output has no room
				o.Stdout, o.Stderr, o.Base = nil, nil, nil
			}
			o.Progress = func(side string, g capture.Progress) { p.progress(status, "capturing "+side)(g) }
			sides, err := capture.Compare(ctx, o)
			status.clear()
			if err != nil {
				return err
			}
			defer sides.Close()
			p.caution(sides.Warnings...)
			if len(sides.Problems) > 0 {
				if len(to.list) > 0 {
					shown.Base, shown.Head, shown.Passing, shown.Cautions, shown.Tool = sides.Base.Name, workingTree, true, p.cautions, build().Version
					return p.report(uncaptured(sides), &to, shown)
				}
				p.doubt(sides.Problems)
				return p.end(diff.NotTrustworthy)
			}
			if sides.Cached && !p.whole {
				if err := p.say([]byte("base: captured by an earlier run\n")); err != nil {
					return err
				}
			}
			before, after, err := input.ReadBoth(ctx, sides.Before, sides.After, opened.Read)
			if err != nil {
				return err
			}
			shown.Base, shown.Head = sides.Base.Name, workingTree
			shown.Passing = out == ""
			shown.Look = lookCloser(out, args[0], args[1:])
			return p.judge(ctx, opened, before, after, &to, shown)
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

// workingTree names the after side.
const workingTree = "the working tree"

// uncaptured is the result where a side could not be captured: nothing was compared, for
// the reasons that the capture has.
func uncaptured(sides *capture.Comparison) *diff.Result {
	r := diff.Compare(&resource.Side{Origin: sides.Base.Name}, &resource.Side{Origin: workingTree}, diff.Options{})
	r.Problems, r.Verdict = sides.Problems, diff.NotTrustworthy
	return r
}

// lookCloser returns what shows the code of a kernel after a comparison: the sides are
// gone, unless they are kept in a folder.
func lookCloser(out, revision string, command []string) func(key string) string {
	return func(key string) string {
		kept, again := out, ""
		if kept == "" {
			kept = "sides"
			args := []string{"compare", revision, "-o", kept}
			if len(command) > 0 {
				args = append(append(args, "--"), command...)
			}
			again = report.Command(args...) + "; "
		}
		return again + report.Command("why", filepath.Join(kept, "before"), filepath.Join(kept, "after"), "--kernels", accept.Exactly(key))
	}
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
		return project.Command{}, "", p.lost(judge.Unusable(config.Problems(lost)))
	}
	command, err := config.Command(true)
	if err != nil {
		return command, "", usage("no command to run: give one after --, or set %s", config.Setting("compile"))
	}
	p.warn(fmt.Appendf(nil, "running %s (compile, from %s)\n", command, config.Origin("compile")))
	return command, config.Root, nil
}
