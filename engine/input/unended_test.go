package input

import "testing"

func TestUnended(t *testing.T) {
	const whole = "\t.type\ta,@function\na:\n\ts_endpgm\n.Lfunc_end0:\n\t.size\ta, .Lfunc_end0-a\n"
	for text, want := range map[string]string{
		"":                                 "",
		whole:                              "",
		whole + "\t.type\tb,@object\nb:\n": "",
		whole + "\t.type\tb,@function\nb:\n\ts_nop 0\n": "b",
		"\t.type\ta,@function\na:\n\ts_endpgm\n.Lfunc":  "a",
	} {
		if got := Unended([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
