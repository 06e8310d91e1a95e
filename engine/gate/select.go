package gate

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"isadiff/engine/accept"
	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/resource"
)

// selects reports whether an entry is for the kernel of a row: by the key that the
// kernel has on either side, as the two are one kernel, or by its name where [Rules.Over]
// found that the kernel is there under another key.
func (g *Rules) selects(e *accept.Entry, r *diff.Row) bool {
	if e.Kernels.Match(r.Record()) || r.Before != nil && r.After != nil && r.Before.Key != r.After.Key && e.Kernels.Match(r.Before) {
		return true
	}
	key, moved := g.moved[e.Kernels.String()]
	return moved && key == r.Key
}

// limits reports whether a budget is for a kernel, in the same way.
func (g *Rules) limits(b *budget.Budget, r *resource.Record) bool {
	if b.Kernels == nil || b.Kernels.Match(r) {
		return true
	}
	key, moved := g.limited[b.Kernels.String()]
	return moved && key == r.Key
}

// Over returns the rules for a comparison of these kernels. An entry or budget for
// a key that no kernel has applies to the kernel that is paired with the kernel of
// that key. It also applies to the kernel of its name under another key, as a
// capture makes one, if no other kernel has that name and the folder of one key is
// the end of the other's. That is stricter than [diff.Match], because nothing else
// says that the two are one kernel.
func (g *Rules) Over(pairs iter.Seq[diff.Pair]) *Rules {
	if g == nil {
		return nil
	}
	moved := follow(pairs, func(yield func(string) bool) {
		for i := range g.Accepted.Entries {
			if !yield(g.Accepted.Entries[i].Kernels.String()) {
				return
			}
		}
	})
	limited := follow(pairs, func(yield func(string) bool) {
		for i := range g.Budgets {
			if k := g.Budgets[i].Kernels; k != nil && !yield(k.String()) {
				return
			}
		}
	})
	if maps.Equal(moved, g.moved) && maps.Equal(limited, g.limited) {
		return g
	}
	next := *g
	next.moved, next.limited = moved, limited
	return &next
}

// follow returns the keys under which kernels are now that globs for one key select
// under another one, by the glob.
func follow(pairs iter.Seq[diff.Pair], globs iter.Seq[string]) (moved map[string]string) {
	keys, named := map[string]string{}, map[string][]string{} // the globs by key, the folders of keys by name
	for glob := range globs {
		if key, ok := accept.Key(glob); ok && keys[key] == "" {
			dir, name := resource.SplitKey(key)
			keys[key] = glob
			named[name] = append(named[name], dir)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	moved = map[string]string{}
	kernels := map[string][]string{} // their keys by name, where a glob is for the name
	for c := range pairs {
		r := c.After
		if r == nil {
			r = c.Before
		}
		delete(keys, r.Key)
		if b := c.Before; b != nil && b.Key != r.Key {
			if glob, ok := keys[b.Key]; ok {
				moved[glob] = r.Key
			}
			delete(keys, b.Key)
		}
		if named[r.Name] != nil {
			kernels[r.Name] = append(kernels[r.Name], r.Key)
		}
	}
	for key, glob := range keys {
		dir, name := resource.SplitKey(key)
		there := kernels[name]
		if len(there) != 1 {
			continue
		}
		at, _ := resource.SplitKey(there[0])
		alike := func(dir string) bool { return endsLike(dir, at) || endsLike(at, dir) }
		if alike(dir) && !slices.ContainsFunc(named[name], func(other string) bool { return other != dir && alike(other) }) {
			moved[glob] = there[0]
		}
	}
	return moved
}

// endsLike reports whether a folder is another one or ends with it.
func endsLike(dir, end string) bool {
	return end == "" || strings.HasSuffix("/"+dir, "/"+end)
}

// pairsOf are the kernels of rows.
func pairsOf(rows []diff.Row) iter.Seq[diff.Pair] {
	return func(yield func(diff.Pair) bool) {
		for i := range rows {
			if !yield(diff.Pair{Before: rows[i].Before, After: rows[i].After}) {
				return
			}
		}
	}
}

// alone are the kernels of a side without another one.
func alone(records []*resource.Record) iter.Seq[diff.Pair] {
	return func(yield func(diff.Pair) bool) {
		for _, r := range records {
			if !yield(diff.Pair{After: r}) {
				return
			}
		}
	}
}
