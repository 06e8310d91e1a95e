package live

import (
	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/resource"
)

// A renaming is the probable pairs of one-sided kernels, by key.
type renaming struct {
	to   map[string]string // key in the baseline -> key in the dumps
	from map[string]string // and back

	proposals map[*resource.Record]proposal // of both
}

// A proposal is two kernels on one side each that are probably one.
type proposal struct {
	before, after *resource.Record
	order         [2]string // that makes them one
}

// byKeys makes pairs easy to look up.
func byKeys(pairs []diff.Rename) (r renaming) {
	if len(pairs) == 0 {
		return r
	}
	r = renaming{to: make(map[string]string, len(pairs)), from: make(map[string]string, len(pairs))}
	for _, p := range pairs {
		r.to[p.Before], r.from[p.After] = p.After, p.Before
	}
	return r
}

// propose finds the records of the pairs among rows.
func (r *renaming) propose(rows []diff.Row) {
	if len(r.to) == 0 {
		return
	}
	lost, fresh := diff.OneSided(rows)
	after := make(map[string]*resource.Record, len(fresh))
	for _, a := range fresh {
		after[a.Key] = a
	}
	r.proposals = make(map[*resource.Record]proposal, 2*len(r.to))
	for _, b := range lost {
		if a := after[r.to[b.Key]]; a != nil {
			p := proposal{before: b, after: a}
			p.order[0], p.order[1] = diff.Ordered(b, a, rows)
			r.proposals[b], r.proposals[a] = p, p
		}
	}
}

// of returns the counterparts of a couple.
func (r renaming) of(c diff.Couple) (to, from string) {
	if c.Before != nil {
		to = r.to[c.Before.Key]
	}
	if c.After != nil {
		from = r.from[c.After.Key]
	}
	return to, from
}

// renames looks for kernels of the baseline that are probably in the dumps under
// another name.
func (o *owner) renames() []diff.Rename {
	lost, fresh := diff.OneSided(o.compared.rows)
	resolver := o.sources.resolver()
	return diff.Renames(lost, fresh, func(r *resource.Record) (string, int) {
		at, _ := resolver.At(locate.Location{Path: r.Origin.Path, Line: r.Origin.Line})
		return at.Path, at.Definition.Topmost + 1
	})
}
