package lsp

import (
	"strings"
	"testing"
)

// A line is followed to where it stands now, or to nowhere: never to another one that
// looks the same.
func TestMapLines(t *testing.T) {
	tests := []struct{ name, was, now, want string }{
		{"nothing changed", "a b b c", "a b b c", "0 1 2 3"},
		{"a line above", "a b c", "x a b c", "1 2 3"},
		{"a blank line", "a b c", "a _ b c", "0 2 3"},
		{"an edit of the line itself", "a b c", "a B c", "0 - 2"},
		{"a line gone", "a b c", "a c", "0 - 1"},
		{"a line moved", "a b c d", "b c a d", "2 0 1 3"},
		{"one of two equal lines gone", "a b b c", "a b c", "0 - - 2"},
		{"one more equal line", "a b c", "a b b c", "0 - 3"},
		{"equal lines at other neighbors", "a b c d b e", "x a b c d b e", "1 2 3 4 5 6"},
		{"equal lines, a neighbor edited", "a b c d b e", "a b C d b e", "0 - - 3 4 5"},
		{"the other of two equal lines gone", "a b c d b e", "a b c d e", "0 1 2 3 - 4"},
		{"blocks that look the same", "a b c a b c", "a b c a b c x", "0 - 2 3 - -"},
		{"blank", "a _ b", "x a _ b", "1 - 3"},
		{"all gone", "a b", "", "- -"},
	}
	text := func(s string) compiledLines {
		lines := strings.Fields(s)
		for i := range lines {
			lines[i] = strings.Trim(lines[i], "_")
		}
		return hashed(lines)
	}
	for _, test := range tests {
		was := text(test.was)
		move := mapLines(was, text(test.now))
		var got []string
		for i := range was {
			if at, ok := move(i); ok {
				got = append(got, string(rune('0'+at)))
			} else {
				got = append(got, "-")
			}
		}
		if is := strings.Join(got, " "); is != test.want {
			t.Errorf("%s: %s -> %s: %s, want %s", test.name, test.was, test.now, is, test.want)
		}
		for _, line := range []int{-1, len(was), 1 << 30} {
			if _, ok := move(line); ok {
				t.Errorf("%s: line %d is somewhere", test.name, line)
			}
		}
	}
}
