package isa

import (
	"bytes"
	"strings"

	"isadiff/engine/problem"
)

// directive reads one directive, whose name is in lower case.
func (p *Parser) directive(name, args []byte) {
	if p.special && p.expands(name) {
		return
	}
	switch string(name) {
	case ".loc", ".globl": // the most frequent ones
	case ".type":
		if name, n, ok := symbolName(args); ok && contains(args[n:], "function") {
			p.names.functions[string(name)] = true
			p.private = p.private || hasPrefix(name, ".L")
		}
	case ".set", ".equ", ".equiv":
		p.set(args)
	case ".size":
		p.size(args, p.offset)
	case ".text":
		p.enter(subsection(textSection, args))
	case ".data", ".bss", ".rodata":
		p.enter(subsection(section(name), args))
	case ".subsection":
		whole, _, _ := strings.Cut(string(p.section), ",")
		p.enter(subsection(section(whole), args))
	case ".section":
		p.enter(sectionName(args))
	case ".pushsection":
		p.stack = append(p.stack, p.places)
		p.enter(sectionName(args))
	case ".popsection":
		if n := len(p.stack); n > 0 {
			p.places, p.stack = p.stack[n-1], p.stack[:n-1]
			p.special = p.crowded()
		}
	case ".previous":
		p.enter(p.previous)
	case ".amdgcn_target":
		p.amdgcnTarget(args)
	case ".amdgpu_metadata":
		p.metadata()
	case ".amdhsa_kernel":
		p.descriptor(p.KernelName(args, func(name []byte) bool { return p.names.functions[string(name)] }))
	case ".macro":
		p.totals.conditionals.add(p.line)
		p.macro(args)
	case ".hsa_code_object_version", ".hsa_code_object_isa", ".amdgpu_hsa_kernel", ".amd_amdgpu_hsa_metadata":
		if p.v2.line == 0 {
			p.v2 = excerpt{name, p.line}
		}
	case ".include", ".lto_discard":
		p.totals.reshaped.add(p.line)
	case ".if", ".ifdef", ".ifndef", ".ifnotdef", ".ifb", ".ifnb", ".ifc", ".ifnc", ".ifeq", ".ifeqs", ".ifne", ".ifnes", ".ifge", ".ifgt", ".ifle", ".iflt":
		p.nest('i')
	case ".rept", ".rep", ".irp", ".irpc":
		p.nest('r')
	case ".endif", ".endr":
		p.unnest(name[len(name)-1])
	case ".else", ".elseif", ".endm", ".endmacro", ".exitm":
		p.totals.conditionals.add(p.line)
	case ".align", ".balign", ".balignw", ".balignl", ".p2align", ".p2alignw", ".p2alignl":
		if p.section == p.home && Fills(args) {
			p.totals.data.add(p.line)
		}
	case ".ident":
		p.made.ident(args)
	case ".file":
		p.made.sourceFile(args)
	case ".end":
		// The assembler stops here, whatever follows.
		p.pos = len(p.data)
	default:
		if string(name) == ".asciz" {
			p.text(args, p.offset)
		}
		if dataDirectives[string(name)] && p.section == p.home {
			p.totals.data.add(p.line)
		}
	}
}

// dataDirectives put bytes where they stand; among instructions these may encode
// one.
var dataDirectives = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`.byte .2byte .4byte .8byte .short .hword .half .word .value .long .int .quad .octa
		.float .single .double .ascii .asciz .string .base64 .zero .space .skip .fill .org .uleb128 .sleb128 .incbin .nops
		.dc .dc.a .dc.b .dc.d .dc.l .dc.s .dc.w .dc.x .dcb .dcb.b .dcb.d .dcb.l .dcb.s .dcb.w .dcb.x .ds .ds.b .ds.d .ds.l .ds.p .ds.s .ds.w .ds.x .amd_kernel_code_t`) {
		m[name] = true
	}
	return m
}()

// sectionName reads the arguments of .section: name, "flags", @type and what
// tells sections of one name apart, such as a group or "unique, 1". Those of
// .pushsection may name a subsection instead.
func sectionName(args []byte) section {
	name, n, ok := []byte(nil), 0, false
	if len(args) > 0 && args[0] == '"' {
		name, n, ok = symbolName(args)
	}
	if !ok { // any bytes up to a blank
		n = len(args)
		if i := bytes.IndexAny(args, ", \t"); i >= 0 {
			n = i
		}
		name = args[:n]
	}
	s := section(name)
	_, rest, more := bytes.Cut(args[n:], []byte(","))
	for i := 0; more; i++ {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte(","))
		field = bytes.TrimSpace(field)
		flags := i == 0 && len(field) > 0 && field[0] == '"'
		kind := i <= 1 && len(field) > 0 && (field[0] == '@' || field[0] == '%')
		if !flags && !kind {
			s = subsection(s, field)
		}
	}
	return s
}

// subsection is a part of a section that is put together apart from the rest.
func subsection(s section, which []byte) section {
	if which = bytes.TrimSpace(which); len(which) == 0 || string(which) == "0" {
		return s
	}
	return s + "," + section(which)
}

func (p *Parser) amdgcnTarget(args []byte) {
	id, _, ok := identifier(args)
	if !ok || len(args) == 0 || args[0] != '"' {
		p.report(problem.TargetConflict, p.line, ".amdgcn_target names no target in quotes")
		return
	}
	if p.target.line == 0 {
		p.target = excerpt{id, p.line}
	} else if !sameTarget(string(p.target.s), string(id)) {
		p.report(problem.TargetConflict, p.line, ".amdgcn_target names %s, and %s at line %d", quote(string(id)), quote(string(p.target.s)), p.target.line)
	}
}

// size reads ".size name, terminator-name".
func (p *Parser) size(args []byte, offset int) {
	name, n, ok := symbolName(args)
	if !ok {
		return
	}
	s := size{name: name, line: p.line, offset: offset, totals: p.totals}
	if rest := trimBlanks(args[n:]); len(rest) > 0 && rest[0] == ',' {
		rest = trimBlanks(rest[1:])
		if terminator, n, ok := symbolName(rest); ok {
			rest = trimBlanks(rest[n:])
			if len(rest) > 0 && rest[0] == '-' {
				rest = trimBlanks(rest[1:])
				if from, n, ok := symbolName(rest); ok && bytes.Equal(from, name) && len(trimBlanks(rest[n:])) == 0 {
					s.terminator = terminator
				}
			}
		}
	}
	p.sizes = append(p.sizes, s)
}

// Fills reports whether the arguments of an alignment, "4, 0xd8, 8", name what
// fills the gap, other than zeros, which are no instruction that is counted. The
// assembler's own filling does nothing.
func Fills(args []byte) bool {
	_, rest, _ := bytes.Cut(args, []byte(","))
	fill, _, _ := bytes.Cut(rest, []byte(","))
	fill = bytes.TrimSpace(fill)
	return len(fill) > 0 && string(fill) != "0" && string(fill) != "0x0"
}

// nest notes the beginning of a conditional or a repetition.
func (p *Parser) nest(kind byte) {
	p.totals.conditionals.add(p.line)
	p.nested = append(p.nested, kind)
	p.special = true
}

// unnest notes the end of one, by the last letter of its directive. If it is not
// the innermost one that ends, which parts of the text are assembled is unknown.
func (p *Parser) unnest(last byte) {
	p.totals.conditionals.add(p.line)
	n := len(p.nested)
	if n == 0 || (p.nested[n-1] == 'i') != (last == 'f') {
		p.totals.reshaped.add(p.line)
		return
	}
	p.nested = p.nested[:n-1]
	p.special = p.crowded()
}

// macro notes a macro and passes over its body, which assembles to nothing where it
// stands.
func (p *Parser) macro(args []byte) {
	macroName, _, _ := identifier(args)
	line, level := p.line, 1
	var m macro
	for level > 0 && p.pos < len(p.data) {
		s := trimBlanks(p.next())
		n := len(word(s))
		switch name := string(s[:n]); {
		case name == ".macro":
			level++
		case name == ".endm" || name == ".endmacro":
			level--
		case len(s) == 0:
		case n == 0 || s[0] == '.' || n < len(s) && !isBlank(s[n]):
			m.reshaping = true
			if name == ".amdgpu_metadata" {
				p.inMacro = excerpt{macroName, line}
			}
		default:
			m.words = append(m.words, string(lower(s[:n])))
		}
	}
	if p.macros == nil {
		p.macros = map[string]macro{}
	}
	p.macros[string(lower(macroName))] = m
	p.special = true
}

// expands reports whether name, which begins a statement, is that of a macro.
func (p *Parser) expands(name []byte) bool {
	m, ok := p.macros[string(name)]
	if !ok {
		return false
	}
	p.totals.expansions.add(p.line)
	reshaping := m.reshaping
	for _, word := range m.words {
		_, nested := p.macros[word]
		reshaping = reshaping || nested
	}
	if reshaping {
		p.totals.reshaped.add(p.line)
	}
	return true
}
