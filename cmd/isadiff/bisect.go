package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/trend"
	"isadiff/watch/capture"
	"isadiff/watch/history"
)

func (p *program) bisect() *cobra.Command {
	var (
		opt         inputFlags
		f           revisionFlags
		firstParent bool
		metric      string
		asJSON      string
	)
	c := &cobra.Command{
		Use:   "bisect GOOD [BAD] [flags] [-- COMMAND...]",
		Short: "Find the git revision that made a kernel worse",
		Long: `Find the first revision after GOOD, up to BAD or HEAD, at which a kernel is worse
than at GOOD. COMMAND compiles the kernels of a revision in a temporary git
worktree; without it the project's compile command is run. What is searched for are
the kernels that are worse at BAD; each step holds them against GOOD by the rules of
"isadiff diff": not worse, worse, or nobody can tell, as where a revision does not
compile; such a revision is skipped, as by "git bisect skip".

The answer is the revision with its author, what it changed, and which instructions
did it. Each revision is captured once, and a search that was interrupted goes on
where it was. -j captures several at the same time; several machines share the
search with --shard I/N --to DIR, and --from DIR searches what was captured.

Exit codes: 0 nothing is worse at BAD; 1 the revision was found; 2 nobody can tell,
with the reason.`,
		Example: `  isadiff bisect v1.0 -- python -m pytest tests/kernels -q
  isadiff bisect v1.0 main -j 4 --kernels 'softmax_*' --metric vgpr -- make kernels
  isadiff bisect v1.0 main --from /shared/run`,
		RunE: func(c *cobra.Command, args []string) error {
			operands, command := beforeDash(c, args)
			if err := operandsOf(c, operands); err != nil {
				return err
			}
			p.document = asJSON == "-"
			opened, err := p.open(&opt, nil, judge.Needs{Judged: gate.Keys})
			if err != nil {
				return err
			}
			worse, err := worseBy(metric)
			if err != nil {
				return err
			}
			ctx, stop := hangup(c.Context())
			defer stop()
			run, err := p.openRevisions(ctx, &f, command, opened)
			if err != nil {
				return err
			}
			defer p.endRevisions(run)
			o, err := searched(ctx, run, append(operands, "HEAD"), firstParent)
			if err != nil {
				return err
			}
			if f.from != "" {
				run.Store, _, err = history.OpenShards(f.from)
			} else {
				err = p.keepRevisions(ctx, run, &f, "bisect", append(entriesOf(o.Commits), history.EntryOf(o.Good)))
			}
			if err != nil {
				return err
			}
			o.Worse = worse
			o.Compare = func(before, after *resource.Side) *diff.Result { return judge.Compare(opened, before, after) }
			o.Shard, o.Of = f.part.whole()
			return p.search(ctx, run, opened, o, asJSON)
		},
	}
	c.Flags().StringVar(&metric, "metric", "", "search for growth of `METRIC` alone")
	c.Flags().BoolVar(&firstParent, "first-parent", false, "take a merge as a whole: follow first parents only")
	pathVar(c, &asJSON, "json", "", "write the answer as JSON to `PATH`; - is stdout, without other output")
	f.add(c)
	opt.add(c)
	opt.addPairs(c)
	return c
}

// operandsOf checks GOOD and BAD.
func operandsOf(c *cobra.Command, operands []string) error {
	switch {
	case len(operands) == 0:
		return missing(c, "GOOD")
	case len(operands) > 2:
		return usage("isadiff bisect: unexpected operand %q; the command stands after --", operands[2])
	}
	return nil
}

// worseBy returns what tells that a row is worse: as diff has it, or by one metric.
func worseBy(name string) (func(*diff.Row) bool, error) {
	if name == "" {
		return func(r *diff.Row) bool { return r.Worsened() > len(r.Accepted) || r.Unlaunchable != "" }, nil
	}
	m, err := metricOf(name)
	return func(r *diff.Row) bool {
		change, ok := r.Delta(m)
		_, accepted := r.Acceptance(m)
		return ok && change > 0 && !accepted
	}, err
}

// searched returns what is searched: from a good revision to a bad one.
func searched(ctx context.Context, run *revisionRun, ends []string, firstParent bool) (o history.BisectOptions, err error) {
	o = history.BisectOptions{Runner: run.Runner, FirstParent: firstParent}
	if run.repository == nil {
		return o, usage("isadiff bisect: the revisions are those of a git repository, and this folder is in none")
	}
	if o.Good, err = run.repository.Revision(ctx, ends[0]); err != nil {
		return o, err
	}
	if o.Bad, err = run.repository.Revision(ctx, ends[1]); err != nil {
		return o, err
	}
	args := []string{"--topo-order", o.Bad.Commit, "^" + o.Good.Commit}
	if firstParent {
		args = slices.Insert(args, 0, "--first-parent")
	}
	if o.Commits, err = run.repository.Log(ctx, args...); err != nil {
		return o, err
	}
	if len(o.Commits) == 0 {
		return o, usage("isadiff bisect: no revision lies between %s and %s: GOOD has to be older than BAD", ends[0], ends[1])
	}
	bases, err := run.repository.MergeBases(ctx, o.Good, o.Bad)
	if err == nil && !slices.ContainsFunc(bases, func(b capture.Revision) bool { return b.Commit == o.Good.Commit }) {
		o.MergeBases = bases
	}
	return o, err
}

func entriesOf(commits []capture.Revision) (entries []history.Entry) {
	for _, rev := range commits {
		entries = append(entries, history.EntryOf(rev))
	}
	return entries
}

func commitOf(r capture.Revision) trend.Commit {
	return trend.Commit{Hash: r.Commit, Author: r.Author, Date: r.Date, Subject: r.Subject}
}

// search searches, shows what it finds and ends with the verdict.
func (p *program) search(ctx context.Context, run *revisionRun, opened judge.Opened, o history.BisectOptions, asJSON string) error {
	style := p.style(p.textOut())
	shown := report.Bisect{Good: commitOf(o.Good), Bad: commitOf(o.Bad)}
	say := func(text []byte) {
		run.status.clear()
		_ = p.say(text) // the verdict will tell that the output cannot be written
	}
	o.Ends = func(_, _ *resource.Side, rows []*diff.Row) {
		say(report.BisectEnds(shown.Good, shown.Bad, rows, style))
		if len(rows) > 0 {
			say([]byte(report.BisectCount(len(o.Commits), history.NewSearch(o.Commits, o.FirstParent).Steps(run.Jobs*o.Of))))
		}
	}
	o.Step = func(s history.Step) {
		step := report.BisectStep{Commit: commitOf(s.Revision), Rows: s.Rows, Why: s.Why, Result: words[s.Result]}
		shown.Steps = append(shown.Steps, step)
		say(report.BisectLine(step, style))
	}
	found, err := history.Bisect(ctx, o)
	run.status.clear()
	if err != nil {
		return err
	}
	shown.Contradicts, shown.Lacks, shown.Made, shown.FirstRows = found.Contradicts, found.Lacks, found.Made, found.Step.Rows
	for _, row := range found.Worse {
		if !slices.ContainsFunc(found.Step.Rows, func(first *diff.Row) bool { return first.Before.Key == row.Before.Key }) {
			shown.Rest = append(shown.Rest, row.Before.Key)
		}
	}
	for _, rev := range found.First {
		shown.First = append(shown.First, commitOf(rev))
	}
	if found.Parent != nil {
		parent := commitOf(*found.Parent)
		shown.Parent = &parent
	}
	if found.Made != nil {
		if shown.Why, err = whyWorse(ctx, opened, found); err != nil {
			return err
		}
	}
	shown.Verdict = verdictOf(found)
	return p.endSearch(&shown, found, asJSON, report.Options{Style: style})
}

var words = map[history.Result]string{history.Worse: report.BisectWorse, history.NotWorse: report.BisectGood, history.Unknown: report.BisectUnknown}

// verdictOf returns the verdict of a search.
func verdictOf(f *history.Found) diff.Verdict {
	switch {
	case len(f.Worse) == 0 && len(f.Result.Problems) > 0:
		return diff.NotTrustworthy
	case len(f.Worse) == 0:
		return diff.OK
	case len(f.First) == 1 && (f.Made == nil || f.Confirmed):
		return diff.Regression
	default:
		return diff.NotTrustworthy
	}
}

// whyWorse looks at the assembly of the kernels that the revision made worse.
func whyWorse(ctx context.Context, o judge.Opened, f *history.Found) (*trace.Why, error) {
	var rows []*diff.Row
	for i := range f.Made.Rows {
		row := &f.Made.Rows[i]
		if row.Comparable() && slices.ContainsFunc(f.Step.Rows, func(w *diff.Row) bool { return w.After.Key == row.After.Key }) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return trace.Whys(ctx, f.Made.Only(rows), trace.WhyOptions{Root: o.Config.Root, IgnoreTimes: o.Read.IgnoreTimes})
}

// endSearch shows how a search ended.
func (p *program) endSearch(shown *report.Bisect, found *history.Found, asJSON string, opt report.Options) error {
	warnings := slices.Clone(found.Result.Warnings)
	if len(found.Worse) > 0 {
		for _, q := range found.Result.Problems {
			warnings = append(warnings, "not searched for: "+q.Message)
		}
	} else if err := p.say([]byte("no kernel is known to be worse at BAD than at GOOD\n")); err != nil {
		return err
	}
	if n := found.Result.Broken; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%s of kernels at BAD: what breaks a budget is not searched for, only what grew", problem.Count(n, "broken budget")))
	}
	p.caution(warnings...)
	if len(found.Worse) == 0 {
		p.doubt(found.Result.Problems)
	}
	if err := p.say(report.BisectEnd(shown, opt)); err != nil {
		return err
	}
	if asJSON != "" {
		data, err := report.BisectJSON(shown)
		if err != nil {
			return err
		}
		if err := p.save(asJSON, data); err != nil {
			return err
		}
	}
	return p.end(shown.Verdict)
}
