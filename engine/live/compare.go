package live

import (
	"reflect"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/resource"
)

// A comparison keeps the rows of the last State, so that a new one pairs again
// only what changed. Rows are allocated one by one: a Kernel that lives on holds
// its own row and not a whole table of an earlier State.
type comparison struct {
	rules         *gate.Rules        // what the project allows
	pairs         []*diff.Order      // what is one kernel under two names
	before, after []*resource.Record // as given last, sorted by key
	couples       []couple
	rows          []*diff.Row // beside couples
	values        []diff.Row  // the same as values; never written, as States share it
	matching      int         // grows whenever kernels were matched anew
}

// A couple is a [diff.Couple] with the places of its records in the lists; -1
// for one that is not there.
type couple struct {
	diff.Couple
	before, after int
}

// update compares two lists of records. Its work is one step per record, and
// one pairing for each record that is not the same value as before.
func (c *comparison) update(before, after []*resource.Record) {
	if sameKeys(c.before, before) && sameKeys(c.after, after) {
		c.refresh(before, after)
	} else {
		c.rematch(before, after)
	}
	c.before, c.after = before, after
}

// refresh keeps the matching: which kernels belong together depends on their
// keys and names alone, and on orders that stay.
func (c *comparison) refresh(before, after []*resource.Record) {
	copied := false
	for i := range c.couples {
		p := &c.couples[i]
		now := p.Couple
		now.Before, now.After = at(before, p.before), at(after, p.after)
		if now == p.Couple {
			continue
		}
		if !copied {
			c.values, copied = slices.Clone(c.values), true
		}
		p.Couple = now
		c.rows[i] = c.row(now)
		c.values[i] = *c.rows[i]
	}
}

// rematch matches anew and keeps the rows of couples that are still the same.
func (c *comparison) rematch(before, after []*resource.Record) {
	c.matching++
	matched := diff.Match(before, after, c.pairs...)
	couples := make([]couple, len(matched))
	rows := make([]*diff.Row, len(matched))
	b, a := cursor{records: before}, cursor{records: after}
	old := 0
	for i, m := range matched {
		couples[i] = couple{m, b.find(m.Before), a.find(m.After)}
		key := keyOf(m)
		for old < len(c.rows) && c.rows[old].Key != key && c.rows[old].Key < key {
			old++
		}
		if old < len(c.rows) && c.couples[old].Couple == m {
			rows[i] = c.rows[old]
		} else {
			rows[i] = c.row(m)
		}
	}
	c.couples, c.rows = couples, rows
	c.values = make([]diff.Row, len(rows))
	for i, r := range rows {
		c.values[i] = *r
	}
	if rules := c.rules.Over(c.all); rules != c.rules {
		c.allow(rules) // an entry may be for the kernel of another key now
	}
}

// all yields the couples.
func (c *comparison) all(yield func(diff.Couple) bool) {
	for i := range c.couples {
		if !yield(c.couples[i].Couple) {
			return
		}
	}
}

// keyOf returns the key that names a couple.
func keyOf(c diff.Couple) string {
	if c.After != nil {
		return c.After.Key
	}
	return c.Before.Key
}

// row compares a couple and holds it against what the project allows.
func (c *comparison) row(couple diff.Couple) *diff.Row {
	row := c.rules.Row(couple.Row())
	return &row
}

// allow replaces what the project allows. Rows that it does not change stay.
func (c *comparison) allow(rules *gate.Rules) {
	c.rules = rules.Over(c.all)
	c.values = slices.Clone(c.values)
	for i := range c.couples {
		if row := c.row(c.couples[i].Couple); !reflect.DeepEqual(row, c.rows[i]) {
			c.rows[i], c.values[i] = row, *row
		}
	}
}

func sameKeys(a, b []*resource.Record) bool {
	return slices.EqualFunc(a, b, func(x, y *resource.Record) bool { return x == y || x.Key == y.Key })
}

func at(records []*resource.Record, i int) *resource.Record {
	if i < 0 {
		return nil
	}
	return records[i]
}

// A cursor finds the places of records that are asked for in nearly the order of
// their list.
type cursor struct {
	records []*resource.Record
	next    int
}

// find returns the place of r, -1 for nil.
func (c *cursor) find(r *resource.Record) int {
	if r == nil {
		return -1
	}
	if c.next < len(c.records) && c.records[c.next] == r {
		c.next++
		return c.next - 1
	}
	i, _ := slices.BinarySearchFunc(c.records, r.Key, keyOrder)
	c.next = max(c.next, i+1)
	return i
}
