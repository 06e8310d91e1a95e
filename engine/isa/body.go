package isa

import (
	"bytes"
	"fmt"

	"isadiff/engine/problem"
)

// unboundedBy returns the block labels that terminate functions and were not
// noted.
func (p *Parser) unboundedBy() map[string]bool {
	var wanted map[string]bool
	for _, s := range p.sizes {
		if hasPrefix(s.terminator, ".L") && !hasPrefix(s.terminator, ".Lfunc_end") {
			if wanted == nil {
				wanted = map[string]bool{}
			}
			wanted[string(s.terminator)] = true
		}
	}
	return wanted
}

// names leads from names to places. It is kept from one text to the next, since
// making it takes longer than filling it.
type names struct {
	labels      map[string]int // index of the first definition
	again       map[string]int // line of a second one
	sizes       map[string]int // index of the first .size
	kernels     map[string]bool
	functions   map[string]bool // by .type
	top         map[string]bool // top-level keys of the metadata
	declared    map[string]*Kernel
	descriptors map[string]*descriptor
}

// reset forgets all names.
func (n *names) reset() {
	if n.labels == nil {
		*n = names{
			map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{},
			map[string]bool{}, map[string]bool{}, map[string]*Kernel{}, map[string]*descriptor{},
		}
		return
	}
	clear(n.labels)
	clear(n.again)
	clear(n.sizes)
	clear(n.kernels)
	clear(n.functions)
	clear(n.top)
	clear(n.declared)
	clear(n.descriptors)
}

// index fills in the names of labels, sizes and kernels.
func (p *Parser) index(f *File) {
	n := &p.names
	for i, l := range p.labels {
		if _, twice := n.labels[string(l.name)]; twice {
			n.again[string(l.name)] = l.line
			continue
		}
		n.labels[string(l.name)] = i
	}
	for i := range p.sizes {
		s := &p.sizes[i]
		if first, twice := n.sizes[string(s.name)]; twice {
			if !bytes.Equal(p.sizes[first].terminator, s.terminator) {
				p.sizes[first].terminator = nil
			}
			continue
		}
		n.sizes[string(s.name)] = i
	}
	for _, k := range f.Kernels {
		n.kernels[k.Symbol] = true
	}
}

// bodies bounds and counts the body of each kernel.
func (p *Parser) bodies(f *File) {
	p.index(f)
	for _, k := range f.Kernels {
		k.Body = p.body(k.Symbol)
		p.highest(k)
		if k.Body.Code != "" {
			k.report(k.Body.Code, k.Body.ReasonLine, "%s", k.Body.Reason)
		}
	}
}

func unbounded(line int, format string, args ...any) Body {
	return Body{Code: problem.BodyUnbounded, Reason: "its body cannot be bounded: " + fmt.Sprintf(format, args...), ReasonLine: line}
}

// body bounds one kernel's body, from its label to the terminator that its .size
// names, and counts its sites.
func (p *Parser) body(name string) Body {
	labels, again := p.names.labels, p.names.again
	at, ok := labels[name]
	if !ok {
		return unbounded(0, "there is no label %s", quote(name))
	}
	from := &p.labels[at]
	if line := again[name]; line != 0 {
		return unbounded(line, "label %s is defined at line %d and again at line %d", quote(name), from.line, line)
	}
	sized, ok := p.names.sizes[name]
	if !ok {
		return unbounded(from.line, "there is no .size %s", quote(name))
	}
	s := &p.sizes[sized]
	if s.terminator == nil {
		return unbounded(s.line, "its .size at line %d is not of the form terminator-%s, or is given twice", s.line, quote(name))
	}
	end := label{line: s.line, offset: s.offset, totals: s.totals, nested: from.nested}
	after := len(p.labels)
	if terminator := string(s.terminator); terminator != "." {
		i, ok := labels[terminator]
		if !ok {
			return unbounded(s.line, "its terminator %s (line %d) is never defined", quote(terminator), s.line)
		}
		if line := again[terminator]; line != 0 {
			return unbounded(line, "its terminator %s is defined twice, again at line %d", quote(terminator), line)
		}
		end, after = p.labels[i], i
	}
	if end.offset < from.offset || after < at {
		return unbounded(end.line, "its terminator (line %d) stands before its label (line %d)", end.line, from.line)
	}
	b := Body{Label: from.line, End: end.line, Start: from.offset, Stop: end.offset}
	for i := at; i < after && p.labels[i].offset < end.offset; i++ {
		l := &p.labels[i]
		if i > at && p.names.kernels[string(l.name)] {
			return unbounded(l.line, "the label of %s (line %d) stands within it", quote(string(l.name)), l.line)
		}
		if b.FirstScratch == 0 {
			b.FirstScratch = l.firstScratch
		}
		b.LDSReach = max(b.LDSReach, l.ldsReach)
	}
	if b.FirstScratch > end.line {
		b.FirstScratch = 0
	}
	b.count(from, &end)
	b.Occupancy = p.occupancy(s.occupancy)
	return b
}

// count fills in the sites between two labels, or why they cannot be counted.
func (b *Body) count(from, to *label) {
	x, y := &from.totals, &to.totals
	uncountable := func(line int, what string) {
		b.Code = problem.BodyUncountable
		b.Reason = fmt.Sprintf("its instructions cannot be counted: %s (line %d)", what, line)
		b.ReasonLine = line
	}
	switch {
	case from.nested:
		uncountable(from.line, "it stands within a conditional or a repetition of the assembler")
	case y.conditionals.n > x.conditionals.n:
		uncountable(y.conditionals.line, "conditionals, repetitions or macros of the assembler")
	case y.expansions.n > x.expansions.n:
		uncountable(y.expansions.line, "a macro is used")
	case y.data.n > x.data.n:
		uncountable(y.data.line, "data among the instructions, which may encode instructions")
	case y.reshaped.n > 0:
		uncountable(y.reshaped.line, "which parts of the text are assembled is not known after a macro that holds directives, an .include or conditionals that do not match")
	case y.strays.n > x.strays.n:
		uncountable(y.strays.line, "instructions in another section")
	}
	b.DynamicVGPR = y.allocVGPR > x.allocVGPR
	b.Sites = Sites{
		Instructions: y.Instructions - x.Instructions,
		LDSRead:      y.LDSRead - x.LDSRead,
		LDSWrite:     y.LDSWrite - x.LDSWrite,
		LDSOther:     y.LDSOther - x.LDSOther,
		LDSPermute:   y.LDSPermute - x.LDSPermute,
		LDSDirect:    y.LDSDirect - x.LDSDirect,
		ScratchStore: y.ScratchStore - x.ScratchStore,
		ScratchLoad:  y.ScratchLoad - x.ScratchLoad,
		Matrix:       y.Matrix - x.Matrix,
	}
}
