package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/atomicfile"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/watch/capture"
)

func (p *program) diff() *cobra.Command {
	var (
		to    destinations
		shown report.Options
		opt   inputFlags
	)
	c := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "Tell whether any kernel got worse from BEFORE to AFTER",
		Long: `Compare two sides, each a dump directory (NN_final_isa.s files at any depth) or
a .json snapshot, kernel by kernel. Code objects are read as well, a file or a tree
of them: .hsaco and .co files, bundles, libraries and wheels.

Both operands are required, so that a verdict in a log says what was compared;
"isadiff watch" takes them from the configuration.

The project's budgets and accepted regressions apply (see "isadiff accept").

Exit codes: 0 no regression; 1 a kernel got worse; 2 not trustworthy.`,
		Example: `  isadiff diff .isadiff/baseline.json dumps
  isadiff diff before after --kernels 'softmax_*' --json report.json
  isadiff diff rocm-6/lib rocm-7/lib`,
		Args: operands("BEFORE", "AFTER"),
		RunE: func(c *cobra.Command, args []string) error {
			shortLived()
			if err := p.claim(&to); err != nil {
				return err
			}
			o, err := p.open(&opt, nil, judge.Needs{Judged: gate.Keys})
			if err != nil {
				return err
			}
			o.Read.Digest = to.placed() // it also reads where kernels come from
			before, after, edited, err := judge.Sides(c.Context(), o, args[0], args[1])
			if err != nil {
				return err
			}
			for i := range before.Problems {
				if q := &before.Problems[i]; q.Code == problem.InputNotFound && q.File == args[0] && capture.IsRevision(c.Context(), ".", args[0]) {
					*q = q.Mended("%s is a revision: `isadiff compare %s -- COMMAND` compiles it and the working tree, and compares them", args[0], problem.Quoted(args[0]))
				}
			}
			p.caution(edited...)
			return p.judge(c.Context(), o, before, after, &to, shown)
		},
	}
	c.Flags().Var(jsonFlag{&to}, "json", "write the comparison as JSON to `PATH`; - is stdout, without other output")
	c.Flags().Var(&to, "format", "report as FORMAT to PATH, or to stdout; may be repeated: "+strings.Join(report.FormatNames(), ", "))
	must(c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.FormatNames(), cobra.ShellCompDirectiveNoFileComp)))
	c.Flags().BoolVarP(&shown.Quiet, "quiet", "q", false, "show no table, only the count of problems and the verdict")
	c.Flags().BoolVar(&shown.Occupancy, "occupancy", false, "also show the waves per SIMD, what limits them, and the next steps")
	c.Flags().StringVar(&shown.Base, "base", "", "name `REV` as the revision of BEFORE in reports")
	c.Flags().StringVar(&shown.Head, "head", "", "name `REV` as the revision of AFTER in reports")
	opt.add(c)
	opt.addPairs(c)
	return c
}

// judge compares two sides under the rules of a project, reports it and ends with
// the verdict.
func (p *program) judge(ctx context.Context, o judge.Opened, before, after *resource.Side, to *destinations, shown report.Options) error {
	r, about, err := judge.Judge(ctx, o, before, after, judge.Tell{Places: to.placed(), Reasons: to.explained()})
	if err != nil {
		return err
	}
	about.Base, about.Head, about.Tool, about.Look, about.Passing = shown.Base, shown.Head, build().Version, shown.Look, shown.Passing
	shown.Context, shown.Cautions = about, p.cautions
	return p.report(r, to, shown)
}

// claim settles which report has stdout.
func (p *program) claim(to *destinations) error {
	first, err := to.stdout()
	p.document = first != nil && first.format.Alone
	p.whole = first != nil && first.format.Whole
	return err
}

// report writes a comparison to where it was asked for, and ends with the
// verdict. All reports are made before one is written, and stdout comes last. When
// one cannot be written the exit code is 2, so those that are written already are
// written again to say so.
func (p *program) report(r *diff.Result, to *destinations, shown report.Options) error {
	stdout, err := to.stdout()
	if err != nil {
		return err
	}
	if !p.whole { // else they are told already
		p.caution(r.Warnings...)
	}
	if stdout == nil || stdout.format.Alone {
		opt := shown
		opt.Style = p.style(p.textOut())
		if err := p.say(report.Text(r, opt)); err != nil {
			return err
		}
	}
	p.doubt(r.Problems)
	reports, err := p.render(r, to, shown)
	if err != nil {
		return err
	}
	for i, d := range reports {
		if err := p.save(d.path, d.data); err != nil {
			p.amend(reports[:i], unfinished(r, err), shown)
			return err
		}
	}
	err = p.end(r.Verdict)
	if unsaid := (problem.Problem{}); errors.As(err, &unsaid) {
		p.amend(reports, unfinished(r, err), shown)
	}
	return err
}

// A rendered report is one that is made and not yet written.
type rendered struct {
	destination
	data []byte
}

// render makes the reports that were asked for; that for stdout is the last.
func (p *program) render(r *diff.Result, to *destinations, shown report.Options) (reports []rendered, err error) {
	for _, d := range to.list {
		opt := shown
		if d.path == "-" {
			opt.Style = p.style(p.stdout)
		}
		data, err := d.format.Render(r, opt)
		if err != nil {
			return nil, err
		}
		reports = append(reports, rendered{d, data})
	}
	stdout := slices.IndexFunc(reports, func(d rendered) bool { return d.path == "-" })
	if stdout >= 0 {
		document := reports[stdout]
		reports = append(slices.Delete(reports, stdout, stdout+1), document)
	}
	return reports, nil
}

// amend writes reports again that tell of another result. What is a stream has
// had its report, and what cannot be written now cannot be helped.
func (p *program) amend(written []rendered, r *diff.Result, shown report.Options) {
	for _, d := range written {
		if d.path == "-" || !atomicfile.Replaces(d.path) {
			continue
		}
		if data, err := d.format.Render(r, shown); err == nil {
			_ = p.save(d.path, data)
		}
	}
}

// unfinished is the result of a comparison whose reports could not all be written.
func unfinished(r *diff.Result, err error) *diff.Result {
	var why problem.Problem
	if !errors.As(err, &why) {
		why = problem.New(problem.OutputUnwritable, "%v", err)
	}
	u := *r
	u.Problems = append(slices.Clone(r.Problems), why)
	u.Verdict = diff.NotTrustworthy
	return &u
}
