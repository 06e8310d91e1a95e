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

// A decorator that the text itself defines and that returns FlyDSL's makes kernels as
// well: on the very line that a path of another machine names it is the definition.
func TestResolveOwnDecorators(t *testing.T) {
	const root = "/p"
	for name, tt := range map[string]struct{ text, want string }{
		"a factory":              {"def own(**kw):\n    return flyc.kernel(name=named(kw))\n@own(w=1)\ndef k(X): pass\n", "exact | x/a.py:5 k"},
		"of the function":        {"def own(f):\n    return flyc.kernel(f, name=named(f))\n\n@own\ndef k(X): pass\n", "exact | x/a.py:6 k"},
		"or the function itself": {"def own(f):\n    if off: return f\n    return flyc.kernel(f, name=named(f))\n@own\ndef k(X): pass\n", "exact | x/a.py:6 k"},
		"with a function in it":  {"def own(w):\n    def wrap(f):\n        return flyc.kernel(name=named(w))(f)\n    return wrap\n@own(1)\ndef k(X): pass\n", "exact | x/a.py:7 k"},
		"of a launcher":          {"def own(f):\n    return flyc.jit(f)\n@own\ndef k(X): pass\n", "none"},
		"of something else":      {"def own(f):\n    return cached(f)\n@own\ndef k(X): pass\n", "none"},
		"imported":               {"from lib import own\n@own\ndef k(X): pass\n", "none"},
		"that returns itself":    {"def own(f):\n    return own(f)\n@own\ndef k(X): pass\n", "none"},
		"with a name of its use": {"def own(name):\n    return flyc.kernel(name='p_' + name)\n@own(name='other')\ndef k(X): pass\n", "exact | x/a.py:5 k"},
		"a method, on a class":   {"class A:\n    def own(f):\n        return flyc.kernel(f, name=named(f))\n    @own\n    def k(X): pass\n", "exact | x/a.py:6 A.k"},
	} {
		text := "import flydsl.compiler as flyc\n" + tt.text
		line := strings.Count(text[:strings.LastIndex(text, "@")], "\n") + 1
		r := project(root, map[string]string{"x/a.py": text})
		if got := shown(root, r.Resolve(Query{Symbol: "gemm_w1", At: []Location{{Path: "/c/x/a.py", Line: line}}})); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if got := shown(root, r.Resolve(Query{Symbol: "gemm_w1", At: []Location{{Path: "/c/z/a.py", Line: line}}})); got != "none" {
			t.Errorf("%s, in another folder: %s", name, got)
		}
	}
}

// What a call makes a kernel of is found on its line, and no other kernel of a computed
// name is taken for it.
func TestResolveCalled(t *testing.T) {
	const root, text = "/p", "import flydsl.compiler as flyc\n@flyc.kernel(name=named(1))\ndef one(X): pass\ndef two(X): pass\nkernel = flyc.kernel(two, name=named(2))\n"
	const own = "def own(f): return flyc.kernel(f, name=named(f))\n@own\ndef three(X): pass\n"
	for _, tt := range []struct {
		symbol, text string
		line         int
		edited       bool
		want         string
	}{
		{"gemm_w2", text, 4, false, "exact | a.py:4 two"},
		{"gemm_2", text, 4, false, "none"}, // the number says that it is another function's
		{"gemm_w1", text, 2, false, "exact | a.py:3 one"},
		{"gemm_w1", text, 1, true, "moved | a.py:3 one"},
		{"gemm_w1", text + own, 9, true, "none"}, // or three
		{"gemm_w3", text + own, 7, true, "exact | a.py:8 three"},
	} {
		r := project(root, map[string]string{"a.py": tt.text})
		q := Query{Symbol: tt.symbol, At: []Location{{Path: "/p/a.py", Line: tt.line}}, Edited: tt.edited}
		if got := shown(root, r.Resolve(q)); got != tt.want {
			t.Errorf("%s at line %d, edited %v: %s, want %s", tt.symbol, tt.line, tt.edited, got, tt.want)
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
		r.Index.Set(path, scan([]byte(step.text)))
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
