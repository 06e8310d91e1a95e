package lsp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// chooseEncoding takes the cheapest of what a client offers: our positions are
// byte columns. UTF-16 is what LSP falls back to.
func chooseEncoding(offered []protocol.PositionEncodingKind) protocol.PositionEncodingKind {
	for _, kind := range []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF32} {
		if slices.Contains(offered, kind) {
			return kind
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// lines is a text cut into lines as LSP cuts it: at \n, \r\n and \r.
type lines []string

func splitLines(text string) lines {
	all := make(lines, 0, strings.Count(text, "\n")+1)
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return append(all, text)
		}
		all = append(all, text[:i])
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		text = text[i+1:]
	}
}

// line returns the line of a 0-based number without its end, "" past the text.
func (l lines) line(n int) string {
	if n < 0 || n >= len(l) {
		return ""
	}
	return l[n]
}

// toWire makes a protocol position of a 0-based line and byte column.
func (l lines) toWire(enc protocol.PositionEncodingKind, line, column int) protocol.Position {
	text := l.line(line)
	column = min(max(column, 0), max(len(text), 0))
	return protocol.Position{Line: uint32(max(line, 0)), Character: uint32(units(enc, text[:column]))}
}

// fromWire makes a byte column of a protocol position; one past the end of its
// line is the end, as LSP says.
func (l lines) fromWire(enc protocol.PositionEncodingKind, p protocol.Position) (line, column int) {
	line = int(p.Line)
	text, left := l.line(line), int(p.Character)
	for column < len(text) && left > 0 {
		r, size := utf8.DecodeRuneInString(text[column:])
		left -= width(enc, r, size)
		column += size
	}
	return line, column
}

// offset returns where a position is in the text that l was cut from; one past
// the text is its end.
func (l lines) offset(text string, enc protocol.PositionEncodingKind, p protocol.Position) int {
	at := 0
	for n := 0; n < int(p.Line); n++ {
		if n >= len(l)-1 {
			return len(text)
		}
		at += len(l[n])
		if text[at] == '\r' && at+1 < len(text) && text[at+1] == '\n' {
			at++
		}
		at++
	}
	_, column := l.fromWire(enc, p)
	return at + column
}

// units is the length of s in the encoding's code units.
func units(enc protocol.PositionEncodingKind, s string) (n int) {
	if enc == protocol.PositionEncodingKindUTF8 {
		return len(s)
	}
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		n += width(enc, r, size)
	}
	return n
}

// width is the number of code units of one character of size bytes.
func width(enc protocol.PositionEncodingKind, r rune, size int) int {
	switch {
	case enc == protocol.PositionEncodingKindUTF8:
		return size
	case enc == protocol.PositionEncodingKindUTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}
