package main

import (
	"errors"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/snapshot"
)

func (p *program) snapshot() *cobra.Command {
	var (
		path string
		undo bool
		take judge.TakeOptions
		opt  inputFlags
	)
	c := &cobra.Command{
		Use:   "snapshot [DIR]",
		Short: "Take a baseline: save the figures of a dump directory",
		Long: `Write the figures of every kernel below DIR as the baseline, and show what changed
against the previous one, which is kept for --undo. Without arguments the
configuration says where the dumps and the baseline are. The
assembly is kept beside the figures, compressed: baseline.isa.zst of baseline.json.
It tells later which instructions a change added, and need not be committed.

Untrustworthy figures are refused without --force.

Exit codes: 0 written; 2 refused, or written from untrustworthy figures.`,
		Example: `  isadiff snapshot
  isadiff snapshot dumps -o before.json
  isadiff snapshot --undo`,
		Args: operands("[DIR]"),
		RunE: func(c *cobra.Command, args []string) error {
			shortLived()
			if undo {
				return p.undo(path, args)
			}
			var keys []string
			if path == "" {
				keys = append(keys, "baseline")
			}
			if len(args) == 0 {
				keys = append(keys, "dumps")
			}
			o, err := p.open(&opt, nil, judge.Needs{Keys: keys})
			if err != nil {
				return err
			}
			if path == "" {
				if path, err = o.Config.WritableBaseline(); err != nil {
					return err
				}
			}
			dir := o.Config.Dumps
			if len(args) > 0 {
				dir = args[0]
			}
			side, warnings, err := judge.Baseline(c.Context(), o, dir)
			if err != nil {
				return err
			}
			p.caution(warnings...)
			if len(args) == 0 {
				whence(side, o.Config, "dumps")
			}
			if doubts := side.Doubts(); take.Force || len(doubts) > 1 { // one alone is the error
				p.doubt(doubts)
			}
			taken, warnings, err := judge.Take(path, side, take)
			p.caution(warnings...)
			if err != nil {
				return err
			}
			style := p.style(p.stdout)
			if err := p.say(report.Taken(taken, report.Options{Style: style})); err != nil {
				return err
			}
			return p.end(report.SideVerdict(side))
		},
	}
	pathVar(c, &path, "output", "o", "write the baseline to `PATH`")
	c.Flags().BoolVar(&undo, "undo", false, "restore the previous baseline; a second undo reverts the first")
	c.Flags().StringVar(&take.Revision, "revision", "", "record `REV` as the revision of the figures")
	c.Flags().BoolVar(&take.NoISA, "no-isa", false, "keep the figures alone, without the assembly")
	c.Flags().BoolVar(&take.Force, "force", false, "save untrustworthy figures too; comparisons with them exit 2")
	opt.add(c)
	return c
}

// undo exchanges the baseline, the project's if no path is given, with the one
// before.
func (p *program) undo(path string, args []string) error {
	if len(args) > 0 {
		return usage("isadiff snapshot: --undo takes no DIR")
	}
	if path == "" {
		config, err := p.project(nil, judge.Needs{Keys: []string{"baseline"}})
		if err != nil {
			return err
		}
		if path, err = config.WritableBaseline(); err != nil {
			return err
		}
	}
	redone, err := snapshot.Undo(path)
	if err != nil {
		if known := (problem.Problem{}); errors.As(err, &known) && known.Code == problem.InputNotFound {
			return known.Mended("there is nothing to undo: a baseline is kept once `isadiff snapshot` replaces it")
		}
		return err
	}
	if err := p.say(report.Undone(path, redone)); err != nil {
		return err
	}
	return p.end(diff.OK)
}
