package pressure

import "slices"

// A Listing is an analysis with the instructions that it was made of. Where even
// those cannot be told (Refused), the body is the statements as they stand in the
// text, with macros not expanded.
type Listing struct {
	Analysis
	Body   []Instruction
	Labels []Label // in their order, without those of debug information
	Loops  []Loop  // natural loops, in the order of their first instructions

	LoopsRefused string // why loops cannot be told; "" if they can
}

// A Label stands before an instruction of a body.
type Label struct {
	Name  string
	Index int // of the instruction; the length of the body if it is behind the last one
	Line  int // of the assembly, 1-based
}

// An Instruction is one of a kernel's body. A dual-issue pair is one.
type Instruction struct {
	Line     int    // of the assembly, 1-based
	Mnemonic string // as it stands in the text
	Operands []byte // as they stand, without comments but those that name a register
	Class    Class
	Source   SourceLine // its line as the lines of the analysis have it
	Spill    Spill
	Live     int // VGPRs that are live at it; 0 if they cannot be counted or it cannot be reached
}

// List analyzes a kernel as [Assembly.Analyze] does and keeps its instructions. The
// listing refers to the file's text.
func (f *Assembly) List(kernel string) *Listing {
	l := &Listing{Analysis: Analysis{Kernel: kernel}}
	f.analyze(&l.Analysis, l)
	if l.VGPR.Refused != "" {
		l.LoopsRefused = l.VGPR.Refused
	}
	return l
}

// Located reports whether any instruction has a source line.
func (l *Listing) Located() bool {
	for i := range l.Body {
		if l.Body[i].Source != (SourceLine{}) {
			return true
		}
	}
	return false
}

// add lists a statement.
func (l *Listing) add(r *role, operands []byte, line int) {
	l.Body = append(l.Body, Instruction{Line: line, Mnemonic: r.mnemonic, Operands: operands, Class: r.class})
}

// fill adds what is known of all instructions together.
func (l *Listing) fill(c *code) {
	for i := range c.instructions {
		ins := &c.instructions[i]
		l.Body[i].Source, l.Body[i].Spill = c.sources[ins.source], ins.spillKind()
	}
	for _, at := range slices.Concat(c.labels, c.numeric) {
		l.Labels = append(l.Labels, Label{at.name, at.index, at.line})
	}
	slices.SortStableFunc(l.Labels, func(a, b Label) int { return a.Line - b.Line })
}

// unread adds the source lines to statements of which no more is known.
func (l *Listing) unread(c code) {
	c.nearestSources()
	for i := range c.instructions {
		c.instructions[i].spill = false
	}
	l.fill(&c)
}
