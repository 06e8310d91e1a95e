package trace

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"isadiff/engine/diff"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/where"
	"isadiff/engine/why"
)

// A Why is what became of the instructions of the kernels of a comparison.
type Why struct {
	Before, After string       // the sides as the user named them
	Verdict       diff.Verdict // that of the comparison, unless what keeps assembly from being believed is added to it
	Kernels       []WhyKernel  // those on both sides whose assembly is at hand, by key
	Problems      []problem.Problem
	Warnings      []string
	Compared      *diff.Result // what was compared, with its probable renames; nil of one kernel alone
	// Code is the text of source lines of the after side, as far as the sources are
	// here and were not saved since; only of kernels that differ.
	Code map[pressure.SourceLine]string
}

// WhyOptions say how assembly is compared.
type WhyOptions struct {
	// Root is the folder that holds the sources whose lines are shown: a dump names
	// files, and its word opens none outside. None are if it is "".
	Root        string
	IgnoreTimes bool // the times of a side's files mean nothing, so no source is known to be that of the compile
}

// A WhyKernel is one kernel of both sides.
type WhyKernel struct {
	Row *diff.Row
	*why.Comparison
}

// Differs reports whether the kernel's instructions, where they lead or its figures
// changed.
func (k *WhyKernel) Differs() bool {
	return !k.Counts.Equal() || k.Redirected > 0 || len(k.Row.Deltas) > 0
}

// Whys compares the assembly of the kernels of a comparison. What keeps text or counts
// from being believed is a problem, as are those of the comparison. The error is that of
// ctx.
func Whys(ctx context.Context, r *diff.Result, opt WhyOptions) (*Why, error) {
	w := &Why{Before: r.Before.Origin, After: r.After.Origin, Compared: r, Warnings: r.Warnings, Problems: slices.Clone(r.Problems)}
	var rows []*diff.Row
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Before != nil && row.After != nil {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 && len(r.Rows) > 0 {
		w.Problems = append(w.Problems, problem.New(problem.NoKernels, "no kernel is on both sides, %s and %s", w.Before, w.After).
			Mended("name kernels that were renamed: --pair OLD=NEW"))
	}
	groups := byFiles(rows)
	parts := make([]Why, len(groups))
	before, after := TextsOf(r.Before), TextsOf(r.After)
	defer before.Close()
	defer after.Close()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range groups {
		group.Go(func() error { return parts[i].compare(ctx, before, after, groups[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range parts {
		w.Kernels = append(w.Kernels, parts[i].Kernels...)
		w.Problems = append(w.Problems, parts[i].Problems...)
	}
	slices.SortStableFunc(w.Kernels, func(x, y WhyKernel) int { return strings.Compare(x.Row.Key, y.Row.Key) })
	slices.SortStableFunc(w.Problems, problem.Compare)
	w.Problems = slices.CompactFunc(w.Problems, func(a, b problem.Problem) bool { return a == b })
	if w.Verdict = r.Decide(); len(w.Problems) > 0 {
		w.Verdict = diff.NotTrustworthy
	}
	if !opt.IgnoreTimes && opt.Root != "" {
		w.readCode(r.After, opt.Root)
	}
	return w, nil
}

// WhyOf is [Whys] of one row of a comparison, of both sides, alone: for who looks at one
// kernel of a session.
func WhyOf(ctx context.Context, r *diff.Result, row *diff.Row, opt WhyOptions) (*Why, error) {
	w := &Why{Before: r.Before.Origin, After: r.After.Origin}
	before, after := TextsOf(r.Before), TextsOf(r.After)
	defer before.Close()
	defer after.Close()
	if err := w.compare(ctx, before, after, []*diff.Row{row}); err != nil {
		return nil, err
	}
	slices.SortStableFunc(w.Problems, problem.Compare)
	if !opt.IgnoreTimes && opt.Root != "" {
		w.readCode(r.After, opt.Root)
	}
	return w, nil
}

// byFiles groups rows whose kernels are of the same two files, so that each is read
// once.
func byFiles(rows []*diff.Row) [][]*diff.Row {
	type files struct{ before, after string }
	at := map[files]int{}
	var groups [][]*diff.Row
	for _, row := range rows {
		f := files{row.Before.Source, row.After.Source}
		i, ok := at[f]
		if !ok {
			i = len(groups)
			at[f] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], row)
	}
	return groups
}

func (w *Why) compare(ctx context.Context, old, new *Texts, rows []*diff.Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var before, after *pressure.Assembly
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if row.Before.Object || row.After.Object { // what the other side lacks is not the reason
			for _, x := range []struct {
				texts  *Texts
				record *resource.Record
			}{{old, row.Before}, {new, row.After}} {
				if x.record.Object {
					w.index(nil, x.texts, x.record)
				}
			}
			continue
		}
		before, after = w.index(before, old, row.Before), w.index(after, new, row.After)
		if before == nil || after == nil {
			continue
		}
		old, new := before.List(row.Before.Name), after.List(row.After.Name)
		w.doubt(old, row.Before, diff.SideBefore)
		w.doubt(new, row.After, diff.SideAfter)
		k := WhyKernel{Row: row, Comparison: why.Compare(old, new)}
		if !k.Differs() {
			k.Slim()
		}
		w.Kernels = append(w.Kernels, k)
	}
	return ctx.Err()
}

// index returns the file that a record is of: the one before, unless its text lacks the
// kernel, as where each kernel's own text was kept. It is nil if there is no text.
func (w *Why) index(last *pressure.Assembly, texts *Texts, r *resource.Record) *pressure.Assembly {
	if last != nil && last.Has(r.Name) {
		return last
	}
	text, err := texts.Of(r)
	if err == nil {
		return pressure.Index(text)
	}
	var p problem.Problem
	if !errors.As(err, &p) {
		p = problem.New(problem.InputUnreadable, "%v", err)
	}
	w.Problems = append(w.Problems, p)
	return nil
}

// doubt notes what where says of a side's figures.
func (w *Why) doubt(l *pressure.Listing, r *resource.Record, side string) {
	k := where.Kernel{Analysis: l.Analysis, Key: r.Key, File: r.Source, Record: r}
	for _, p := range k.Doubts() {
		w.Problems = append(w.Problems, p.On(side))
	}
}
