package isa

import (
	"bytes"
	"errors"
)

// statements reads a line of any shape: labels, a directive or an instruction,
// comments. The rules are those of LLVM's AsmLexer and AsmParser with AMDGPU's
// comment string ";": "//" and "/* */" are comments as well, "#" is one at the
// start of a statement, a statement ends with its line, and mnemonics and generic
// directives are read without regard to case.
func (p *Parser) statements(start, end int) {
	if end > start && p.data[start] == ';' && !p.inComment {
		p.remark(p.data[start:end])
		return
	}
	line := p.code(p.data[start:end])
	for {
		line = trimBlanks(line)
		if len(line) == 0 {
			return
		}
		name, n, ok := identifier(line)
		if !ok {
			label, n := digitLabel(line)
			if n == 0 {
				return // '#' and whatever assembles to nothing or not at all
			}
			if p.names.functions[string(label)] {
				p.label(label, start)
			}
			line = line[n:]
			continue
		}
		rest := trimBlanks(line[n:])
		switch {
		case len(rest) > 0 && rest[0] == ':':
			p.label(name, start)
			line = rest[1:]
			continue
		case len(rest) > 0 && rest[0] == '=' && !bytes.HasPrefix(rest, []byte("==")):
			p.assign(name, rest[1:])
		case line[0] == '.':
			p.directive(lower(name), rest, start, end)
		case line[0] != '"':
			p.instruction(lower(name), rest)
		}
		return
	}
}

// remark notes LLVM's own figure of waves per SIMD, which verbose assembly holds
// in a comment behind each function: "; Occupancy: 8", or an expression of symbols
// that are set further down.
func (p *Parser) remark(line []byte) {
	figure, ok := bytes.CutPrefix(line, []byte("; Occupancy: "))
	if !ok || len(p.sizes) == 0 {
		return
	}
	p.sizes[len(p.sizes)-1].occupancy = excerpt{s: bytes.TrimSpace(figure), line: p.line}
}

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

// digitLabel reads a label that begins with a digit from the start of s, and
// returns it with the number of bytes up to and with its colon; 0 if there is
// none. It is a local label "1:", or a function of such a name.
func digitLabel(s []byte) (name []byte, n int) {
	name, n, ok := symbolName(s)
	if !ok {
		return nil, 0
	}
	rest := trimBlanks(s[n:])
	if len(rest) == 0 || rest[0] != ':' {
		return nil, 0
	}
	return name, len(s) - len(rest) + 1
}

// code returns a line without its comments. A block comment becomes a blank; one
// that the line leaves open goes on to the line that closes it.
func (p *Parser) code(line []byte) []byte {
	if !p.comments {
		return uncommented(line)
	}
	var out []byte // nil as long as nothing was taken out
	for {
		if p.inComment {
			i := bytes.Index(line, []byte("*/"))
			if i < 0 {
				p.spanned = true
				return out
			}
			p.inComment = false
			p.special = p.crowded()
			line = line[i+2:]
			out = append(out, ' ')
		}
		n := commentStart(line)
		if !bytes.HasPrefix(line[n:], []byte("/*")) {
			if out == nil {
				return line[:n]
			}
			return append(out, line[:n]...)
		}
		out = append(out, line[:n]...)
		line = line[n+2:]
		p.inComment, p.special = true, true
	}
}

// uncommented returns the part of line before its first comment of any kind.
func uncommented(line []byte) []byte {
	if bytes.IndexByte(line, ';') < 0 && bytes.IndexByte(line, '/') < 0 {
		return line
	}
	return line[:commentStart(line)]
}

// commentStart returns the offset of the first comment in line that does not
// stand in a string, or the line's length.
func commentStart(line []byte) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			n := stringEnd(line[i:])
			if n < 0 {
				return len(line)
			}
			i += n - 1
		case ';':
			return i
		case '/':
			if i+1 < len(line) && (line[i+1] == '/' || line[i+1] == '*') {
				return i
			}
		}
	}
	return len(line)
}
