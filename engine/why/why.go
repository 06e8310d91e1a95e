package why

import (
	"cmp"
	"maps"
	"slices"

	"isadiff/engine/pressure"
)

// Sides are a count before and after.
type Sides struct{ Before, After int }

// Counts are how many instructions there are, and what became of them.
type Counts struct {
	Sides
	Same, Renamed, Changed, Moved, Removed, Added int
}

// Paired counts the pairs that are in order and equal up to registers.
func (c Counts) Paired() int { return c.Same + c.Renamed }

// Equal reports whether all instructions are the same.
func (c Counts) Equal() bool { return c.Same == c.Before && c.Same == c.After }

// A Tally counts the instructions of a class or a mnemonic.
type Tally struct {
	Name string
	Sides
}

// A Comparison is what became of a kernel's instructions. It is immutable but for [Comparison.Slim].
type Comparison struct {
	Before, After *pressure.Listing
	Steps         []Step
	Counts        Counts
	Classes       []Tally // those that occur, in the order of [pressure.Classes]
	Added         []Tally // the classes of what is added, most first; Before is 0
	Mnemonics     []Tally // by name
	Lines         []Line
	Loops         []Loop
	// Redirected counts the branches that lead to another instruction where all others
	// are paired: what a label is called says nothing, what it stands before does.
	Redirected int

	numbers [2][]int32 // the lines of the assembly, once the bodies are gone
}

// At returns the 1-based lines of the assembly before and after that a step is of; 0
// for none.
func (c *Comparison) At(s Step) (before, after int) {
	return lineAt(c.Before.Body, c.numbers[0], s.Before), lineAt(c.After.Body, c.numbers[1], s.After)
}

func lineAt(body []pressure.Instruction, numbers []int32, i int) int {
	switch {
	case i < 0:
		return 0
	case body == nil:
		return int(numbers[i])
	}
	return body[i].Line
}

// Slim lets go of the instructions and the text that they are of: in a tree of
// thousands of kernels those of which nothing changed are not looked at again. All
// but the bodies stays.
func (c *Comparison) Slim() {
	for n, l := range [...]*pressure.Listing{c.Before, c.After} {
		c.numbers[n] = make([]int32, len(l.Body))
		for i := range l.Body {
			c.numbers[n][i] = int32(l.Body[i].Line)
		}
		l.Body, l.Loops = nil, nil
	}
}

// Compare pairs the instructions of a kernel before and after.
func Compare(before, after *pressure.Listing) *Comparison {
	c := &Comparison{Before: before, After: after}
	r := newReader()
	c.Steps = r.pair(r.side(before.Body), r.side(after.Body)).steps()
	c.count()
	c.redirect()
	c.Lines = layLines(c)
	c.Loops = layLoops(c)
	return c
}

// redirect counts the branches that lead elsewhere. Where all instructions are paired,
// all of them in order, those of one pair stand at the same index.
func (c *Comparison) redirect() {
	if n := c.Counts.Paired(); n != c.Counts.Before || n != c.Counts.After {
		return
	}
	index := func(l *pressure.Listing) map[string]int {
		at := make(map[string]int, len(l.Labels))
		for _, label := range l.Labels {
			at[label.Name] = label.Index + 1 // 0 is none of the body's
		}
		return at
	}
	was, is := index(c.Before), index(c.After)
	for i := range c.Before.Body {
		b, a := &c.Before.Body[i], &c.After.Body[i]
		if b.Class == pressure.Branch && was[textOf(b).target()] != is[textOf(a).target()] {
			c.Redirected++
		}
	}
}

func (c *Comparison) count() {
	n := Counts{Sides: Sides{len(c.Before.Body), len(c.After.Body)}}
	added := map[string]Sides{}
	for _, s := range c.Steps {
		switch s.Op {
		case Same:
			n.Same++
		case Renamed:
			n.Renamed++
		case Changed:
			n.Changed++
		case Moved:
			n.Moved++
		case Removed:
			n.Removed++
		case Added:
			n.Added++
			class := string(c.After.Body[s.After].Class)
			added[class] = Sides{0, added[class].After + 1}
		}
	}
	c.Counts = n
	c.Classes = classes(c.Before.Body, c.After.Body)
	c.Mnemonics = tally(c.Before.Body, c.After.Body, func(i *pressure.Instruction) string { return i.Mnemonic })
	for _, class := range pressure.Classes {
		if n, ok := added[string(class)]; ok {
			c.Added = append(c.Added, Tally{string(class), n})
		}
	}
	slices.SortStableFunc(c.Added, func(x, y Tally) int { return cmp.Compare(y.After, x.After) })
}

// classes counts the instructions of each class that occurs.
func classes(before, after []pressure.Instruction) []Tally {
	all := tally(before, after, func(i *pressure.Instruction) string { return string(i.Class) })
	slices.SortFunc(all, func(x, y Tally) int {
		return cmp.Compare(slices.Index(pressure.Classes, pressure.Class(x.Name)), slices.Index(pressure.Classes, pressure.Class(y.Name)))
	})
	return all
}

func tally(before, after []pressure.Instruction, name func(*pressure.Instruction) string) []Tally {
	counts := map[string]Sides{}
	for i := range before {
		n := counts[name(&before[i])]
		n.Before++
		counts[name(&before[i])] = n
	}
	for i := range after {
		n := counts[name(&after[i])]
		n.After++
		counts[name(&after[i])] = n
	}
	all := make([]Tally, 0, len(counts))
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Tally{key, counts[key]})
	}
	return all
}

// pairs calls see for each pair of instructions.
func (c *Comparison) pairs(see func(before, after int)) {
	for _, s := range c.Steps {
		if s.Before >= 0 && s.After >= 0 {
			see(s.Before, s.After)
		}
	}
}
