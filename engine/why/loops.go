package why

import (
	"cmp"
	"slices"

	"isadiff/engine/pressure"
)

// A Loop is a natural loop, on both sides or on one.
type Loop struct {
	Label, Was   string // before its header, after and before; "" if it is not on that side, or bears none
	File         string // of most of its instructions, after; before if it is gone
	From, To     int    // its first and last source line there; 0 if it has none
	Gone, New    bool   // it is on the before side only, on the after side only
	Depth        int    // 1 for a loop that is in no other; after, or before if it is gone
	Instructions Sides  // of one iteration
	Classes      []Tally
	Spills       Sides // spill stores and reloads of one iteration
}

// layLoops pairs loops by the pairs of instructions in them. Those that have most in
// common are one, if it is half of the smaller one.
func layLoops(c *Comparison) []Loop {
	before, after := c.Before.Loops, c.After.Loops
	if len(before) == 0 && len(after) == 0 {
		return nil
	}
	was := loopPartners(c)
	loops := make([]Loop, 0, len(after))
	paired := make([]bool, len(before))
	for a := range after {
		var old *pressure.Loop
		if b, ok := was[a]; ok {
			old, paired[b] = &before[b], true
		}
		loops = append(loops, newLoop(c, old, &after[a]))
	}
	for b := range before {
		if !paired[b] {
			loops = append(loops, newLoop(c, &before[b], nil))
		}
	}
	return loops
}

func loopPartners(c *Comparison) map[int]int {
	before, after := c.Before.Loops, c.After.Loops
	in := make([][]int, len(c.After.Body)) // the loops of an instruction
	for a := range after {
		for _, j := range after[a].Body {
			in[j] = append(in[j], a)
		}
	}
	partner := none(len(c.Before.Body))
	c.pairs(func(i, j int) { partner[i] = int32(j) })
	type pairing struct {
		before, after int
		common        int
		share         float64 // of both
	}
	var all []pairing
	for b := range before {
		common := map[int]int{}
		for _, i := range before[b].Body {
			if j := partner[i]; j >= 0 {
				for _, a := range in[j] {
					common[a]++
				}
			}
		}
		for a, n := range common {
			x, y := len(before[b].Body), len(after[a].Body)
			if 2*n >= min(x, y) {
				all = append(all, pairing{b, a, n, float64(2*n) / float64(x+y)})
			}
		}
	}
	slices.SortFunc(all, func(x, y pairing) int {
		return cmp.Or(cmp.Compare(y.share, x.share), cmp.Compare(y.common, x.common), cmp.Compare(x.after, y.after), cmp.Compare(x.before, y.before))
	})
	was, taken := map[int]int{}, make([]bool, len(before))
	for _, v := range all {
		if _, done := was[v.after]; !done && !taken[v.before] {
			was[v.after], taken[v.before] = v.before, true
		}
	}
	return was
}

// newLoop lays out a loop; before or after is nil if it is on one side only.
func newLoop(c *Comparison, before, after *pressure.Loop) Loop {
	l := Loop{Gone: after == nil, New: before == nil}
	var old, now []pressure.Instruction
	if before != nil {
		old = selected(c.Before.Body, before.Body)
		l.Was, l.Depth = before.Label, before.Depth
		l.File, l.From, l.To = extent(old)
	}
	if after != nil {
		now = selected(c.After.Body, after.Body)
		l.Label, l.Depth = after.Label, after.Depth
		l.File, l.From, l.To = extent(now)
	}
	l.Instructions = Sides{len(old), len(now)}
	l.Classes = classes(old, now)
	l.Spills = Sides{spills(old), spills(now)}
	return l
}

func selected(body []pressure.Instruction, at []int) []pressure.Instruction {
	list := make([]pressure.Instruction, len(at))
	for k, i := range at {
		list[k] = body[i]
	}
	return list
}

func spills(body []pressure.Instruction) (n int) {
	for i := range body {
		n += is(body[i].Spill != pressure.NoSpill)
	}
	return n
}

// extent returns the source file that most instructions are of, and their first and
// last line in it.
func extent(body []pressure.Instruction) (file string, from, to int) {
	counts := map[string]int{}
	for i := range body {
		if s := body[i].Source; s.Line > 0 {
			counts[s.File]++
			if n := counts[s.File]; n > counts[file] || n == counts[file] && s.File < file {
				file = s.File
			}
		}
	}
	for i := range body {
		if s := body[i].Source; s.File == file && s.Line > 0 {
			if from == 0 || s.Line < from {
				from = s.Line
			}
			to = max(to, s.Line)
		}
	}
	return file, from, to
}
