package isa

import "bytes"

// A Lexer hands out the statements of an assembly text as LLVM's assembler cuts
// it (AsmLexer.cpp, with AMDGPU's comment string ";"): a statement ends with its
// line, but a string, a character constant or a block comment may hold line ends.
// ";" and "//" begin a comment that ends with the line, as does "#" at the start
// of a statement; within a string or a character constant none of them does.
type Lexer struct {
	data    []byte
	pos     int    // offset of the next statement
	offset  int    // of the last one
	line    int    // the line that it begins on, 1-based
	more    int    // the line ends within it
	comment []byte // its comment up to the line end, with what begins it; nil if there is none
	open    string // what the end of the text leaves open: a "string" or a "/* comment"; "" if nothing

	loneCR    bool // a carriage return alone may end lines too
	registers bool // comments that name a register belong to the statement
}

// NewLexer returns a lexer for the text from an offset on, which line is the
// 1-based number of. Block comments that name the register behind a printed one,
// as in "v218 /*v730*/", stay in the statements.
func NewLexer(data []byte, from, line int) *Lexer {
	return &Lexer{data: data, pos: from, line: line - 1, loneCR: true, registers: true}
}

// Next returns the next statement, without its comments and its line end: a block
// comment becomes a blank.
func (l *Lexer) Next() (statement []byte, ok bool) {
	if l.pos >= len(l.data) {
		return nil, false
	}
	return l.next(), true
}

// Start returns the offset of the last statement in the text.
func (l *Lexer) Start() int { return l.offset }

// Line returns the line that the last statement begins on, 1-based.
func (l *Lexer) Line() int { return l.line }

// Comment returns the comment that ends the last statement, with what begins it.
func (l *Lexer) Comment() []byte { return l.comment }

// lexical holds the bytes that end a statement or change how it is read.
var lexical = [256]bool{'\n': true, '\r': true, ';': true, '/': true, '"': true, '\'': true}

// next is Next where there is a statement.
func (l *Lexer) next() []byte {
	data := l.data
	l.offset, l.line, l.more, l.comment = l.pos, l.line+1+l.more, 0, nil
	i := l.offset
	for i < len(data) && (data[i] == '\t' || data[i] == ' ' || data[i] == 0) {
		i++
	}
	if i < len(data) && data[i] == '#' {
		return l.upToComment(nil, l.offset, i)
	}
	var out []byte // nil as long as the statement is a part of the text
	from := l.offset
	for i < len(data) {
		rest := data[i:]
		n := 0
		for n < len(rest) && !lexical[rest[n]] {
			n++
		}
		if i += n; i == len(data) {
			break
		}
		c := data[i]
		second := byte(0)
		if i+1 < len(data) {
			second = data[i+1]
		}
		switch {
		case c == '\n':
			l.pos = i + 1
			return finish(out, data[from:i])
		case c == '\r':
			l.pos = i + 1
			if second == '\n' {
				l.pos++
			}
			return finish(out, data[from:i])
		case c == ';' || c == '/' && second == '/':
			return l.upToComment(out, from, i)
		case c == '/' && second == '*':
			n = bytes.Index(data[i+2:], []byte("*/"))
			if n < 0 {
				l.open, l.pos = "/* comment", len(data)
				return finish(out, data[from:i])
			}
			n += 4
			l.more += bytes.Count(data[i:i+n], []byte{'\n'})
			if !l.registers || !namesRegister(data[i+2:i+n-2]) {
				out = append(append(out, data[from:i]...), ' ')
				from = i + n
			}
			i += n
		case c == '"' || c == '\'':
			n = quotedEnd(data[i:])
			if n < 0 {
				l.open, n = "string", len(data)-i
			}
			l.more += bytes.Count(data[i:i+n], []byte{'\n'})
			i += n
		default:
			i++
		}
	}
	l.pos = len(data)
	return finish(out, data[from:])
}

// nextLine returns the next line without its line end, whatever is on it.
func (l *Lexer) nextLine() []byte {
	l.offset, l.line, l.more, l.comment = l.pos, l.line+1+l.more, 0, nil
	end := len(l.data)
	l.pos = end
	if n := bytes.IndexByte(l.data[l.offset:], '\n'); n >= 0 {
		end = l.offset + n
		l.pos = end + 1
	}
	if n := l.carriageReturn(l.offset, end); n >= 0 {
		if l.offset+n+1 < end {
			l.pos = l.offset + n + 1
		}
		end = l.offset + n
	}
	return l.data[l.offset:end]
}

// NextLine returns the next line without its line end, whatever is on it: that of
// metadata, which is YAML.
func (l *Lexer) NextLine() (line []byte, ok bool) {
	if l.pos >= len(l.data) {
		return nil, false
	}
	return l.nextLine(), true
}

// KernelName returns the name in an .amdhsa_kernel statement, the last one, whose
// arguments are given. LLVM prints the name there without quotes, whatever is in it,
// so that what looks like a string or a comment may be a part of it: it is the rest
// of the line if a function of this name is known.
func (l *Lexer) KernelName(args []byte, known func(name []byte) bool) []byte {
	line, _, _ := bytes.Cut(l.data[l.offset:], []byte{'\n'})
	_, name, _ := bytes.Cut(line, []byte(".amdhsa_kernel"))
	if name = bytes.Trim(name, " \t\r"); known(name) {
		l.pos, l.more = min(l.offset+len(line)+1, len(l.data)), 0
		return name
	}
	if name, n, ok := symbolName(args); ok && len(trimBlanks(args[n:])) == 0 {
		return name
	}
	return bytes.TrimSpace(args)
}

// carriageReturn returns where in a part of the text the first carriage return is that
// may end a line, -1 if there is none.
func (l *Lexer) carriageReturn(from, to int) int {
	if l.loneCR {
		return bytes.IndexByte(l.data[from:to], '\r')
	}
	if from < to && l.data[to-1] == '\r' {
		return to - 1 - from
	}
	return -1
}

// upToComment ends a statement at the comment that begins at an offset.
func (l *Lexer) upToComment(out []byte, from, at int) []byte {
	end, next := len(l.data), len(l.data)
	if n := bytes.IndexByte(l.data[at:], '\n'); n >= 0 {
		end, next = at+n, at+n+1
	}
	if n := l.carriageReturn(at, end); n >= 0 {
		if at+n+1 < end {
			next = at + n + 1
		}
		end = at + n
	}
	l.comment, l.pos = l.data[at:end], next
	return finish(out, l.data[from:at])
}

func finish(out, rest []byte) []byte {
	if out == nil {
		return rest
	}
	return append(out, rest...)
}

// namesRegister reports whether a block comment names a register: v730, v[730:733].
func namesRegister(text []byte) bool {
	if len(text) < 2 || text[0] != 'v' {
		return false
	}
	for _, c := range text[1:] {
		if (c < '0' || c > '9') && c != '[' && c != ':' && c != ']' {
			return false
		}
	}
	return true
}

// quotedEnd returns the offset behind the string or the character constant that s
// begins with, or -1 for a string that is not closed. A character constant is one
// byte or escape between apostrophes; the assembler passes over as much of one that
// is not closed.
func quotedEnd(s []byte) int {
	if s[0] == '"' {
		return stringEnd(s)
	}
	n := 3
	if len(s) > 1 && s[1] == '\\' {
		n++
	}
	return min(n, len(s))
}

// uncommented returns the part of a statement's line before its comment. The line
// holds no block comment.
func uncommented(line []byte) []byte {
	l := Lexer{data: line}
	if len(line) == 0 {
		return line
	}
	return l.next()
}
