// Package trace leads the kernels of a comparison to their definitions
// at one moment, for reports. A live session does the same continuously (package
// live).
package trace

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/project"
	"isadiff/engine/pysource"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A Position is where a kernel is defined.
type Position struct {
	File   string // relative to the project's root in slashes; absolute if it is outside
	Line   int    // 1-based line of the function's name
	Column int    // 1-based byte column of it
}

// Positions returns where the kernels of rows are defined, by the row's key. A
// kernel that fits no definition, or several, has no place: none is guessed. The
// error is that of ctx.
func Positions(ctx context.Context, c *project.Config, rows []diff.Row) (map[string]Position, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	resolver, err := resolverOf(ctx, c)
	if err != nil {
		return nil, err
	}
	places := make(map[string]Position)
	for i := range rows {
		r := rows[i].After
		if r == nil {
			r = rows[i].Before
		}
		place := resolver.Resolve(locate.Query{Symbol: r.Name, At: origin(r)})
		if place.Match == locate.None || place.Match == locate.Ambiguous || len(place.Candidates) != 1 {
			continue
		}
		at := place.Candidates[0]
		start := at.Definition.Ident.Start
		places[rows[i].Key] = Position{File: c.Relative(at.Path), Line: start.Line + 1, Column: start.Column + 1}
	}
	return places, nil
}

// resolverOf leads to the definitions in a project's sources.
func resolverOf(ctx context.Context, c *project.Config) (*locate.Resolver, error) {
	found, err := c.FindSources(ctx)
	if err != nil {
		return nil, err
	}
	files, err := scan(ctx, c, found.Files)
	if err != nil {
		return nil, err
	}
	resolver := &locate.Resolver{Map: c.PathMap, Index: locate.NewIndex(func(yield func(string, *pysource.File) bool) {
		for i, f := range files {
			if f != nil && !yield(found.Files[i], f) {
				return
			}
		}
	})}
	return resolver, nil
}

// origin returns what the compiler was told of a kernel's place.
func origin(r *resource.Record) []locate.Location {
	if r.Origin.Path == "" {
		return nil
	}
	return []locate.Location{{Path: r.Origin.Path, Line: r.Origin.Line}}
}

// scan reads sources, several at a time. One that cannot be read defines
// nothing.
func scan(ctx context.Context, c *project.Config, paths []string) ([]*pysource.File, error) {
	files := make([]*pysource.File, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(indexes(len(paths)), 64) {
		group.Go(func() error {
			for _, i := range chunk {
				if err := ctx.Err(); err != nil {
					return err
				}
				if text, err := regular.ReadWithin(paths[i], pysource.MaxSize); err == nil {
					files[i] = c.Producers.Scan(paths[i], text)
				}
			}
			return nil
		})
	}
	return files, group.Wait()
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
