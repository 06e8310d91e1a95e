package locate

import (
	"strings"
	"testing"
)

// Functions that decorators of the project's own, or calls, make kernels of: the
// forms that FlyDSL 0.4.2 compiles, where its modules say they are.
const madeByOthers = `import flydsl.compiler as flyc, flydsl.expr as fx
from lib.prelude import device_kernel
@device_kernel
def twin(X): pass
@tuned(64)
def shaped(X): pass
decos = {"k": flyc.kernel}
@decos["k"]
def subscripted(X): pass
@(lambda f: flyc.kernel(f))
def lambdad(X): pass
@device_kernel(
    name="via_dk",
)
def named(X): pass
def plain(X): pass
called = flyc.kernel(plain)
@flyc.jit
def go(X): pass
class A:
    @device_kernel
    def apply(self): pass
class B:
    @device_kernel
    def apply(self): pass
`

func TestResolveFunctions(t *testing.T) {
	const root = "/p"
	for _, tt := range []struct {
		symbol string
		path   string
		line   int
		want   string
	}{
		{"twin_0", "/p/a.py", 3, "exact | a.py:4 twin"},
		{"shaped_b64", "/p/a.py", 5, "exact | a.py:6 shaped"},
		{"subscripted_3", "/p/a.py", 8, "exact | a.py:9 subscripted"},
		{"lambdad_5", "/p/a.py", 10, "exact | a.py:11 lambdad"},
		{"via_dk", "/p/a.py", 12, "exact | a.py:15 named"},
		{"plain_4", "/p/a.py", 16, "exact | a.py:16 plain"},
		{"apply_0", "/p/a.py", 21, "exact | a.py:22 A.apply"},
		{"apply_1", "/p/a.py", 24, "exact | a.py:25 B.apply"},
		{"twin_0", "/in/container/a.py", 3, "exact | a.py:4 twin"},

		{"twin_0", "/p/a.py", 2, "moved | a.py:4 twin"},
		{"via_dk", "/p/a.py", 11, "moved | a.py:15 named"},
		{"apply_0", "/p/a.py", 20, "moved | a.py:22 A.apply"},
		{"apply_0", "/p/a.py", 23, "ambiguous | a.py:22 A.apply | a.py:25 B.apply"},
		{"shaped_b64", "/p/a.py", 6, "none"},
		{"plain_4", "/p/a.py", 15, "none"},              // what is no kernel as far as anybody knows
		{"go_0", "/p/a.py", 18, "none"},                 // a launcher
		{"other_0", "/p/a.py", 16, "none"},              // another function stands there by now
		{"shaped_b64", "/in/container/a.py", 5, "none"}, // that it is the same file only its name says
		{"twin_0", "/p/b.py", 3, "exact | b.py:4 twin"},
		{"twin_0", "", 0, "by name | b.py:4 twin"},
	} {
		r := project(root, map[string]string{"a.py": madeByOthers, "b.py": define("3;twin")})
		q := Query{Symbol: tt.symbol}
		if tt.path != "" {
			q.At = []Location{{Path: tt.path, Line: tt.line}}
		}
		if got := shown(root, r.Resolve(q)); got != tt.want {
			t.Errorf("%s at %s:%d: %s, want %s", tt.symbol, tt.path, tt.line, got, tt.want)
		}
	}
}

// A function that was found by its line is followed through edits.
func TestResolveFollowsFunctions(t *testing.T) {
	const root, path = "/p", "/p/a.py"
	r := project(root, map[string]string{"a.py": madeByOthers})
	q := Query{Symbol: "shaped_b64", At: []Location{{Path: path, Line: 5}}}
	last := r.Resolve(q)
	edited := func(old, new string) string { return strings.Replace(madeByOthers, old, new, 1) }
	for _, step := range []struct{ text, want string }{
		{edited("from lib", "\n\nfrom lib"), "moved | a.py:8 shaped"},
		{edited("@device_kernel\ndef twin", "@device_kernel\ndef first(): pass\n@device_kernel\ndef twin"), "moved | a.py:8 shaped"},
		{edited("@tuned(64)", "@flyc.kernel"), "none"}, // that names its kernel shaped_0
		{edited("@tuned(64)\n", "\n@flyc.kernel(name=name)\n"), "moved | a.py:7 shaped"},
	} {
		r.Index = r.Index.With(path, scan([]byte(step.text)))
		q.Last = &last
		next := r.Resolve(q)
		if got := shown(root, next); got != step.want {
			t.Errorf("got %s, want %s in\n%s", got, step.want, step.text)
		}
		if next.Match >= Moved {
			last = next
		}
	}
}

// What stands on the line of a kernel that its name does not tell of is the kernel
// only as long as the source is the one that was compiled.
func TestResolveEdited(t *testing.T) {
	const root, path = "/p", "/p/a.py"
	r := project(root, map[string]string{"a.py": madeByOthers})
	q := Query{Symbol: "shaped_b64", At: []Location{{Path: path, Line: 5}}, Edited: true}
	if got := shown(root, r.Resolve(q)); got != "none" {
		t.Errorf("edited since: %s", got)
	}
	last := r.Resolve(Query{Symbol: q.Symbol, At: q.At})
	q.Last = &last
	if got := shown(root, r.Resolve(q)); got != "exact | a.py:6 shaped" {
		t.Errorf("edited before one's eyes: %s", got)
	}
}
