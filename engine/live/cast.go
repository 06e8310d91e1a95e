package live

import (
	"reflect"

	"isadiff/engine/diff"
	"isadiff/engine/locate"
)

// A cast is the kernels of the last State with what they were made from, so that
// the next one makes only those anew that are made from something else. Its work
// is a few comparisons of pointers per kernel.
type cast struct {
	subjects []subject // beside the couples of the comparison
	kernels  []*Kernel // beside subjects; never written, as States share it
	matching int       // the matching of the comparison that subjects stands beside
	fresh    [2]int    // of the dumps and of the baseline
	renamed  []diff.Rename
}

// A change is a kernel of two States in a row that is not the same; old or new
// is nil if it is in one of them only.
type change struct{ old, new *Kernel }

// recast brings the kernels up to date and returns what changed.
func (o *owner) recast(compared bool, run *Run) (changes []change) {
	c := &o.cast
	fresh := [2]int{o.dumps.fresh, o.baseline.fresh()}
	dumps, baseline := c.fresh[0] != fresh[0], c.fresh[1] != fresh[1]
	c.fresh = fresh
	if c.matching != o.compared.matching {
		changes = c.align(o.compared.couples)
		c.matching = o.compared.matching
	}
	c.renamed = nil
	if compared {
		c.renamed = o.renames()
	}
	renamed := byKeys(c.renamed)
	renamed.propose(o.compared.values)
	var kernels []*Kernel // a copy of c.kernels from the first change on
	for i := range c.subjects {
		s := &c.subjects[i]
		couple := o.compared.couples[i].Couple
		to, from := renamed.of(couple)
		proposed := renamed.proposals[couple.After]
		if couple.After == nil {
			proposed = renamed.proposals[couple.Before]
		}
		row := o.compared.rows[i]
		known := c.kernels[i] != nil && s.couple == couple && !s.found.outdated(s.place) && (s.was == nil || !s.was.outdated(s.wasPlace)) && !s.folder.outdated(dumps) && !s.baseline.outdated(baseline)
		awaited := run.awaits(s)
		if known && s.row == row && s.compared == compared && s.awaited == awaited && s.renamedTo == to && s.renamedFrom == from && s.proposed == proposed {
			continue
		}
		next := *s
		if !known {
			next = subject{couple: couple}
			o.look(&next)
		}
		next.row, next.compared, next.renamedTo, next.renamedFrom, next.proposed = row, compared, to, from, proposed
		next.awaited = run.awaits(&next)
		if next == *s && c.kernels[i] != nil {
			continue
		}
		*s = next
		k := next.kernel()
		if c.kernels[i] != nil && reflect.DeepEqual(k, c.kernels[i]) {
			continue // it was made from other values that say the same
		}
		if kernels == nil {
			kernels = append([]*Kernel(nil), c.kernels...)
		}
		kernels[i] = k
		changes = append(changes, change{c.kernels[i], k})
	}
	if kernels != nil {
		c.kernels = kernels
	}
	o.sources.places.settled(c.subjects)
	return changes
}

// look finds what a subject is made from besides its couple.
func (o *owner) look(s *subject) {
	present := s.couple.After
	if s.couple.Before != nil {
		s.baseline = o.baseline.folder(s.couple.Before)
	}
	if present == nil {
		present = s.couple.Before
	}
	s.folder = o.dumps.folder(present)
	s.seen = o.dumps.seen[s.key()]
	s.found = o.sources.place(s)
	s.place = s.found.place
	s.stale, s.edited = o.sources.stale(s), o.sources.editedSince(s)
	s.unwatched = s.couple.After != nil && len(o.sources.compiledFrom(s)) == 0
	if s.was = o.sources.wasElsewhere(s); s.was != nil {
		s.wasPlace = s.was.place
		if surely(s.wasPlace) && surely(s.place) && s.wasPlace.Candidates[0].Path != s.place.Candidates[0].Path {
			s.instead = o.cfg.Project.Relative(s.wasPlace.Candidates[0].Path)
		}
	}
}

// surely reports whether a place is the one definition that a compile named.
func surely(p *locate.Place) bool { return p.Match >= locate.Moved && len(p.Candidates) == 1 }

// align puts the subjects beside other couples. Both are sorted by key. Kernels
// that are gone are changes.
func (c *cast) align(couples []couple) (gone []change) {
	subjects, kernels := make([]subject, len(couples)), make([]*Kernel, len(couples))
	old := 0
	for i := range couples {
		key := keyOf(couples[i].Couple)
		for ; old < len(c.kernels) && c.kernels[old].Key != key && c.kernels[old].Key < key; old++ {
			gone = append(gone, change{old: c.kernels[old]})
		}
		if old < len(c.kernels) && c.kernels[old].Key == key {
			subjects[i], kernels[i] = c.subjects[old], c.kernels[old]
			old++
		}
	}
	for _, k := range c.kernels[old:] {
		gone = append(gone, change{old: k})
	}
	c.subjects, c.kernels = subjects, kernels
	return gone
}
