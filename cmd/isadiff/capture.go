package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/judge"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/watch/capture"
)

func (p *program) capture() *cobra.Command {
	var (
		out, archs   string
		allow, quiet bool
		part         shard
	)
	c := &cobra.Command{
		Use:   "capture [flags] [-- COMMAND...]",
		Short: "Run a command and capture the dumps of all kernels that it compiles",
		Long: `Run COMMAND and dump every kernel that it compiles into a fresh directory, with
dumping on, caches off and source lines on. Under pytest each test has its own
directory, so that no specialization overwrites another; elsewhere launchers are
told apart by their builder's arguments and their constants.

--arch compiles for other processors than the machine's, without a GPU, into one
folder each; with --shard I/N for every Nth of them, so that N machines share the
work: "isadiff merge DIR/shard-*" joins what they captured. Without COMMAND the project's compile command is run. DIR is a new or
empty directory or an earlier capture, which is replaced; without -o it is the
configured dump directory, or .isadiff/dumps.

Tests that compare numbers fail where nothing runs. --allow-failures does not count
that: the command may end with an exit status if every test that failed, or else the
command itself, had compiled before, and every compile ended well.

Exit codes: 0 captured whole; 2 not whole, with the reason: the command failed, a
kernel came from a cache or left no assembly, one overwrote another, nothing was
compiled, or the capture was interrupted.`,
		Example: `  isadiff capture -o before -- python -m pytest tests/kernels -q
  isadiff capture --arch gfx942,gfx1201 -- python softmax.py`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := p.captureOptions(args, out, archs)
			if err == nil && part.n > 0 {
				err = part.divide(&o)
			}
			if err != nil {
				return err
			}
			status := p.status()
			defer status.clear()
			o.Stdout, o.Stderr = status.above(p.stdout), status.above(p.stderr)
			o.Progress = p.progress(status, "capturing")
			o.AllowFailures, o.Quiet = allow, quiet
			ctx, stop := hangup(c.Context())
			defer stop()
			r, err := capture.Run(ctx, o)
			status.clear()
			if err != nil {
				return err
			}
			return p.captured(r)
		},
	}
	pathVar(c, &out, "output", "o", "capture into `DIR`")
	c.Flags().StringVar(&archs, "arch", "", "compile for the architectures `A,B`, such as gfx942,gfx1201")
	c.Flags().Var(&part, "shard", "capture part `I/N` of the architectures alone, into a folder of its own below DIR; `isadiff merge` joins them")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "drop the lines that the compiler prints about its dumps")
	allowFailures(c, &allow)
	c.Flags().SetInterspersed(false)
	return c
}

// allowFailures adds the flag of the commands that run one.
func allowFailures(c *cobra.Command, allow *bool) {
	c.Flags().BoolVar(allow, "allow-failures", false, "do not count that COMMAND fails if all compiles ended well, as tests do that compare numbers without a GPU")
}

// captureOptions completes the command line from the configuration.
func (p *program) captureOptions(args []string, out, archs string) (o capture.Options, err error) {
	o = capture.Options{Out: out}
	if archs != "" {
		if o.Archs, err = capture.Archs(archs); err != nil {
			return o, usage("--arch: %v", err)
		}
	}
	if o.Command, o.Dir, err = p.compileCommand(args); err != nil {
		return o, err
	}
	wd, err := workingDir()
	if err != nil {
		return o, err
	}
	config, err := project.Load(project.Options{Dir: wd})
	if err != nil {
		return o, err
	}
	keys := []string{"producer", "producers"}
	if out == "" {
		keys = append(keys, "dumps")
	}
	if lost := config.Lost(keys...); len(lost) > 0 {
		return o, p.lost(judge.Unusable(config.Problems(lost)))
	}
	if o.Producer = config.Producer; out != "" {
		return o, nil
	}
	o.Out, err = captureDir(config)
	return o, err
}

// captureDir returns the directory that is captured into if none is named.
func captureDir(config *project.Config) (string, error) {
	switch config.Origin("dumps").Layer {
	case project.Default:
		return filepath.Join(config.Root, ".isadiff", "dumps"), nil
	case project.File, project.Client:
		return config.Dumps, config.CheckWrite(config.Dumps)
	default:
		return config.Dumps, nil
	}
}

// progress returns what shows how far a capture has come.
func (p *program) progress(status *statusLine, what string) func(capture.Progress) {
	return func(g capture.Progress) {
		status.set(report.Progress(what, g.Arch, g.Kernels, g.Elapsed, p.style(p.stderr)))
	}
}

// captured says what a capture has captured and ends with the verdict.
func (p *program) captured(r *capture.Result) error {
	p.caution(r.Warnings...)
	p.doubt(r.Problems)
	if err := p.say(report.Capture(summary(r), p.style(p.stdout))); err != nil {
		return err
	}
	if !r.Whole() {
		return p.end(diff.NotTrustworthy)
	}
	return p.end(diff.OK)
}

func summary(r *capture.Result) report.Captured {
	dir := r.Dir
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, dir); err == nil && filepath.IsLocal(rel) {
			dir = rel
		}
	}
	c := report.Captured{Dir: dir, Kernels: r.Kernels, Took: r.Took, Whole: r.Whole()}
	for _, compiler := range r.Compilers {
		c.Compilers = append(c.Compilers, compiler.String())
	}
	return c
}
