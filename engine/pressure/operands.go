package pressure

import (
	"bytes"

	"isadiff/engine/isa"
)

// modifiers are the words behind an operand that change which registers an
// instruction writes or reads.
type modifiers uint16

const (
	returnsOld   modifiers = 1 << iota // glc, sc0, th:TH_ATOMIC_*RETURN*: an atomic returns the old value
	toLDS                              // lds: a load writes LDS rather than a register
	statusWord                         // tfe, lwe: the last register is written only on a fault
	crossLane                          // a DPP control
	boundControl                       // bound_ctrl: lanes without a source are written too
	lanesMasked                        // row_mask or bank_mask switches lanes off
	keepsUnused                        // dst_unused:UNUSED_PRESERVE
	opSelHigh                          // the last bit of op_sel: the result goes to the high half
)

// operands are those of one instruction, reused from one to the next.
type operands struct {
	spans []span
	ends  []int // for each operand, where its spans end in spans
	mods  modifiers
	fault string // why the operands cannot be read; "" if they can
	named bool   // a comment names the real register behind a printed one
	vgprs bool   // a VGPR occurs
}

func (o *operands) reset() {
	o.spans, o.ends = o.spans[:0], o.ends[:0]
	o.mods, o.fault, o.named, o.vgprs = 0, "", false, false
}

// len returns the number of operands.
func (o *operands) len() int { return len(o.ends) }

// at returns the spans of operand i; none if there is no such operand.
func (o *operands) at(i int) []span { return o.from(i, i+1) }

// from returns the spans of operands i up to j.
func (o *operands) from(i, j int) []span {
	i, j = min(i, len(o.ends)), min(j, len(o.ends))
	if i >= j {
		return nil
	}
	start := 0
	if i > 0 {
		start = o.ends[i-1]
	}
	return o.spans[start:o.ends[j-1]]
}

// rest returns the spans of operand i and all after it.
func (o *operands) rest(i int) []span { return o.from(i, len(o.ends)) }

// parse reads the operands of an instruction: pieces between commas outside
// brackets. In each the operand comes first, modifiers after the first blank.
func (o *operands) parse(b []byte) {
	o.reset()
	i := skip(b, 0)
	for i < len(b) {
		if len(o.ends) == maxOperands {
			o.fault = "more operands than any instruction has: " + clip(b)
			return
		}
		i = o.value(b, i)
		o.ends = append(o.ends, len(o.spans))
		for { // modifiers
			i = skip(b, i)
			if i >= len(b) || b[i] == ',' {
				break
			}
			end := word(b, i)
			o.modifier(b[i:end])
			i = end
		}
		if i < len(b) {
			i = skip(b, i+1)
		}
	}
}

// maxOperands is more than any instruction has.
const maxOperands = 64

func skip(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

// word returns the end of the word at i: the next blank or comma outside
// brackets, at least one character on.
func word(b []byte, i int) int {
	depth := 0
	for start := i; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			i += isa.QuotedLen(b[i:]) - 1
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case depth <= 0 && i > start && (isBlank(c) || c == ','):
			return i
		}
	}
	return len(b)
}

// value reads one operand and returns where it ends.
func (o *operands) value(b []byte, i int) int {
	if i < len(b) && b[i] == '[' { // a list of addresses
		return o.list(b, i+1)
	}
	start := i
	for i < len(b) { // one register may be wrapped: -v1, |v1|, abs(v1), -|v1|
		c := b[i]
		if c == '-' || c == '|' || c == '!' || c == '+' || c == '(' {
			i++
			continue
		}
		if n := wrapper(b[i:]); n > 0 {
			i += n
			continue
		}
		break
	}
	if i < len(b) && (b[i] == 'v' || b[i] == 's' || b[i] == 'a') {
		if end, ok := o.register(b, i); ok {
			for end < len(b) && (b[end] == '|' || b[end] == ')') {
				end++
			}
			return end
		}
	}
	if start < len(b) && b[start] == ',' {
		return start // an empty piece
	}
	return word(b, start)
}

// wrapper returns the length of "abs(", "neg(" or "sext(" at the start of b.
func wrapper(b []byte) int {
	if len(b) > 4 && b[3] == '(' && (string(b[:3]) == "abs" || string(b[:3]) == "neg") {
		return 4
	}
	if len(b) > 5 && string(b[:5]) == "sext(" {
		return 5
	}
	return 0
}

// list reads "[v1, v[3:4]]" from behind its first bracket.
func (o *operands) list(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == ']':
			return i + 1
		case c == ',' || isBlank(c):
			i++
		default:
			if c == 'v' || c == 's' || c == 'a' {
				if end, ok := o.register(b, i); ok {
					i = end
					continue
				}
			}
			for i++; i < len(b) && b[i] != ',' && b[i] != ']' && b[i] != '['; i++ {
			}
		}
	}
	return i
}

// register reads a register at i, and is false if there is none.
func (o *operands) register(b []byte, i int) (end int, ok bool) {
	r, end, ok := parseSpan(b, i)
	if !ok {
		return i, false
	}
	if end < len(b) && b[end] == '[' || r.count == 0 {
		o.fault = "an operand that cannot be read: " + clip(b[i:])
		return end, true
	}
	if r.file == vgpr {
		if c := skip(b, end); c+1 < len(b) && b[c] == '/' && b[c+1] == '*' {
			real, after, ok := parseSpan(b, c+2)
			if !ok || real.file != vgpr || real.count != r.count || real.first&255 != r.first || !bytes.HasPrefix(b[after:], []byte("*/")) {
				o.fault = "a comment that names another register: " + clip(b[i:])
				return end, true
			}
			if real.half == both {
				real.half = r.half
			}
			r, end, o.named = real, after+2, true
		}
		o.vgprs = true
	}
	limit := [...]int{vgpr: maxVGPR, agpr: maxAGPR, sgpr: maxSGPR}[r.file]
	if int(r.first)+int(r.count) > limit {
		if r.file != sgpr {
			o.fault = "a register that no processor has: " + clip(b[i:])
			return end, true
		}
		if int(r.first) >= limit { // the special registers behind s105
			return end, true
		}
		r.count = uint16(limit) - r.first
	}
	o.spans = append(o.spans, r)
	return end, true
}

// parseSpan reads v7, v[5], v[0:3], v3.l and their like. A range that cannot be
// right has no registers.
func parseSpan(b []byte, i int) (r span, end int, ok bool) {
	r.half = both
	switch b[i] {
	case 'v':
		r.file = vgpr
	case 'a':
		r.file = agpr
	case 's':
		r.file = sgpr
	default:
		return r, i, false
	}
	i++
	if i >= len(b) {
		return r, i, false
	}
	if b[i] == '[' {
		first, j, numbers := number(b, skip(b, i+1))
		last := first
		j = skip(b, j)
		if numbers && j < len(b) && b[j] == ':' {
			last, j, numbers = number(b, skip(b, j+1))
			j = skip(b, j)
		}
		if !numbers || j >= len(b) || b[j] != ']' || last < first {
			return r, i, true
		}
		r.first, r.count = uint16(first), uint16(last-first+1)
		return r, j + 1, true
	}
	n, i, numbers := number(b, i)
	if !numbers {
		return r, i, false
	}
	if i+1 < len(b) && b[i] == '.' && (b[i+1] == 'l' || b[i+1] == 'h') && r.file == vgpr {
		r.half = low
		if b[i+1] == 'h' {
			r.half = high
		}
		i += 2
	}
	if i < len(b) && isName(b[i]) {
		return r, i, false // a symbol such as s4_table
	}
	r.first, r.count = uint16(n), 1
	return r, i, true
}

// number reads a decimal number below 10,000.
func number(b []byte, i int) (n, end int, ok bool) {
	start := i
	for i < len(b) && isDigit(b[i]) && i-start < 5 {
		n = n*10 + int(b[i]-'0')
		i++
	}
	return n, i, i > start && i-start < 5
}

// modifier notes a word behind an operand.
func (o *operands) modifier(w []byte) {
	if len(w) < 3 {
		return
	}
	switch w[0] {
	case 'g':
		if string(w) == "glc" {
			o.mods |= returnsOld
		}
	case 's':
		if string(w) == "sc0" {
			o.mods |= returnsOld
		}
	case 'l':
		switch string(w) {
		case "lds":
			o.mods |= toLDS
		case "lwe":
			o.mods |= statusWord
		}
	case 't':
		switch {
		case string(w) == "tfe":
			o.mods |= statusWord
		case bytes.HasPrefix(w, []byte("th:TH_ATOMIC")) && bytes.Contains(w, []byte("RETURN")):
			o.mods |= returnsOld
		}
	case 'q', 'w':
		if bytes.HasPrefix(w, []byte("quad_perm:")) || bytes.HasPrefix(w, []byte("wave_")) {
			o.mods |= crossLane
		}
	case 'r':
		switch {
		case bytes.HasPrefix(w, []byte("row_mask:")):
			o.mask(w[len("row_mask:"):])
		case bytes.HasPrefix(w, []byte("row_")):
			o.mods |= crossLane
		}
	case 'b':
		switch {
		case bytes.HasPrefix(w, []byte("bank_mask:")):
			o.mask(w[len("bank_mask:"):])
		case bytes.HasPrefix(w, []byte("bound_ctrl")):
			o.mods |= boundControl
		}
	case 'd':
		switch {
		case bytes.HasPrefix(w, []byte("dpp8:")):
			o.mods |= crossLane
		case string(w) == "dst_unused:UNUSED_PRESERVE":
			o.mods |= keepsUnused
		}
	case 'o':
		if bytes.HasPrefix(w, []byte("op_sel:[")) && bytes.HasSuffix(w, []byte("1]")) {
			o.mods |= opSelHigh
		}
	}
}

func (o *operands) mask(v []byte) {
	if s := string(v); s != "0xf" && s != "15" {
		o.mods |= lanesMasked
	}
}

// clip shortens text from the file for a message.
func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}
