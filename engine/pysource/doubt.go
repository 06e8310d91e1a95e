package pysource

import "bytes"

// Which triple quotes have no partner. While a docstring is being typed the text
// holds an odd number of them, and read in order every string would become code
// and all code a string. A text is first read as Python reads it. Only if that
// shows a string that cannot be right is it read a second time, skeptically:
// each string of several lines that looks like code between two docstrings is
// taken for an opening quote without a partner.

// judge decides where the triple-quoted string with its opening quote at q
// ends, given where its closing quotes are.
func (lx *lexer) judge(q, end int, closed bool) (int, bool) {
	text := lx.text
	stop := q + lineEnd(text[q:end], 0)
	if closed && stop == end {
		return end, true // on one line
	}
	if !lx.skeptical {
		lx.doubt = lx.doubt || !closed || glued(text, end)
		return end, closed
	}
	if closed && !glued(text, skipBlanks(text, end)) && !lx.misplaced(q) && !swallowsCode(text, q, end) {
		return end, true
	}
	if !lx.spend(end - stop) {
		return end, closed
	}
	return stop, false
}

// hidesTriple reports whether triple quotes stand in a string that nothing closes:
// the apostrophe that opened it may be prose.
func hidesTriple(str []byte) bool {
	return bytes.Contains(str, []byte(`"""`)) || bytes.Contains(str, []byte("'''"))
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
// follows an operand on the same line, other than in Python 2's print and exec.
func (lx *lexer) misplaced(q int) bool {
	n := len(lx.tokens)
	if n == 0 || lx.first {
		return false
	}
	last := lx.tokens[n-1]
	if !lx.endsOperand(last) || last.kind == strToken {
		return false
	}
	return !lx.is(last, "print") && !lx.is(last, "exec")
}

// swallowsCode reports whether the string from q to end holds code: its closing
// quotes are the beginning of a docstring, below the header of a function or
// class, or a definition in it is indented less than the line that it begins on.
func swallowsCode(text []byte, q, end int) bool {
	start := q
	for start > 0 && class[text[start-1]] != inNewline {
		start--
	}
	outside, _ := indentation(text, start)

	var above []byte // the last line with text in it
	for i := lineEnd(text, q); ; {
		i = skipNewline(text, i)
		stop := min(lineEnd(text, i), end-len(`"""`))
		indent, first := indentation(text, i)
		if first < stop {
			if _, def := startsStatement(text, first); def && indent < outside {
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
