package pysource

// Where a line of broken text ends. The rules only ever apply to text that
// Python would reject, so that correct text is read as Python reads it.

// A mark is a physical line that begins with "@" inside brackets: a matrix
// product, or a decorator below a bracket that was left open.
type mark struct {
	token  int // index of its first token in the logical line
	indent int
}

// interrupt ends the logical line where a statement begins inside its brackets,
// which then were left open, and gives back what they swallowed. The decorators
// of a definition there stand above it at its own indentation.
func (lx *lexer) interrupt(indent int, def bool) {
	n := len(lx.marks)
	for def && n > 0 && lx.marks[n-1].indent == indent {
		n--
	}
	rest := lx.tokens[len(lx.tokens):]
	if n < len(lx.marks) {
		i := lx.marks[n].token
		lx.tokens, rest = lx.tokens[:i], lx.tokens[i:]
	}
	lx.split(lx.tokens, lx.indent)
	lx.split(rest, indent)
}

// split emits tokens that were taken for one logical line as several. A line ends
// at a newline outside brackets, and at the latest where a physical line is
// indented no further than its beginning.
func (lx *lexer) split(tokens []token, indent int) {
	var b brackets
	start := 0
	for i, t := range tokens {
		c := lx.char(t)
		if i > start && t.first {
			closing := c == ')' || c == ']' || c == '}'
			if width := column(lx.text, int(t.start)); b.depth() == 0 || width <= indent && !closing {
				lx.emit(tokens[start:i], indent)
				b.clear()
				start, indent = i, width
			}
		}
		b.track(c)
	}
	lx.emit(tokens[start:], indent)
}

// interruptsContinuation reports whether the physical line at pos begins a new
// statement although the one above ends in a backslash.
func (lx *lexer) interruptsContinuation() bool {
	if len(lx.tokens) == 0 {
		return false
	}
	i := skipBlanks(lx.text, lx.pos)
	last := lx.tokens[len(lx.tokens)-1]
	if i < len(lx.text) && lx.text[i] == '@' {
		return !lx.endsOperand(last) || !lx.takesOperator()
	}
	statement, def := startsStatement(lx.text, i)
	switch {
	case !statement, lx.is(last, "async"):
		return false
	case def:
		return true
	case lx.is(last, ":"), lx.is(last, ";"): // "if x: \" and below it the body
		return false
	}
	return !lx.is(lx.tokens[0], "from") // "from x \" and below it "import y"
}

// takesOperator reports whether an operand of the statement being read may be
// followed by a binary operator.
func (lx *lexer) takesOperator() bool {
	switch string(lx.bytes(lx.tokens[lx.statement])) {
	case "break", "continue", "from", "global", "import", "nonlocal", "pass":
		return false
	}
	return true
}

// endsOperand reports whether a binary operator may follow the token.
func (lx *lexer) endsOperand(t token) bool {
	switch t.kind {
	case nameToken:
		return !isKeyword(lx.bytes(t))
	case opToken:
		c := lx.char(t)
		return c == ')' || c == ']' || c == '}'
	}
	return true
}

// startsStatement reports whether the line whose first character is at i begins
// a statement, with a word that cannot begin a line inside an expression, and
// whether that statement is a definition.
func startsStatement(text []byte, i int) (statement, def bool) {
	end := wordEnd(text, i)
	switch string(text[i:end]) {
	case "def", "class":
		return true, true
	case "assert", "break", "continue", "del", "elif", "except", "finally", "global", "import",
		"nonlocal", "pass", "raise", "return", "try", "while", "with":
		return true, false
	case "async":
		i = skipBlanks(text, end)
		def = string(text[i:wordEnd(text, i)]) == "def"
		return def, def
	case "else":
		i = skipBlanks(text, end)
		return i < len(text) && text[i] == ':', false
	case "from": // not that of "yield from" and "raise … from"
		i = skipBlanks(text, end)
		for i < len(text) && (isWord(text[i]) || text[i] == '.') {
			i++
		}
		i = skipBlanks(text, i)
		return string(text[i:wordEnd(text, i)]) == "import", false
	}
	return false, false
}

// conflictMarker reports whether the line at i is one that a version control
// system left in a text that it could not merge.
func conflictMarker(text []byte, i int) bool {
	const width = 7
	c := text[i]
	if c != '<' && c != '=' && c != '>' && c != '|' || i+width > len(text) {
		return false
	}
	for _, d := range text[i : i+width] {
		if d != c {
			return false
		}
	}
	return i+width == len(text) || text[i+width] == ' ' || class[text[i+width]] == inNewline
}

// isKeyword reports whether a word is a keyword other than those that are
// values (None, True, False).
func isKeyword(word []byte) bool {
	switch string(word) {
	case "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
		"else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
		"nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}

// joinsOperands reports whether a word can follow an operand.
func joinsOperands(word []byte) bool {
	switch string(word) {
	case "and", "as", "async", "else", "for", "from", "if", "import", "in", "is", "not", "or":
		return true
	}
	return false
}
