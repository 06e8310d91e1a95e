package pressure

// A liveness computes which registers hold a value that is still read. Sets of
// registers are kept by block only; within a block they are stepped through.
type liveness struct {
	*code
	layout
	blocks  []block
	effects []effect // of the calls, in this layout; solve leaves only those reads that are of something written
	graph
	gens, kills, ins []uint64 // sets by block
	written          []set    // by component: what some path to it may have written
}

func newLiveness(c *code, l layout, blocks []block, effects []*effect) *liveness {
	v := &liveness{code: c, layout: l, blocks: blocks, graph: sortGraph(blocks)}
	for _, e := range effects {
		v.effects = append(v.effects, effect{l.narrow(e.reads), l.narrow(e.writes)})
	}
	size := len(blocks) * l.words()
	sets := make([]uint64, 3*size)
	v.gens, v.kills, v.ins = sets[:size], sets[size:2*size], sets[2*size:]
	return v
}

func (v *liveness) of(sets []uint64, b int32) set {
	w := v.words()
	return sets[int(b)*w : (int(b)+1)*w]
}

func (v *liveness) gen(b int32) set  { return v.of(v.gens, b) }
func (v *liveness) kill(b int32) set { return v.of(v.kills, b) }
func (v *liveness) in(b int32) set   { return v.of(v.ins, b) }

// written returns the spans that instruction i writes, and those it reads.
func (c *code) access(i int) (written, read []span) {
	ins := &c.instructions[i]
	all := c.pool[ins.spans : int(ins.spans)+int(ins.defs)+int(ins.uses)]
	return all[:ins.defs], all[ins.defs:]
}

// solve finds what is live at the start of every reachable block, when entry is
// written before the first.
func (v *liveness) solve(entry set) {
	for _, b := range v.order {
		v.findKill(b)
	}
	v.findWritten(entry)
	now, killed := make(set, v.words()), make(set, v.words())
	for _, b := range v.order {
		v.findGen(b, now, killed)
	}
	v.propagate()
}

// findKill collects what a block writes.
func (v *liveness) findKill(b int32) {
	kill := v.kill(b)
	for i := v.blocks[b].start; i < v.blocks[b].end; i++ {
		written, _ := v.access(i)
		for _, r := range written {
			v.add(kill, r)
		}
		if call := v.instructions[i].call; call >= 0 {
			union(kill, v.effects[call].writes)
		}
	}
}

// findWritten finds what may have been written before each block. Within a loop
// that is the same for all of its blocks, so one pass over the components is
// enough.
func (v *liveness) findWritten(entry set) {
	words := v.words()
	sets := make([]uint64, len(v.components)*words)
	v.written = make([]set, len(v.components))
	for c := range v.written {
		v.written[c] = sets[c*words : (c+1)*words]
	}
	first := v.component[0]
	copy(v.written[first], entry)
	out := make(set, words)
	for c := len(v.components) - 1; c >= 0; c-- {
		written, blocks := v.written[c], v.components[c]
		copy(out, written)
		for _, b := range blocks {
			union(out, v.kill(b))
		}
		if len(blocks) > 1 || v.loops(blocks[0]) {
			copy(written, out)
		}
		for _, b := range blocks {
			for _, next := range v.blocks[b].next {
				if next >= 0 && v.component[next] != int32(c) {
					union(v.written[v.component[next]], out)
				}
			}
		}
	}
}

func (v *liveness) loops(b int32) bool {
	return v.blocks[b].next[0] == b || v.blocks[b].next[1] == b
}

// findGen collects what a block reads before it writes it. A read of what no
// path has written is none: it is taken out of the pool, so that the register
// does not live from there back to the entry.
func (v *liveness) findGen(b int32, now, killed set) {
	copy(now, v.written[v.component[b]])
	gen := v.gen(b)
	clear(killed)
	for i := v.blocks[b].start; i < v.blocks[b].end; i++ {
		written, read := v.access(i)
		for _, r := range read {
			if !v.contains(now, r) {
				v.dropUnwritten(i, now)
				_, read = v.access(i)
				break
			}
		}
		for _, r := range read {
			v.addUnless(gen, killed, r)
		}
		if call := v.instructions[i].call; call >= 0 {
			e := &v.effects[call]
			e.reads = intersect(e.reads, now)
			for w := range gen {
				gen[w] |= e.reads[w] &^ killed[w]
			}
			union(now, e.writes)
			union(killed, e.writes)
		}
		for _, r := range written {
			v.add(now, r)
			v.add(killed, r)
		}
	}
}

// dropUnwritten gives instruction i a list of reads without those registers that
// are not in written.
func (v *liveness) dropUnwritten(i int, written set) {
	writes, reads := v.access(i)
	start := len(v.pool)
	v.pool = append(v.pool, writes...)
	for _, r := range reads {
		if v.contains(written, r) {
			v.pool = append(v.pool, r)
			continue
		}
		for n := r.first; n < r.first+r.count; n++ {
			one := span{n, 1, r.file, 0}
			for _, half := range [...]uint8{low, high} {
				if r.half&half != 0 && v.contains(written, span{n, 1, r.file, half}) {
					one.half |= half
				}
			}
			if one.half != 0 && (r.file == vgpr || one.half&low != 0) {
				v.pool = append(v.pool, one)
			}
		}
	}
	ins := &v.instructions[i]
	ins.spans, ins.uses = uint32(start), uint32(len(v.pool)-start-int(ins.defs))
}

// propagate carries live registers backwards until nothing changes.
func (v *liveness) propagate() {
	before := v.predecessors()
	queue := append(make([]int32, 0, 2*len(v.order)), v.order...)
	queued := make([]bool, len(v.blocks))
	for _, b := range queue {
		queued[b] = true
	}
	out := make(set, v.words())
	for head := 0; head < len(queue); head++ {
		b := queue[head]
		queued[b] = false
		v.out(b, out)
		in, gen, kill, written := v.in(b), v.gen(b), v.kill(b), v.written[v.component[b]]
		changed := false
		for w := range in {
			if now := gen[w] | out[w]&^kill[w]&written[w]; now != in[w] {
				in[w], changed = now, true
			}
		}
		if !changed {
			continue
		}
		for _, p := range before.of(b) {
			if !queued[p] {
				queued[p] = true
				queue = append(queue, p)
			}
		}
	}
}

// out sets s to what is live behind a block.
func (v *liveness) out(b int32, s set) {
	clear(s)
	for _, next := range v.blocks[b].next {
		if next >= 0 {
			union(s, v.in(next))
		}
	}
}

// predecessors are the reachable blocks before each block.
type predecessors struct {
	start []int32
	all   []int32
}

func (p predecessors) of(b int32) []int32 { return p.all[p.start[b]:p.start[b+1]] }

func (v *liveness) predecessors() predecessors {
	p := predecessors{start: make([]int32, len(v.blocks)+2)}
	for _, b := range v.order {
		for _, next := range v.blocks[b].next {
			if next >= 0 {
				p.start[next+2]++
			}
		}
	}
	for i := 2; i < len(p.start); i++ {
		p.start[i] += p.start[i-1]
	}
	p.all = make([]int32, p.start[len(p.start)-1])
	for _, b := range v.order {
		for _, next := range v.blocks[b].next {
			if next >= 0 {
				p.all[p.start[next+1]] = b
				p.start[next+1]++
			}
		}
	}
	return p
}

func intersect(a, b set) set {
	out := make(set, len(a))
	for i, w := range a {
		out[i] = w & b[i]
	}
	return out
}

func union(s, other set) {
	for i, w := range other {
		s[i] |= w
	}
}

// A visit is told the registers at one instruction: those live before it, and
// its pressure, which also counts results that nobody reads.
type visit func(instruction int, before, pressure counts)

// walk visits the instructions of every reachable block, each block from its end.
func (v *liveness) walk(see visit) {
	live := make(set, v.words())
	for _, b := range v.order {
		v.out(b, live)
		written, kill := v.written[v.component[b]], v.kill(b)
		for w := range live {
			live[w] &= written[w] | kill[w]
		}
		n := v.count(live)
		for i := v.blocks[b].end - 1; i >= v.blocks[b].start; i-- {
			writes, reads := v.access(i)
			for _, r := range writes {
				v.gain(live, &n, r)
			}
			pressure := n
			for _, r := range writes {
				v.lose(live, &n, r)
			}
			if call := v.instructions[i].call; call >= 0 {
				e := v.effects[call]
				for w := range live {
					live[w] = live[w]&^e.writes[w] | e.reads[w]
				}
				n = v.count(live) // the registers a callee needs for itself are not the caller's
			}
			for _, r := range reads {
				v.gain(live, &n, r)
			}
			for file := range n {
				pressure[file] = max(pressure[file], n[file])
			}
			see(i, n, pressure)
		}
	}
}
