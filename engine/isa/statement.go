package isa

import (
	"bytes"
	"errors"
)

// statement reads a statement of any shape: labels, then a directive, an
// assignment or an instruction. The rules are those of LLVM's AsmParser: mnemonics
// and generic directives are read without regard to case, may stand in quotes, and
// what is not understood does not assemble.
func (p *Parser) statement(s []byte) {
	for {
		s = trimBlanks(s)
		if len(s) == 0 {
			p.remark(p.comment)
			return
		}
		name, n, ok := identifier(s)
		if !ok {
			label, n := numberLabel(s)
			if n == 0 {
				return // whatever assembles to nothing or not at all
			}
			if p.names.functions[string(label)] {
				p.label(label, p.offset)
			}
			s = s[n:]
			continue
		}
		rest := trimBlanks(s[n:])
		switch {
		case len(name) == 0:
		case len(rest) > 0 && rest[0] == ':':
			p.label(name, p.offset)
			s = rest[1:]
			continue
		case len(rest) > 0 && rest[0] == '=' && !bytes.HasPrefix(rest, []byte("==")):
			p.assign(name, rest[1:])
		case name[0] == '.':
			p.directive(lower(name), rest)
		default:
			p.instruction(lower(name), rest)
		}
		return
	}
}

// remark notes LLVM's own figure of waves per SIMD, which verbose assembly holds
// in a comment behind each function: "; Occupancy: 8", or an expression of symbols
// that are set further down.
func (p *Parser) remark(line []byte) {
	figure, ok := bytes.CutPrefix(line, []byte(occupancyRemark))
	if !ok || len(p.sizes) == 0 {
		return
	}
	p.sizes[len(p.sizes)-1].occupancy = excerpt{s: bytes.TrimSpace(figure), line: p.line}
}

const occupancyRemark = "; Occupancy: "

// occupancy evaluates what remark noted.
func (p *Parser) occupancy(noted excerpt) Field {
	if noted.line == 0 {
		return Field{}
	}
	v, err := p.assignments.expression(noted.s, 0)
	if err == nil && v.n < 1 {
		err = errors.New("it is no number of waves")
	}
	if err != nil {
		return Field{State: Unresolved, Line: noted.line, Reason: err.Error()}
	}
	return Field{State: Read, Value: v.n, Line: noted.line, Bound: v.bound}
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == 0 || c == '\f' || c == '\v'
}

func trimBlanks(s []byte) []byte {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	return s
}

// identifierByte holds the bytes of a symbol that is not in quotes.
var identifierByte = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.@?") {
		t[c] = true
	}
	return t
}()

// identifier reads a symbol, quoted or not, from the start of s and returns its
// name and the number of bytes that it takes. One that is not quoted does not
// begin with a digit.
func identifier(s []byte) (name []byte, n int, ok bool) {
	if len(s) > 0 && s[0] >= '0' && s[0] <= '9' {
		return nil, 0, false
	}
	return symbolName(s)
}

// symbolName is identifier where no number can stand: LLVM prints a function
// that is called 123 without quotes.
func symbolName(s []byte) (name []byte, n int, ok bool) {
	if len(s) > 0 && s[0] == '"' {
		end := stringEnd(s)
		if end < 0 {
			return nil, 0, false
		}
		return unescape(s[1 : end-1]), end, true
	}
	for n < len(s) && identifierByte[s[n]] {
		n++
	}
	return s[:n], n, n > 0
}

// stringEnd returns the offset behind the string in double quotes that s starts
// with, or -1 if it is not closed.
func stringEnd(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// QuotedLen returns the length of the string in double quotes at the start of s, with
// its quotes; all of s if it is not closed.
func QuotedLen(s []byte) int {
	if end := stringEnd(s); end >= 0 {
		return end
	}
	return len(s)
}

// Unquote returns what a string of the assembler says that is perhaps in quotes: a
// backslash stands before a character or up to three octal digits, as in the names of
// files.
func Unquote(s []byte) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		v, n := 0, 0
		for n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
			v = v*8 + int(s[i+n]-'0')
			n++
		}
		if n > 0 {
			out = append(out, byte(v))
			i += n - 1
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// unescape undoes the escapes of a quoted symbol: \" \\ \n.
func unescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	var b bytes.Buffer
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == 'n' {
				b.WriteByte('\n')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.Bytes()
}

// lower returns s in lower case: s itself if it is already.
func lower(s []byte) []byte {
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			return bytes.ToLower(s)
		}
	}
	return s
}

// numberLabel reads a label that begins with a digit from the start of s, and
// returns it with the number of bytes up to and with its colon; 0 if there is none.
// It is a local label "1:", which may be a character constant as well, or a function
// of such a name.
func numberLabel(s []byte) (name []byte, n int) {
	if s[0] == '\'' {
		n = quotedEnd(s)
		name = s[:n]
	} else {
		name, n, _ = symbolName(s)
	}
	rest := trimBlanks(s[n:])
	if n == 0 || len(rest) == 0 || rest[0] != ':' {
		return nil, 0
	}
	return name, len(s) - len(rest) + 1
}
