package csource

import "bytes"

// A kind is what a token is.
type kind uint8

const (
	end     kind = iota // of the text
	word                // an identifier or keyword
	literal             // a string, character or number
	closing             // ">"
	other               // any other character; "::" is one
)

// A token is a piece of the text.
type token struct {
	kind       kind
	start, end int
}

// A lexer passes over comments, literals and preprocessor lines.
type lexer struct {
	text []byte
	at   int
	line bool // something stands in this line already
}

func (l *lexer) next() token {
	l.blanks()
	if l.at >= len(l.text) {
		return token{kind: end, start: len(l.text), end: len(l.text)}
	}
	l.line = true
	t := token{kind: other, start: l.at}
	switch c := l.text[l.at]; {
	case letter(c) && !(c >= '0' && c <= '9'):
		for l.at < len(l.text) && letter(l.text[l.at]) {
			l.at++
		}
		t.kind = word
		if l.at < len(l.text) && l.text[l.at] == '"' && l.text[l.at-1] == 'R' {
			l.raw()
			t.kind = literal
		}
	case c >= '0' && c <= '9':
		l.number()
		t.kind = literal
	case c == '"' || c == '\'':
		l.quoted(c)
		t.kind = literal
	case c == ':' && l.at+1 < len(l.text) && l.text[l.at+1] == ':':
		l.at += 2
	case c == '>':
		l.at++
		t.kind = closing
	default:
		l.at++
	}
	t.end = l.at
	return t
}

// blanks passes over white space, comments and preprocessor lines.
func (l *lexer) blanks() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch c := rest[0]; {
		case c == '\n':
			l.line = false
			l.at++
		case blank(c):
			l.at++
		case c == '\\' && len(rest) > 1 && (rest[1] == '\n' || rest[1] == '\r'):
			l.at += 2
		case bytes.HasPrefix(rest, []byte("//")), c == '#' && !l.line:
			l.toLineEnd()
		case bytes.HasPrefix(rest, []byte("/*")):
			l.comment()
		default:
			return
		}
	}
}

// comment passes over a block comment.
func (l *lexer) comment() {
	if n := bytes.Index(l.text[l.at+2:], []byte("*/")); n >= 0 {
		l.at += n + 4
	} else {
		l.at = len(l.text)
	}
}

// toLineEnd passes over the rest of a line that backslashes continue. A block
// comment in a preprocessor line may end lines later.
func (l *lexer) toLineEnd() {
	directive := l.text[l.at] == '#'
	for l.at < len(l.text) && l.text[l.at] != '\n' {
		switch {
		case l.text[l.at] == '\\' && l.at+1 < len(l.text):
			if l.text[l.at+1] == '\r' {
				l.at++
			}
			l.at++
		case directive && bytes.HasPrefix(l.text[l.at:], []byte("/*")):
			l.comment()
			continue
		}
		l.at++
	}
	l.at = min(l.at, len(l.text))
}

// quoted passes over a string or character, which a line's end closes too.
func (l *lexer) quoted(quote byte) {
	for l.at++; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '\\':
			l.at++
		case quote:
			l.at++
			return
		case '\n':
			return
		}
	}
	l.at = min(l.at, len(l.text))
}

// raw passes over R"delimiter(…)delimiter".
func (l *lexer) raw() {
	open := bytes.IndexByte(l.text[l.at:], '(')
	if open < 1 || open > 17 {
		l.quoted('"')
		return
	}
	closer := append(append([]byte{')'}, l.text[l.at+1:l.at+open]...), '"')
	if n := bytes.Index(l.text[l.at+open:], closer); n >= 0 {
		l.at += open + n + len(closer)
	} else {
		l.at = len(l.text)
	}
}

// number passes over a number, with its separators: 1'000.0e-3f.
func (l *lexer) number() {
	for l.at < len(l.text) {
		c := l.text[l.at]
		follows := l.at+1 < len(l.text) && letter(l.text[l.at+1])
		if !letter(c) && c != '.' && !(c == '\'' && follows) {
			return
		}
		l.at++
	}
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '$' || c >= 0x80
}

func blank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'
}
