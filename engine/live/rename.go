package live

import (
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/resource"
)

// A rename is a kernel on each side that are probably one.
type rename struct {
	before, after *resource.Record
	order         [2]string // that makes them one
}

// renames looks for kernels of the baseline that are probably in the dumps under
// another name. It returns them by each of their records, too.
func (o *owner) renames() (all []diff.Rename, of map[*resource.Record]rename) {
	lost, fresh := diff.OneSided(o.compared.rows)
	resolver := o.sources.resolver()
	all = diff.Renames(lost, fresh, func(r *resource.Record) (string, int) {
		at, _ := resolver.At(locate.Location{Path: r.Origin.Path, Line: r.Origin.Line})
		return at.Path, at.Definition.Topmost + 1
	})
	of = make(map[*resource.Record]rename, 2*len(all))
	for _, pair := range all {
		b, _ := slices.BinarySearchFunc(lost, pair.Before, keyOrder)
		a, _ := slices.BinarySearchFunc(fresh, pair.After, keyOrder)
		r := rename{before: lost[b], after: fresh[a]}
		r.order[0], r.order[1] = diff.Ordered(r.before, r.after, o.compared.rows)
		of[r.before], of[r.after] = r, r
	}
	return all, of
}
