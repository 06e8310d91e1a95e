package why

import (
	"bytes"

	"isadiff/engine/pressure"
)

// A reader makes texts of instructions and numbers them: equal numbers mean equal
// texts, on both sides.
type reader struct {
	exacts, masks, mnemonics map[string]int32
	exact, mask              []byte // reused
}

func newReader() *reader {
	return &reader{exacts: map[string]int32{}, masks: map[string]int32{}, mnemonics: map[string]int32{}}
}

// A side is a body with its texts by number.
type side struct {
	body     []pressure.Instruction
	exact    []int32 // equal up to label numbers and blanks
	mask     []int32 // equal up to register numbers as well
	mnemonic []int32
}

func (r *reader) side(body []pressure.Instruction) side {
	s := side{body: body, exact: make([]int32, len(body)), mask: make([]int32, len(body)), mnemonic: make([]int32, len(body))}
	for i := range body {
		r.read(&body[i])
		s.exact[i], s.mask[i] = number(r.exacts, r.exact), number(r.masks, r.mask)
		m := body[i].Mnemonic
		id, ok := r.mnemonics[m]
		if !ok {
			id = int32(len(r.mnemonics))
			r.mnemonics[m] = id
		}
		s.mnemonic[i] = id
	}
	return s
}

func number(known map[string]int32, text []byte) int32 {
	id, ok := known[string(text)]
	if !ok {
		id = int32(len(known))
		known[string(text)] = id
	}
	return id
}

// read makes the texts of an instruction. A register becomes its kind and width,
// "v[4:7]" is "v#4"; a label of the compiler loses its numbers, ".LBB0_12" is
// ".LBB#".
func (r *reader) read(ins *pressure.Instruction) {
	r.exact = append(r.exact[:0], ins.Mnemonic...)
	r.mask = append(r.mask[:0], ins.Mnemonic...)
	b := ins.Operands
	blank := true // one is due
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case isBlank(c):
			blank = true
			i++
			continue
		case c == ',':
			blank = false
		}
		if blank && r.exact[len(r.exact)-1] != ',' {
			r.exact, r.mask = append(r.exact, ' '), append(r.mask, ' ')
		}
		blank = false
		n := 1
		switch {
		case c == '"':
			n = quoted(b[i:])
			r.both(b[i : i+n])
		case c == '/' && i+1 < len(b) && b[i+1] == '*': // it names the register behind a printed one
			if n = bytes.Index(b[i:], []byte("*/")) + 2; n < 2 {
				n = len(b) - i
			}
			r.exact = append(r.exact, b[i:i+n]...)
			r.mask = bytes.TrimSuffix(r.mask, []byte(" "))
		case isName(c):
			for i+n < len(b) && isName(b[i+n]) {
				n++
			}
			n = r.word(b[i:], n, ins.Class == pressure.Branch)
		default:
			r.both(b[i : i+1])
		}
		i += n
	}
}

func (r *reader) both(text []byte) {
	r.exact = append(r.exact, text...)
	r.mask = append(r.mask, text...)
}

// word reads the word of n bytes at the start of b, and returns how many bytes
// belong to it.
func (r *reader) word(b []byte, n int, branch bool) int {
	w := b[:n]
	if len(w) > 2 && w[0] == '.' && w[1] == 'L' {
		r.label(w)
		return n
	}
	if branch && isLocal(w) {
		r.both(w[n-1:])
		return n
	}
	reg := registerAt(b, n)
	if reg.size == 0 {
		r.both(w)
		return n
	}
	r.exact = append(r.exact, b[:reg.size]...)
	r.register(reg.kind, reg.width, reg.half)
	return reg.size
}

// A named is a register, or a row of them, as an operand names it: v[4:7], s3, v5.l.
type named struct {
	kind         []byte // "v", "s", "a", "ttmp"
	first, width int
	half         []byte // ".l", ".h" or none
	size         int    // of its text; 0 if it is no register
}

// registerAt reads the register at the start of b, whose first word has n bytes.
func registerAt(b []byte, n int) named {
	w := b[:n]
	kind := 0
	switch {
	case w[0] == 'v' || w[0] == 's' || w[0] == 'a':
		kind = 1
	case bytes.HasPrefix(w, []byte("ttmp")):
		kind = 4
	default:
		return named{}
	}
	if n == kind {
		if first, width, end := brackets(b[n:]); width > 0 {
			return named{w[:kind], first, width, nil, n + end}
		}
	}
	digits := kind
	for digits < n && isDigit(w[digits]) {
		digits++
	}
	half := w[digits:]
	if digits == kind || len(half) > 0 && string(half) != ".l" && string(half) != ".h" {
		return named{}
	}
	first, _, _ := decimal(w, kind)
	return named{w[:kind], first, 1, half, n}
}

func (r *reader) register(kind []byte, width int, half []byte) {
	r.mask = append(append(r.mask, kind...), '#')
	if width > 1 {
		r.mask = append(r.mask, byte('0'+width/100%10), byte('0'+width/10%10), byte('0'+width%10))
	}
	r.mask = append(r.mask, half...)
}

// label adds a label of the compiler without the numbers at its end: .LBB0_12,
// .Ltmp3, .Lpost_getpc1. Other numbers belong to its name.
func (r *reader) label(w []byte) {
	name, rest := w, []byte(nil)
	if at := bytes.IndexByte(w, '@'); at >= 0 {
		name, rest = w[:at], w[at:]
	}
	bare := bytes.TrimRight(name, "0123456789_")
	numbers := name[len(bare):]
	if len(bytes.Trim(numbers, "_")) == 0 || bytes.ContainsAny(bare[2:], "0123456789.$") {
		r.both(w)
		return
	}
	r.both(bare)
	r.both([]byte{'#'})
	r.both(rest)
}

// brackets reads "[4]" or "[4:7]" at the start of b: the first register, how many
// they are, and how many bytes. A width of 0 means that it is none of them.
func brackets(b []byte) (first, width, n int) {
	if len(b) == 0 || b[0] != '[' {
		return 0, 0, 0
	}
	first, i, ok := decimal(b, 1)
	last := first
	if ok && i < len(b) && b[i] == ':' {
		last, i, ok = decimal(b, i+1)
	}
	if !ok || i >= len(b) || b[i] != ']' || last < first || last-first >= 999 {
		return 0, 0, 0
	}
	return first, last - first + 1, i + 1
}

// decimal reads a number between blanks.
func decimal(b []byte, i int) (n, end int, ok bool) {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	for ; i < len(b) && isDigit(b[i]) && n < 1<<20; i++ {
		n, ok = n*10+int(b[i]-'0'), true
	}
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return n, i, ok
}

// isLocal reports whether a word is a numeric label: 1b, 12f.
func isLocal(w []byte) bool {
	n := len(w) - 1
	if n < 1 || w[n] != 'b' && w[n] != 'f' {
		return false
	}
	return len(bytes.Trim(w[:n], "0123456789")) == 0
}

func quoted(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' || c == 0
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '.' || c == '$' || c == '@'
}
