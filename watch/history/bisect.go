package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/watch/capture"
)

// BisectOptions say what is searched for and where.
type BisectOptions struct {
	Runner    *Runner
	Good, Bad capture.Revision
	// Commits are what the search is about: Bad and its ancestors that are none of Good,
	// children before their parents.
	Commits     []capture.Revision
	MergeBases  []capture.Revision // of Good and Bad, where Good is no ancestor of Bad
	FirstParent bool
	Compare     func(before, after *resource.Side) *diff.Result
	// Worse reports whether a row of a comparison with Good tells of what is searched for.
	Worse func(*diff.Row) bool
	// Shard is which of Of shards this is, from 1: each looks at other commits.
	Shard, Of int
	Ends      func(good, bad *resource.Side, worse []*diff.Row) // called when both ends are judged
	Step      func(Step)                                        // called after each step, by one at a time
}

// A Step is a revision that was judged.
type Step struct {
	Revision capture.Revision
	Result   Result
	Rows     []*diff.Row // those that are worse
	Why      string      // if nobody can tell
}

// A Result is how a revision stands to the good one.
type Result int

// The results.
const (
	Unknown Result = iota
	NotWorse
	Worse
)

// A Found is how a search ended.
type Found struct {
	Result *diff.Result // of Good and Bad
	Worse  []*diff.Row  // of it, those that are worse; without one nothing was searched for
	// First are the revisions of which the first that is worse is one: it, if it is one
	// alone.
	First  []capture.Revision
	Step   Step              // of the first, if it is one alone
	Parent *capture.Revision // with which it is compared
	Made   *diff.Result      // what it changed; nil if the parent has no figures
	Lacks  string            // why it has none
	// Contradicts is set where results do not fit each other: the kernels went better and
	// worse more than once.
	Contradicts bool
	Confirmed   bool // the first is worse than its parent as well
}

// Bisect searches for the first revision that is worse than Good, of the kernels that are
// worse in Bad. The error is a problem if either end has no figures.
func Bisect(ctx context.Context, o BisectOptions) (*Found, error) {
	r := o.Runner
	ends := []capture.Revision{o.Good, o.Bad}
	if _, err := r.All(ctx, ends); err != nil {
		return nil, err
	}
	var sides [2]*resource.Side
	for i, rev := range ends {
		var err error
		if sides[i], err = r.Side(ctx, rev); err != nil {
			return nil, unknown(rev, err)
		}
	}
	f := &Found{Result: o.Compare(sides[0], sides[1])}
	var keys []string // of Good
	for i := range f.Result.Rows {
		if row := &f.Result.Rows[i]; row.Comparable() && o.Worse(row) {
			f.Worse = append(f.Worse, row)
			keys = append(keys, row.Before.Key)
		}
	}
	if o.Ends != nil {
		o.Ends(sides[0], sides[1], f.Worse)
	}
	if len(f.Worse) == 0 {
		return f, nil
	}
	j := judge{BisectOptions: o, good: sides[0], keys: keys}
	for _, base := range o.MergeBases {
		step, err := j.look(ctx, base)
		if err != nil {
			return nil, err
		}
		if j.tell(step); step.Result == Worse {
			return nil, problem.New(problem.CompareRevision, "%s, where %s and %s part, is worse than %s already: what is better was made on the way to %s",
				base.Name, o.Good.Name, o.Bad.Name, o.Good.Name, o.Good.Name).Mended("give an ancestor of %s that is good", o.Bad.Name)
		}
	}
	steps, err := j.search(ctx, f)
	if err != nil || len(f.First) > 1 {
		return f, err
	}
	f.Step = Step{Revision: f.First[0], Result: Worse, Rows: f.Worse}
	if step, ok := steps[f.First[0].Commit]; ok {
		f.Step = step
	}
	return f, j.explain(ctx, f)
}

func unknown(rev capture.Revision, err error) error {
	var gap *Gap
	if !errors.As(err, &gap) {
		return err
	}
	p := gap.Problem
	p.Message = rev.Name + " has no figures: " + p.Message
	return p
}

// A judge judges revisions by the good one.
type judge struct {
	BisectOptions
	good *resource.Side
	keys []string // of the kernels that count
	mu   sync.Mutex
}

// look judges a revision. The error is why nothing can be captured.
func (j *judge) look(ctx context.Context, rev capture.Revision) (Step, error) {
	step := Step{Revision: rev}
	side, err := j.Runner.Side(ctx, rev)
	var gap *Gap
	if errors.As(err, &gap) {
		step.Why = gap.Reason()
		return step, nil
	}
	if err != nil {
		return step, err
	}
	if len(side.Problems) > 0 {
		step.Why = side.Problems[0].Error()
		return step, nil
	}
	result := j.Compare(j.good, side)
	compared := 0
	for i := range result.Rows {
		row := &result.Rows[i]
		switch {
		case row.Before == nil || !slices.Contains(j.keys, row.Before.Key):
		case !row.Comparable():
			if step.Why == "" {
				step.Why = row.Blocked[0].Error()
			}
		default:
			if compared++; j.Worse(row) {
				step.Rows = append(step.Rows, row)
			}
		}
	}
	switch {
	case len(step.Rows) > 0:
		step.Result, step.Why = Worse, ""
	case compared == len(j.keys):
		step.Result = NotWorse
	case step.Why == "":
		step.Why = fmt.Sprintf("only %d of %s are compared", compared, problem.Count(len(j.keys), "kernel"))
	}
	return step, nil
}

func (j *judge) tell(step Step) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Step != nil {
		j.Step(step)
	}
}

// search narrows down the first revision that is worse.
func (j *judge) search(ctx context.Context, f *Found) (map[string]Step, error) {
	s := NewSearch(j.Commits, j.FirstParent)
	steps := map[string]Step{}
	jobs := max(1, j.Runner.Jobs)
	for {
		next := j.mine(s.Next(jobs*max(1, j.Of)), jobs)
		if len(next) == 0 {
			break
		}
		found := make([]Step, len(next))
		j.Runner.begin(len(next))
		group, ctx := errgroup.WithContext(ctx)
		for i, rev := range next {
			group.Go(func() (err error) {
				if found[i], err = j.look(ctx, rev); err == nil {
					j.Runner.count(func() { j.Runner.stand.Done++ })
					j.tell(found[i])
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for _, result := range []Result{Worse, NotWorse, Unknown} {
			for _, step := range found {
				if steps[step.Revision.Commit] = step; step.Result != result {
					continue
				}
				switch result {
				case Worse:
					s.Worse(step.Revision.Commit)
				case NotWorse:
					s.Good(step.Revision.Commit)
				default:
					s.Skip(step.Revision.Commit)
				}
			}
		}
	}
	f.First, f.Contradicts = s.Left(), s.Contradicts
	return steps, nil
}

// mine returns the part of the next commits that this shard looks at: those that another
// one has looked at already, as they cost nothing, and else its own. Where there are
// fewer than shards, several look at the same: none waits for another, which may be dead.
func (j *judge) mine(next []capture.Revision, jobs int) []capture.Revision {
	if j.Of < 2 || len(next) == 0 {
		return next
	}
	var known []capture.Revision
	for _, rev := range next {
		if _, ok := j.Runner.Store.Find(rev.Tree); ok || j.Runner.Store.Gap(rev.Commit) != nil {
			known = append(known, rev)
		}
	}
	if len(known) > 0 {
		return known
	}
	var own []capture.Revision
	for i := range jobs {
		if rev := next[((j.Shard-1)*jobs+i)%len(next)]; !slices.ContainsFunc(own, func(o capture.Revision) bool { return o.Commit == rev.Commit }) {
			own = append(own, rev)
		}
	}
	return own
}

// explain compares the first that is worse with its parent.
func (j *judge) explain(ctx context.Context, f *Found) error {
	first := f.First[0]
	if len(first.Parents) == 0 {
		f.Lacks = "it has no parent"
		return nil
	}
	after, err := j.Runner.Side(ctx, first)
	if err != nil {
		return unknown(first, err)
	}
	parent := j.Good
	if first.Parents[0] != j.Good.Commit {
		if j.Runner.Revisions == nil {
			at := slices.IndexFunc(j.Commits, func(c capture.Revision) bool { return c.Commit == first.Parents[0] })
			if at < 0 {
				f.Lacks = "its parent is not among the revisions"
				return nil
			}
			parent = j.Commits[at]
		} else if parent, err = j.Runner.Revisions.Revision(ctx, first.Parents[0]); err != nil {
			return err
		}
		parent.Name = parent.Commit[:min(12, len(parent.Commit))]
	}
	f.Parent = &parent
	before, err := j.Runner.Side(ctx, parent)
	var gap *Gap
	switch {
	case errors.As(err, &gap):
		f.Lacks = gap.Reason()
		return nil
	case err != nil:
		return err
	}
	f.Made = j.Compare(before, after)
	f.Confirmed = grew(f.Made, f.Step.Rows)
	return nil
}

// grew reports whether a figure that makes a row worse than the good revision's grew in a
// comparison as well. It may be within a tolerance there.
func grew(made *diff.Result, rows []*diff.Row) bool {
	for i := range made.Rows {
		row := &made.Rows[i]
		for _, worse := range rows {
			if row.After == nil || row.After.Key != worse.After.Key {
				continue
			}
			if row.Unlaunchable != "" || slices.ContainsFunc(row.Deltas, func(d diff.Delta) bool {
				n, ok := worse.Delta(d.Metric)
				return ok && n > 0 && d.Change > 0
			}) {
				return true
			}
		}
	}
	return false
}
