package pressure

import (
	"bytes"

	"isadiff/engine/isa"
)

// control notes where an instruction goes, and follows the addresses that long
// branches and calls are made of.
func (d *decoder) control(ins *instruction, r *role, rest []byte, line int) {
	d.symbols.see(d, ins, r, rest)
	switch r.flow {
	case jump, branch:
		d.branchTo(lastOperand(rest), line)
	case unknowns:
		d.refuse(line, "control flow that the text does not tell")
	case addPC:
		target := longTarget(rest)
		if target == "" {
			d.refuse(line, "a jump to an address that the text does not tell")
			return
		}
		ins.flow = jump
		d.branches = append(d.branches, branchTo{len(d.instructions), target})
	case setPC:
		target, ok := d.pc.target(d.first(ins, false))
		switch {
		case ok:
			ins.flow = jump
			d.branches = append(d.branches, branchTo{len(d.instructions), target})
		case d.kernel:
			d.refuse(line, "a jump to an address that the text does not tell")
		default:
			d.leave(ins)
		}
	case getPC:
		d.pc = longBranch{register: d.first(ins, true)}
	case addToPC:
		if r := d.first(ins, true); r >= 0 && (r == d.pc.register || r == d.pc.register+1) {
			if t := longTarget(rest); t != "" {
				d.pc.label = t
			}
		}
	case call:
		d.call(ins, d.symbols.callee(d.first(ins, false)))
	case callTo:
		d.call(ins, string(lastOperand(rest)))
	}
}

// returnRegister is where LLVM's calling convention keeps the return address.
const returnRegister = 30

// leave ends a function that is no kernel: it returns, or it jumps into another
// function, which then reads its arguments.
func (d *decoder) leave(ins *instruction) {
	if r := d.first(ins, false); r != returnRegister {
		d.call(ins, d.symbols.callee(r))
	}
	ins.flow = finish
}

func (d *decoder) call(ins *instruction, callee string) {
	ins.call = int32(len(d.calls))
	d.calls = append(d.calls, callSite{callee: callee, line: int(ins.line)})
}

// first returns the number of the first scalar register that an instruction
// writes or reads; -1 if there is none.
func (d *decoder) first(ins *instruction, written bool) int {
	spans := d.pool[ins.spans:]
	if written {
		spans = spans[:ins.defs]
	} else {
		spans = spans[ins.defs : ins.defs+ins.uses]
	}
	for _, s := range spans {
		if s.file == sgpr {
			return int(s.first)
		}
	}
	return -1
}

func (d *decoder) branchTo(target []byte, line int) {
	if len(target) == 0 || isDigit(target[0]) && target[len(target)-1] != 'b' && target[len(target)-1] != 'f' || target[0] == '-' {
		d.refuse(line, "a branch to a number rather than a label: %s", clip(target))
		return
	}
	name := string(target)
	if target[0] == '"' {
		name = isa.Unquote(target)
	}
	d.branches = append(d.branches, branchTo{len(d.instructions), name})
}

// lastOperand returns the text behind the last comma.
func lastOperand(rest []byte) []byte {
	rest = bytes.TrimSpace(rest)
	if len(rest) > 0 && rest[len(rest)-1] == '"' {
		if i := bytes.IndexByte(rest, '"'); i >= 0 {
			return rest[i:]
		}
	}
	if i := bytes.LastIndexByte(rest, ','); i >= 0 {
		rest = bytes.TrimSpace(rest[i+1:])
	}
	return rest
}

// A longBranch is an address in the making: s_getpc_b64, additions of
// (.LBB0_8-.Lpost_getpc1), s_setpc_b64.
type longBranch struct {
	register int
	label    string
}

func (b longBranch) target(register int) (string, bool) {
	return b.label, b.label != "" && register == b.register
}

// longTarget returns the label of a difference such as
// (.LBB0_8-.Lpost_getpc1)>>32; "" if there is none.
func longTarget(b []byte) string {
	i := bytes.Index(b, []byte("-.Lpost_"))
	if i < 0 {
		return ""
	}
	start := i
	for start > 0 && isName(b[start-1]) {
		start--
	}
	return string(b[start:i])
}

// resolve returns the instruction that each branch goes to; the number of
// instructions stands for the end of the body.
func (c *code) resolve() []int {
	targets := make([]int, len(c.branches))
	at := make(map[string]int, len(c.branches))
	for _, b := range c.branches {
		at[b.target] = -1
	}
	for _, l := range c.labels {
		switch i, wanted := at[l.name]; {
		case !wanted:
		case i >= 0:
			c.refuse(l.line, "the label %s stands twice", l.name)
		default:
			at[l.name] = l.index
		}
	}
	numeric := map[string][]int{}
	for _, l := range c.numeric {
		numeric[l.name] = append(numeric[l.name], l.index)
	}
	for i, b := range c.branches {
		targets[i] = at[b.target]
		if isDigit(b.target[0]) {
			targets[i] = nearest(numeric[b.target[:len(b.target)-1]], b.from, b.target[len(b.target)-1] == 'f')
		}
		if targets[i] < 0 {
			c.refuse(int(c.instructions[b.from].line), "a branch to a label that is not in this function: %s", clip([]byte(b.target)))
			targets[i] = len(c.instructions)
		}
	}
	return targets
}

// nearest returns the position of a numeric label: the last one up to the
// instruction from, or the first one after it.
func nearest(at []int, from int, forward bool) int {
	lo, hi := 0, len(at) // the first label behind the instruction
	for lo < hi {
		if mid := (lo + hi) / 2; at[mid] > from {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	switch {
	case forward && lo < len(at):
		return at[lo]
	case !forward && lo > 0:
		return at[lo-1]
	}
	return -1
}

// A symbolTracker knows which scalar registers hold the address of a function.
// It is a guess for want of the relocation: the callee decides only which
// registers a call reads and writes, never the caller's own instructions.
type symbolTracker struct {
	busy    bool           // an address has been made
	names   map[int]string // by the first register of the pair
	single  string         // the only symbol so far
	several bool
}

func (t *symbolTracker) see(d *decoder, ins *instruction, r *role, rest []byte) {
	if r.flow == addToPC {
		if i := bytes.IndexByte(rest, '@'); i >= 0 {
			t.take(d.first(ins, true), symbolBefore(rest, i))
			return
		}
	}
	if !t.busy || ins.defs == 0 {
		return
	}
	written := d.first(ins, true)
	if written < 0 || r.flow == addToPC {
		return // the carry into the upper half
	}
	name := ""
	if ins.uses > 0 {
		name = t.names[d.first(ins, false)] // a copy, or a load through the table of addresses
	}
	if name != "" {
		t.names[written] = name
	} else {
		delete(t.names, written)
	}
}

func (t *symbolTracker) take(register int, name string) {
	if t.names == nil {
		t.names = map[int]string{}
	}
	t.busy = true
	t.names[register] = name
	t.several = t.several || t.single != "" && t.single != name
	t.single = name
}

// callee returns the function whose address is in a register pair; "" if that is
// not known.
func (t *symbolTracker) callee(register int) string {
	if name := t.names[register]; name != "" {
		return name
	}
	if t.several {
		return ""
	}
	return t.single
}

// symbolBefore returns the symbol that ends at an "@".
func symbolBefore(b []byte, at int) string {
	if at > 0 && b[at-1] == '"' {
		if start := bytes.IndexByte(b[:at-1], '"'); start >= 0 {
			return isa.Unquote(b[start:at])
		}
	}
	start := at
	for start > 0 && isName(b[start-1]) {
		start--
	}
	return string(b[start:at])
}
