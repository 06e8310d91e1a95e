package pysource

import "testing"

// TestBroken scans text that Python would reject: what is being typed, merged or
// was never right. No definition may be lost but the one that is broken itself.
func TestBroken(t *testing.T) {
	const k = "@flyc.kernel\ndef k(): pass\n"
	tests := []struct {
		name, text, want string
	}{
		{"open call", "x = foo(1, [2,\n" + k, "k"},
		{"open call and names below", "def build():\n    x = foo(a,\n    n = 'a'\n    @flyc.kernel(name=n)\n    def k(): pass\n", "build.<locals>.k=a"},
		{"open call and imports below", "x = foo(a,\nfrom flydsl.compiler import kernel as kk\n@kk\ndef k(): pass\n", "k"},
		{"open bracket and branches below", "def build():\n    @flyc.kernel\n    def k():\n        x = [\n    if y:\n        @flyc.jit\n        def run(): pass\n", "build.<locals>.k (build.<locals>.run)"},
		{"open bracket and a class below", "x = [\nclass C:\n    @flyc.kernel\n    def k(self): pass\n", "C.k"},
		{"open bracket at the end", k + "x = [\n", "k"},
		{"open bracket and a name at the end", "def build():\n    @flyc.kernel(name=n)\n    def k(): pass\nx = [\nn = 'a'\n", "build.<locals>.k=a"},
		{"bracket that closes nothing", "x = 1)\n" + k + "y = ]}\n" + k, "k k"},
		{"brackets that do not match", "x = (1]\n" + k + "y = [(1}, 2]\n" + k, "k k"},
		{"opening bracket deleted", "x = fooa, [1],\n    b)\n" + k, "k"},

		{"decorator without the end", "@flyc.kernel(name='a', x=\ndef k(): pass\n", "k=a"},
		{"decorator of several lines without the end", "@flyc.kernel(\n    name='a',\n    x=[1,\ndef k(): pass\n", "k=a"},
		{"decorator with nothing in it", "@flyc.kernel(\ndef k(): pass\n", "k"},
		{"decorators without the end", "@a(\n@flyc.kernel(name='a'\n@b(\ndef k(): pass\n", "k=a"},
		{"decorator without the end at the end", k + "@flyc.kernel(name=", "k"},
		{"decorator being typed above a statement", "@flyc.kernel(name=f\"a\nx = 1\ndef f(): pass\n" + k, "k"},
		{"decorator being typed in a block", "def f():\n    @flyc.kernel(name='a'\n    x = (1)\n    def g(): pass\n", ""},
		{"open string in a decorator", "@flyc.kernel(name='a)\ndef k(): pass\n" + k, "k=? k"},
		{"open f-string in a decorator", "@flyc.kernel(name=f'a_{n)\ndef k(): pass\n" + k, "k=? k"},
		{"open triple quotes in a decorator", "@flyc.kernel(name=\"\"\"a)\ndef k(): pass\n" + k, "k=? k"},
		{"junk behind a decorator", "@flyc.kernel junk\ndef k(): pass\n@flyc.kernel \"\ndef l(): pass\n@flyc.kernel()) x\ndef m(): pass\n", "k l m"},
		{"dot behind a decorator", "@flyc.kernel.\ndef k(): pass\n", "k"},
		{"half a decorator", "@flyc.\ndef f(): pass\n@\ndef g(): pass\n@fly\ndef h(): pass\n" + k, "k"},
		{"decorator over a backslash", "@flyc.kernel \\\ndef k(): pass\n", "k"},
		{"decorator of another indentation", "def f():\n    @flyc.kernel\n  def k(): pass\n", "f.<locals>.k"},

		{"def without a name", "@flyc.kernel\ndef \n" + k, "k"},
		{"def without parentheses", "@flyc.kernel\ndef k\n@flyc.kernel\ndef l\n", "k l"},
		{"def without the end", "@flyc.kernel\ndef k(a, b\n    c = a + b\n    return c\n@flyc.kernel\ndef l(a, b):\n    pass\n", "k l"},
		{"def without a colon", "@flyc.kernel\ndef k(a, b)\n    return a\n" + k, "k k"},
		{"def with a keyword for a name", "@flyc.kernel\ndef return(): pass\n" + k, "k"},
		{"def without the end around another", "def build(n,\n    @flyc.kernel\n    def k(): pass\n", "build.<locals>.k"},
		{"def in the body of nothing", "@flyc.kernel\ndef k():\n@flyc.kernel\ndef l():\n", "k l"},
		{"async without def", "@flyc.kernel\nasync \ndef f(): pass\n" + k, "k"},
		{"class without a name", "class\n" + k, "k"},
		{"class without the end", "class C(A,\n    @flyc.kernel\n    def k(self): pass\n", "C.k"},
		{"misspelt keywords", "clas C:\n    @flyc.kernel\n    def k(self): pass\nde f(): pass\nimprt x\n" + k, "k k"},

		{"open string", "s = 'abc\n" + k, "k"},
		{"open string in a call", "f('abc, 1)\n" + k, "k"},
		{"open string over a backslash", "s = 'abc\\\n" + k + "t = 1\n", "k"},
		{"open f-string", "s = f'abc {x\n" + k, "k"},
		{"open f-string with its closing quote", "s = f'abc {'\nt = f(\"{\", 1)\n" + k, "k"},
		{"open f-string specification", "s = f'{x:{y\n" + k, "k"},
		{"open f-string in an f-string", "s = f'{f\"{\n" + k, "k"},
		{"open f-string above another", "s = f'{x\nt = f'{y}'\n" + k, "k"},
		{"brace that closes nothing", "s = f'}'\n" + k, "k"},

		{"backslash", "x = 1 + \\\n" + k, "k"},
		{"backslash behind an import", "import x as y \\\n" + k + "x = 1; pass \\\n" + k, "k k"},
		{"backslash and nothing", k + "\\", "k"},
		{"backslash above a statement", "def f():\n    x = 1 \\\n    return x\n" + k, "k"},
		{"stray backslashes", "x = \\ 1 \\y\n" + k, "k"},
		{"stray characters", "$x ? ! `a` €\x00\x01\n" + k, "k"},
		{"bytes that are no UTF-8", "x = '\xff'\n\xfe = 1\n" + k, "k"},

		{"indentation that fits nothing", "def f():\n        x = 1\n    @flyc.kernel\n    def k(): pass\n      y = 2\n", "f.<locals>.k"},
		{"unexpected indentation", "x = 1\n        @flyc.kernel\n        def k(): pass\n", "k"},
		{"else without if", "else:\n    @flyc.kernel\n    def k(): pass\n", "k"},
		{"conflict in the body", "@flyc.kernel\ndef k():\n<<<<<<< HEAD\n    x = 1\n=======\n    x = 2\n>>>>>>> branch\n    return x\n", "k"},
		{"conflict below the decorator", "def f():\n    @flyc.kernel\n<<<<<<< HEAD\n    def k(a): pass\n=======\n    def k(a, b): pass\n>>>>>>> branch\n", "f.<locals>.k"},
		{"conflict with the base", "<<<<<<< HEAD\nx = f(a,\n||||||| base\nx = f(\n=======\nx = f(b,\n>>>>>>> branch\n" + k, "k"},
		{"Python 2", "print \"x\", y\nexec \"code\"\nraise E, \"m\"\nx = 0777\ny = `z`\na <> b\nprint >>f, x\n" + k, "k"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := []byte(header + test.text)
			f := Scan(text)
			if got := kernelsIn(f); got != test.want {
				t.Errorf("found %q, want %q in\n%s", got, test.want, test.text)
			}
			checkFile(t, text, f)
		})
	}
}

// TestUndoubted scans correct text in which strings of several lines stand where
// they rarely do.
func TestUndoubted(t *testing.T) {
	for _, text := range []string{
		"match \"\"\"\n\"\"\":\n    case \"\"\"\n\"\"\" if x: pass\n",
		"x = \"\"\"\n\"\"\"if y else\"\"\"\n\"\"\"\n",
		"x = \"\"\"\n\"\"\" f\"{y}\" r'''\n'''b''\n",
		"x = y in\"\"\"\n\"\"\" or not \"\"\"\n\"\"\".z\n",
		"print \"\"\"\n\"\"\" % x\nexec \"\"\"\n\"\"\" in x\n",
		"def f():\n    return \"\"\"\n@flyc.kernel\ndef no(): pass\n\"\"\"\n",
		"def f():\n    x(\"\"\"\n    y\nclass A: pass\n\"\"\")\n",
		"def f():\n    \"\"\"\ndef g():\n\"\"\"\n",
	} {
		if f := Scan([]byte(header + text)); f.Doubtful || len(f.Definitions) > 0 {
			t.Errorf("found %q (doubtful: %v) in\n%s", kernelsIn(f), f.Doubtful, text)
		}
	}
}

// TestMisplacedStrings scans text in which a string of several lines cannot be
// right although its quotes are: they must not be taken apart.
func TestMisplacedStrings(t *testing.T) {
	for _, text := range []string{
		"x = f \"\"\"\n@flyc.kernel\ndef no(): pass\n\"\"\")\n@flyc.kernel\ndef k(): pass\n",
		"x = \"\"\"\n@flyc.kernel\ndef no(): pass\n\"\"\" y\n@flyc.kernel\ndef k():\n    \"\"\"Doc.\"\"\"\n",
	} {
		if got := kernelsIn(Scan([]byte(header + text))); got != "k" {
			t.Errorf("found %q in\n%s", got, text)
		}
	}
}

// TestOpenTripleQuotes scans text in which one triple quote has no partner, so
// that read in order all strings are code and all code is strings.
func TestOpenTripleQuotes(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"at the end", "@flyc.kernel\ndef k(): pass\ns = \"\"\"abc\n", "k"},
		{"above definitions", "@flyc.kernel\ndef a(): pass\ns = \"\"\"abc\n@flyc.kernel\ndef b(): pass\n", "a b"},
		{"above a docstring", "x = f(y) \"\"\"\n@flyc.kernel\ndef k():\n    \"\"\"Adds.\"\"\"\n", "k"},
		{"above a docstring with blanks", "x = \"\"\"\n@flyc.kernel\ndef k():\n    \"\"\" Adds. \"\"\"\n", "k"},
		{"above a docstring on its own lines", "x = \"\"\"\n@flyc.kernel\ndef k():\n    \"\"\"\n    Adds.\n    \"\"\"\n    return 1\n", "k"},
		{"above a docstring below a long header", "x = \"\"\"\n@flyc.kernel\ndef k(\n    a,\n) -> int:\n    \"\"\"\n    Adds.\n    \"\"\"\n", "k"},
		{"above prose with an apostrophe", "x = \"\"\"\n@flyc.kernel\ndef k():\n    \"\"\"(Don't.)\"\"\"\n    return 1\n", "k"},
		{"that pairs with one in a string", "x = f(y) '''\n@flyc.kernel\ndef k():\n    return y[:3] == \"'''\"\n", "k"},
		{"of the other kind", "x = '''\n@flyc.kernel\ndef k():\n    \"\"\"Adds.\"\"\"\n", "k"},
		{"in a function above another", "def f():\n    x = 1\n    \"\"\"\n    y = 2\n@flyc.kernel\ndef k():\n    \"\"\"\n    Doc.\n    \"\"\"\n", "k"},
		{"docstring being typed", "def f():\n    \"\"\"Does\n    x = 1\n@flyc.kernel\ndef k():\n    \"\"\"Adds.\"\"\"\n", "k"},
		{"with an example in a docstring above", "\"\"\"\n    @flyc.kernel\n    def no(): pass\n\"\"\"\nx = f(\"\"\"\n@flyc.kernel\ndef k():\n    \"\"\"Doc.\"\"\"\n", "k"},
		{"with a prefix", "x = rb\"\"\"\n@flyc.kernel\ndef k():\n    f\"\"\"Doc {x}.\"\"\"\n", "k"},
		{"closed in a docstring", "@flyc.kernel\ndef a():\n    \"\"\"Adds. \"\"\"\n    More.\n    \"\"\"\n@flyc.kernel\ndef b():\n    \"\"\"Doc.\"\"\"\n", "a b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := []byte(header + test.text)
			f := Scan(text)
			if got := kernelsIn(f); got != test.want || !f.Doubtful {
				t.Errorf("found %q, want %q (doubtful: %v) in\n%s", got, test.want, f.Doubtful, test.text)
			}
			checkFile(t, text, f)
		})
	}
}
