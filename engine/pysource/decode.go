package pysource

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// What strings and identifiers say.

// charsets are the encodings of source files other than UTF-8 that are read, by
// the names of PEP 263's comment. All of them agree with ASCII byte by byte.
var charsets = map[string]*charmap.Charmap{
	"latin-1":      charmap.ISO8859_1,
	"latin1":       charmap.ISO8859_1,
	"l1":           charmap.ISO8859_1,
	"iso-8859-1":   charmap.ISO8859_1,
	"iso8859-1":    charmap.ISO8859_1,
	"cp1252":       charmap.Windows1252,
	"windows-1252": charmap.Windows1252,
}

// charset returns the name of the encoding that a comment in one of the first two
// lines of the text declares (PEP 263); "" is UTF-8.
func charset(text []byte) string {
	i := 0
	for range 2 {
		end := lineEnd(text, i)
		comment := bytes.TrimLeft(text[i:end], " \t\f")
		if len(comment) > 0 && comment[0] != '#' {
			return ""
		}
		for at := bytes.Index(comment, []byte("coding")); at >= 0; {
			comment = comment[at+len("coding"):]
			if len(comment) > 0 && (comment[0] == ':' || comment[0] == '=') {
				label := bytes.TrimLeft(comment[1:], " \t")
				n := 0
				for n < len(label) && (isWord(label[n]) || label[n] == '-' || label[n] == '.') {
					n++
				}
				name := strings.ReplaceAll(strings.ToLower(string(label[:n])), "_", "-")
				if name == "utf-8" || name == "utf8" {
					return ""
				}
				return name
			}
			at = bytes.Index(comment, []byte("coding"))
		}
		i = skipNewline(text, end)
	}
	return ""
}

// decode returns bytes of the text as a string. What is no UTF-8 becomes U+FFFD.
func (s *scanner) decode(b []byte) string {
	if s.charset == nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	var out strings.Builder
	for _, c := range b {
		out.WriteRune(s.charset.DecodeByte(c))
	}
	return out.String()
}

// identifier returns a name as Python compares it: NFKC-normalized (reference,
// section 2.3).
func (s *scanner) identifier(t token) string { return s.spelled(s.lx.bytes(t)) }

// spelled is identifier for the text of one.
func (s *scanner) spelled(b []byte) string {
	if known, ok := s.identifiers[string(b)]; ok {
		return known
	}
	raw := string(b)
	identifier := raw
	if !isASCII(b) {
		identifier = norm.NFKC.String(s.decode(b))
	}
	s.identifiers[raw] = identifier
	return identifier
}

// maxLiteral bounds the literals that are decoded.
const maxLiteral = 4 * maxTemplateText

// literal returns what a string literal says; nil if it is bytes, a template
// string, or not closed.
func (s *scanner) literal(t token) template {
	body := s.lx.bytes(t)
	q := bytes.IndexAny(body, `"'`)
	p, _ := stringPrefix(body[:q])
	if p.bytes || p.template || !t.closed || len(body) > maxLiteral {
		return nil
	}
	start, end := int(t.start)+q+1, int(t.end)-1
	three := triple(body, q) && len(body)-q >= 6
	if three {
		start, end = start+2, end-2
	}
	d := decoder{s: s, prefix: p, quote: body[q], three: three}
	d.decode(start, end)
	return d.template
}

// A decoder takes a string literal apart.
type decoder struct {
	s        *scanner
	prefix   prefix
	quote    byte
	three    bool
	template template
	text     strings.Builder
}

// flush ends a constant piece.
func (d *decoder) flush() {
	if d.text.Len() > 0 || d.template == nil {
		d.template = append(d.template, piece{text: d.text.String()})
		d.text.Reset()
	}
}

func (d *decoder) hole() {
	d.flush()
	d.template = append(d.template, hole)
}

// value adds what a hole stands for: a name may be one of a constant.
func (d *decoder) value(expression []byte) {
	if len(expression) == 0 || wordEnd(expression, 0) < len(expression) || expression[0] <= '9' || isKeyword(expression) {
		d.hole()
		return
	}
	known := d.s.variable(d.s.spelled(expression))
	if known == nil {
		d.hole()
		return
	}
	d.flush()
	d.template = append(d.template, known...)
}

// decode reads the literal's text between its quotes.
func (d *decoder) decode(i, end int) {
	text := d.s.lx.text
	for i < end {
		switch c := text[i]; {
		case c == '\\' && !d.prefix.raw && i+1 < end:
			i = d.escape(i+1, end)
		case class[c] == inNewline:
			d.text.WriteByte('\n')
			i = skipNewline(text, i)
		case d.prefix.formatted && (c == '{' || c == '}') && i+1 < end && text[i+1] == c:
			d.text.WriteByte(c)
			i += 2
		case d.prefix.formatted && c == '{':
			after, ok := d.s.lx.hole(i+1, d.quote, d.three)
			if !ok || after > end {
				d.hole()
				return
			}
			content := text[i+1 : after-1]
			d.text.WriteString(d.s.decode(selfDocumenting(content)))
			d.value(bytes.TrimSpace(content))
			i = after
		default:
			n := i + 1
			for n < end && class[text[n]] == inLetter {
				n++
			}
			d.text.WriteString(d.s.decode(text[i:n]))
			i = n
		}
	}
	d.flush()
}

// escape decodes what follows a backslash.
func (d *decoder) escape(i, end int) int {
	text := d.s.lx.text
	c := text[i]
	if class[c] == inNewline {
		return skipNewline(text, i)
	}
	if at := strings.IndexByte(`abfnrtv\'"`, c); at >= 0 {
		d.text.WriteByte("\a\b\f\n\r\t\v\\'\""[at])
		return i + 1
	}
	digits, base := 0, 16
	switch c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case 'N':
		if n := namedEscape(text[i-1 : end]); n > 0 {
			d.hole() // the names of Unicode are not at hand
			return i - 1 + n
		}
	}
	from := i + 1
	if c >= '0' && c <= '7' {
		base, from = 8, i
		for digits < 3 && from+digits < end && text[from+digits] >= '0' && text[from+digits] <= '7' {
			digits++
		}
	}
	if digits > 0 && from+digits <= end {
		if v, err := strconv.ParseUint(string(text[from:from+digits]), base, 32); err == nil && v <= utf8.MaxRune {
			d.text.WriteRune(rune(v))
			return from + digits
		}
	}
	d.text.WriteByte('\\') // no escape: Python keeps the backslash
	return i
}

// selfDocumenting returns the text that a hole writes before its value: the
// expression up to its "=", as in f"{tile=}"; nil for other holes.
func selfDocumenting(hole []byte) []byte {
	var depth nesting
	end := len(hole)
	for i, c := range hole {
		depth.track(c)
		conversion := c == '!' && (i+1 == len(hole) || hole[i+1] != '=')
		if depth == 0 && (c == ':' || conversion) {
			end = i
			break
		}
	}
	expression := bytes.TrimRight(hole[:end], " \t")
	n := len(expression)
	if n < 2 || expression[n-1] != '=' || bytes.IndexByte([]byte("=!<>"), expression[n-2]) >= 0 {
		return nil
	}
	return hole[:end]
}
