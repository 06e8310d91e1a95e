package isa

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// A RegisterFile is one of the files whose registers an instruction names by
// number.
type RegisterFile uint8

// The register files.
const (
	VGPRs RegisterFile = iota // v0 and on
	SGPRs                     // s0 and on, without VCC and other special ones
	AGPRs                     // a0 and on
	NumRegisterFiles
)

// Letter returns what the names of the file's registers begin with.
func (f RegisterFile) Letter() string { return "vsa"[f : f+1] }

// A Highest is the highest register of one file that a body names, if that is past
// one of the kernel's counts.
type Highest struct {
	Count  int64 // its number and one more, which is what a count is at least; 0 if none is named that is past a count
	Line   int   // where it stands; 0 if Count is
	Inline bool  // it stands in inline assembly
}

// highest notes the highest registers that k's body names past the counts. Nearly all
// the time goes into [sweep], which takes what looks like a register for one, also in
// a comment. So the lines of those that it finds are read for what they are, and only
// if one of them is something else, every statement is.
func (p *Parser) highest(k *Kernel) {
	b := &k.Body
	if b.Code != "" {
		return // what is assembled is not what stands there
	}
	body := p.data[b.Start:b.Stop]
	var stated [NumRegisterFiles]int64
	for f := range stated {
		stated[f] = k.stated(RegisterFile(f))
	}
	found := sweepOver(body, stated)
	if p.spanned || p.loneCR || !p.confirm(body, &found) {
		found = p.eachStatement(body, false)
	}
	if k.countsNoAGPRs() && found[AGPRs].count > 0 {
		found[AGPRs] = p.eachStatement(body, true)[AGPRs]
	}
	for f, r := range found {
		if r.count > stated[f] {
			before := body[:r.at]
			b.Named[f] = Highest{Count: r.count, Line: b.Label + lineEnds(before, p.loneCR), Inline: inline(before)}
		}
	}
}

// inline reports whether text ends within inline assembly.
func inline(text []byte) bool {
	start := []byte("#ASMSTART")
	return bytes.Contains(text, start) && bytes.LastIndex(text, start) > bytes.LastIndex(text, []byte("#ASMEND"))
}

// lineEnds counts the line ends in text.
func lineEnds(text []byte, loneCR bool) int {
	n := bytes.Count(text, []byte{'\n'})
	if loneCR {
		n += bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n"))
	}
	return n
}

// stated returns the smallest count of k that bounds the registers of a file; 0
// if there is none.
func (k *Kernel) stated(f RegisterFile) int64 {
	m, s, d := &k.Metadata, &k.Symbols, &k.Descriptor
	var counts [4]Field
	switch f {
	case VGPRs:
		counts = [4]Field{m.VGPRCount, s.NumVGPR, d.NextFreeVGPR, d.AccumOffset}
	case SGPRs:
		counts = [4]Field{m.SGPRCount, s.NumberedSGPR, d.NextFreeSGPR}
	case AGPRs:
		counts = [4]Field{m.AGPRCount, s.NumAGPR}
	}
	least := int64(math.MaxInt64)
	for _, c := range counts {
		if c.State == Read {
			least = min(least, c.Value)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// countsNoAGPRs reports whether k says that it has no AGPRs. A matrix instruction
// that names some all the same is not held against it.
func (k *Kernel) countsNoAGPRs() bool {
	agprs := k.Symbols.NumAGPR
	if agprs.State != Read {
		agprs = k.Metadata.AGPRCount
	}
	return agprs.State == Read && agprs.Value == 0
}

// A named is the highest register of one file in a text, and where it stands.
type named struct {
	count int64 // its number and one more; 0 if there is none
	at    int   // an offset within its line
}

// confirm reports whether the registers found by a sweep are what their lines
// name.
func (p *Parser) confirm(body []byte, found *[NumRegisterFiles]named) bool {
	for f, r := range found {
		if r.count == 0 {
			continue
		}
		start := bytes.LastIndexByte(body[:r.at], '\n') + 1
		end := len(body)
		if n := bytes.IndexByte(body[r.at:], '\n'); n >= 0 {
			end = r.at + n
		}
		var on [NumRegisterFiles]named
		for l := p.lexer(body[start:end]); l.pos < end-start; {
			namesOf(l.next(), 0, false, &on)
		}
		if on[f].count != r.count {
			return false
		}
	}
	return true
}

// eachStatement finds the highest registers by reading each statement, or each that is
// no matrix instruction.
func (p *Parser) eachStatement(body []byte, passMatrix bool) (found [NumRegisterFiles]named) {
	l := p.lexer(body)
	for l.pos < len(body) {
		statement := l.next()
		namesOf(statement, l.offset, passMatrix, &found)
	}
	return found
}

// lexer returns a lexer for a part of the text. Under s_set_vgpr_msb (gfx1250) the
// register is the one in the comment behind the printed one: "v218 /*v730*/".
func (p *Parser) lexer(part []byte) *Lexer {
	return &Lexer{data: part, loneCR: p.loneCR, registers: p.banks}
}

// namesOf reads the registers that the instruction of a statement names, which stands
// at an offset of its text, but for those of a matrix instruction if passMatrix says
// so.
func namesOf(statement []byte, at int, passMatrix bool, found *[NumRegisterFiles]named) {
	line := statement
	for {
		if line = trimBlanks(line); len(line) == 0 {
			return
		}
		name, n, ok := identifier(line)
		if !ok {
			if _, n = numberLabel(line); n == 0 {
				return
			}
			line = line[n:]
			continue
		}
		rest := trimBlanks(line[n:])
		if len(rest) > 0 && rest[0] == ':' {
			line = rest[1:]
			continue
		}
		if line[0] == '.' || len(rest) > 0 && rest[0] == '=' {
			return // no instruction
		}
		if passMatrix && classify(lower(name)) == matrix {
			return
		}
		line = rest
		break
	}
	before := byte(',') // what stands before a word, without blanks
	for len(line) > 0 {
		n := 0
		for n < len(line) && identifierByte[line[n]] {
			n++
		}
		if n == 0 {
			if !isBlank(line[0]) {
				before = line[0]
			}
			line = line[1:]
			continue
		}
		word, digits := line[:n], line[1:n]
		line = line[n:]
		if n == 1 && len(line) > 0 && line[0] == '[' {
			end := bytes.IndexByte(line, ']')
			if end < 0 {
				return
			}
			digits = line[1:end]
			if i := bytes.LastIndexByte(digits, ':'); i >= 0 {
				digits = digits[i+1:]
			}
			digits = bytes.TrimSpace(digits)
			line = line[end+1:]
		}
		// Where no comma precedes it, a16 is a modifier of an image instruction.
		if n, ok := registerNumber(digits); ok && (before == ',' || string(word) != "a16") {
			if f := fileOf[word[0]]; f < NumRegisterFiles && n >= found[f].count {
				found[f] = named{n + 1, at}
			}
		}
		before = word[0]
	}
}

// registerNumber reads the digits of a register's name: those of v5, or of v5.l,
// which is a half of it.
func registerNumber(digits []byte) (n int64, ok bool) {
	digits = bytes.TrimSuffix(bytes.TrimSuffix(digits, []byte(".l")), []byte(".h"))
	if len(digits) == 0 || len(digits) > 8 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// A sweep goes over a text eight bytes at a time, without regard to lines, and
// finds the highest of what may be registers: a letter and digits, or a letter
// and a bracket. It is as fast as it is since it looks for all letters at once
// (each byte of a word is a lane of its own, which in ASCII has its highest bit
// free) and compares numbers as the digits that they are: without leading zeros
// "64" and "128" have the order of 64 and 128 as integers whose bytes are the
// digits.
type sweep struct {
	digits [NumRegisterFiles + 1]uint64 // the highest number of each file so far; what is no register is in the last one
	at     [NumRegisterFiles + 1]int
}

// lanes has the lowest bit of each byte. As a variable it, and what is made of
// it, stays in registers.
var lanes uint64 = 0x0101010101010101

var fileOf = func() (t [256]RegisterFile) {
	for i := range t {
		t[i] = NumRegisterFiles
	}
	t['v'], t['s'], t['a'] = VGPRs, SGPRs, AGPRs
	return t
}()

// digitsOf returns the digits of a number of at most eight as a sweep compares them.
func digitsOf(n int64) (digits uint64) {
	for shift := 0; n > 0 || shift == 0; shift += 8 {
		digits |= uint64('0'+n%10) << shift
		n /= 10
	}
	return digits
}

// sweepOver returns the highest of what may be registers in text, of those that are
// past the counts given.
func sweepOver(text []byte, counts [NumRegisterFiles]int64) (found [NumRegisterFiles]named) {
	var s sweep
	s.digits[NumRegisterFiles] = math.MaxUint64
	for f, n := range counts {
		if n > 0 {
			s.digits[f] = digitsOf(min(n-1, 99_999_999))
		}
	}
	least := s.digits
	n := s.run(text, 0)
	var tail [3 * sweepWindow]byte
	copy(tail[:], text[n:])
	s.run(tail[:], n)
	for f := range found {
		if s.digits[f] == least[f] {
			continue
		}
		count := int64(0)
		for shift := 56; shift >= 0; shift -= 8 {
			if d := byte(s.digits[f] >> shift); d != 0 {
				count = 10*count + int64(d-'0')
			}
		}
		found[f] = named{count + 1, s.at[f]}
	}
	return found
}

// sweepWindow is how many bytes behind a word have to be there.
const sweepWindow = 24

// run goes over the words of text that have sweepWindow bytes from their start,
// and returns the offset of the first that has not.
func (s *sweep) run(text []byte, offset int) int {
	if len(text) < sweepWindow {
		return 0
	}
	one := lanes
	top, low := one<<7, one*0x7f
	letterA, bracket, closing := one*'a', one*'[', one*']'
	five, letterW := one*5, one*'w' // "r", "s", "v" and "w" with these bits are "w"
	zero, ten := one*'0', one*(0x80-10)
	rest := text
	w := binary.LittleEndian.Uint64(rest) & low
	for len(rest) >= sweepWindow {
		next := binary.LittleEndian.Uint64(rest[8:]) & low
		follows := w>>8 | next<<56
		// A lane of these has its top bit unless it is what is looked for.
		letter := (((w | five) ^ letterW) + low) & ((w ^ letterA) + low)
		number := follows << 1 & ((follows ^ bracket) + low)
		for m := top &^ (letter | number); m != 0; m &= m - 1 {
			at := bits.TrailingZeros64(m) / 8
			name := rest[at : at+16]
			x := binary.LittleEndian.Uint64(name[1:])
			if name[1] != '[' {
				end := bits.TrailingZeros64(((x^zero)+ten)&top) &^ 7
				x = bits.ReverseBytes64(x) >> (64 - end)
			} else {
				// The digits before the closing bracket, back to what is none.
				x = binary.LittleEndian.Uint64(name[2:])
				end := bits.TrailingZeros64(top&^((x^closing)+low)) &^ 7
				if end < 64 {
					x = bits.ReverseBytes64(x << (64 - end))
					x &= 1<<(bits.TrailingZeros64(((x^zero)+ten)&top)&^7) - 1
				} else {
					x = math.MaxUint64 >> 1 // more than a register has; for who reads the lines
				}
			}
			if f := fileOf[name[0]] & 3; x > s.digits[f] {
				at += len(text) - len(rest)
				if at == 0 || !identifierByte[text[at-1]] {
					s.digits[f], s.at[f] = x, offset+at
				}
			}
		}
		w = next
		rest = rest[8:]
	}
	return len(text) - len(rest)
}
