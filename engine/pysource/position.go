package pysource

import (
	"bytes"
	"sort"
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
