package why

import (
	"cmp"
	"path"
	"slices"

	"isadiff/engine/pressure"
)

// A Line is one line of the program, on both sides.
type Line struct {
	Source pressure.SourceLine // as it is after; its line is 0 if it is gone, or if there is no source line at all
	Was    pressure.SourceLine // the line before; zero if there was none

	Instructions Sides
	Other        Sides // of these, what is gone, new or changed
	Live         Sides // the most VGPRs that are live at any of its instructions
	SpillStores  Sides
	SpillLoads   Sides
}

// layLines counts what stands on each source line, and lays the lines of the two
// sides side by side. What has no source line is a line of its own.
func layLines(c *Comparison) []Line {
	before, after := sourcesOf(c.Before.Body), sourcesOf(c.After.Body)
	was := partners(c, before, after)
	lines := make([]Line, len(after.all), len(after.all)+len(before.all))
	at := map[int]int{} // the row of a line before
	for i, s := range after.all {
		lines[i].Source = s
		if b, ok := was[i]; ok {
			lines[i].Was = before.all[b]
			at[b] = i
		}
	}
	for b, s := range before.all {
		if _, ok := at[b]; ok {
			continue
		}
		at[b] = len(lines)
		lines = append(lines, Line{Source: pressure.SourceLine{File: s.File}, Was: s})
	}
	for i := range c.Before.Body {
		ins, l := &c.Before.Body[i], &lines[at[before.of[i]]]
		l.Instructions.Before++
		l.Live.Before = max(l.Live.Before, ins.Live)
		l.SpillStores.Before += is(ins.Spill == pressure.SpillStore)
		l.SpillLoads.Before += is(ins.Spill == pressure.SpillLoad)
	}
	for j := range c.After.Body {
		ins, l := &c.After.Body[j], &lines[after.of[j]]
		l.Instructions.After++
		l.Live.After = max(l.Live.After, ins.Live)
		l.SpillStores.After += is(ins.Spill == pressure.SpillStore)
		l.SpillLoads.After += is(ins.Spill == pressure.SpillLoad)
	}
	for _, s := range c.Steps {
		if s.Op != Added && s.Op != Removed && s.Op != Changed {
			continue
		}
		if s.Before >= 0 {
			lines[at[before.of[s.Before]]].Other.Before++
		}
		if s.After >= 0 {
			lines[after.of[s.After]].Other.After++
		}
	}
	return lines
}

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sources are the lines of a body, in the order of their first instructions.
type sources struct {
	all []pressure.SourceLine
	of  []int // by instruction
}

func sourcesOf(body []pressure.Instruction) sources {
	s := sources{of: make([]int, len(body))}
	known := map[pressure.SourceLine]int{}
	for i := range body {
		id, ok := known[body[i].Source]
		if !ok {
			id = len(s.all)
			known[body[i].Source] = id
			s.all = append(s.all, body[i].Source)
		}
		s.of[i] = id
	}
	return s
}

// partners returns for lines after which line they were before. Pairs of
// instructions vote: two lines are one if half or more of what is paired on either of them
// is paired with the other. What has no line is only ever that.
func partners(c *Comparison, before, after sources) map[int]int {
	type pairing struct{ before, after int }
	votes := map[pairing]int{}
	cast, held := make([]int, len(after.all)), make([]int, len(before.all))
	c.pairs(func(i, j int) {
		v := pairing{before.of[i], after.of[j]}
		if b, a := before.all[v.before], after.all[v.after]; (b.Line == 0) != (a.Line == 0) {
			return
		}
		votes[v]++
		cast[v.after]++
		held[v.before]++
	})
	var all []pairing
	for v, n := range votes {
		if 2*n >= min(cast[v.after], held[v.before]) {
			all = append(all, v)
		}
	}
	distance := func(v pairing) int {
		b, a := before.all[v.before], after.all[v.after]
		d := max(a.Line-b.Line, b.Line-a.Line)
		if path.Base(b.File) != path.Base(a.File) {
			d += 1 << 30
		}
		return d
	}
	slices.SortFunc(all, func(x, y pairing) int {
		return cmp.Or(cmp.Compare(votes[y], votes[x]), cmp.Compare(distance(x), distance(y)), cmp.Compare(x.after, y.after), cmp.Compare(x.before, y.before))
	})
	was := map[int]int{}
	taken := make([]bool, len(before.all))
	for b, s := range before.all {
		if a := slices.IndexFunc(after.all, func(x pressure.SourceLine) bool { return x.Line == 0 }); s.Line == 0 && a >= 0 {
			was[a], taken[b] = b, true
		}
	}
	for _, v := range all {
		if _, done := was[v.after]; !done && !taken[v.before] {
			was[v.after], taken[v.before] = v.before, true
		}
	}
	return was
}
