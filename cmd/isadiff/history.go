package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/trend"
	"isadiff/watch/capture"
	"isadiff/watch/history"
)

func (p *program) history() *cobra.Command {
	var (
		opt   inputFlags
		shown trendFlags
		f     revisionFlags
		last  int
		every int
	)
	c := &cobra.Command{
		Use:   "history [REV..REV | REV] [flags] [-- COMMAND...]",
		Short: "Show the figures over the revisions of a git repository",
		Long: `Capture what COMMAND compiles at each revision, in temporary git worktrees, and
show the figures: a table for each metric that moved, the commits at which it did,
and with --html a page with a picture of each kernel. Without COMMAND the project's
compile command is run. The revisions are REV..REV, with both ends, or the last
20 up to REV or HEAD; of a merge only the first parent counts.

Each revision is captured once: its figures are kept, so that a run that was
interrupted goes on where it was. At the start one of those that are kept is
captured again; if it does not come out the same, the compiler is another one, and
nothing that was kept counts.

A revision that cannot be compiled is a gap with its reason. Several machines share
the work with --shard I/N --to DIR; --from DIR then shows what they captured.

Exit codes: 0 all figures were read; 2 some could not be.`,
		Example: `  isadiff history -n 50 -j 4 --html history.html -- python -m pytest tests/kernels -q
  isadiff history v1.0..main --every 10 --kernels 'softmax_*' -- make kernels
  isadiff history v1.0..main --shard 3/8 --to /shared/run -- make kernels
  isadiff history --from /shared/run --html history.html`,
		RunE: func(c *cobra.Command, args []string) error {
			operands, command := beforeDash(c, args)
			if len(operands) > 1 {
				return usage("isadiff history: unexpected operand %q; the command stands after --", operands[1])
			}
			if err := shown.claim(p); err != nil {
				return err
			}
			if every < 1 || last < 1 {
				return usage("--every and -n are at least 1")
			}
			opened, err := p.open(&opt, nil, judge.Needs{})
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
			var entries []history.Entry
			var missing []problem.Problem
			if f.from != "" {
				if len(operands) > 0 {
					return usage("isadiff history: --from shows the revisions of the shards, so %q does not go with it", operands[0])
				}
				if run.Store, entries, missing, err = joined(f.from); err != nil {
					return err
				}
			} else {
				r, err := newRange(operands, last, c.Flags().Changed("last"))
				if err != nil {
					return err
				}
				if entries, err = r.entries(ctx, run.repository, every); err != nil {
					return err
				}
				if err := p.keepRevisions(ctx, run, &f, "history", entries); err != nil {
					return err
				}
				gaps, err := run.All(ctx, ownPart(entries, &f.part))
				if err != nil {
					return err
				}
				run.status.clear()
				if f.part.n > 1 {
					return p.endShard(entries, gaps, &f)
				}
			}
			t, err := lineUp(ctx, run, entries, missing, opened.Read.Kernels)
			if err != nil {
				return err
			}
			if shown.asHTML != "" || shown.asJSON != "" {
				if shown.Why, err = p.reasons(ctx, run, opened, t, entries, &shown); err != nil {
					return err
				}
			}
			return p.showTrend(t, &shown)
		},
	}
	c.Flags().IntVarP(&last, "last", "n", 20, "look at the last `N` revisions")
	c.Flags().IntVar(&every, "every", 1, "look at each `K`th revision only, from the newest on, and at the oldest")
	f.add(c)
	shown.add(c)
	opt.add(c)
	return c
}

// A revisionRange is what history looks at.
type revisionRange struct {
	from, to string // from is "" if the last revisions are looked at
	last     int
}

// newRange reads the operand.
func newRange(operands []string, last int, counted bool) (revisionRange, error) {
	r := revisionRange{to: "HEAD", last: last}
	if len(operands) == 0 {
		return r, nil
	}
	from, to, isRange := strings.Cut(operands[0], "..")
	switch {
	case !isRange:
		r.to = operands[0]
		return r, nil
	case strings.HasPrefix(to, "."):
		return r, usage("isadiff history: %q is no line of revisions; give REV..REV", operands[0])
	case counted:
		return r, usage("isadiff history: -n does not go with %s", operands[0])
	case from == "":
		return r, usage("isadiff history: %q has no beginning; give REV..REV", operands[0])
	}
	if r.from = from; to != "" {
		r.to = to
	}
	return r, nil
}

// entries returns the revisions of a range, the oldest first.
func (r revisionRange) entries(ctx context.Context, repository *capture.Revisions, every int) (entries []history.Entry, err error) {
	to, err := repository.Revision(ctx, r.to)
	if err != nil {
		return nil, err
	}
	args := []string{"--first-parent", "--topo-order"}
	if r.from == "" {
		args = append(args, fmt.Sprintf("--max-count=%d", r.last), to.Commit)
	} else {
		args = append(args, to.Commit)
	}
	var list []capture.Revision
	if r.from != "" {
		from, err := repository.Revision(ctx, r.from)
		if err != nil {
			return nil, err
		}
		if list, err = repository.Log(ctx, append(args, "^"+from.Commit)...); err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, usage("isadiff history: no revision is after %s up to %s", r.from, r.to)
		}
		list = append(list, from)
	} else if list, err = repository.Log(ctx, args...); err != nil {
		return nil, err
	}
	skipped := 0
	for i, rev := range list { // the newest first
		if i%every != 0 && i != len(list)-1 {
			skipped++
			continue
		}
		if len(entries) > 0 {
			entries[len(entries)-1].Skipped = skipped
		}
		entries, skipped = append(entries, history.EntryOf(rev)), 0
	}
	slices.Reverse(entries)
	return entries, nil
}

// ownPart returns the revisions that a shard captures, the newest first.
func ownPart(entries []history.Entry, s *shard) (own []capture.Revision) {
	i, n := s.whole()
	for at, e := range slices.Backward(entries) {
		if at%n == i-1 {
			own = append(own, e.Revision())
		}
	}
	return own
}

// endShard says what a shard has done.
func (p *program) endShard(entries []history.Entry, gaps map[string]*history.Gap, f *revisionFlags) error {
	own := ownPart(entries, &f.part)
	var problems []problem.Problem
	for _, rev := range own {
		if gap := gaps[rev.Commit]; gap != nil {
			problems = append(problems, lacking(rev, gap))
		}
	}
	p.doubt(problems)
	if err := p.say(fmt.Appendf(nil, "shard %s: %d of its %s captured, of %d in all, below %s\n", &f.part, len(own)-len(problems), problem.Count(len(own), "revision"), len(entries), f.to)); err != nil {
		return err
	}
	if len(problems) > 0 {
		return p.end(diff.NotTrustworthy)
	}
	return p.end(diff.OK)
}

// lacking is the problem of a revision without figures.
func lacking(rev capture.Revision, gap *history.Gap) problem.Problem {
	q := gap.Problem
	q.Message = fmt.Sprintf("%s %s: %s", rev.Name, rev.Subject, q.Message)
	return q
}

// joined opens what shards left in a folder. The problems name those that are missing, and
// what others lack.
func joined(folder string) (*history.Store, []history.Entry, []problem.Problem, error) {
	store, shares, err := history.OpenShards(folder)
	if err != nil {
		return nil, nil, nil, err
	}
	var problems []problem.Problem
	at := map[int]*history.Share{}
	for _, s := range shares {
		at[s.Shard] = s
	}
	entries := shares[0].Revisions
	for i := range shares[0].Of {
		part := shard{i + 1, shares[0].Of}
		own, lacks := ownPart(entries, &part), 0
		for _, rev := range own {
			if _, ok := store.Find(rev.Tree); !ok && store.Gap(rev.Commit) == nil {
				lacks++
			}
		}
		name := history.ShardName(part.i, part.n)
		switch {
		case at[i+1] == nil && lacks > 0:
			problems = append(problems, problem.New(problem.InputNotFound, "shard %s is missing: there is no %s in %s, so %s without figures", &part, name, folder, problem.Count(lacks, "revision")).
				Mended("start it, with --shard %s --to %s", &part, problem.Quoted(folder)))
		case lacks > 0:
			problems = append(problems, problem.New(problem.CaptureIncomplete, "shard %s has not ended: %s of its %d without figures", &part, problem.Count(lacks, "revision"), len(own)).
				Mended("wait for its end; if it was killed, start it again, with --shard %s --to %s", &part, problem.Quoted(folder)))
		}
	}
	return store, entries, problems, nil
}

// lineUp reads the figures of revisions, one after the other.
func lineUp(ctx context.Context, run *revisionRun, entries []history.Entry, problems []problem.Problem, kernels *resource.Matcher) (*trend.Trend, error) {
	var l trend.Lineup
	for _, e := range entries {
		rev := e.Revision()
		point := trend.Point{Label: rev.Name, Commit: &trend.Commit{Hash: e.Commit, Author: e.Author, Date: e.Date, Subject: e.Subject, Skipped: e.Skipped}}
		side, err := run.Side(ctx, rev)
		var gap *history.Gap
		switch {
		case errors.As(err, &gap):
			point.Gap, side = gap.Reason(), &resource.Side{Origin: rev.Name, Revision: e.Commit}
			if gap.Code != problem.InputNotFound || len(problems) == 0 { // else the shard is named
				problems = append(problems, lacking(rev, gap))
			}
		case err != nil:
			return nil, err
		}
		point.Side = side
		l.Add(point)
	}
	t := l.Trend(kernels)
	t.Problems = append(t.Problems, problems...)
	return t, nil
}

// maxReasons bounds the moves whose assembly is looked at.
const maxReasons = 500

// reasons says what made the moves of a history, as far as the assembly of both revisions
// is kept.
func (p *program) reasons(ctx context.Context, run *revisionRun, o judge.Opened, t *trend.Trend, entries []history.Entry, shown *trendFlags) (map[report.Move][]string, error) {
	metrics := shown.Metrics
	if metrics == nil {
		metrics = t.Metrics()
	}
	moves := map[trend.Step][]string{} // the kernels of each
	var steps []trend.Step
	count := 0
	for i := range t.Kernels {
		s := &t.Kernels[i]
		var own []trend.Step
		for _, m := range metrics {
			own = append(own, s.Steps(m)...)
		}
		slices.SortFunc(own, compareSteps)
		for _, step := range slices.Compact(own) {
			if count++; count > maxReasons {
				break
			}
			if moves[step] == nil {
				steps = append(steps, step)
			}
			moves[step] = append(moves[step], s.Key)
		}
	}
	if count > maxReasons {
		t.Warnings = append(t.Warnings, fmt.Sprintf("the reasons of the first %d moves are looked for; `isadiff why` tells those of others", maxReasons))
	}
	slices.SortFunc(steps, compareSteps)
	why := map[report.Move][]string{}
	var last *resource.Side // of the point at
	at := -1
	for _, step := range steps {
		run.status.set(fmt.Sprintf("isadiff: looking for reasons, %d of %d", len(why), min(count, maxReasons)))
		before := last // most often that of the step before
		if at != step.From {
			var err error
			if before, err = run.Side(ctx, entries[step.From].Revision()); err != nil {
				return nil, err
			}
		}
		after, err := run.Side(ctx, entries[step.To].Revision())
		if err != nil {
			return nil, err
		}
		last, at = after, step.To
		r := judge.Compare(o, before, after)
		var rows []*diff.Row
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Before != nil && row.After != nil && slices.Contains(moves[step], row.Key) {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		w, err := trace.Whys(ctx, r.Only(rows), trace.WhyOptions{})
		if err != nil {
			return nil, err
		}
		for i := range w.Kernels {
			k := &w.Kernels[i]
			why[report.Move{Kernel: k.Row.Key, Step: step}] = report.Reasons(k)
		}
	}
	run.status.clear()
	return why, nil
}

func compareSteps(a, b trend.Step) int {
	if a.To != b.To {
		return a.To - b.To
	}
	return a.From - b.From
}
