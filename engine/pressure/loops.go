package pressure

import (
	"cmp"
	"fmt"
	"slices"
)

// A Loop is a natural loop: what can reach the branch back to its header without
// passing the header.
type Loop struct {
	Label string // before its header; "" if none stands there
	Depth int    // 1 for a loop that is in no other
	Body  []int  // its instructions, ascending
}

// The bounds of what loops are looked for in: no real body goes beyond them.
const (
	maxLoopBlocks  = 20_000
	maxLoopNesting = 50 // on average over all instructions
)

// loops finds the natural loops of a body. Those that share a header are one. A
// cycle that can be entered at several places has no header and is none.
func (c *code) loops(blocks []block, g graph) (_ []Loop, refused string) {
	if len(blocks) > maxLoopBlocks {
		return nil, fmt.Sprintf("more than %d blocks of control flow", maxLoopBlocks)
	}
	d := dominators(blocks, g.order)
	tails := map[int32][]int32{} // by header
	for _, b := range g.order {
		for _, next := range blocks[b].next {
			if next >= 0 && d.dominates(next, b) && !slices.Contains(tails[next], b) {
				tails[next] = append(tails[next], b)
			}
		}
	}
	if len(tails) == 0 {
		return nil, ""
	}
	before := make([][]int32, len(blocks))
	for _, b := range g.order {
		for _, next := range blocks[b].next {
			if next >= 0 {
				before[next] = append(before[next], b)
			}
		}
	}
	labels := map[int]string{}
	for _, l := range slices.Concat(c.labels, c.numeric) {
		labels[l.index] = l.name
	}
	var loops []Loop
	depth := make([]int, len(blocks))
	var headers []int32
	for header := range tails {
		headers = append(headers, header)
	}
	slices.Sort(headers)
	room := maxLoopNesting * (len(c.instructions) + 1)
	for _, header := range headers {
		l := Loop{Label: labels[blocks[header].start]}
		for _, b := range within(header, tails[header], before) {
			depth[b]++
			for i := blocks[b].start; i < blocks[b].end; i++ {
				l.Body = append(l.Body, i)
			}
		}
		if room -= len(l.Body); room < 0 {
			return nil, "loops are nested too deeply"
		}
		loops = append(loops, l)
	}
	for i, header := range headers {
		loops[i].Depth = depth[header]
	}
	slices.SortStableFunc(loops, func(x, y Loop) int { return cmp.Compare(x.Body[0], y.Body[0]) })
	return loops, ""
}

// within returns the blocks of a loop in the order of the text.
func within(header int32, tails []int32, before [][]int32) []int32 {
	in := map[int32]bool{header: true}
	blocks := []int32{header}
	queue := slices.Clone(tails)
	for len(queue) > 0 {
		b := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if in[b] {
			continue
		}
		in[b] = true
		blocks = append(blocks, b)
		queue = append(queue, before[b]...)
	}
	slices.Sort(blocks)
	return blocks
}

// A domination tells which blocks every path to a block passes.
type domination struct {
	parent      []int32 // the next one that dominates; the entry's own for the entry
	enter, exit []int32 // when a walk over the tree of them comes to a block and leaves it
}

// dominators finds them by the algorithm of Cooper, Harvey and Kennedy ("A Simple,
// Fast Dominance Algorithm", 2001). order is a post order from the entry, block 0.
func dominators(blocks []block, order []int32) domination {
	rank := make([]int32, len(blocks)) // in post order
	for i, b := range order {
		rank[b] = int32(i)
	}
	parent := make([]int32, len(blocks))
	for i := range parent {
		parent[i] = -1
	}
	parent[0] = 0
	meet := func(a, b int32) int32 {
		for a != b {
			for rank[a] < rank[b] {
				a = parent[a]
			}
			for rank[b] < rank[a] {
				b = parent[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			from := order[i]
			for _, to := range blocks[from].next {
				if to <= 0 { // none, or the entry
					continue
				}
				now := from
				if parent[to] >= 0 {
					now = meet(parent[to], from)
				}
				if now != parent[to] {
					parent[to], changed = now, true
				}
			}
		}
	}
	return walked(parent, order)
}

// walked numbers a tree of dominators, so that one comparison tells who dominates.
func walked(parent, order []int32) domination {
	d := domination{parent: parent, enter: make([]int32, len(parent)), exit: make([]int32, len(parent))}
	children := make([][]int32, len(parent))
	for _, b := range order {
		if b != 0 {
			children[parent[b]] = append(children[parent[b]], b)
		}
	}
	time := int32(1)
	d.enter[0] = time
	stack := []int32{0}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		time++
		if n := len(children[b]); n > 0 {
			child := children[b][n-1]
			children[b] = children[b][:n-1]
			d.enter[child] = time
			stack = append(stack, child)
			continue
		}
		d.exit[b] = time
		stack = stack[:len(stack)-1]
	}
	return d
}

// dominates reports whether every path to b passes a. Both are reachable.
func (d domination) dominates(a, b int32) bool {
	return d.enter[a] <= d.enter[b] && d.exit[b] <= d.exit[a]
}
