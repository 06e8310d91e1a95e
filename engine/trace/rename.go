package trace

import (
	"context"
	"path"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/locate"
	"isadiff/engine/project"
	"isadiff/engine/resource"
)

// maxRenames bounds how many kernels of a side are looked at again: where more are
// on one side only it is another set of kernels, not a renaming.
const maxRenames = 1000

// Renames finds which one-sided kernels of a comparison are probably the same
// under two names. Their dumps are read again, as a comparison does without the
// instructions and the places of kernels. The error is that of ctx.
func Renames(ctx context.Context, c *project.Config, r *diff.Result) ([]diff.Rename, error) {
	lost, fresh := diff.OneSided(r.Rows)
	if len(lost) == 0 || len(fresh) == 0 || len(lost) > maxRenames || len(fresh) > maxRenames {
		return nil, nil
	}
	opt := dump.Options{Producers: c.Producers, Digest: true}
	lost, fresh = whole(ctx, r.Before, lost, opt), whole(ctx, r.After, fresh, opt)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var resolver *locate.Resolver
	renames := diff.Renames(lost, fresh, func(record *resource.Record) (string, int) {
		if resolver == nil {
			if resolver = resolve(ctx, c); resolver == nil {
				return "", 0
			}
		}
		at, _ := resolver.At(locate.Location{Path: record.Origin.Path, Line: record.Origin.Line})
		return at.Path, at.Definition.Topmost + 1
	})
	return renames, ctx.Err()
}

// whole returns records with what was left out of them when the side was read.
func whole(ctx context.Context, side *resource.Side, records []*resource.Record, opt dump.Options) []*resource.Record {
	if side.Snapshot {
		return records
	}
	records = slices.Clone(records)
	read := map[string][]*resource.Record{}
	for i, r := range records {
		if r.Digest != "" || ctx.Err() != nil {
			continue
		}
		dir := path.Dir(r.Source)
		if dir == "." {
			dir = ""
		}
		if _, known := read[dir]; !known {
			read[dir] = nil
			if f := dump.ReadFolder(ctx, side.Origin, dir, opt); f != nil {
				read[dir] = f.Records
			}
		}
		for _, again := range read[dir] {
			if again.Key == r.Key && again.Cells == r.Cells {
				records[i] = again
			}
		}
	}
	return records
}

// resolve scans the project's sources; nil if they cannot be found.
func resolve(ctx context.Context, c *project.Config) *locate.Resolver {
	resolver, err := resolverOf(ctx, c)
	if err != nil {
		return nil
	}
	return resolver
}
