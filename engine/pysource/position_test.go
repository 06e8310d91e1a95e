package pysource

import (
	"testing"
)

func TestLineStarts(t *testing.T) {
	tests := []struct {
		text string
		want Lines
	}{
		{"", Lines{0}},
		{"a", Lines{0}},
		{"a\n", Lines{0, 2}},
		{"a\nb\n\nc", Lines{0, 2, 4, 5}},
		{"a\r\nb\rc\n\r", Lines{0, 3, 5, 7, 8}},
		{"\ufeffa\nb", Lines{3, 5}},
		{"\ufeffa\rb", Lines{3, 5}},
		{"a\x0c\u2028\x85b", Lines{0}}, // are ends of lines for others, but not for Python and LSP
	}
	for _, test := range tests {
		got := LineStarts([]byte(test.text))
		if len(got) != len(test.want) {
			t.Errorf("%q: lines %v, want %v", test.text, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%q: lines %v, want %v", test.text, got, test.want)
			}
		}
	}
}

// TestCharacters converts positions to characters of LSP and back.
func TestCharacters(t *testing.T) {
	text := []byte("\ufeffaé𝒳b\r\n\xffé𝒳")
	lines := LineStarts(text)
	tests := []struct {
		offset, line       int
		utf8, utf16, utf32 int
	}{
		{3, 0, 0, 0, 0},
		{4, 0, 1, 1, 1},
		{6, 0, 3, 2, 2},
		{10, 0, 7, 4, 3},
		{11, 0, 8, 5, 4},
		{13, 1, 0, 0, 0},
		{14, 1, 1, 1, 1},
		{16, 1, 3, 2, 2},
		{20, 1, 7, 4, 3},
	}
	for _, test := range tests {
		p := lines.Position(test.offset)
		if p.Line != test.line || p.Offset != test.offset {
			t.Errorf("offset %d is at %+v", test.offset, p)
		}
		for e, want := range map[Encoding]int{UTF8: test.utf8, UTF16: test.utf16, UTF32: test.utf32} {
			if got := p.Character(text, e); got != want {
				t.Errorf("offset %d, encoding %d: character %d, want %d", test.offset, e, got, want)
			}
			if back := lines.Locate(text, test.line, want, e); back != p {
				t.Errorf("line %d, character %d, encoding %d: %+v, want %+v", test.line, want, e, back, p)
			}
		}
	}
	for _, e := range []Encoding{UTF8, UTF16, UTF32} {
		if p := lines.Locate(text, 0, 100, e); p.Offset != 11 {
			t.Errorf("behind a line: %+v", p)
		}
		if p := lines.Locate(text, 9, 0, e); p.Offset != len(text) {
			t.Errorf("behind the text: %+v", p)
		}
		if p := lines.Locate(text, -1, -1, e); p.Offset != 3 {
			t.Errorf("before the text: %+v", p)
		}
	}
	r := Range{lines.Position(4), lines.Position(6)}
	if !r.Contains(r.Start) || !r.Contains(r.End) || r.Contains(lines.Position(3)) || r.Contains(lines.Position(10)) {
		t.Error("a range does not contain what it should")
	}
}
