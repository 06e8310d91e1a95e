package pysource

import "bytes"

// Which triple quotes have no partner. While a docstring is being typed the text
// holds an odd number of them, and read in order every string would become code
// and all code a string. A text is first read as Python reads it. Only if that
// shows a string that cannot be right is it read a second time, skeptically:
// each string of several lines that looks like code between two docstrings is
// taken for an opening quote without a partner. The reading with fewer errors
// counts.

// A suspicion is the kinds of triple quotes that may lack their partner.
type suspicion uint8

const (
	apostrophes suspicion = 1 << iota
	doubleQuotes
)

// suspicionOf returns the suspicion of one kind.
func suspicionOf(quote byte) suspicion {
	if quote == '"' {
		return doubleQuotes
	}
	return apostrophes
}

// judge decides where the triple-quoted string with its opening quote at q
// ends, given where its closing quotes are.
func (lx *lexer) judge(q, end int, closed bool) (int, bool) {
	text := lx.text
	stop := q + lineEnd(text[q:end], 0)
	if closed && stop == end {
		return end, true // on one line
	}
	kind := suspicionOf(text[q])
	wrong := !closed || glued(text, skipBlanks(text, end)) || lx.misplaced(q)
	if lx.suspects&kind != 0 && !wrong {
		wrong = swallowsCode(text, q, end)
	}
	if wrong {
		lx.doubt |= kind
		lx.errors++
	}
	if wrong && lx.suspects&kind != 0 && lx.spend(end-stop) {
		return stop, false
	}
	return end, closed
}

// hidden returns the kinds of triple quotes that stand in a string that nothing
// closes: the apostrophe that opened it may be prose.
func hidden(str []byte) suspicion {
	var kinds suspicion
	if bytes.Contains(str, []byte("'''")) {
		kinds |= apostrophes
	}
	if bytes.Contains(str, []byte(`"""`)) {
		kinds |= doubleQuotes
	}
	return kinds
}

// glued reports whether what stands at i cannot follow a string, so that the
// string's end was the beginning of another one.
func glued(text []byte, i int) bool {
	if i >= len(text) || !isWord(text[i]) {
		return false
	}
	end := wordEnd(text, i)
	if _, ok := stringPrefix(text[i:end]); ok && end < len(text) && class[text[end]] == inQuotes {
		return false
	}
	return !joinsOperands(text[i:end])
}

// misplaced reports whether no string can begin where the last token ended: it
// follows an operand on the same line. Words that are keywords only there, or were
// in Python 2, are no operands.
func (lx *lexer) misplaced(q int) bool {
	n := len(lx.tokens)
	if n == 0 || lx.first {
		return false
	}
	last := lx.tokens[n-1]
	if !lx.endsOperand(last) || last.kind == strToken {
		return false
	}
	switch string(lx.bytes(last)) {
	case "match", "case", "print", "exec":
		return false
	}
	return true
}

// swallowsCode reports whether the string from q to end holds code: its closing
// quotes are the beginning of a docstring, below the header of a function or
// class, or it goes on like the code around it and then defines something further
// out.
func swallowsCode(text []byte, q, end int) bool {
	begin := q
	for begin > 0 && class[text[begin-1]] != inNewline {
		begin--
	}
	around, first := indentation(text, begin)
	goesOn := first == q
	var above []byte // the last line with text in it
	for i := lineEnd(text, q); ; {
		i = skipNewline(text, i)
		stop := min(lineEnd(text, i), end-len(`"""`))
		if indent, first := indentation(text, i); first < stop {
			goesOn = goesOn || above == nil && indent >= around
			if _, def := startsStatement(text, first); def && goesOn && indent < around {
				return true
			}
			above = text[first:stop]
		}
		if i = stop; i >= end-len(`"""`) {
			return endsHeader(above)
		}
	}
}

// endsHeader reports whether a line ends the header of a function or class.
func endsHeader(line []byte) bool {
	line = bytes.TrimRight(line, " \t\f")
	if !bytes.HasSuffix(line, []byte(":")) {
		return false
	}
	_, def := startsStatement(line, 0)
	return def || line[0] == ')'
}
