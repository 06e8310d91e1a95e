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

func TestPosition(t *testing.T) {
	text := []byte("\ufeffaé𝒳b\r\n\xffé𝒳")
	lines := LineStarts(text)
	tests := []struct {
		offset, line int
	}{
		{3, 0},
		{4, 0},
		{6, 0},
		{10, 0},
		{11, 0},
		{13, 1},
		{14, 1},
		{16, 1},
		{20, 1},
	}
	for _, test := range tests {
		p := lines.Position(test.offset)
		if p.Line != test.line || p.Offset != test.offset {
			t.Errorf("offset %d is at %+v", test.offset, p)
		}
	}
	r := Range{lines.Position(4), lines.Position(6)}
	if !r.Contains(r.Start) || !r.Contains(r.End) || r.Contains(lines.Position(3)) || r.Contains(lines.Position(10)) {
		t.Error("a range does not contain what it should")
	}
}
