package pressure

import "bytes"

// A scanner hands out the statements of an assembly text, one for each line. A
// block comment that spans lines is white space within one statement, as it is
// to LLVM's assembler.
type scanner struct {
	data    []byte
	pos     int    // start of the next line
	line    int    // number of the line that next returned last, 1-based
	lines   int    // lines that were consumed
	comment int    // offset of the next "/*" at or after pos; len(data) if none
	joined  []byte // reused for statements that hold block comments
}

func newScanner(data []byte, pos, lines int) *scanner {
	s := &scanner{data: data, pos: pos, lines: lines}
	s.findComment()
	return s
}

func (s *scanner) findComment() {
	s.comment = len(s.data)
	if i := bytes.Index(s.data[s.pos:], []byte("/*")); i >= 0 {
		s.comment = s.pos + i
	}
}

// next returns the next line without its line ending. It is valid until the
// following call.
func (s *scanner) next() ([]byte, bool) {
	if s.pos >= len(s.data) {
		return nil, false
	}
	s.lines++
	s.line = s.lines
	start, end := s.pos, s.lineEnd(s.pos)
	s.pos = min(end+1, len(s.data))
	if s.comment >= end {
		return trimCR(s.data[start:end]), true
	}
	return s.withComments(start, end), true
}

func (s *scanner) lineEnd(from int) int {
	if i := bytes.IndexByte(s.data[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(s.data)
}

// withComments returns the statement that starts with the line [start,end),
// with its block comments turned to blanks: all but those that name the real
// register behind a printed one, as in "v218 /*v730*/".
func (s *scanner) withComments(start, end int) []byte {
	out := s.joined[:0]
	for i := start; i < end; {
		switch c := s.data[i]; {
		case c == ';' || c == '/' && i+1 < end && s.data[i+1] == '/':
			out = append(out, s.data[i:end]...) // nothing opens within a line comment
			i = end
		case c == '"':
			n := quotedLen(s.data[i:end])
			out = append(out, s.data[i:i+n]...)
			i += n
		case c == '/' && i+1 < end && s.data[i+1] == '*':
			n := bytes.Index(s.data[i+2:], []byte("*/"))
			if n < 0 {
				i, s.pos, end = len(s.data), len(s.data), len(s.data)
				break
			}
			text := s.data[i+2 : i+2+n]
			if registerComment(text) {
				out = append(append(append(out, "/*"...), text...), "*/"...)
			} else {
				out = append(out, ' ')
			}
			i += n + 4
			if i > end { // it closes on a later line, where the statement goes on
				s.lines += bytes.Count(s.data[end:i], []byte("\n"))
				end = s.lineEnd(i)
				s.pos = min(end+1, len(s.data))
			}
		default:
			out = append(out, c)
			i++
		}
	}
	s.joined = out
	s.findComment()
	return trimCR(out)
}

// registerComment reports whether a block comment may name a register.
func registerComment(text []byte) bool {
	return len(text) > 1 && len(text) < 32 && text[0] == 'v' && (isDigit(text[1]) || text[1] == '[')
}

func trimCR(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}

// cutComment splits a statement at its line comment.
func cutComment(b []byte) (code, comment []byte) {
	i := bytes.IndexByte(b, ';')
	end := len(b)
	if i >= 0 {
		end = i
	}
	for from := 0; ; {
		j := bytes.IndexByte(b[from:end], '/')
		if j < 0 {
			break
		}
		if j += from; j+1 < len(b) && b[j+1] == '/' {
			end = j
			break
		}
		from = j + 1
	}
	return b[:end], b[end:]
}

// quotedLen returns the length of the quoted string at the start of b, with its
// quotes; all of b if it is not closed.
func quotedLen(b []byte) int {
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

// unquote returns the text of a quoted string: \" and \\, and the octal escapes
// of file names.
func unquote(b []byte) string {
	if len(b) >= 2 && b[len(b)-1] == '"' {
		b = b[1 : len(b)-1]
	}
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		v, n := 0, 0
		for n < 3 && i+n < len(b) && b[i+n] >= '0' && b[i+n] <= '7' {
			v = v*8 + int(b[i+n]-'0')
			n++
		}
		if n > 0 {
			out = append(out, byte(v))
			i += n - 1
			continue
		}
		out = append(out, b[i])
	}
	return string(out)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0
}

// isName reports whether c can stand in a symbol, label, directive or mnemonic.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '@'
}

func skipBlanks(b []byte) []byte {
	for i, c := range b {
		if !isBlank(c) {
			return b[i:]
		}
	}
	return nil
}

// A token kind tells what a statement starts with.
type token uint8

const (
	endOfStatement token = iota
	label                // a symbol and a colon
	directive            // a word that starts with a dot
	mnemonic             // any other word
	assignment           // a symbol and an equals sign
	unreadable
)

// lead splits the first word off a statement. For a label the name is without
// its quotes and the rest starts after the colon.
func lead(b []byte) (kind token, name, rest []byte) {
	b = skipBlanks(b)
	if len(b) == 0 || b[0] == ';' || b[0] == '#' || b[0] == '/' && len(b) > 1 && b[1] == '/' {
		return endOfStatement, nil, nil
	}
	if b[0] == '"' {
		n := quotedLen(b)
		if after := skipBlanks(b[n:]); len(after) > 0 && after[0] == ':' {
			return label, []byte(unquote(b[:n])), after[1:]
		}
		return unreadable, b[:n], nil
	}
	n := 0
	for n < len(b) && isName(b[n]) {
		n++
	}
	if n == 0 {
		return unreadable, b[:1], nil
	}
	name, rest = b[:n], b[n:]
	after := rest
	if len(after) > 0 && isBlank(after[0]) {
		after = skipBlanks(after)
	}
	if len(after) > 0 {
		switch {
		case after[0] == ':' && (len(after) == 1 || after[1] != ':'):
			return label, name, after[1:]
		case after[0] == '=' && (len(after) == 1 || after[1] != '='):
			return assignment, name, after[1:]
		}
	}
	if name[0] == '.' {
		return directive, name, rest
	}
	return mnemonic, name, rest
}
