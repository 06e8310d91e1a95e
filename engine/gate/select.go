package gate

import (
	"iter"
	"maps"
	"strings"

	"isadiff/engine/accept"
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

// Over returns the rules for a comparison of these kernels. An entry for one key that
// no kernel has holds for the kernel of its name under another key, as a capture makes
// one: if one kernel and one entry have that name, and the folder of one key is the end of
// the other's. That is stricter than [diff.Match], as nothing else says that the two are
// one kernel.
func (g *Rules) Over(couples iter.Seq[diff.Couple]) *Rules {
	keys := g.exactly()
	if len(keys) == 0 {
		return g
	}
	entries := map[string]int{} // by the kernel's name
	for key := range keys {
		_, name := resource.SplitKey(key)
		entries[name]++
	}
	kernels := map[string][]string{} // their keys by name, where an entry has it
	for c := range couples {
		r := c.After
		if r == nil {
			r = c.Before
		}
		delete(keys, r.Key)
		if c.Before != nil {
			delete(keys, c.Before.Key)
		}
		if entries[r.Name] == 1 {
			kernels[r.Name] = append(kernels[r.Name], r.Key)
		}
	}
	moved := map[string]string{}
	for key, glob := range keys {
		dir, name := resource.SplitKey(key)
		if there := kernels[name]; len(there) == 1 {
			if other, _ := resource.SplitKey(there[0]); endsLike(dir, other) || endsLike(other, dir) {
				moved[glob] = there[0]
			}
		}
	}
	if maps.Equal(moved, g.moved) {
		return g
	}
	next := *g
	next.moved = moved
	return &next
}

// exactly returns the globs of the entries that are for one key, by that key.
func (g *Rules) exactly() map[string]string {
	if g == nil {
		return nil
	}
	var keys map[string]string
	for i := range g.Accepted.Entries {
		glob := g.Accepted.Entries[i].Kernels.String()
		if key, ok := accept.Key(glob); ok {
			if keys == nil {
				keys = map[string]string{}
			}
			keys[key] = glob
		}
	}
	return keys
}

// endsLike reports whether a folder is another one or ends with it.
func endsLike(dir, end string) bool {
	return end == "" || strings.HasSuffix("/"+dir, "/"+end)
}

// couplesOf are the kernels of rows.
func couplesOf(rows []diff.Row) iter.Seq[diff.Couple] {
	return func(yield func(diff.Couple) bool) {
		for i := range rows {
			if !yield(diff.Couple{Before: rows[i].Before, After: rows[i].After}) {
				return
			}
		}
	}
}
