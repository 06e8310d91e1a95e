package pressure

import "slices"

// A Bound tells how far a figure can be believed.
type Bound string

// The bounds.
const (
	Exact   Bound = "exact"
	AtLeast Bound = "at least"      // registers are indexed, and the text names only the base
	AtMost  Bound = "at most"       // some of it may be something else
	OwnBody Bound = "own body only" // functions that the kernel calls are not in it
)

// A Peak is the most registers of one file that are live at one instruction.
type Peak struct {
	Peak    int
	Index   int        // of the first instruction that has it, 0-based in the kernel; -1 if the peak is 0
	Line    int        // of that instruction in the assembly, 1-based; 0 if the peak is 0
	Source  SourceLine // its source line; zero if the text names none or the compiler made it for none
	Near    SourceLine // Source, or the nearest line of the user; zero if there is none at all
	Bound   Bound
	Refused string // why there is no figure; the other fields mean nothing then
}

// An Analysis is where the registers and spills of one kernel come from.
type Analysis struct {
	Kernel string
	Line   int // of its label, 1-based

	Instructions int
	Blocks       int // of its control flow; 0 if the registers cannot be counted

	VGPR, AGPR, SGPR Peak

	// Refused tells why not even the instructions can be told; "" if they can.
	// What cannot be told about the registers alone stands in the peaks.
	Refused string

	SpillStores, SpillLoads int   // sites, not dwords
	SpillBound              Bound // of both

	Lines []Line // by source line, in the order of their first instructions

	before []int // live VGPRs before each instruction
}

// Analyze tells where the registers and spills of one of the file's kernels come
// from.
func (f *Assembly) Analyze(kernel string) Analysis {
	a := Analysis{Kernel: kernel}
	f.analyze(&a, nil)
	return a
}

// analyze fills in an analysis, and a list of the instructions if one is wanted.
func (f *Assembly) analyze(a *Analysis, list *Listing) {
	kernel := a.Kernel
	symbol := f.symbol(kernel)
	desc, isKernel := f.launch[symbol]
	b := f.bodies[symbol]
	switch {
	case b == nil:
		a.refuse("the file has no function of this name", 0)
		return
	case !isKernel:
		a.Line = b.line
		a.refuse("not a kernel: what its caller still needs when it returns is not known", b.line)
		if list != nil {
			list.unread(f.decode(b, true, list))
		}
		return
	}
	a.Line = b.line
	c := f.decode(b, true, list)
	if c.uncountable {
		a.refuse(c.fault, c.faultLine)
		if list != nil {
			list.unread(c)
		}
		return
	}
	a.Instructions = len(c.instructions)
	count, counted := f.spills[kernel]
	a.SpillBound = c.spillSites(count, counted)
	c.nearestSources()
	if list != nil {
		list.fill(&c)
	}
	a.layLines(&c)
	a.countRegisters(f, &c, desc, list)
	a.Lines = slices.DeleteFunc(a.Lines, func(l Line) bool { return l.Instructions == 0 })
	slices.SortFunc(a.Lines, func(x, y Line) int { return x.first - y.first })
}

// refuse says why there are no figures at all.
func (a *Analysis) refuse(why string, line int) {
	a.Refused = withLine(why, line)
	a.refuseRegisters(a.Refused)
}

func (a *Analysis) refuseRegisters(why string) {
	for _, p := range []*Peak{&a.VGPR, &a.AGPR, &a.SGPR} {
		*p = Peak{Index: -1, Refused: why}
	}
}

// layLines counts what stands on each source line. Until they are sorted,
// a.Lines has one element for each of c's sources.
func (a *Analysis) layLines(c *code) {
	a.Lines = make([]Line, len(c.sources))
	for i := range c.instructions {
		ins := &c.instructions[i]
		l := &a.Lines[ins.source]
		if l.Instructions == 0 {
			l.Source, l.first = c.sources[ins.source], i
		}
		before := [2]int{l.SpillStores, l.SpillLoads}
		l.add(ins)
		a.SpillStores += l.SpillStores - before[0]
		a.SpillLoads += l.SpillLoads - before[1]
	}
}

func (a *Analysis) countRegisters(f *Assembly, c *code, desc descriptor, list *Listing) {
	blocks := c.blocks()
	if c.fault != "" {
		a.refuseRegisters(withLine(c.fault, c.faultLine))
		return
	}
	if len(blocks) == 0 { // as of a kernel that cannot be reached: nothing is ever live
		for _, p := range []*Peak{&a.VGPR, &a.AGPR, &a.SGPR} {
			*p = Peak{Index: -1, Bound: Exact}
		}
		return
	}
	a.Blocks = len(blocks)
	l := layoutFor(c.topVGPR)
	v := newLiveness(c, l, blocks, f.effects(c, new(summaries)))
	v.solve(f.entry(l, desc))
	peaks := [3]Peak{}
	for file := range peaks {
		peaks[file] = Peak{Index: -1, Bound: c.bound(uint8(file))}
	}
	a.before = make([]int, len(c.instructions))
	v.walk(func(i int, before, pressure counts) {
		a.before[i] = before[vgpr]
		if list != nil {
			list.Body[i].Live = pressure[vgpr]
		}
		line := &a.Lines[c.instructions[i].source]
		line.VGPRs = max(line.VGPRs, pressure[vgpr])
		for file := range peaks {
			if p := &peaks[file]; pressure[file] > p.Peak || pressure[file] == p.Peak && p.Peak > 0 && i < p.Index {
				p.Peak, p.Index = pressure[file], i
			}
		}
	})
	for file := range peaks {
		if p := &peaks[file]; p.Index >= 0 {
			ins := &c.instructions[p.Index]
			p.Line, p.Near = int(ins.line), c.sources[ins.source]
			if !ins.made {
				p.Source = p.Near
			}
		}
	}
	if list != nil {
		list.Loops, list.LoopsRefused = c.loops(blocks, v.graph)
	}
	a.VGPR, a.AGPR, a.SGPR = peaks[vgpr], peaks[agpr], peaks[sgpr]
	if len(c.calls) > 0 {
		a.SGPR = Peak{Index: -1, Refused: withLine("the kernel calls functions, and which scalar registers they need is not known", c.calls[0].line)}
	}
}

// bound tells how far the count of a file can be believed.
func (c *code) bound(file uint8) Bound {
	switch {
	case c.indexed&(1<<file) != 0:
		return AtLeast
	case len(c.calls) > 0:
		return OwnBody
	}
	return Exact
}

// entry returns the registers that hold a value when a kernel starts.
func (f *Assembly) entry(l layout, d descriptor) set {
	s := make(set, l.words())
	l.add(s, span{0, uint16(d.sgprs()), sgpr, both})
	vgprs := 1
	if !packsWorkItems(f.processor) {
		vgprs += d.workItemID
	}
	l.add(s, span{0, uint16(vgprs), vgpr, both})
	return s
}
