package console

import "testing"

// What arrows, function keys and keys with Alt send is taken for no key: an arrow
// down ends with the letter that takes a baseline.
func TestKeyFilter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reads []string
		want  string
	}{
		{"keys", []string{"rp", "?"}, "rp?"},
		{"arrows", []string{"\x1b[A\x1b[B\x1b[C\x1b[D", "q"}, "q"},
		{"arrows of an application", []string{"\x1bOA\x1bOB\x1bOC", "q"}, "q"},
		{"function keys", []string{"\x1bOP\x1bOQ\x1bOR", "\x1b[15~q"}, "q"},
		{"with modifiers", []string{"\x1b[1;5B", "q"}, "q"},
		{"in parts", []string{"\x1b", "[", "1;5", "B", "q"}, "q"},
		{"Alt", []string{"\x1bb", "\x1bq", "r"}, "r"},
		{"ESC, then a key", []string{"\x1b", "q"}, "q"},
		{"ESC twice", []string{"\x1b\x1b", "[B", "q"}, "q"},
		{"a wheel of a mouse", []string{"\x1b[<65;10;20M", "q"}, "q"},
		{"other alphabets", []string{"бq\u0442"}, "\xd0\xb1q\xd1\x82"},
		{"control keys", []string{"\x03", "\x1a"}, "\x03\x1a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f keyFilter
			var got []byte
			for _, r := range tt.reads {
				got = append(got, f.keys([]byte(r))...)
			}
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
