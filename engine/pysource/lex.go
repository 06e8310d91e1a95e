package pysource

import "bytes"

// A kind is the kind of a token.
type kind uint8

const (
	nameToken   kind = iota // an identifier or keyword
	numberToken             // a number, which no one here needs the value of
	strToken                // a whole string literal with its prefix
	opToken                 // an operator or bracket, or a character that Python does not know
)

// A token is a piece of the text. Offsets of 32 bits keep a line's tokens small.
type token struct {
	start, end uint32
	kind       kind
	first      bool // the first on its physical line, backslash continuations aside
	closed     bool // of a string: its closing quotes were found
}

// A line is a logical line: one statement, several with semicolons between, or
// a header with the statements behind its colon.
type line struct {
	tokens []token // valid until the next line is read
	indent int
	cut    bool // it goes on: more tokens follow in a tail
	tail   bool // it continues a line that was cut
}

const (
	// maxTokens bounds the memory that a line takes; longer ones are tables of data.
	maxTokens = 1 << 16
	// maxText is what fits the offsets of tokens.
	maxText = 1<<32 - 1
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// A lexer cuts a text into logical lines.
type lexer struct {
	text     []byte
	pos      int
	newLine  bool      // pos is at the beginning of a physical line
	suspects suspicion // triple quotes to be judged by the looks of what they enclose
	doubt    suspicion // triple quotes that were met where they cannot be right
	errors   int       // how many those were
	walrus   bool      // an assignment expression was met

	tokens    []token // of the logical line being read
	statement int     // where in them the last simple statement begins
	indent    int     // its indentation
	first     bool    // the next token is the first on its physical line
	tail      bool    // its beginning was cut off
	brackets  brackets
	marks     []mark // its physical lines that begin with "@" inside brackets
	queue     []line // lines that are ready, from ready on
	ready     int

	depth  int                   // of f-string holes
	vain   [doubleQuotes + 1]int // by kind of triple quotes: from here on nothing closes them
	budget int                   // bytes that may still be read again
	looks  int                   // how many tokens were looked at, for the tests of linear time
}

func newLexer(text []byte, suspects suspicion) *lexer {
	lx := &lexer{
		text: text, newLine: true, suspects: suspects,
		vain: [...]int{apostrophes: len(text), doubleQuotes: len(text)}, budget: 2*len(text) + 1<<16,
	}
	if bytes.HasPrefix(text, byteOrderMark) {
		lx.pos = len(byteOrderMark)
	}
	return lx
}

// next returns the next logical line, and false at the end of the text.
func (lx *lexer) next() (line, bool) {
	if lx.ready == len(lx.queue) {
		lx.tokens, lx.statement = lx.tokens[:0], 0
		lx.queue, lx.ready = lx.queue[:0], 0
		for len(lx.queue) == 0 {
			if lx.pos < len(lx.text) {
				lx.step()
				continue
			}
			if len(lx.tokens) == 0 {
				return line{}, false
			}
			lx.split(lx.tokens, lx.indent) // its brackets may be open
		}
	}
	lx.ready++
	return lx.queue[lx.ready-1], true
}

// emit queues tokens as a logical line and begins a new one.
func (lx *lexer) emit(tokens []token, indent int) {
	if len(tokens) > 0 {
		lx.queue = append(lx.queue, line{tokens: tokens, indent: indent, tail: lx.tail})
	}
	lx.tail = false
	lx.brackets.clear()
	lx.marks = lx.marks[:0]
}

// step reads the beginning of a physical line, or one token.
func (lx *lexer) step() {
	if lx.newLine && !lx.beginLine() {
		return
	}
	text, i := lx.text, lx.pos
	if i >= len(text) {
		return
	}
	switch c := text[i]; class[c] {
	case inBlank:
		lx.pos++
	case inNewline:
		lx.pos = skipNewline(text, i)
		lx.newLine = true
		if lx.brackets.depth() == 0 {
			lx.emit(lx.tokens, lx.indent)
		}
	case inHash:
		lx.pos = lineEnd(text, i)
	case inBackslash:
		lx.continuation()
	case inQuotes:
		lx.literal(i, i, prefix{})
	case inDigit:
		j := i + 1
		for j < len(text) && (isWord(text[j]) || text[j] == '.') {
			j++
		}
		lx.add(numberToken, j)
	case inLetter:
		j := wordEnd(text, i)
		if j < len(text) && class[text[j]] == inQuotes {
			if p, ok := stringPrefix(text[i:j]); ok {
				lx.literal(i, j, p)
				return
			}
		}
		lx.add(nameToken, j)
	default:
		lx.brackets.track(c)
		if lx.brackets.depth() == 0 {
			lx.marks = lx.marks[:0]
		}
		end := operatorEnd(text, i)
		lx.walrus = lx.walrus || c == ':' && end-i == 2
		lx.add(opToken, end)
		if c == ';' {
			lx.statement = len(lx.tokens)
		}
	}
}

// beginLine looks at the physical line that begins at pos. It returns false if
// the line was consumed, or if it ended the logical line before it.
func (lx *lexer) beginLine() bool {
	text := lx.text
	indent, i := indentation(text, lx.pos)
	if i >= len(text) {
		lx.pos = i
		return false
	}
	if c := class[text[i]]; c == inNewline || c == inHash || conflictMarker(text, i) {
		lx.pos = skipNewline(text, lineEnd(text, i))
		return false
	}
	if lx.brackets.depth() == 0 {
		lx.indent = indent
	} else {
		if statement, def := startsStatement(text, i); statement {
			lx.interrupt(indent, def)
			return false
		}
		if text[i] == '@' {
			lx.marks = append(lx.marks, mark{len(lx.tokens), indent})
		}
	}
	lx.pos = i
	lx.newLine = false
	lx.first = true
	return true
}

// add appends the token from pos to end.
func (lx *lexer) add(k kind, end int) {
	lx.tokens = append(lx.tokens, token{uint32(lx.pos), uint32(end), k, lx.first, true})
	lx.first = false
	lx.pos = end
	if len(lx.tokens) == maxTokens {
		lx.queue = append(lx.queue, line{tokens: lx.tokens, indent: lx.indent, cut: true, tail: lx.tail})
		lx.marks = lx.marks[:0]
		lx.tail = true
	}
}

// continuation reads a backslash, which joins the next physical line to this one.
func (lx *lexer) continuation() {
	text := lx.text
	i := lx.pos + 1
	if i >= len(text) || class[text[i]] != inNewline {
		lx.pos++ // a stray one
		return
	}
	lx.pos = skipNewline(text, i)
	if lx.brackets.depth() > 0 {
		lx.newLine = true // in brackets it means no more than the newline itself
	} else if lx.interruptsContinuation() {
		lx.newLine = true
		lx.emit(lx.tokens, lx.indent)
	}
}

// spend pays for reading n bytes again and reports whether that was affordable.
func (lx *lexer) spend(n int) bool {
	lx.budget -= n
	return lx.budget >= 0
}

// is reports whether a token that is no string reads s.
func (lx *lexer) is(t token, s string) bool {
	return t.kind != strToken && string(lx.text[t.start:t.end]) == s
}

// bytes returns the text of a token.
func (lx *lexer) bytes(t token) []byte { return lx.text[t.start:t.end] }

// char returns the character of a token that has only one, else 0.
func (lx *lexer) char(t token) byte {
	lx.looks++
	if t.kind != opToken || t.end-t.start != 1 {
		return 0
	}
	return lx.text[t.start]
}
