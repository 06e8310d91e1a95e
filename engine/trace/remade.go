package trace

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/project"
	"isadiff/engine/resource"
)

// Remade finds out which kernels of a comparison changed though they were made of
// the same, and notes it in their rows. Their dumps are read again, as a comparison
// does without what they were made of. The error is that of ctx.
func Remade(ctx context.Context, c *project.Config, r *diff.Result) error {
	opt := dump.Options{Producers: c.Producers, Digest: true}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range r.Rows {
		row := &r.Rows[i]
		if len(row.Deltas) == 0 || row.Remade != diff.NotRemade || !tells(r.Before, row.Before) || !tells(r.After, row.After) {
			continue
		}
		group.Go(func() error {
			row.Remade = diff.RemadeOf(made(ctx, r.Before, row.Before, opt), made(ctx, r.After, row.After, opt), true)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// tells reports whether a side can tell of what a record was made.
func tells(s *resource.Side, r *resource.Record) bool {
	return !s.Snapshot || r.Origin.Digest != "" || r.Origin.Sources != ""
}

// made returns a record with what it was made of.
func made(ctx context.Context, s *resource.Side, r *resource.Record, opt dump.Options) *resource.Record {
	again := *whole(ctx, s, []*resource.Record{r}, opt)[0]
	again.Compilers = r.Compilers // as far as the comparison knows them
	return &again
}
