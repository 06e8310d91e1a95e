package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// All text that comes from files (names, paths, reasons, what a compiler said)
// is made safe here for where it is shown; whoever writes to a surface calls what
// is for that surface, and nothing else:
//
//	terminal, plain text     visible (names), oneLine (messages)
//	Markdown                 codeSpan (names), escapeMarkdown (messages)
//	HTML                     visible and oneLine; html/template escapes
//	annotations of GitHub    escapeData, escapeProperty, on top of oneLine
//	SARIF                    sarifMessage
//	JUnit                    visible and oneLine; encoding/xml escapes
//	JSON                     as it is: programs compare names
//	the editor               EditorLine, EditorText
//	its hovers               HoverText, and OneLine within a block of code

// visible returns a name as it can be printed on one line: control characters,
// invisible ones, bytes that are no UTF-8, and blanks that would not be seen
// are escaped, and so is the backslash. Different names stay different.
func visible(name string) string {
	if plainName(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == ' ' && (i == 0 || i+1 == len(name) || name[i-1] == ' '):
			b.WriteString(`\x20`)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
		i += n
	}
	return b.String()
}

// plainName reports whether a name consists of printable ASCII without blanks
// and backslashes, as nearly all do.
func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// ascii returns a visible name with all that is not ASCII escaped.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(escape(r))
		}
	}
	return b.String()
}

// escape returns the escape of a character as Go spells it: \n, \x1b, \u200b.
func escape(r rune) string {
	q := strconv.QuoteRuneToASCII(r)
	return q[1 : len(q)-1]
}

// OneLine returns a message as it can be shown on one line: what cannot be printed
// is escaped, line ends and the marks that turn the direction of text among it.
func OneLine(message string) string { return oneLine(message) }

// oneLine returns a message with what cannot be printed escaped. A message is
// our own text, so its backslashes stay.
func oneLine(message string) string {
	if strings.IndexFunc(message, unprintable) < 0 && utf8.ValidString(message) {
		return message
	}
	var b strings.Builder
	for i := 0; i < len(message); {
		r, n := utf8.DecodeRuneInString(message[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, message[i])
		case unprintable(r):
			b.WriteString(escape(r))
		default:
			b.WriteString(message[i : i+n])
		}
		i += n
	}
	return b.String()
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }

// codeSpan returns a name as code, whatever is in it, in a table's cell too.
func codeSpan(s string) string {
	s = visible(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	if s == "" {
		return ""
	}
	// In a table a bar ends the cell even within code, unless it is escaped.
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// CodeSpan returns a name as code in Markdown, whatever is in it.
func CodeSpan(name string) string { return codeSpan(name) }

// escapeMarkdown returns text that means itself in Markdown, in a table too.
func escapeMarkdown(s string) string {
	s = oneLine(s)
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; c {
		case ' ':
			if i == 0 { // four of them would begin a block of code
				b.WriteString("&#32;")
			} else {
				b.WriteByte(c)
			}
		case '\\', '`', '*', '_', '{', '}', '[', ']', '|', '#', '~':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@': // mentions nobody
			b.WriteString("&#64;")
		default:
			if linking(s, i) || opening(s, i) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// HoverText is escapeMarkdown for a paragraph that a person may see as it is
// written, in an editor that renders no Markdown: only what would mean something
// where it stands is escaped. An underscore within a word means nothing there.
func HoverText(text string) string {
	s := oneLine(text)
	next := func(i int) byte {
		if i < len(s) {
			return s[i]
		}
		return ' '
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case strings.IndexByte("\\`*|[]~@", c) >= 0,
			c == '<' && (wordByte(next(i+1)) || strings.IndexByte("/!?", next(i+1)) >= 0),
			c == '&' && (wordByte(next(i+1)) || next(i+1) == '#'),
			c == '_' && (i == 0 || i+1 == len(s) || !wordByte(s[i-1]) || !wordByte(s[i+1])),
			linking(s, i), opening(s, i):
			b.WriteByte('\\')
		case i == 0 && c == ' ': // four of them would begin a block of code
			b.WriteString("&#32;")
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf
}

// opening reports whether the character at i is what makes a heading, a list, a
// quotation or a rule of a text at the beginning of a line.
func opening(s string, i int) bool {
	switch c := s[i]; c {
	case '#', '>', '-', '+', '=':
		return i == 0
	case '.', ')':
		return i > 0 && strings.Trim(s[:i], "0123456789") == ""
	}
	return false
}

// linking reports whether the character at i is what makes a link of bare text:
// the colon of "https://" and "mailto:", the point of "www.".
func linking(s string, i int) bool {
	after := func(word string) bool { return i >= len(word) && strings.EqualFold(s[i-len(word):i], word) }
	switch s[i] {
	case ':':
		return strings.HasPrefix(s[i:], "://") || after("mailto") || after("xmpp")
	case '.':
		return after("www")
	}
	return false
}

// escapeData and escapeProperty escape what has a meaning in workflow commands, as
// GitHub's own toolkit does.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// placeholders are what a viewer of SARIF fills in, and links what it follows
// (SARIF 2.1.0, 3.11.5 and 3.11.6).
var placeholders = regexp.MustCompile(`\{([0-9]+)\}`)

// sarifMessage returns text that means itself in a message of SARIF.
func sarifMessage(s string) string {
	s = placeholders.ReplaceAllString(oneLine(s), "{{$1}}")
	return strings.ReplaceAll(s, "](", `\](`)
}

// EditorLine returns text of one line for what an editor shows as it is: a lens, an
// action, a hint, a diagnostic. VS Code shows an icon for $(name) in some of these,
// and in messages and progress a link for [text](target), commands among them.
func EditorLine(text string) string { return meaningless.Replace(oneLine(text)) }

var meaningless = strings.NewReplacer("$(", `$\x28`, "](", `]\x28`)

// EditorText is EditorLine for a text of ours that has several lines.
func EditorText(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = EditorLine(lines[i])
	}
	return strings.Join(lines, "\n")
}
