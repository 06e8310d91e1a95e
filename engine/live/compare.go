package live

import (
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/resource"
)

// A comparison keeps the rows of the last State, so that a new one pairs again
// only what changed. Rows are allocated one by one: a Kernel that lives on holds
// its own row and not a whole table of an earlier State.
type comparison struct {
	before, after []*resource.Record // as given last, sorted by key
	couples       []couple
	rows          []*diff.Row // beside couples
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
// keys and names alone.
func (c *comparison) refresh(before, after []*resource.Record) {
	for i := range c.couples {
		p := &c.couples[i]
		now := diff.Couple{Before: at(before, p.before), After: at(after, p.after)}
		if now != p.Couple {
			p.Couple = now
			c.rows[i] = newRow(now)
		}
	}
}

func (c *comparison) rematch(before, after []*resource.Record) {
	known := make(map[diff.Couple]*diff.Row, len(c.couples))
	for i, p := range c.couples {
		known[p.Couple] = c.rows[i]
	}
	matched := diff.Match(before, after)
	c.couples = make([]couple, len(matched))
	c.rows = make([]*diff.Row, len(matched))
	b, a := positions(before), positions(after)
	for i, m := range matched {
		c.couples[i] = couple{m, b.of(m.Before), a.of(m.After)}
		if c.rows[i] = known[m]; c.rows[i] == nil {
			c.rows[i] = newRow(m)
		}
	}
}

// table returns the rows as values, for a [diff.Result].
func (c *comparison) table() []diff.Row {
	rows := make([]diff.Row, len(c.rows))
	for i, r := range c.rows {
		rows[i] = *r
	}
	return rows
}

func newRow(c diff.Couple) *diff.Row {
	row := diff.Pair(c.Before, c.After)
	return &row
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

// placeOf finds a record's place in its list.
type placeOf map[*resource.Record]int

func positions(records []*resource.Record) placeOf {
	m := make(placeOf, len(records))
	for i, r := range records {
		m[r] = i
	}
	return m
}

func (m placeOf) of(r *resource.Record) int {
	if r == nil {
		return -1
	}
	return m[r]
}
