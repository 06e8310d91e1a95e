package isa

import (
	"bytes"
	"strings"

	"isadiff/engine/problem"
)

// directive reads one directive, whose name is in lower case. args are without
// comments; start and end bound its line in the text.
func (p *Parser) directive(name, args []byte, start, end int) {
	switch string(name) {
	case ".loc", ".p2align", ".globl": // the most frequent ones
	case ".type":
		if name, n, ok := symbolName(args); ok && contains(args[n:], "function") {
			p.names.functions[string(name)] = true
		}
	case ".set", ".equ", ".equiv":
		p.set(args)
	case ".size":
		p.size(args, start)
	case ".text":
		p.enter(subsection(textSection, args))
	case ".data", ".bss", ".rodata":
		p.enter(section(name))
	case ".section":
		p.enter(sectionName(args))
	case ".pushsection":
		p.stack = append(p.stack, p.section)
		p.enter(sectionName(args))
	case ".popsection":
		if n := len(p.stack); n > 0 {
			p.enter(p.stack[n-1])
			p.stack = p.stack[:n-1]
		}
	case ".previous":
		p.enter(p.previous)
	case ".amdgcn_target":
		p.amdgcnTarget(args)
	case ".amdgpu_metadata":
		p.metadata()
	case ".amdhsa_kernel":
		p.descriptor(nameOfKernel(p.data[start:end]))
	case ".macro":
		p.totals.conditionals.add(p.line)
		p.macro(args)
	case ".if", ".ifdef", ".ifndef", ".ifnotdef", ".ifb", ".ifnb", ".ifc", ".ifnc", ".ifeq", ".ifeqs", ".ifne", ".ifnes", ".ifge", ".ifgt", ".ifle", ".iflt",
		".rept", ".rep", ".irp", ".irpc":
		p.totals.conditionals.add(p.line)
		p.depth++
	case ".endif", ".endr":
		p.totals.conditionals.add(p.line)
		p.depth--
	case ".else", ".elseif", ".endm", ".endmacro", ".exitm", ".include", ".subsection":
		p.totals.conditionals.add(p.line)
	case ".ident":
		p.made.ident(args)
	case ".file":
		p.made.sourceFile(args)
	case ".end":
		// The assembler stops here, whatever follows.
		p.pos = len(p.data)
	default:
		if string(name) == ".asciz" {
			p.text(args, start)
		}
		if p.macros[string(name)] {
			p.totals.expansions.add(p.line)
		} else if dataDirectives[string(name)] && p.section == p.home {
			p.totals.data.add(p.line)
		}
	}
}

// dataDirectives put bytes where they stand; among instructions these may encode
// one.
var dataDirectives = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`.byte .2byte .4byte .8byte .short .hword .half .word .value .long .int .quad .octa
		.float .single .double .ascii .asciz .string .zero .space .skip .fill .org .uleb128 .sleb128 .incbin .nops
		.dc .dc.a .dc.b .dc.d .dc.l .dc.s .dc.w .dc.x .dcb .dcb.b .dcb.d .dcb.l .dcb.s .dcb.w .dcb.x .ds .ds.b .ds.d .ds.l .ds.p .ds.s .ds.w .ds.x`) {
		m[name] = true
	}
	return m
}()

// sectionName reads the arguments of .section: name, "flags", @type and what
// tells sections of one name apart, such as a group or "unique, 1". Those of
// .pushsection may name a subsection instead.
func sectionName(args []byte) section {
	name, n, ok := identifier(args)
	if !ok {
		name, n = args, len(args)
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

// macro notes the name of a macro and passes over its body, which assembles to
// nothing where it stands.
func (p *Parser) macro(args []byte) {
	if name, _, ok := identifier(args); ok {
		if p.macros == nil {
			p.macros = map[string]bool{}
		}
		p.macros[string(lower(name))] = true
		p.special = true
	}
	for nested := 1; nested > 0 && p.pos < len(p.data); {
		start, end := p.next()
		name, _, _ := identifier(trimBlanks(p.code(p.data[start:end])))
		switch string(lower(name)) {
		case ".macro":
			nested++
		case ".endm", ".endmacro":
			nested--
		}
	}
}

// nameOfKernel returns what follows ".amdhsa_kernel" on a line: LLVM prints the
// kernel's name there without quotes, whatever is in it. See also assembledName.
func nameOfKernel(line []byte) []byte {
	_, name, _ := bytes.Cut(line, []byte(".amdhsa_kernel"))
	return bytes.Trim(name, " \t\r")
}

// assembledName returns the name that the assembler makes of what follows
// ".amdhsa_kernel": without quotes and comments.
func assembledName(raw []byte) []byte {
	name, n, ok := symbolName(raw)
	if rest := trimBlanks(uncommented(raw[n:])); !ok || len(rest) > 0 {
		return raw
	}
	return name
}
