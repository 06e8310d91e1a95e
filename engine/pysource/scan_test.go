package pysource

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kernelsIn lists the definitions of a text by qualified name, launchers in
// parentheses, with their name= argument behind "=".
func kernelsIn(f *File) string {
	var found []string
	for _, d := range f.Definitions {
		s := d.Qualified
		switch d.Name.Kind {
		case NameConstant, NamePattern:
			s += "=" + starred(d.Name)
		case NameUnknown:
			s += "=?"
		}
		if d.Launcher {
			s = "(" + s + ")"
		}
		found = append(found, s)
	}
	return strings.Join(found, " ")
}

func TestDecorators(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"plain", "import flydsl.compiler as flyc\n@flyc.kernel\ndef k(): pass\n", "k"},
		{"called", "import flydsl.compiler as flyc\n@flyc.kernel(known_block_size=[1, 1, 1])\ndef k(): pass\n", "k"},
		{"launcher", "import flydsl.compiler as flyc\n@flyc.jit\ndef run(): pass\n", "(run)"},
		{"module", "import flydsl.compiler\n@flydsl.compiler.kernel\ndef k(): pass\n", "k"},
		{"package", "import flydsl as fd, os\n@fd.compiler.kernel\ndef k(): pass\n", "k"},
		{"name", "from flydsl.compiler import kernel\n@kernel\ndef k(): pass\n", "k"},
		{"alias", "from flydsl.compiler import jit, kernel as k\n@k\ndef a(): pass\n@jit\ndef b(): pass\n", "a (b)"},
		{"in parentheses", "from flydsl.compiler import (\n    jit,  # b\n    kernel as k,\n)\n@k()\ndef a(): pass\n", "a"},
		{"continued", "from flydsl.compiler \\\n    import kernel\n@kernel\ndef k(): pass\n", "k"},
		{"star", "from flydsl.compiler import *\n@kernel\ndef k(): pass\n@jit\ndef r(): pass\n", "k (r)"},
		{"package star", "from flydsl import *\n@compiler.kernel\ndef k(): pass\n", "k"},
		{"expr", "import flydsl.expr as fx\n@fx.kernel\ndef k(): pass\n", "k"},
		{"assigned", "import flydsl.compiler as flyc\nk = flyc.kernel\n@k(name='x')\ndef a(): pass\n", "a=x"},
		{"assigned call", "import flydsl.compiler as flyc\nk = flyc.kernel(name='x')\n@k\ndef a(): pass\n", "a=x"},
		{"partial", "import functools\nimport flydsl.compiler as flyc\nk = functools.partial(flyc.kernel, name='x')\n@k\ndef a(): pass\n", "a=x"},
		{"parentheses", "import flydsl.compiler as flyc\n@((flyc).kernel)(name='x')\ndef a(): pass\n@(flyc.kernel(name='y'))\ndef b(): pass\n", "a=x b=y"},
		{"several", "import flydsl.compiler as flyc\n@a\n@flyc.kernel\n@b(lambda x: x)\ndef k(): pass\n", "k"},
		{"kernel above launcher", "import flydsl.compiler as flyc\n@flyc.jit\n@flyc.kernel\ndef k(): pass\n", "k"},
		{"either import", "try:\n    from flydsl.compiler import kernel\nexcept ImportError:\n    from other import kernel\n@kernel\ndef k(): pass\n", "k"},
		{"import below", "def build():\n    @fc.kernel\n    def k(): pass\nimport flydsl.compiler as fc\n", "build.<locals>.k"},
		{"import elsewhere", "def f():\n    import flydsl.compiler as fc\n@fc.kernel\ndef k(): pass\n", "k"},
		{"no import", "@flyc.kernel\ndef k(): pass\n", "k"},
		{"import being typed", "import flydsl.com as flyc\n@flyc.kernel\ndef k(): pass\n", "k"},
		{"usual name passed on", "from .prelude import flyc, fx\n@flyc.kernel\ndef k(): pass\n", "k"},
		{"another package's name", "import other as flyc\n@flyc.kernel\ndef k(): pass\n", ""},
		{"a name without import", "import flydsl\n@kernel\ndef k(): pass\n", ""},
		{"shadowed by an import", "from flydsl.compiler import kernel\nfrom other import kernel\n@kernel\ndef k(): pass\n", ""},
		{"shadowed by a parameter", "from flydsl.compiler import kernel\ndef f(kernel):\n    @kernel\n    def k(): pass\n", ""},
		{"shadowed by a function", "from flydsl.compiler import kernel\ndef kernel(f): return f\n@kernel\ndef k(): pass\n", ""},
		{"shadowed by an assignment", "from flydsl.compiler import kernel\nkernel = print\n@kernel\ndef k(): pass\n", ""},
		{"shadowed by a walrus", "from flydsl.compiler import kernel\nif (kernel := f()): pass\n@kernel\ndef k(): pass\n", ""},
		{"shadowed by a loop", "from flydsl.compiler import kernel\nfor x, kernel in y:\n    @kernel\n    def k(): pass\n", ""},
		{"shadowed by a with", "from flydsl.compiler import kernel\nwith a as kernel, b:\n    @kernel\n    def k(): pass\n", ""},
		{"not shadowed by a class's name", "from flydsl.compiler import kernel\nclass C:\n    kernel = 1\n    def f(self):\n        @kernel\n        def k(): pass\n", "C.f.<locals>.k"},
		{"shadowed later", "from flydsl.compiler import kernel\n@kernel\ndef kernel(): pass\n@kernel\ndef k(): pass\n", "kernel"},
		{"attribute of it", "import flydsl.compiler as flyc\n@flyc.kernel.sub\ndef k(): pass\n", ""},
		{"item of it", "import flydsl.compiler as flyc\n@flyc.kernel[0]\ndef k(): pass\n@[flyc.kernel][0]\ndef l(): pass\n", ""},
		{"condition", "import flydsl.compiler as flyc\n@flyc.kernel if x else y\ndef k(): pass\n", ""},
		{"product", "import flydsl.compiler as flyc\nm = (a\n@flyc.kernel\n- b)\ndef f(): pass\n", ""},
		{"product over a backslash", "import flydsl.compiler as flyc\nm = a \\\n@flyc.kernel\ndef f(): pass\n", ""},
		{"class", "import flydsl.compiler as flyc\n@flyc.kernel\nclass K: pass\n", ""},
		{"statement between", "import flydsl.compiler as flyc\n@flyc.kernel\nx = 1\ndef f(): pass\n", ""},
		{"relative import", "from .compiler import kernel\n@kernel\ndef k(): pass\n", ""},
		{"compatibility letters", "import flydsl.compiler as ﬂyc\n@flyc.ｋernel\ndef µ(): pass\n", "μ"},
		{"global declaration", "def f():\n    global fc\n    import flydsl.compiler as fc\n@fc.kernel\ndef k(): pass\n", "k"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := kernelsIn(Scan([]byte(test.text))); got != test.want {
				t.Errorf("found %q, want %q in\n%s", got, test.want, test.text)
			}
		})
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		before, argument, want string
	}{
		{"", `'a'`, "k=a"},
		{"", `None`, "k"},
		{"", `"a" 'b' f"{n}_c"`, "k=ab*_c"},
		{"", `("a"` + "\n" + ` "b")`, "k=ab"},
		{"", `"""a` + "\r\n" + `b"""`, "k=a\nb"},
		{"", `'\x41\u0042\103\\\'\q\
D'`, `k=ABC\'\qD`},
		{"", `r'\x41'`, `k=\x41`},
		{"", `u'a'`, "k=a"},
		{"", `b'a'`, "k=?"},
		{"", `t'a{n}'`, "k=?"},
		{"", `f'{a}_{b!r}{c:>{d}}'`, "k=*_*"},
		{"", `f'{{a}}{n}'`, "k={a}*"},
		{"", `f'{n}'`, "k=?"},
		{"", `f''`, "k="},
		{"", `f"x{d["a"]}y"`, "k=x*y"},
		{"", `f'{n=}{ m = !r}'`, "k=n=* m = *"},
		{"", `f'a{n==1}'`, "k=a*"},
		{"", `F'\N{BULLET}{n}x'`, "k=*x"},
		{"", `rf'\d{n}'`, `k=\d*`},
		{"", `'a_%d_%s%%' % (n, m)`, "k=a_*_*%"},
		{"", `'a_%(n)03d' % d`, "k=a_*"},
		{"", `'a_{}_{{{x!r:>{w}}}}'.format(n, x=1)`, "k=a_*_{*}"},
		{"", `('a' 'b_%d') % n`, "k=ab_*"},
		{"", `'a_' + str(n) + '_b'`, "k=a_*_b"},
		{"", `'a' + 'b'`, "k=ab"},
		{"", `'a' if n else 'b'`, "k=?"},
		{"", `'a' or 'b'`, "k=?"},
		{"", `'_'.join(parts)`, "k=?"},
		{"", `'a' * 2`, "k=?"},
		{"", `'a'.upper()`, "k=?"},
		{"", `self.name`, "k=?"},
		{"", `f(name='a')`, "k=?"},
		{"n = 'a'", `n`, "k=a"},
		{"n: str = 'a'", `n`, "k=a"},
		{"m = n = 'a'", `n`, "k=a"},
		{"m, n = 'b', 'a'", `n`, "k=a"},
		{"m, n = f()", `n`, "k=?"},
		{"n = 'a'; n = 'b'", `n`, "k=b"},
		{"n = 'a'; m = n; n = 'b'", `m`, "k=a"},
		{"n = f'a_{x}'", `n + '_b'`, "k=a_*_b"},
		{"n = 'a'", `f'{n}_{ n }'`, "k=a_a"},
		{"n = 'a'", `f'{n!r}_{n:>4}_{n=}'`, "k=*_*_n=*"},
		{"n = f'a_{x}'", `f'{n}_b{m}'`, "k=a_*_b*"},
		{"n = 4", `f'k_{n}{True}'`, "k=k_*"},
		{"def f(n): pass", `f'k_{n}'`, "k=k_*"},
		{"for n in ('a', 'b'): pass", `f'k_{n}'`, "k=k_*"},
		{"n = 'a'; n += f'_{x}'", `n`, "k=a_*"},
		{"n = 'a'\nif x:\n    n += '_b'", `n`, "k=a*"},
		{"n = f'a_{x}_c'\nif x:\n    n += '_b'", `n`, "k=a_*_c*"},
		{"n = 'a'\nfor i in x:\n    n += '_b'", `n`, "k=a*"},
		{"if x:\n    n = 'a_x'\nelse:\n    n = 'b_x'", `n`, "k=*_x"},
		{"if x:\n    n = 'a'\nelse:\n    n = 'b'", `n`, "k=?"},
		{"if x: n = 'a'\nelse: n = 'ab'", `n`, "k=a*"},
		{"n = 'a'\nif x:\n    n = 'b'\nn = 'c'", `n`, "k=c"},
		{"for n in ('a', 'b'): pass", `n`, "k=?"},
		{"n = 'a'\nwith f() as n: pass", `n`, "k=?"},
		{"n = 'a'\nimport n", `n`, "k=?"},
		{"n = 'a'\ndef n(): pass", `n`, "k=?"},
		{"n = 'a'\n(n := f())", `n`, "k=?"},
		{"n = 'a'\nmatch x:\n    case [n]: pass", `n`, "k=?"},
		{"n = n", `n`, "k=?"},
		{"def f():\n    global n\n    n = 'b'\nn = 'a'", `n`, "k=a"},
		{"n = 'a'\ndef f():\n    global n\n    n = 'b'", `n`, "k=?"},
		{"", `'a', **options`, "k=a"},
		{"", `'a', known_block_size=[1, 1, 1]`, "k=a"},
	}
	for _, test := range tests {
		text := test.before + "\nimport flydsl.compiler as flyc\n@flyc.kernel(name=" + test.argument + ")\ndef k(): pass\n"
		if got := kernelsIn(Scan([]byte(text))); got != test.want {
			t.Errorf("found %q, want %q in%s", got, test.want, text)
		}
	}
}

// TestNamesInScopes looks names up from where the kernel is built.
func TestNamesInScopes(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"module constant", "N = 'a'\ndef build():\n    @flyc.kernel(name=N)\n    def k(): pass\n", "a"},
		{"module constant in an f-string", "N = 'a'\ndef build(n):\n    @flyc.kernel(name=f'{N}_{n}_d')\n    def k(): pass\n", "a_*_d"},
		{"parameter in an f-string", "N = 'a'\ndef build(N):\n    @flyc.kernel(name=f'{N}_b')\n    def k(): pass\n", "*_b"},
		{"module constant below", "def build():\n    @flyc.kernel(name=N)\n    def k(): pass\nN = 'a'\n", "a"},
		{"constant of a constant", "M = 'a'\nN = M\ndef build():\n    n = N + '_b'\n    @flyc.kernel(name=n)\n    def k(): pass\n", "a_b"},
		{"module variable with two values", "N = 'ab'\ndef build():\n    @flyc.kernel(name=N)\n    def k(): pass\nN = 'ac'\n", "a*"},
		{"parameter", "n = 'a'\ndef build(n):\n    @flyc.kernel(name=n)\n    def k(): pass\n", "*"},
		{"parameter with a default", "n = 'a'\ndef build(x, *, n='b'):\n    @flyc.kernel(name=n)\n    def k(): pass\n", "*"},
		{"type parameter", "n = 'a'\ndef build[n](x):\n    @flyc.kernel(name=n)\n    def k(): pass\n", "*"},
		{"enclosing function", "def build():\n    n = 'a'\n    def inner():\n        @flyc.kernel(name=n)\n        def k(): pass\n", "a"},
		{"class attribute", "class C:\n    n = 'a'\n    @flyc.kernel(name=n)\n    def k(self): pass\n", "a"},
		{"class attribute out of scope", "class C:\n    n = 'a'\n    def build(self):\n        @flyc.kernel(name=n)\n        def k(): pass\n", "*"},
		{"cycle", "def f():\n    global a\n    a = b\ndef g():\n    global b\n    b = a\n    @flyc.kernel(name=a)\n    def k(): pass\n", "*"},
		{"no name", "def build():\n    @flyc.kernel(name=nowhere)\n    def k(): pass\n", "*"},
		{"keyword arguments", "options = {'name': 'a'}\n@flyc.kernel(**options)\ndef k(): pass\n", "*"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := Scan([]byte("import flydsl.compiler as flyc\n" + test.text))
			if len(f.Definitions) != 1 {
				t.Fatalf("found %q in\n%s", kernelsIn(f), test.text)
			}
			if got := starred(f.Definitions[0].Name); got != test.want {
				t.Errorf("name is %q, want %q in\n%s", got, test.want, test.text)
			}
		})
	}
}

// TestLayouts checks what may stand between and around the parts of a definition.
func TestLayouts(t *testing.T) {
	const text = "import flydsl.compiler as flyc\n" +
		"def build(n):\n" +
		"    @flyc.kernel(name=f\"a_{n}\")\n" +
		"    def k(x,\n" +
		"          y):\n" +
		"        \"\"\"Adds.\n\n        More.\n        \"\"\"\n" +
		"        return x \\\n" +
		"            + y\n" +
		"    return k\n"
	want := Scan([]byte(text))
	if got := kernelsIn(want); got != "build.<locals>.k=a_*" {
		t.Fatalf("found %q", got)
	}
	for name, newline := range map[string]string{"CRLF": "\r\n", "CR": "\r"} {
		got := Scan([]byte(strings.ReplaceAll(text, "\n", newline)))
		for i := range got.Definitions {
			d := &got.Definitions[i]
			for _, p := range []*Position{
				&d.Decorator.Start, &d.Decorator.End, &d.Def.Start, &d.Def.End,
				&d.Ident.Start, &d.Ident.End, &d.Body.Start, &d.Body.End,
			} {
				p.Offset -= p.Line * (len(newline) - 1)
			}
		}
		if diff := cmp.Diff(want.Definitions, got.Definitions); diff != "" {
			t.Errorf("%s (-LF +%s):\n%s", name, name, diff)
		}
	}
	marked := Scan([]byte("\ufeff" + text))
	if d, m := want.Definitions[0], marked.Definitions[0]; m.Ident.Start.Column != d.Ident.Start.Column || m.Ident.Start.Offset != d.Ident.Start.Offset+3 {
		t.Errorf("with a byte order mark: %+v", m)
	}
	first := Scan([]byte("\ufeff@flyc.kernel\ndef k(): pass\n"))
	if d := first.Definitions[0]; d.Decorator.Start != (Position{Offset: 3}) {
		t.Errorf("behind a byte order mark: %+v", d.Decorator)
	}
}

func TestCharsets(t *testing.T) {
	tests := []struct{ text, want string }{
		{"# coding: latin-1\n@flyc.kernel(name='\xe9')\ndef caf\xe9(): pass\n", "café=é"},
		{"#!/bin/python\n# vim: set fileencoding=ISO_8859_1 :\n@flyc.kernel\ndef caf\xe9(): pass\n", "café"},
		{"x = 1\n# coding: latin-1\n@flyc.kernel\ndef caf\xe9(): pass\n", "caf\ufffd"},
		{"# -*- coding: cp1252 -*-\n@flyc.kernel\ndef \x8ca(): pass\n", "Œa"},
		{"# coding: klingon\n@flyc.kernel\ndef caf\xe9(): pass\n", "caf\ufffd"},
		{"# coding: utf-8\n@flyc.kernel\ndef café(): pass\n", "café"},
	}
	for _, test := range tests {
		if got := kernelsIn(Scan([]byte(test.text))); got != test.want {
			t.Errorf("found %q, want %q in %q", got, test.want, test.text)
		}
	}
}

func TestUsesProducer(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"import flydsl.expr as fx\n", true},
		{"from flydsl.compiler import *\n", true},
		{"import flydsl\n", true},
		{"@flyc.kernel\ndef k(): pass\n", true},
		{"import flydsl_tools\n", false},
		{"# import flydsl\n", false},
		{"'''\nimport flydsl\n'''\n", false},
		{"import torch\n", false},
		{"", false},
	}
	for _, test := range tests {
		if got := Scan([]byte(test.text)).Kernels; got != test.want {
			t.Errorf("%q uses the producer: %v", test.text, got)
		}
	}
}

// TestOtherProducers scans for another table.
func TestOtherProducers(t *testing.T) {
	text := []byte("import triton\nimport flydsl.compiler as flyc\n@triton.jit\ndef a(): pass\n@flyc.kernel\ndef b(): pass\n")
	f := triton.Scan(text)
	if got := kernelsIn(f); got != "a" || f.Definitions[0].Via != "triton.jit" {
		t.Errorf("found %q via %q", got, f.Definitions[0].Via)
	}
	if got := kernelsIn(triton.Rescan(f, text, append(text, "@triton.jit\ndef c(): pass\n"...))); got != "a c" {
		t.Errorf("a rescan found %q", got)
	}
}

// TestOthers finds the functions that no known decorator makes kernels of, in texts
// that have something to do with kernels.
func TestOthers(t *testing.T) {
	for _, tt := range []struct {
		text, want string
	}{
		{"import flydsl.compiler as flyc\n@flyc.kernel\ndef k(): pass\ndef plain():\n  @own.kernel(name='x')\n  def deep(): pass\n", "plain - 4 | plain.<locals>.deep @own.kernel(name='x') 5"},
		{"from lib import *\n@a\n@own(\n  1)\ndef k(x: fx.Tensor): pass\n", "k @a 2"},
		{"@own\ndef k(): pass\n", ""},
		{"# größe\n@own\ndef k(): pass\n", ""},
		{"import flydsl\nclass C:\n\t@(lambda f: f)\n\tasync def k(self): pass\n", "C.k @(lambda f: f) 3"},
	} {
		var got []string
		for _, d := range Scan([]byte(tt.text)).Others {
			decorator := "-"
			if d.Decorated() {
				decorator = tt.text[d.Decorator.Start.Offset:d.Decorator.End.Offset]
			}
			got = append(got, fmt.Sprintf("%s %s %d", d.Qualified, decorator, d.Topmost+1))
		}
		if strings.Join(got, " | ") != tt.want {
			t.Errorf("found %q, want %q in\n%s", got, tt.want, tt.text)
		}
	}
}
