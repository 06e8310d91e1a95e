package pysource

import "bytes"

// A prefix is what the letters before a string's quotes say.
type prefix struct {
	raw, bytes, formatted, template bool
}

// holes reports whether braces in the string hold expressions.
func (p prefix) holes() bool { return p.formatted || p.template }

// stringPrefix reads the letters before a string's quotes.
func stringPrefix(word []byte) (p prefix, ok bool) {
	if len(word) > 2 {
		return p, false
	}
	for _, c := range word {
		switch c | 0x20 {
		case 'r':
			p.raw = true
		case 'b':
			p.bytes = true
		case 'f':
			p.formatted = true
		case 't':
			p.template = true
		case 'u':
		default:
			return p, false
		}
	}
	return p, true
}

// maxHoles is how deep f-strings may be nested in each other (CPython:
// MAXFSTRINGLEVEL).
const maxHoles = 150

// literal adds the string literal whose prefix begins at start and whose opening
// quote is at q. One that is not closed ends at the end of its physical line.
func (lx *lexer) literal(start, q int, p prefix) {
	end, closed := lx.closing(q, p)
	if triple(lx.text, q) {
		end, closed = lx.judge(q, end, closed)
	} else if !closed {
		if e := lineEnd(lx.text, q); lx.spend(end - e) {
			end = e
		}
		if kinds := hidden(lx.text[q:end]); kinds != 0 {
			lx.doubt |= kinds
			lx.errors++
		}
	}
	lx.pos = start
	lx.add(strToken, end)
	lx.tokens[len(lx.tokens)-1].closed = closed
}

// triple reports whether the quote at q is the first of three.
func triple(text []byte, q int) bool {
	return q+2 < len(text) && text[q+1] == text[q] && text[q+2] == text[q]
}

// closing returns the end of the string whose opening quote is at q. If nothing
// closes it that is the end of the line or, with triple quotes, of the text.
func (lx *lexer) closing(q int, p prefix) (end int, closed bool) {
	i := q + 1
	three := triple(lx.text, q)
	if three {
		i = q + 3
	}
	if p.holes() {
		return lx.formatted(i, lx.text[q], three, p.raw)
	}
	return lx.plain(i, lx.text[q], three)
}

// plain returns the end of a string without holes that goes on at i.
func (lx *lexer) plain(i int, quote byte, three bool) (end int, closed bool) {
	if three {
		return lx.plainTriple(i, quote)
	}
	text := lx.text
	for i < len(text) {
		switch text[i] {
		case quote:
			return i + 1, true
		case '\n', '\r':
			return i, false
		case '\\':
			i = skipEscape(text, i)
		default:
			i++
		}
	}
	return i, false
}

// plainTriple is plain for triple quotes. It remembers where a search was in
// vain, so that no text is searched to its end twice.
func (lx *lexer) plainTriple(i int, quote byte) (end int, closed bool) {
	text := lx.text
	vain := &lx.vain[suspicionOf(quote)]
	for from := i; i < *vain; {
		n := bytes.IndexByte(text[i:], quote)
		if n < 0 {
			*vain = min(*vain, from)
			break
		}
		i += n
		escapes := i
		for escapes > from && text[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 && triple(text, i) {
			return i + 3, true
		}
		i++
	}
	return len(text), false
}

// skipEscape returns the offset after the backslash at i and what it escapes.
func skipEscape(text []byte, i int) int {
	if i++; i < len(text) && class[text[i]] == inNewline {
		return skipNewline(text, i)
	}
	return min(i+1, len(text))
}

// formatted returns the end of an f-string or t-string that goes on at i. If the
// expression in one of its holes makes no sense, the rest is plain text.
func (lx *lexer) formatted(i int, quote byte, three, raw bool) (end int, closed bool) {
	text := lx.text
	for i < len(text) {
		switch c := text[i]; {
		case c == quote:
			if !three {
				return i + 1, true
			}
			if triple(text, i) {
				return i + 3, true
			}
			i++
		case c == '\\':
			i = skipFormattedEscape(text, i, raw)
		case c == '{' && i+1 < len(text) && text[i+1] == '{':
			i += 2
		case c == '{':
			end, ok := lx.hole(i+1, quote, three)
			if !ok {
				return lx.plain(i+1, quote, three)
			}
			i = end
		case class[c] == inNewline && !three:
			return i, false
		default:
			i++
		}
	}
	return i, false
}

// skipFormattedEscape is skipEscape in a string with holes: no backslash escapes
// a brace, but the braces of \N{…} are none of a hole.
func skipFormattedEscape(text []byte, i int, raw bool) int {
	if i+1 >= len(text) {
		return i + 1
	}
	switch text[i+1] {
	case '{', '}':
		return i + 1
	case 'N':
		if n := namedEscape(text[i:]); n > 0 && !raw {
			return i + n
		}
	}
	return skipEscape(text, i)
}

// namedEscape returns the length of the escape \N{…} that text begins with, or 0.
func namedEscape(text []byte) int {
	if !bytes.HasPrefix(text, []byte(`\N{`)) {
		return 0
	}
	for i := len(`\N{`); i < len(text); i++ {
		switch c := text[i]; {
		case c == '}':
			return i + 1
		case !isWord(c) && c != ' ' && c != '-':
			return 0
		}
	}
	return 0
}

// hole returns the offset after the hole of an f-string whose expression begins
// at i. A failure is paid for, since the same text is then read as plain text;
// when nothing is left to pay with, all holes fail.
func (lx *lexer) hole(i int, quote byte, three bool) (end int, ok bool) {
	if lx.depth == maxHoles || lx.budget < 0 {
		return i, false
	}
	lx.depth++
	end, ok = lx.expression(i, quote, three)
	lx.depth--
	if !ok && lx.budget >= 0 {
		lx.spend(end - i)
	}
	return end, ok
}

// expression reads what is in a hole. Since Python 3.12 (PEP 701) that is any
// expression, with comments, newlines and the quotes of the string around it.
func (lx *lexer) expression(i int, quote byte, three bool) (end int, ok bool) {
	text := lx.text
	depth := 0
	for i < len(text) && lx.budget >= 0 {
		switch c := text[i]; class[c] {
		case inNewline:
			i = skipNewline(text, i)
			first := skipBlanks(text, i)
			if statement, _ := startsStatement(text, first); statement || first < len(text) && text[first] == '@' {
				return i, false
			}
		case inHash:
			i = lineEnd(text, i)
		case inQuotes:
			if i, ok = lx.closing(i, prefix{}); !ok {
				return i, false
			}
		case inLetter:
			word := text[i:wordEnd(text, i)]
			i += len(word)
			if i < len(text) && class[text[i]] == inQuotes {
				if p, is := stringPrefix(word); is {
					if i, ok = lx.closing(i, p); !ok {
						return i, false
					}
				}
			}
		default:
			i++
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth < 0 {
					return i, c == '}'
				}
			case ':':
				if depth == 0 {
					return lx.formatSpec(i, quote, three)
				}
			}
		}
	}
	return i, false
}

// formatSpec reads the format specification that ends a hole.
func (lx *lexer) formatSpec(i int, quote byte, three bool) (end int, ok bool) {
	text := lx.text
	for i < len(text) {
		switch c := text[i]; {
		case c == '}':
			return i + 1, true
		case c == '{':
			if i, ok = lx.hole(i+1, quote, three); !ok {
				return i, false
			}
		case c == quote && (!three || triple(text, i)), class[c] == inNewline && !three:
			return i, false
		default:
			i++
		}
	}
	return i, false
}
