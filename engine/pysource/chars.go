package pysource

// The classes of bytes that begin a token.
const (
	inOther = iota
	inBlank
	inNewline
	inHash
	inBackslash
	inQuotes
	inDigit
	inLetter // also every byte of a character outside ASCII
)

var class = func() (c [256]uint8) {
	for _, b := range []byte(" \t\f") {
		c[b] = inBlank
	}
	c['\n'], c['\r'] = inNewline, inNewline
	c['#'] = inHash
	c['\\'] = inBackslash
	c['"'], c['\''] = inQuotes, inQuotes
	for b := range c {
		switch {
		case b >= '0' && b <= '9':
			c[b] = inDigit
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_', b >= 0x80:
			c[b] = inLetter
		}
	}
	return c
}()

// isWord reports whether c can stand inside an identifier.
func isWord(c byte) bool { return class[c] >= inDigit }

// wordEnd returns the end of the word at i, which is i if there is none.
func wordEnd(text []byte, i int) int {
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}

// skipBlanks returns the first offset from i on that holds no blank.
func skipBlanks(text []byte, i int) int {
	for i < len(text) && class[text[i]] == inBlank {
		i++
	}
	return i
}

// lineEnd returns the offset of the newline that ends the line with i in it, or
// the end of the text.
func lineEnd(text []byte, i int) int {
	for i < len(text) && text[i] != '\n' && text[i] != '\r' {
		i++
	}
	return i
}

// skipNewline returns the offset after the newline at i, if there is one.
func skipNewline(text []byte, i int) int {
	if i < len(text) && text[i] == '\r' {
		i++
		if i < len(text) && text[i] == '\n' {
			i++
		}
		return i
	}
	if i < len(text) && text[i] == '\n' {
		i++
	}
	return i
}

// indentation measures the blanks from i, the beginning of a line, and returns
// the offset after them. Tabs go to multiples of 8 and a form feed begins anew,
// as in the Python reference, section 2.1.8.
func indentation(text []byte, i int) (width, end int) {
	for ; i < len(text); i++ {
		switch text[i] {
		case ' ':
			width++
		case '\t':
			width = (width/8 + 1) * 8
		case '\f':
			width = 0
		default:
			return width, i
		}
	}
	return width, i
}

// column returns the indentation of the line whose first token is at i.
func column(text []byte, i int) int {
	start := i
	for start > 0 && class[text[start-1]] == inBlank {
		start--
	}
	width, _ := indentation(text, start)
	return width
}

// operatorEnd returns the end of the operator at i. Only those that end in "="
// or are arrows matter as a whole: the others are as good in pieces.
func operatorEnd(text []byte, i int) int {
	at := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	switch c := text[i]; c {
	case '*', '/', '<', '>':
		if at(i+1) == c && at(i+2) == '=' {
			return i + 3
		}
		fallthrough
	case '=', '!', '+', '%', '&', '|', '^', '@', ':':
		if at(i+1) == '=' {
			return i + 2
		}
	case '-':
		if at(i+1) == '=' || at(i+1) == '>' {
			return i + 2
		}
	}
	return i + 1
}

// brackets counts the brackets that are open. A closing bracket of the wrong
// kind is taken for a typing error: it closes nothing, unless its partner is
// open further out.
type brackets struct {
	open  []byte
	count [3]int
}

func (b *brackets) depth() int { return len(b.open) }

func (b *brackets) clear() { b.open, b.count = b.open[:0], [3]int{} }

// track takes note of a character that may be a bracket.
func (b *brackets) track(c byte) {
	switch c {
	case '(':
		b.push(0)
	case '[':
		b.push(1)
	case '{':
		b.push(2)
	case ')':
		b.pop(0)
	case ']':
		b.pop(1)
	case '}':
		b.pop(2)
	}
}

func (b *brackets) push(kind byte) {
	b.open = append(b.open, kind)
	b.count[kind]++
}

func (b *brackets) pop(kind byte) {
	for b.count[kind] > 0 {
		top := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		b.count[top]--
		if top == kind {
			return
		}
	}
}

// nesting is how many brackets are open where it does not matter which.
type nesting int

// track takes note of a character that may be a bracket.
func (n *nesting) track(c byte) {
	switch c {
	case '(', '[', '{':
		*n++
	case ')', ']', '}':
		*n = max(*n-1, 0)
	}
}
