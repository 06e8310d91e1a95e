package capture

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// Builders that take objects of configuration are told apart by the fields, whatever
// kind of object it is, and in every process alike.
func TestSpecializationsOfObjects(t *testing.T) {
	w := newWork(t, map[string]string{"configs.py": `
import argparse, collections, dataclasses, enum, functools, types, pathlib

class Mode(enum.Enum):
    FAST = 1
    EXACT = 2

@dataclasses.dataclass(frozen=True)
class Tile:
    rows: int = 64
    cols: int = 64
    mode: Mode = Mode.EXACT
    cache: dict = dataclasses.field(default_factory=dict, compare=False)

@dataclasses.dataclass
class Config:
    tile: Tile = dataclasses.field(default_factory=Tile)
    name: str = ""

Pair = collections.namedtuple("Pair", "a b", defaults=[1])

class Plain:
    def __init__(self, stages, seed=object()):
        self.stages, self._seed, self.lock = stages, seed, object()

class Slots:
    __slots__ = ("width",)
    def __init__(self, width):
        self.width = width

def relu(x): ...
def scaled(by):
    def act(x): return x * by
    return act
`, "k.py": `
import sys
import flydsl.compiler as flyc
from configs import *

def build(cfg):
    @flyc.jit
    def softmax(x):
        return flyc.Kernel("large" if len(made) % 2 else "small")
    return softmax

class Builder:
    def __init__(self, cols, mode=Mode.FAST):
        self.cols, self._mode, self.built = cols, mode, 0
    def build(self):
        self.built += 1
        @flyc.jit
        def softmax(x):
            return flyc.Kernel("large" if len(made) % 2 else "small")
        return softmax

configs = [
    Tile(), Tile(128), Tile(64, 128), Tile(mode=Mode.FAST), Tile(cache={"x": object()}, rows=32),
    Config(), Config(Tile(128)), Config(name="a"), Config(name="a,tile=Tile[rows=128]"), Config(Tile(128), "a"),
    Pair(2), Pair(2, 3), Plain(2), Plain(3), Slots(8), Slots(16), relu, scaled(2), scaled(3), functools.partial(scaled, by=4),
    {"rows": 1}, {"cols": 1}, {"cols": 1, "rows": 1}, {1, 2}, {3, 2}, list(range(20)), list(range(21)), Mode.FAST,
    types.SimpleNamespace(a=1), argparse.Namespace(a=2), pathlib.Path("a/b"), b"x", b"y",
]
made = []
calls = [lambda c=c: build(c) for c in configs] + [lambda: Builder(64).build(), lambda: Builder(128).build(), lambda: Builder(64, Mode.EXACT).build()]
for call in calls[::int(sys.argv[1])]:
    call()(0)
    made.append(0)
`})
	address := regexp.MustCompile(`0x[0-9a-f]{6}| at |object`)
	var first []string
	for _, order := range []string{"1", "-1"} {
		r, _ := w.capture("k.py", order)
		want(t, r)
		got := keys(r)
		if first == nil {
			first = got
		}
		if len(got) != 36 || !slices.Equal(got, first) {
			t.Errorf("%d keys\n%s\n\nin another order:\n%s", len(got), strings.Join(first, "\n"), strings.Join(got, "\n"))
		}
		for _, key := range got {
			if address.MatchString(key) {
				t.Errorf("a name of this run: %s", key)
			}
		}
		for _, name := range []string{
			"cfg=Tile[]", "cfg=Tile[rows=128]", "cfg=Tile[cols=128]", "cfg=Tile[rows=32]", "cfg=Config[tile=Tile[rows=128]]", "cfg=Config[name=a]",
			"cfg=Pair[a=2,b=3]", "cfg=Plain[stages=3]", "cfg=Slots[width=16]", "cfg=relu", "cfg=[cols=1,rows=1]", "cfg=Mode.FAST", "cols=128", "cols=64", "cols=64,mode=Mode.EXACT",
		} {
			if !slices.ContainsFunc(got, func(key string) bool { return strings.HasPrefix(key, "k.py/"+name+"/") }) {
				t.Errorf("no %s in\n%s", name, strings.Join(got, "\n"))
			}
		}
	}
}

// Pytest numbers the parameters that it cannot name, so they stand in the folder.
func TestSpecializationsOfTests(t *testing.T) {
	w := newWork(t, map[string]string{"test_k.py": `
import dataclasses, pytest
import flydsl.compiler as flyc

@dataclasses.dataclass
class Tile:
    rows: int

def build(cfg, cols):
    @flyc.jit
    def softmax(x):
        return flyc.Kernel("small")
    return softmax

@pytest.mark.parametrize("cols", [64])
@pytest.mark.parametrize("cfg", [Tile(1), Tile(2)])
def test_one(cfg, cols):
    build(cfg, cols)(0)
`})
	requirePytest(t, w)
	r, _ := w.capture("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_k.py")
	want(t, r)
	if got, want := keys(r), []string{
		"test_k.py/test_one[cfg0-64]/cfg=Tile[rows=1]/window_filter_0::window_filter_0",
		"test_k.py/test_one[cfg1-64]/cfg=Tile[rows=2]/window_filter_0::window_filter_0",
	}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// requirePytest skips a test where there is no pytest, and fails it where CI is set:
// scripts/pytest.sh installs it.
func requirePytest(t *testing.T, w *work) {
	t.Helper()
	if _, said := w.capture("-c", "import pytest"); strings.Contains(said, "No module") {
		if os.Getenv("CI") != "" {
			t.Fatal("pytest is needed; run the tests by scripts/pytest.sh")
		}
		t.Skip("pytest is not installed")
	}
}

// A command that fails although all compiles ended well is allowed to, once it is
// said; anything that may have kept a kernel from being compiled is not.
func TestAllowFailures(t *testing.T) {
	const kernels = "import pytest\nimport flydsl.compiler as flyc\n\ndef build(n, **how):\n    @flyc.jit\n    def k(x):\n        return flyc.Kernel('small', symbol=f'k_{n}', **how)\n    return k\n\n"
	failed, noISA := problem.CaptureFailed, problem.CaptureNoISA
	for _, tt := range []struct {
		name, text string
		pytest     bool
		codes      []problem.Code
		says       string
	}{
		{"a script", "build(1)(0)\nassert 1 == 2\n", false, nil, "which is allowed, as 1 compile ended well"},
		{"well", "build(1)(0)\n", false, nil, ""},
		{"before any compile", "assert 1 == 2\nbuild(1)(0)\n", false, []problem.Code{failed}, "the hook into FlyDSL saw no compile end"},
		{"a compile", "build(1)(0)\nbuild(2, fails='verify')(0)\n", false, []problem.Code{failed, noISA}, "a compile failed"},
		{"an abort", "build(1)(0)\nbuild(2, fails='abort')(0)\n", false, []problem.Code{failed, noISA}, "only an exit status is allowed"},
		{"a launch", "build(1)(0)\nbuild(2)(0, 1)\n", false, []problem.Code{failed}, "k failed before it had compiled: TypeError: "},
		{"signals of a shell", "build(1)(0)\nraise SystemExit(137)\n", false, []problem.Code{failed}, "only an exit status is allowed"},
		{"tests", "def test_a():\n    build(1)(0)\n    assert 1 == 2\ndef test_b():\n    build(2)(0)\n    with pytest.raises(TypeError):\n        build(3)(0, 1)\n", true, nil, "which is allowed, as 2 compiles ended well"},
		{"a test without a compile", "def test_a():\n    build(1)(0)\ndef test_b():\n    assert 1 == 2\n    build(2)(0)\n", true, []problem.Code{failed}, "test_k.py::test_b failed before it had compiled: AssertionError"},
		{"a test's second launch", "def test_a():\n    build(1)(0)\n    build(2)(0, 1)\n", true, []problem.Code{failed}, "test_k.py::test_a failed before it had compiled: TypeError"},
		{"a fixture", "@pytest.fixture\ndef f():\n    raise OSError('no GPU')\ndef test_a():\n    build(1)(0)\ndef test_b(f):\n    build(2)(0)\n", true, []problem.Code{failed}, "test_k.py::test_b failed before it had compiled: OSError: no GPU"},
		{"a stop", "def test_a():\n    build(1)(0)\n    pytest.exit('enough', 1)\ndef test_b():\n    build(2)(0)\n", true, []problem.Code{failed}, "pytest failed before it had compiled: it was stopped and did not run all tests: Exit: enough"},
		{"a stop that ends well", "def test_a():\n    build(1)(0)\n    pytest.exit('enough', 0)\ndef test_b():\n    build(2)(0)\n", true, []problem.Code{failed}, "ended well, but pytest was stopped and did not run all tests: Exit: enough"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWork(t, map[string]string{"test_k.py": kernels + tt.text})
			args := []string{"test_k.py"}
			if tt.pytest {
				requirePytest(t, w)
				args = []string{"-m", "pytest", "-q", "-p", "no:cacheprovider", "test_k.py"}
			}
			for _, archs := range [][]string{nil, {"gfx942", "gfx950"}} {
				o := w.options(t.TempDir(), nil, args...)
				o.AllowFailures, o.Archs, o.Stdout, o.Stderr = true, archs, nil, nil
				r, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if got := problem.Codes(r.Problems); len(archs) == 0 && !slices.Equal(got, tt.codes) {
					t.Errorf("codes %v, want %v: %v", got, tt.codes, r.Problems)
				}
				var said []string
				for _, p := range r.Problems {
					said = append(said, p.Message)
				}
				if r.Whole() {
					said = r.Warnings
					if len(said) > 1 {
						t.Errorf("said more than once: %q", said)
					}
				}
				if text := strings.Join(said, "\n"); len(archs) == 0 && !strings.Contains(text, tt.says) || r.Whole() && tt.says == "" && text != "" {
					t.Errorf("said %q, want %q", text, tt.says)
				}
			}
			o := w.options(t.TempDir(), nil, args...)
			o.Stdout, o.Stderr = nil, nil
			if r, err := Run(t.Context(), o); err != nil || r.Whole() != (tt.says == "") {
				t.Errorf("where it is not allowed: %v, %+v", err, r)
			}
		})
	}
}
