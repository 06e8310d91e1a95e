package pysource

import (
	"bytes"
	"strings"
	"testing"
)

// TestRescanKeeps opens a triple quote above, in and below what a scan found: the
// definitions must stay, and what the strings say must not become definitions.
func TestRescanKeeps(t *testing.T) {
	const text = header + `x = 1

@flyc.kernel(name="a")
def first(n):
    """Such as:

@flyc.kernel
def no(): pass
    """
    return n

def build():
    y = 2
    @other
    @flyc.kernel
    def second():
        return 2
    return second

@flyc.jit
def run(): pass
`
	old := Scan([]byte(text))
	const all = "first=a build.<locals>.second (run)"
	if got := kernelsIn(old); got != all {
		t.Fatalf("found %q", got)
	}
	for _, mark := range []string{"x = 1", "n):", "return n", "y = 2", "return 2", "return second", "run(): pass"} {
		for _, typed := range []string{` """`, "\n    \"\"\"Doc\n\n", ` f'''`, "\n'''\n\n"} {
			at := strings.Index(text, mark) + len(mark)
			edited := []byte(text[:at] + typed + text[at:])
			live := Rescan(old, []byte(text), edited)
			if got := kernelsIn(live); got != all || !live.Doubtful || !live.Kernels {
				t.Errorf("%q typed behind %q: found %q, doubtful: %v", typed, mark, got, live.Doubtful)
				continue
			}
			checkFile(t, edited, live)
			for i, d := range live.Definitions {
				want := old.Definitions[i]
				for _, r := range [][2]Range{{want.Ident, d.Ident}, {want.Decorator, d.Decorator}, {want.Def, d.Def}} {
					if !bytes.Equal(slice([]byte(text), r[0]), slice(edited, r[1])) {
						t.Errorf("%q typed behind %q: %q became %q", typed, mark, slice([]byte(text), r[0]), slice(edited, r[1]))
					}
				}
				topmost := LineStarts(edited)[d.Topmost]
				if c := bytes.TrimLeft(edited[topmost:], " ")[0]; c != '@' {
					t.Errorf("%q typed behind %q: the topmost decorator of %s is at %q", typed, mark, d.Qualified, c)
				}
			}

			// Typed on, and then mended.
			on := []byte(text[:at] + typed + " and on" + text[at:])
			live = Rescan(live, edited, on)
			if got := kernelsIn(live); got != all {
				t.Errorf("%q typed on behind %q: found %q", typed, mark, got)
			}
			if got := Rescan(live, on, []byte(text)); kernelsIn(got) != all || got.Doubtful {
				t.Errorf("%q behind %q and back: found %q", typed, mark, kernelsIn(got))
			}
		}
	}
}

func slice(text []byte, r Range) []byte { return text[r.Start.Offset:r.End.Offset] }

// TestRescanForgets changes what a scan found, while a triple quote is open.
func TestRescanForgets(t *testing.T) {
	const text = header + "@flyc.kernel\ndef a(): pass\n@flyc.kernel\ndef b(): pass\n"
	tests := []struct {
		name, edited, want string
	}{
		{"deleted", header + "@flyc.kernel\ndef a(): pass\n\"\"\"", "a"},
		{"renamed", header + "@flyc.kernel\ndef a(): pass\n@flyc.kernel\ndef bb(): pass\n\"\"\"", "a bb"},
		{"added", header + "@flyc.kernel\ndef a(): pass\n@flyc.kernel\ndef c(): pass\n\"\"\"\n@flyc.kernel\ndef b(): pass\n", "a c b"},
		{"decorator deleted", header + "def a(): pass\n@flyc.kernel\ndef b(): pass\n\"\"\"", "b"},
		{"all deleted", header + "\"\"\"", ""},
	}
	for _, test := range tests {
		live := Rescan(Scan([]byte(text)), []byte(text), []byte(test.edited))
		if got := kernelsIn(live); got != test.want {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
		checkFile(t, []byte(test.edited), live)
	}
	// A header that is cut in a string is shorter than it was.
	const documented = header + "@flyc.kernel\ndef a(n: Annotated[\n    int, '''How many.\n\n    At least one.''']): pass\n"
	for at := strings.Index(documented, "How"); at < len(documented); at++ {
		cut := []byte(documented[:at])
		live := Rescan(Scan([]byte(documented)), []byte(documented), cut)
		if got := kernelsIn(live); got != "a" {
			t.Errorf("cut to %q: found %q", cut, got)
		}
		checkFile(t, cut, live)
	}
	for _, old := range []*File{nil, {}} {
		if got := kernelsIn(Rescan(old, nil, []byte(text))); got != "a b" {
			t.Errorf("after %v: found %q", old, got)
		}
	}
}
