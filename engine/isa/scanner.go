package isa

import (
	"bytes"
	"strconv"
)

// A scanner counts instructions. It keeps running totals and notes them at each
// label, so that a kernel's sites are the totals at its terminator less those at
// its label.
type scanner struct {
	comments bool // the text holds "/*" somewhere
	spanned  bool // a string or a comment has spanned lines
	banks    bool // the text holds "/*", and s_set_vgpr_msb, so comments name registers
	special  bool // statements need a closer look: see crowded

	totals   totals
	labels   []label
	function int  // index of the last function label; -1 if there is none
	private  bool // there are functions whose names begin with ".L"
	sizes    []size
	wanted   map[string]bool // block labels that a .size names, known on a second pass only

	places
	stack  []places // of .pushsection
	home   section  // of the last function label
	nested []byte   // the open conditionals ('i') and repetitions ('r')
	macros map[string]macro
}

// places are the section that statements go to and the one that .previous leads to.
type places struct{ section, previous section }

// A macro is what matters of a macro's body.
type macro struct {
	words     []string // that begin its statements
	reshaping bool     // it holds labels or directives, or what may become one
}

// totals are running counts over the text.
type totals struct {
	Sites
	allocVGPR int
	// Each of these makes the sites of a body that contains one uncountable.
	conditionals trouble // .if, .rept, .macro and their like
	data         trouble // bytes among the instructions, which may encode instructions
	strays       trouble // instructions that go to another section
	expansions   trouble // uses of macros
	// Nothing that follows one of these is sure to stand where it seems to.
	reshaped trouble // uses of macros with directives, and what makes parts of the text vanish
}

// A trouble counts what cannot be followed and remembers the last line of it.
type trouble struct{ n, line int }

func (t *trouble) add(line int) { t.n++; t.line = line }

// A label is a symbol's place in the text with the totals up to it.
type label struct {
	name   []byte
	line   int
	offset int
	nested bool // within a conditional or a repetition
	totals totals

	// What follows holds up to the next function label.
	firstScratch int   // line of the first scratch store; 0 if there is none
	ldsReach     int64 // the highest LDS offset that an instruction adds to its address
}

// A size is a .size directive: name, terminator-name.
type size struct {
	name       []byte
	terminator []byte // "." for the place of the directive itself; nil if it is not of this form
	line       int
	offset     int
	totals     totals
	occupancy  excerpt // LLVM's comment that follows, as written
}

// A section is the name of a section as written.
type section string

const textSection section = ".text"

// crowded reports whether statements need a closer look: macros are defined, or the
// statements stand in a conditional or outside of the function's section.
func (s *scanner) crowded() bool {
	return len(s.macros) > 0 || len(s.nested) > 0 || s.section != s.home
}

// instruction counts one instruction, whose mnemonic is in lower case.
func (p *Parser) instruction(mnemonic, operands []byte) {
	t := &p.totals
	if p.special {
		if p.expands(mnemonic) {
			return
		}
		if p.section != p.home {
			t.strays.add(p.line)
		}
	}
	t.Instructions++
	switch classify(mnemonic) {
	case ldsRead:
		t.LDSRead++
		p.reach(mnemonic, operands)
	case ldsWrite:
		t.LDSWrite++
		p.reach(mnemonic, operands)
	case ldsOther:
		t.LDSOther++
		p.reach(mnemonic, operands)
	case ldsPermute:
		t.LDSOther++
		t.LDSPermute++
	case ldsDirect:
		t.LDSDirect++
	case ldsIfModifier:
		if hasModifier(operands, "lds") {
			t.LDSDirect++
		}
	case scratchStore:
		t.ScratchStore++
		if p.function >= 0 && p.labels[p.function].firstScratch == 0 {
			p.labels[p.function].firstScratch = p.line
		}
	case scratchLoad:
		t.ScratchLoad++
	case matrix:
		t.Matrix++
	case allocVGPR:
		t.allocVGPR++
	}
}

// reach notes the offset that an LDS instruction adds to its address: one past
// the static size can only mean dynamic LDS. The two offsets of read2 and write2
// count elements, of st64 forms 64 elements each.
func (p *Parser) reach(mnemonic, operands []byte) {
	operands = uncommented(operands)
	at := bytes.Index(operands, []byte(" offset"))
	if at < 0 || p.function < 0 {
		return
	}
	unit := int64(1)
	if contains(mnemonic, "2st64") || contains(mnemonic, "2addr_stride64") {
		unit = 64
	}
	for rest := operands[at:]; len(rest) > 0; {
		var f []byte
		f, rest, _ = bytes.Cut(trimBlanks(rest), []byte(" "))
		name, digits, ok := bytes.Cut(f, []byte(":"))
		if !ok || !hasPrefix(name, "offset") {
			continue
		}
		n, err := strconv.ParseInt(string(digits), 0, 32)
		if err != nil {
			continue
		}
		if len(name) > len("offset") { // offset0, offset1
			n *= unit * 4
			if bytes.HasSuffix(mnemonic, []byte("b64")) {
				n *= 2
			}
		}
		l := &p.labels[p.function]
		l.ldsReach = max(l.ldsReach, n)
	}
}

// hasModifier reports whether word stands among the modifiers of an instruction.
func hasModifier(operands []byte, word string) bool {
	if !bytes.Contains(operands, []byte(word)) {
		return false
	}
	operands = uncommented(operands)
	for i := 0; i < len(operands); {
		n := i
		for n < len(operands) && identifierByte[operands[n]] {
			n++
		}
		if n > i && string(operands[i:n]) == word && (i == 0 || operands[i-1] != ':' && operands[i-1] != '"') {
			return true
		}
		i = n + 1
	}
	return false
}

// label notes a symbol's place. Labels of blocks and of debug information are
// legion and bound no kernel.
func (p *Parser) label(name []byte, offset int) {
	local := hasPrefix(name, ".L") && !(p.private && p.names.functions[string(name)])
	if local && !hasPrefix(name, ".Lfunc_end") && !p.wanted[string(name)] {
		return
	}
	if !local && (p.section == p.home || p.names.functions[string(name)]) {
		p.home = p.section
		p.special = p.crowded()
		p.function = len(p.labels)
	}
	p.labels = append(p.labels, label{name: name, line: p.line, offset: offset, nested: len(p.nested) > 0, totals: p.totals})
}

// enter switches to another section.
func (p *Parser) enter(s section) {
	p.previous, p.section = p.section, s
	p.special = p.crowded()
}
