package pressure

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"isadiff/engine/isa"
)

// code is a function's body as it was read.
type code struct {
	instructions []instruction
	pool         []span
	sources      []SourceLine // of the .loc directives, each once; 0 is none
	branches     []branchTo
	labels       []labelAt
	numeric      []labelAt
	calls        []callSite
	indexed      uint8 // files of which only a base register is named somewhere
	indexedLine  int
	topVGPR      int    // one more than the highest VGPR that is named
	marked       bool   // the compiler marks spill code with comments
	uncountable  bool   // not even the instructions are known
	fault        string // why the registers cannot be counted; "" if they can
	faultLine    int
}

// A branchTo is an instruction that goes to a label.
type branchTo struct {
	from   int // its index
	target string
}

// A labelAt is a label before the instruction of an index.
type labelAt struct {
	name  string
	index int
	line  int
}

// A decoder reads the statements of one body.
type decoder struct {
	code
	file     *Assembly
	kernel   bool
	roles    map[string]*role
	operands operands
	half     operands // the second half of a dual-issue instruction
	source   int32
	made     bool // the .loc in effect is line 0
	known    map[SourceLine]int32
	lastLoc  [2]int
	text     bool   // within the section of the code
	comment  []byte // that ends the statement
	pc       longBranch
	symbols  symbolTracker
	msb      msbWatch
	list     *Listing // what is to be listed; nil if nothing is
}

// decode reads the body of a function. With a list it reads on where the
// instructions cannot be told, and lists the statements as they stand.
func (f *Assembly) decode(b *body, kernel bool, list *Listing) code {
	d := decoder{
		file: f, kernel: kernel, text: true, list: list,
		roles: map[string]*role{},
		known: map[SourceLine]int32{},
		code:  code{sources: []SourceLine{{}}},
	}
	if b.fault != "" {
		d.giveUp(b.faultLine, "%s", b.fault)
	}
	if f.macros > 0 {
		d.giveUp(f.macros, "the file defines macros, so the instructions are not in the text")
	}
	if d.uncountable && list == nil {
		return d.code
	}
	size := b.end - b.start
	d.instructions = make([]instruction, 0, size/48)
	d.pool = make([]span, 0, size/16)
	s := isa.NewLexer(f.data[:b.end], b.start, b.startLine+1)
	for !d.uncountable || list != nil {
		stmt, ok := s.Next()
		if !ok {
			break
		}
		d.comment = s.Comment()
		d.statement(stmt, s.Line())
	}
	d.msb.end(&d.code)
	return d.code
}

// refuse notes the first reason why the registers cannot be counted.
func (c *code) refuse(line int, format string, args ...any) {
	if c.fault == "" {
		c.fault, c.faultLine = fmt.Sprintf(format, args...), line
	}
}

// giveUp notes that not even the instructions are known.
func (c *code) giveUp(line int, format string, args ...any) {
	c.refuse(line, format, args...)
	c.uncountable = true
}

func (d *decoder) statement(stmt []byte, line int) {
	for {
		kind, name, rest := lead(stmt)
		switch kind {
		case label:
			if d.text {
				d.label(name, line)
			}
			stmt = rest
			continue
		case directive:
			d.directive(name, rest, line)
		case mnemonic:
			if d.text {
				d.instruction(name, rest, line)
			}
		case assignment:
			if d.text && string(name) == "." {
				d.giveUp(line, "an assignment to the place counter, which may add instructions")
			}
		case unreadable:
			if d.text {
				d.giveUp(line, "a statement that cannot be read: %s", clip(skipBlanks(stmt)))
			}
		}
		return
	}
}

func (d *decoder) label(name []byte, line int) {
	at := len(d.instructions)
	switch {
	case bytes.HasPrefix(name, []byte(".Ltmp")): // marks of the debug information
	case isDigit(name[0]):
		d.numeric = append(d.numeric, labelAt{string(name), at, line})
	default:
		d.labels = append(d.labels, labelAt{string(name), at, line})
	}
}

// harmless are directives that put nothing into the code.
var harmless = map[string]bool{
	".file": true, ".set": true, ".equ": true,
	".type": true, ".globl": true, ".global": true, ".weak": true, ".hidden": true, ".protected": true, ".internal": true,
	".local": true, ".size": true, ".ident": true, ".addrsig": true, ".addrsig_sym": true, ".amdgcn_target": true,
	".loc_mark_labels": true, ".end_amdhsa_kernel": true, ".comm": true, ".lcomm": true, ".pseudoprobe": true,
}

func (d *decoder) directive(name, rest []byte, line int) {
	if string(name) == ".loc" {
		d.loc(rest)
		return
	}
	if bytes.HasPrefix(name, []byte(".cfi_")) || bytes.HasPrefix(name, []byte(".amd")) {
		return
	}
	switch string(name) {
	case ".text", ".previous", ".popsection":
		d.text = true
	case ".section", ".pushsection":
		d.text = bytes.HasPrefix(skipBlanks(rest), []byte(".text"))
	case ".data", ".bss":
		d.text = false
	case ".p2align", ".p2alignw", ".p2alignl", ".balign", ".balignw", ".balignl", ".align":
		if d.text && isa.Fills(rest) {
			d.giveUp(line, "an alignment whose filling may be instructions")
		}
	default:
		if d.text && !harmless[string(name)] {
			d.giveUp(line, "the directive %s, which may add or hide instructions", clip(name))
		}
	}
}

// roleFor returns the role of a mnemonic, which need not be in lower case.
func (d *decoder) roleFor(name []byte) *role {
	if r := d.roles[string(name)]; r != nil {
		return r
	}
	r := roleOf(strings.ToLower(string(name)))
	r.mnemonic = string(name)
	d.roles[string(name)] = &r
	return &r
}

func (d *decoder) instruction(name, rest []byte, line int) {
	r := d.roleFor(name)
	if d.list != nil {
		d.list.add(r, rest, line)
	}
	if r.unknown {
		d.giveUp(line, "an instruction that is not known: %s", clip(name))
		if d.list != nil {
			d.instructions = append(d.instructions, instruction{line: int32(line), source: d.source, made: d.made, spans: uint32(len(d.pool)), call: -1})
		}
		return
	}
	var second []byte
	if i := bytes.Index(rest, []byte("::")); i >= 0 {
		rest, second = rest[:i], rest[i+2:]
	}
	if r.skipTarget {
		rest = skipBlanks(rest)
		for len(rest) > 0 && (isName(rest[0])) {
			rest = rest[1:]
		}
	}
	d.operands.parse(rest)
	o := &d.operands
	ins := instruction{line: int32(line), source: d.source, made: d.made, spans: uint32(len(d.pool)), call: -1, flow: r.flow}
	var defs, uses int
	d.pool, defs, uses = assign(d.pool, r, o)
	if second != nil {
		defs, uses = d.dual(second, line, int(ins.spans), defs, uses)
	}
	if o.fault != "" {
		d.refuse(line, "%s", o.fault)
	}
	ins.defs, ins.uses = uint32(defs), uint32(uses)
	for _, s := range d.pool[ins.spans:] {
		if s.file == vgpr {
			d.topVGPR = max(d.topVGPR, int(s.first)+int(s.count))
		}
	}
	if r.indexed&^d.indexed != 0 {
		d.indexed |= r.indexed
		d.indexedLine = line
	}
	d.msb.see(&d.code, r, o, rest, line)
	if r.site != 0 {
		d.site(&ins, r, o, rest, d.comment)
	}
	if r.flow != onward || d.symbols.busy {
		d.control(&ins, r, rest, line)
	}
	d.instructions = append(d.instructions, ins)
}

// dual adds the second half of a dual-issue instruction. Both halves read before
// either writes, so they are one instruction.
func (d *decoder) dual(b []byte, line, start, defs, uses int) (int, int) {
	b = skipBlanks(b)
	n := 0
	for n < len(b) && isName(b[n]) {
		n++
	}
	r := d.roleFor(b[:n])
	if n == 0 || r.unknown {
		d.giveUp(line, "a second half that is not known: %s", clip(b))
		return defs, uses
	}
	o := &d.half
	o.parse(b[n:])
	if o.fault != "" {
		d.refuse(line, "%s", o.fault)
	}
	d.operands.named = d.operands.named || o.named
	d.operands.vgprs = d.operands.vgprs || o.vgprs
	var first [32]span
	read := append(first[:0], d.pool[start+defs:]...)
	pool, moreDefs, moreUses := assign(d.pool[:start+defs], r, o)
	d.pool = append(pool, read...)
	return defs + moreDefs, uses + moreUses
}

// loc reads ".loc file line …". Line 0 is code that the compiler made: it
// belongs to the line before.
func (d *decoder) loc(rest []byte) {
	file, rest, ok := leadingInt(skipBlanks(rest))
	if !ok {
		return
	}
	line, _, ok := leadingInt(skipBlanks(rest))
	if !ok {
		return
	}
	d.made = line == 0
	if d.made || d.lastLoc == [2]int{file, line} {
		return
	}
	d.lastLoc = [2]int{file, line}
	src := SourceLine{File: d.file.files[file], Line: line}
	if src.File == "" {
		src.File = "file " + strconv.Itoa(file)
	}
	id, seen := d.known[src]
	if !seen {
		id = int32(len(d.sources))
		d.sources = append(d.sources, src)
		d.known[src] = id
	}
	d.source = id
}

// An msbWatch checks that the real registers of instructions under
// s_set_vgpr_msb are named in comments: the printed ones are only their low
// eight bits.
type msbWatch struct {
	line  int // of the s_set_vgpr_msb in effect if it selects another bank; 0 if none
	vgprs bool
	named bool
}

func (w *msbWatch) see(c *code, r *role, o *operands, rest []byte, line int) {
	if r.msb {
		w.end(c)
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(rest)), 0, 32); err != nil || n&0xff != 0 {
			*w = msbWatch{line: line}
		}
		return
	}
	if w.line > 0 {
		w.vgprs = w.vgprs || o.vgprs
		w.named = w.named || o.named
	}
}

func (w *msbWatch) end(c *code) {
	if w.line > 0 && w.vgprs && !w.named {
		c.refuse(w.line, "s_set_vgpr_msb selects registers above v255, and no comment names them")
	}
	*w = msbWatch{}
}
