package pysource

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// A Position is a place in the text as a byte offset and as a 0-based line and
// byte column. Lines end at \n, \r\n or \r, as Python and LSP both say. A byte
// order mark belongs to no line: the first line begins after it, as editors and
// CPython count.
type Position struct {
	Offset, Line, Column int
}

// A Range is half open: End is the first position after it.
type Range struct {
	Start, End Position
}

// Contains reports whether p lies in r, its end included, which is where a
// cursor behind the last character stands.
func (r Range) Contains(p Position) bool {
	return r.Start.Offset <= p.Offset && p.Offset <= r.End.Offset
}

// Lines holds the offset of the beginning of every line of a text.
type Lines []int

// LineStarts returns the lines of a text; there is always at least one.
func LineStarts(text []byte) Lines {
	lines := make(Lines, 1, 1+bytes.Count(text, []byte("\n")))
	if bytes.HasPrefix(text, byteOrderMark) {
		lines[0] = len(byteOrderMark)
	}
	if bytes.IndexByte(text, '\r') < 0 { // the quick way
		for i := 0; ; {
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return lines
			}
			i += n + 1
			lines = append(lines, i)
		}
	}
	for i := lineEnd(text, 0); i < len(text); i = lineEnd(text, i) {
		i = skipNewline(text, i)
		lines = append(lines, i)
	}
	return lines
}

// Position returns the position of a byte offset.
func (l Lines) Position(offset int) Position {
	line := max(sort.SearchInts(l, offset+1)-1, 0)
	return Position{offset, line, max(offset-l[line], 0)}
}

// An Encoding is the unit in which an LSP client counts the characters of a line
// (LSP 3.17, PositionEncodingKind). The zero Encoding is the protocol's default.
type Encoding uint8

// The position encodings of LSP.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// Character returns the character of p within its line as an LSP client counts
// it. A byte that is no UTF-8 counts as one character, as it is shown.
func (p Position) Character(text []byte, e Encoding) int {
	if e == UTF8 {
		return p.Column
	}
	n := 0
	for line := text[p.Offset-p.Column : p.Offset]; len(line) > 0; {
		r, size := utf8.DecodeRune(line)
		n += e.units(r)
		line = line[size:]
	}
	return n
}

// Locate returns the position that an LSP client calls line and character.
// A place past the end of a line or of the text means its end, as in LSP.
func (l Lines) Locate(text []byte, line, character int, e Encoding) Position {
	if line >= len(l) {
		return l.Position(len(text))
	}
	start := l[max(line, 0)]
	rest := text[start:lineEnd(text, start)]
	if e == UTF8 {
		return l.Position(start + min(max(character, 0), len(rest)))
	}
	column := 0
	for character > 0 && column < len(rest) {
		r, size := utf8.DecodeRune(rest[column:])
		column += size
		character -= e.units(r)
	}
	return l.Position(start + column)
}

// units returns how many units of e a character other than in UTF-8 takes.
func (e Encoding) units(r rune) int {
	if e == UTF16 && r > 0xFFFF {
		return 2
	}
	return 1
}
