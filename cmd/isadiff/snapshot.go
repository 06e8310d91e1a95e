package main

import (
	"time"

	"github.com/spf13/cobra"

	"isadiff/engine/input"
	"isadiff/engine/report"
	"isadiff/engine/snapshot"
)

func (p *program) snapshot() *cobra.Command {
	var (
		path, revision string
		force          bool
		opt            inputFlags
	)
	c := &cobra.Command{
		Use:   "snapshot [DIR]",
		Short: "Take the baseline: keep the figures of a dump directory",
		Long: `Write the figures of every kernel below DIR as the baseline, and say what moved
against the one before, which is kept beside it for an undo. DIR and the place
of the baseline are those of the configuration if they are not given.

Untrustworthy figures are no baseline: they are refused without --force.

Exit codes: 0 written; 2 refused, or written from untrustworthy figures.`,
		Example: `  isadiff snapshot
  isadiff snapshot dumps -o before.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return operands("DIR")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := p.places(args, &path)
			if err != nil {
				return err
			}
			read, err := opt.options()
			if err != nil {
				return err
			}
			read.NeedKernels, read.Digest = true, true
			side, err := input.Read(c.Context(), dir, read)
			if err != nil {
				return err
			}
			style := p.style(p.stdout)
			p.warn(report.Warnings(side.Warnings, p.style(p.stderr)))
			p.warn(report.Problems(side.Doubts(), p.style(p.stderr)))
			taken, err := snapshot.Take(path, side, snapshot.Meta{Written: time.Now(), Revision: revision}, force)
			if err != nil {
				return err
			}
			if err := p.say(report.Taken(taken, report.Options{Style: style})); err != nil {
				return err
			}
			return p.end(report.SideVerdict(side))
		},
	}
	pathVar(c, &path, "output", "o", "write the baseline to `PATH`")
	c.Flags().StringVar(&revision, "revision", "", "note that the figures are those of `REV`")
	c.Flags().BoolVar(&force, "force", false, "keep untrustworthy figures too; comparisons with them exit 2")
	opt.add(c)
	return c
}

// places returns the dump directory of a command and completes the path of the
// baseline, both from the configuration where the command line says nothing.
func (p *program) places(args []string, baseline *string) (dumps string, err error) {
	if len(args) > 0 && *baseline != "" {
		return args[0], nil
	}
	config, err := p.project(nil)
	if err != nil {
		return "", err
	}
	if *baseline == "" {
		if *baseline, err = config.WritableBaseline(); err != nil {
			return "", err
		}
	}
	if len(args) > 0 {
		return args[0], nil
	}
	return config.Dumps, nil
}
