package pysource

import (
	"hash/maphash"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCode: what only comments and layout change is the same code.
func TestCode(t *testing.T) {
	const text = "import a\n\ndef f(x):  # adds\n    return (x +\n        1)\n"
	seed := maphash.MakeSeed()
	hash := ReadCode(seed, []byte(text)).Hash
	for name, test := range map[string]struct {
		text string
		same bool
	}{
		"itself":               {text, true},
		"comments":             {"# above\nimport a\n# between\n\n\ndef f(x):\n    # within\n    return (x + 1)  # one\n", true},
		"carriage returns":     {"import a\r\n\r\ndef f(x):\r\n    return (x +\r\n        1)\r\n", true},
		"blanks":               {"import   a\ndef f( x ):\n    return ( x + 1 )\n", true},
		"another number":       {"import a\ndef f(x):\n    return (x + 2)\n", false},
		"another nesting":      {"import a\ndef f(x):\n        return (x + 1)\n", false},
		"two lines":            {"import a\ndef f(x):\n    return x\n    (1)\n", false},
		"names grown together": {"importa\ndef f(x):\n    return (x + 1)\n", false},
		"a docstring":          {"import a\ndef f(x):\n    'adds'\n    return (x + 1)\n", false},
		"an encoding":          {"# -*- coding: latin-1 -*-\n" + text, false},
		"one that is not read": {"# -*- coding: koi8-r -*-\n" + text, false},
		"a word in a comment":  {"# decoding loops\n" + text, true},
		"the usual encoding":   {"# -*- coding: utf-8 -*-\n" + text, true},
		"a conflict":           {text + "<<<<<<< HEAD\n", false},
	} {
		if got := ReadCode(seed, []byte(test.text)).Hash == hash; got != test.same {
			t.Errorf("%s: the same code: %v, want %v", name, got, test.same)
		}
	}
	if ReadCode(seed, []byte("x = '''a\nb'''\n")).Hash != ReadCode(seed, []byte("x = '''a\r\nb'''\r\n")).Hash {
		t.Error("line ends within a string are another code")
	}
	if ReadCode(seed, []byte("x = '''a\n# one\n")).Hash == ReadCode(seed, []byte("x = '''a\n# two\n")).Hash {
		t.Error("within a string that is not closed, nothing is known to be a comment")
	}
}

func TestImports(t *testing.T) {
	const text = `
import a, b.c as d; import e
from f import g
from .h import (i as j,
    k)  # k
from . import l
from ...m.n import *
if x: import o
def f():
    from p import q; y = 1
    raise x from z
    yield from w
"import r"
s = importlib.import_module("t.u")
v = __import__('w')
`
	want := []Import{
		{Module: "a"}, {Module: "b.c"}, {Module: "e"}, {"f", []string{"g"}}, {".h", []string{"i", "k"}}, {".", []string{"l"}},
		{"...m.n", []string{"*"}}, {Module: "o"}, {"p", []string{"q"}}, {Module: "t.u"}, {Module: "w"},
	}
	if diff := cmp.Diff(want, ReadCode(maphash.MakeSeed(), []byte(text)).Imports); diff != "" {
		t.Error(diff)
	}
}

// FuzzCode: any text has a code, and comments at its ends change nothing.
func FuzzCode(f *testing.F) {
	f.Add("import a\ndef f(x):\n    return x\n")
	f.Add("from . import (a, b\n")
	f.Fuzz(func(t *testing.T, text string) {
		seed := maphash.MakeSeed()
		c := ReadCode(seed, []byte(text))
		if again := ReadCode(seed, []byte(text)); again.Hash != c.Hash {
			t.Error("not the same twice")
		}
	})
}
