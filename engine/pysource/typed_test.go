package pysource

import (
	"strings"
	"testing"
)

// TestDecoratorBeingTyped takes letters off a decorator and puts them back: the
// kernel stays all the while, and is gone when something else is edited meanwhile or
// when another decorator stands there.
func TestDecoratorBeingTyped(t *testing.T) {
	const text = header + `
@other
@flyc.kernel(name="first")
@flyc.wrapped
def first(n):
    return n


@flyc.kernel
def second(n):
    return n
`
	type step struct{ text, want string }
	replaced := func(from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("no %q", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	const all = "first=first second"
	for _, steps := range [][]step{
		{
			{replaced("\n@flyc.kernel\n", "\n@flyc.kerne\n"), all}, {replaced("\n@flyc.kernel\n", "\n@flyc.\n"), all},
			{replaced("\n@flyc.kernel\n", "\n@\n"), all}, {replaced("\n@flyc.kernel\n", "\n@fl\n"), all}, {text, all},
		},
		{{replaced(`@flyc.kernel(name="first")`, `@flyc.ker(name="first")`), all}, {replaced(`@flyc.kernel(name="first")`, `@flyc.ker`), all}, {text, all}},
		{{replaced("\n@flyc.kernel\n", "\n@flyc.kerne\n"), all}, {strings.Replace(replaced("\n@flyc.kernel\n", "\n@flyc.kerne\n"), "return n", "return 1", 1), "first=first"}},
		{{replaced("\n@flyc.kernel\n", "\n@numba.jit\n"), "first=first"}},
		{{replaced("\n@flyc.kernel\n", "\n@flyc.kernel2\n"), "first=first"}},
		{{replaced("\n@flyc.kernel\n", "\n"), "first=first"}},
		{{replaced("\n@flyc.kernel\n", "\n# @flyc.kernel\n"), "first=first"}},
		{{replaced("\n@flyc.kernel\ndef second(n):", "\n@flyc\ndef third(n):"), "first=first"}},
	} {
		was, old := text, Scan([]byte(text))
		for n, s := range steps {
			now := Rescan(old, []byte(was), []byte(s.text))
			if got := kernelsIn(now); got != s.want {
				t.Errorf("step %d, %q: %q, want %q", n, strings.Split(s.text, "second")[0][len(header):], got, s.want)
			}
			for _, d := range now.Definitions {
				if name := s.text[d.Ident.Start.Offset:d.Ident.End.Offset]; name != d.Function || !strings.HasPrefix(s.text[d.Decorator.Start.Offset:], "@") || d.Topmost > d.Decorator.Start.Line {
					t.Errorf("step %d: %s stands at %q, its decorator at %+v", n, d.Function, name, d.Decorator)
				}
			}
			was, old = s.text, now
		}
	}
}
