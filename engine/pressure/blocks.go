package pressure

// A block is a run of instructions that is entered at its start and left at its
// end only.
type block struct {
	start, end int      // instructions [start,end)
	next       [2]int32 // the blocks that may follow, -1 for none
}

// blocks cuts a body at the labels that are branched to and behind branches.
func (c *code) blocks() []block {
	n := len(c.instructions)
	targets := c.resolve()
	if n == 0 || c.fault != "" {
		return nil
	}
	leads := make([]bool, n+1)
	leads[0] = true
	for _, t := range targets {
		leads[t] = true
	}
	for i := range c.instructions {
		switch c.instructions[i].flow {
		case jump, branch, finish:
			leads[i+1] = true
		}
	}
	at := make([]int32, n+1) // the block that begins at an instruction
	var blocks []block
	for i := range n {
		if leads[i] {
			at[i] = int32(len(blocks))
			if len(blocks) > 0 {
				blocks[len(blocks)-1].end = i
			}
			blocks = append(blocks, block{start: i, next: [2]int32{-1, -1}})
		}
	}
	blocks[len(blocks)-1].end = n
	if len(blocks) > maxBlocks {
		c.refuse(0, "more than %d blocks of control flow", maxBlocks)
		return nil
	}
	at[n] = -1 // running off the end leaves the function
	for i := range blocks {
		if end := blocks[i].end; fallsThrough(c.instructions[end-1].flow) {
			blocks[i].next[0] = at[end]
		}
	}
	for i, b := range c.branches {
		from := blockOf(blocks, b.from)
		blocks[from].next[1] = at[targets[i]]
	}
	return blocks
}

// maxBlocks bounds the memory that one kernel's sets of registers can take. The
// largest kernel seen has some thousands.
const maxBlocks = 250_000

func fallsThrough(f flow) bool { return f != jump && f != finish }

// blockOf finds the block that an instruction is in.
func blockOf(blocks []block, instruction int) int {
	lo, hi := 0, len(blocks)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; blocks[mid].start <= instruction {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// A graph orders the blocks that are reachable from the entry.
type graph struct {
	order      []int32   // in post order: successors come first, but for loops
	component  []int32   // by block, which loop nest it belongs to; -1 if unreachable
	components [][]int32 // strongly connected blocks, successors first
}

// sortGraph finds the strongly connected components by Tarjan's algorithm,
// without recursion, as a kernel can have many thousands of blocks.
func sortGraph(blocks []block) graph {
	n := len(blocks)
	g := graph{component: make([]int32, n)}
	index := make([]int32, n) // order of discovery, from 1
	lowest := make([]int32, n)
	for i := range g.component {
		g.component[i] = -1
	}
	type frame struct {
		block int32
		edge  uint8
	}
	var open []int32
	members := make([]int32, 0, n)
	found := int32(0)
	enter := func(b int32) frame {
		found++
		index[b], lowest[b] = found, found
		open = append(open, b)
		return frame{b, 0}
	}
	stack := []frame{enter(0)}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		b := top.block
		if top.edge < 2 {
			next := blocks[b].next[top.edge]
			top.edge++
			switch {
			case next < 0:
			case index[next] == 0:
				stack = append(stack, enter(next))
			case g.component[next] < 0:
				lowest[b] = min(lowest[b], index[next])
			}
			continue
		}
		stack = stack[:len(stack)-1]
		g.order = append(g.order, b)
		if len(stack) > 0 {
			parent := stack[len(stack)-1].block
			lowest[parent] = min(lowest[parent], lowest[b])
		}
		if lowest[b] != index[b] {
			continue
		}
		from := len(members)
		for {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			g.component[last] = int32(len(g.components))
			members = append(members, last)
			if last == b {
				break
			}
		}
		g.components = append(g.components, members[from:len(members):len(members)])
	}
	return g
}
