package diff

import (
	"cmp"
	"slices"
	"strings"

	"isadiff/engine/resource"
)

// A Pair is a kernel's records on the two sides; one of them is nil if the
// kernel is on one side only.
type Pair struct {
	Before, After *resource.Record
	Order         *Order // by which the two are paired, or which fits a one-sided kernel in several ways; nil without one
	Doubt         string // what keeps Order from being followed; "" if nothing does
}

// record returns the record that names the pair.
func (c Pair) record() *resource.Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// key returns the key that names the pair.
func (c Pair) key() string { return c.record().Key }

// Match finds which kernels belong together: those of one key first, which no order
// parts; then, of those left over, the ones that the user's orders pair, and last the
// ones whose bare name occurs once on each side. Nothing else is guessed. Both
// lists are sorted by key, as those of a [resource.Side]; so is the answer.
func Match(before, after []*resource.Record, orders ...*Order) []Pair {
	pairs := make([]Pair, 0, max(len(before), len(after)))
	var lost, fresh []*resource.Record
	for len(before) > 0 || len(after) > 0 {
		order := cmp.Compare(len(after), len(before)) // where one list has ended
		if len(before) > 0 && len(after) > 0 {
			order = strings.Compare(before[0].Key, after[0].Key)
		}
		switch {
		case order < 0:
			lost, before = append(lost, before[0]), before[1:]
		case order > 0:
			fresh, after = append(fresh, after[0]), after[1:]
		default:
			pairs = append(pairs, Pair{Before: before[0], After: after[0]})
			before, after = before[1:], after[1:]
		}
	}
	if len(lost) == 0 && len(fresh) == 0 {
		return pairs
	}
	ordered, taken := arrange(lost, fresh, orders)
	if pairs = append(pairs, ordered...); len(taken) > 0 {
		isTaken := func(r *resource.Record) bool { return taken[r] }
		lost, fresh = slices.DeleteFunc(lost, isTaken), slices.DeleteFunc(fresh, isTaken)
	}
	lostByName, freshByName := byName(lost), byName(fresh)
	for _, b := range lost {
		if names := freshByName[b.Name]; len(names) == 1 && len(lostByName[b.Name]) == 1 {
			pairs = append(pairs, Pair{Before: b, After: names[0]})
		} else {
			pairs = append(pairs, Pair{Before: b})
		}
	}
	for _, a := range fresh {
		if len(freshByName[a.Name]) != 1 || len(lostByName[a.Name]) != 1 {
			pairs = append(pairs, Pair{After: a})
		}
	}
	slices.SortFunc(pairs, func(x, y Pair) int { return strings.Compare(x.key(), y.key()) })
	return pairs
}

func byName(records []*resource.Record) map[string][]*resource.Record {
	m := make(map[string][]*resource.Record, len(records))
	for _, r := range records {
		m[r.Name] = append(m[r.Name], r)
	}
	return m
}
