package live

import (
	"reflect"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/locate"
	"isadiff/engine/resource"
)

// A comparison remembers the pairs of the last State by their records, so that the
// next State compares, looks up and makes only what has changed.
type comparison struct {
	rules         *gate.Rules        // what the project allows
	orders        []*diff.Order      // what is one kernel under two names
	before, after []*resource.Record // of the last update, sorted by key
	pairs         []*pair            // sorted by key
	rows          []diff.Row         // of pairs; never written, as States share it
	kernels       []*Kernel          // of the last State; never written either
	renamed       []diff.Rename
	gone          []change // pairs that have disappeared
}

// A pair is a kernel on its two sides with all that its [Kernel] is made from. Two that
// are equal make equal kernels.
type pair struct {
	diff.Pair
	row    *diff.Row // allocated by itself, as a Kernel that lives on holds it; one-sided without a baseline
	made   *diff.Row // what row was when kernel was made
	kernel *Kernel   // in the last State; nil if it was not there

	dirs      [2]string     // directories of Before and After, or of where After would be
	dir       *directory    // the dump directory in the live tree; nil if there is none
	baseline  *directory    // the same of a baseline that is a dump tree
	found     *foundPlace   // nil before it was looked up
	place     *locate.Place // found's
	was       *foundPlace   // where the baseline's was compiled, if that is another file; nil if not
	wasPlace  *locate.Place // was's
	instead   string        // see Kernel
	stale     bool
	edited    string // see editedSince
	unwatched bool   // no source of the project is known to define it
	compared  bool   // whether there is a usable baseline
	seen      bool   // it has been in the dumps since they began
	due       bool   // a run is under way that has not compiled it yet
	renamed   rename // if the pair is probably one side of a rename; zero if not
}

// key returns the key that names the pair.
func (p *pair) key() string { return record(p.Pair).Key }

// record returns the record that names a pair.
func record(c diff.Pair) *resource.Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// A change is a kernel that differs between two consecutive States; old or new is nil
// if the kernel is in one of them only.
type change struct{ old, new *Kernel }

// update pairs two lists of records. It keeps the pairs whose records are the same.
func (c *comparison) update(before, after []*resource.Record) {
	if slices.Equal(c.before, before) && slices.Equal(c.after, after) {
		return
	}
	other := replacements{}
	if other.note(c.before, before) && other.note(c.after, after) {
		c.replace(other)
	} else {
		c.match(diff.Match(before, after, c.orders...))
	}
	c.before, c.after = before, after
	c.judge(c.rules)
}

// replacements are the new records of kernels by their old ones. Only keys and names
// decide what is paired.
type replacements map[*resource.Record]*resource.Record

// note adds those of one side. It reports whether the kernels are the same.
func (r replacements) note(was, is []*resource.Record) bool {
	if len(was) != len(is) {
		return false
	}
	for i, old := range was {
		if now := is[i]; now != old {
			if now.Key != old.Key || now.Name != old.Name {
				return false
			}
			r[old] = now
		}
	}
	return true
}

// replace puts the new records into the pairs of the old ones.
func (c *comparison) replace(other replacements) {
	for i, p := range c.pairs {
		next := p.Pair
		for _, r := range []**resource.Record{&next.Before, &next.After} {
			if now := other[*r]; now != nil {
				*r = now
			}
		}
		if next != p.Pair {
			c.pairs[i] = &pair{Pair: next, kernel: p.kernel}
		}
	}
}

// match makes the pairs of matched kernels that are sorted by key.
func (c *comparison) match(matches []diff.Pair) {
	old := c.pairs
	c.pairs = make([]*pair, len(matches))
	for i, matched := range matches {
		key := record(matched).Key
		for len(old) > 0 && old[0].key() < key {
			c.leave(old[0])
			old = old[1:]
		}
		switch {
		case len(old) == 0 || old[0].key() > key:
			c.pairs[i] = &pair{Pair: matched}
			continue
		case old[0].Pair == matched:
			c.pairs[i] = old[0]
		default:
			c.pairs[i] = &pair{Pair: matched, kernel: old[0].kernel}
		}
		old = old[1:]
	}
	for _, p := range old {
		c.leave(p)
	}
}

// leave notes that a pair has disappeared.
func (c *comparison) leave(p *pair) {
	if p.kernel != nil {
		c.gone = append(c.gone, change{old: p.kernel})
	}
}

// judge compares the new pairs, or all of them if what the project allows has changed.
// It keeps rows that come out equal.
func (c *comparison) judge(rules *gate.Rules) {
	rules = rules.Over(func(yield func(diff.Pair) bool) {
		for _, p := range c.pairs {
			if !yield(p.Pair) {
				return
			}
		}
	}) // an entry may now apply to another kernel
	all := rules != c.rules
	c.rules, c.rows = rules, make([]diff.Row, len(c.pairs))
	for i, p := range c.pairs {
		if all || p.row == nil {
			if row := rules.Row(p.Row()); p.row == nil || !reflect.DeepEqual(row, *p.row) {
				p.row = &row
			}
		}
		c.rows[i] = *p.row
	}
}

// renew brings the kernels up to date and returns what changed.
func (o *owner) renew(compared bool, run *Run) (changes []change) {
	c := &o.compared
	changes, c.gone = c.gone, nil
	var renamed map[*resource.Record]rename
	if c.renamed = nil; compared {
		c.renamed, renamed = o.renames()
	}
	c.kernels = make([]*Kernel, len(c.pairs))
	var next pair // one for all of them
	for i, p := range c.pairs {
		next = *p
		if o.outdated(p) {
			next = pair{Pair: p.Pair, row: p.row, kernel: p.kernel, made: p.made}
			o.look(&next)
		}
		next.made, next.compared = p.row, compared
		next.renamed = renamed[record(p.Pair)]
		next.seen = p.After != nil || o.dumps.seen[p.Before.Key]
		next.due = run.due(&next)
		if next != *p {
			if k := next.make(); !reflect.DeepEqual(k, p.kernel) { // different inputs may make equal kernels
				changes = append(changes, change{p.kernel, k})
				next.kernel = k
			}
			*p = next
		}
		c.kernels[i] = p.kernel
	}
	o.sources.places.settled(c.pairs)
	clear(o.dumps.moved)
	if o.baseline.dumps != nil {
		clear(o.baseline.dumps.moved)
	}
	return changes
}

// outdated reports whether the inputs of a pair other than its records have to be looked
// up again.
func (o *owner) outdated(p *pair) bool {
	return p.found.outdated(p.place) || p.was != nil && p.was.outdated(p.wasPlace) ||
		o.dumps.moved[p.dirs[1]] || p.Before != nil && o.baseline.moved(p.dirs[0])
}

// look looks up the inputs of a pair other than its records.
func (o *owner) look(p *pair) {
	if p.Before != nil {
		p.dirs[0] = dirOf(p.Before)
		p.baseline = o.baseline.directory(p.Before)
	}
	p.dirs[1] = dirOf(record(p.Pair))
	p.dir = o.dumps.directory(record(p.Pair))
	p.found = o.sources.place(p)
	p.place = p.found.place
	var from []string
	if p.After != nil {
		from = o.sources.compiledFrom(p)
	}
	p.stale, p.edited = o.sources.stale(p), o.sources.editedSince(p, from)
	p.unwatched = p.After != nil && len(from) == 0
	if p.was = o.sources.wasElsewhere(p); p.was != nil {
		p.wasPlace = p.was.place
		if surely(p.wasPlace) && surely(p.place) && p.wasPlace.Candidates[0].Path != p.place.Candidates[0].Path {
			p.instead = o.cfg.Project.Relative(p.wasPlace.Candidates[0].Path)
		}
	}
}

// surely reports whether a place is the single definition that a compile named.
func surely(p *locate.Place) bool { return p.Match >= locate.Moved && len(p.Candidates) == 1 }
