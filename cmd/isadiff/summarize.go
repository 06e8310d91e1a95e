package main

import (
	"github.com/spf13/cobra"

	"isadiff/engine/judge"
	"isadiff/engine/report"
	"isadiff/engine/snapshot"
)

func (p *program) summarize() *cobra.Command {
	var (
		path  string
		shown report.Options
		opt   inputFlags
		short shortFlag
	)
	c := &cobra.Command{
		Use:   "summarize DIR",
		Short: "Show the figures of every kernel in a dump directory or snapshot",
		Long: `Show registers, spills, scratch, LDS and instruction sites of every kernel below
DIR, and whether they can be trusted. DIR can be a file with code objects as well
(.hsaco, .co, a bundle, a library, a wheel). --json saves them as a snapshot, which
"isadiff diff" takes in place of the directory. DIR is required, so that a verdict
in a log says what was read.

Exit codes: 0 all figures were read; 1 a budget is broken; 2 not trustworthy.`,
		Example: `  isadiff summarize ~/.flydsl/debug
  isadiff summarize dumps --json before.json`,
		Args: operands("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			shortLived()
			p.document = path == "-"
			p.whole = short.asked()
			o, err := p.open(&opt, nil, judge.Needs{Judged: judge.Standing})
			if err != nil {
				return err
			}
			o.Read.Digest = path != ""
			side, stands, err := judge.Side(c.Context(), o, args[0])
			if err != nil {
				return err
			}
			if p.whole {
				if shown.Context, err = judge.Places(c.Context(), o, side.Records); err != nil {
					return err
				}
				shown.Cautions = p.cautions
				err = p.brief(report.BriefSide(side, stands, shown))
			} else {
				p.caution(stands.Warnings...)
				shown.Style = p.style(p.textOut())
				err = p.say(report.Summary(side, stands, shown))
				p.doubt(stands.Problems)
			}
			if err != nil {
				return err
			}
			// A tree without kernels writes nothing: a baseline at the path survives.
			if path != "" && len(side.Records) > 0 {
				if err := p.keep(path, side, snapshot.Meta{}); err != nil {
					return err
				}
			}
			return p.end(stands.Verdict)
		},
	}
	pathVar(c, &path, "json", "", "write a snapshot to `PATH`; - is stdout, without other output")
	c.Flags().BoolVarP(&shown.Quiet, "quiet", "q", false, "show no table, only the count of problems and the verdict")
	c.Flags().BoolVar(&shown.Occupancy, "occupancy", false, "also show the waves per SIMD, what limits them, and the next steps")
	opt.add(c)
	short.add(c)
	return c
}
