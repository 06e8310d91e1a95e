package pressure

// A callSite is an instruction that calls a function.
type callSite struct {
	callee string // "" if it is not known
	line   int
}

// An effect is what a call reads and writes besides its own operands, in the
// wide layout.
type effect struct {
	reads, writes set
}

var wide = layout{maxVGPR / 64}

// preserved reports whether a callee keeps a register's value, by LLVM's calling
// convention: v40–v47, v56–v63 and so on, s30 and up, a32 and up.
func preserved(file uint8, n int) bool {
	switch file {
	case vgpr:
		return n >= 40 && (n-40)%16 < 8
	case sgpr:
		return n >= returnRegister
	}
	return n >= 32
}

// clobberable returns the registers that a call may change.
func clobberable() set {
	s := make(set, wide.words())
	for file, top := range [...]int{vgpr: maxVGPR, agpr: maxAGPR, sgpr: maxSGPR} {
		for n := range top {
			if !preserved(uint8(file), n) {
				wide.add(s, span{uint16(n), 1, uint8(file), both})
			}
		}
	}
	return s
}

// unknownEffect is that of a callee that is not in the file.
func unknownEffect() *effect {
	e := &effect{reads: make(set, wide.words()), writes: clobberable()}
	wide.add(e.reads, span{0, 32, vgpr, both})
	wide.add(e.reads, span{0, 16, sgpr, both})
	return e
}

// effects returns what each call of c does.
func (f *Assembly) effects(c *code, s *summaries) []*effect {
	if len(c.calls) == 0 {
		return nil
	}
	all := make([]*effect, len(c.calls))
	for i, call := range c.calls {
		all[i] = s.of(f, call.callee)
	}
	return all
}

// summaries are the effects of functions by name. LLVM allocates registers
// across functions, so what a callee's text writes counts rather than the
// calling convention.
type summaries struct {
	done    map[string]*effect
	open    map[string]bool // being summarized: a function met again calls itself
	tainted map[string]bool // those whose effect depends on where the chain of calls began
	unknown *effect
}

// of returns the effect of a function.
func (s *summaries) of(f *Assembly, name string) *effect {
	if e, ok := f.callees.Load(name); ok {
		return e.(*effect)
	}
	if e := s.done[name]; e != nil {
		return e
	}
	if s.unknown == nil {
		*s = summaries{map[string]*effect{}, map[string]bool{}, map[string]bool{}, unknownEffect()}
	}
	b := f.bodies[name]
	if b == nil {
		return s.unknown
	}
	if s.open[name] || len(s.open) > maxCallDepth {
		for caller := range s.open {
			s.tainted[caller] = true
		}
		return s.unknown
	}
	s.open[name] = true
	e := s.summarize(f, b)
	delete(s.open, name)
	s.done[name] = e
	if !s.tainted[name] {
		f.callees.Store(name, e)
	}
	return e
}

// maxCallDepth bounds the chains of calls that are followed.
const maxCallDepth = 200

func (s *summaries) summarize(f *Assembly, b *body) *effect {
	c := f.decode(b, false, nil)
	blocks := c.blocks()
	if c.fault != "" || len(blocks) == 0 { // an empty one goes on with what follows it
		return s.unknown
	}
	everything := make(set, wide.words())
	for i := range everything {
		everything[i] = ^uint64(0)
	}
	l := newLiveness(&c, wide, blocks, f.effects(&c, s))
	l.solve(everything)
	can := s.unknown.writes
	e := &effect{reads: make(set, wide.words()), writes: make(set, wide.words())}
	for _, b := range l.order {
		for i, w := range l.kill(b) {
			e.writes[i] |= w & can[i]
		}
	}
	for i, w := range l.in(0) {
		e.reads[i] = w & can[i]
	}
	return e
}

// narrow returns a wide set under the layout l.
func (l layout) narrow(s set) set {
	if l == wide {
		return s
	}
	out := make(set, 0, l.words())
	out = append(out, s[:l.vgprWords]...)
	out = append(out, s[wide.vgprWords:wide.vgprWords+l.vgprWords]...)
	return append(out, s[wide.base(agpr):]...)
}
