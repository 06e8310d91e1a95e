package capture

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Each of these tests is one pitfall of the plain workflow: run the command with
// FLYDSL_DUMP_IR=1 and FLYDSL_DUMP_DIR, twice, and diff. First it is shown that
// the plain workflow is silently wrong, then that a capture is right, or says why
// it cannot be.

// plainly compares as [compare] does, without the times of files: they would give
// some pitfalls away where the second run is some seconds later than the first.
func plainly(before, after string) *diff.Result {
	read := func(dir string) *resource.Side {
		return dump.Read(context.Background(), dir, dump.Options{IgnoreTimes: true})
	}
	return diff.Compare(read(before), read(after), diff.Options{})
}

// A project whose launcher is built for several shapes.
func shapes(f32, bf16 string) string {
	return `
import flydsl.compiler as flyc

def build(cols, dtype="f32"):
    made = {"f32": "` + f32 + `", "bf16": "` + bf16 + `"}[dtype]

    @flyc.jit
    def softmax(x):
        return flyc.Kernel(made)

    return softmax

build(1024)(0)
build(2048, dtype="bf16")(0)
`
}

// Every specialization of a kernel overwrites the one before it.
func TestPitfallSpecializations(t *testing.T) {
	w := newWork(t, map[string]string{"before.py": shapes("small", "small"), "softmax.py": shapes("small", "small")})
	plain := t.TempDir()
	w.plain(filepath.Join(plain, "before"), nil, "softmax.py")
	before, _ := w.capture("softmax.py")
	want(t, before)
	w.put("softmax.py", shapes("large", "small")) // the first one spills
	w.plain(filepath.Join(plain, "after"), nil, "softmax.py")
	after, _ := w.capture("softmax.py")
	want(t, after)

	if r := plainly(filepath.Join(plain, "before"), filepath.Join(plain, "after")); r.Verdict != diff.OK || r.Compared != 1 {
		t.Errorf("the plain workflow: %v, %d compared; this pitfall is none", r.Verdict, r.Compared)
	}
	r := compare(before.Dir, after.Dir)
	if r.Verdict != diff.Regression || r.Compared != 2 || r.Changed != 1 {
		t.Errorf("captured: %v, %d compared, %d changed, %v", r.Verdict, r.Compared, r.Changed, r.Problems)
	}
	if got, want := keys(after), []string{
		"softmax.py/cols=1024/window_filter_0::window_filter_0",
		"softmax.py/cols=2048,dtype=bf16/window_filter_0::window_filter_0",
	}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// Compile-time arguments and types of a call tell specializations apart too, also
// those of a method, and in whatever order they are compiled.
func TestSpecializationsOfCalls(t *testing.T) {
	text := `
import sys
import flydsl.compiler as flyc
from flydsl.compiler.jit_function import Constexpr

class Tensor:
    def __init__(self, dtype):
        self.dtype = dtype
class dtype(str):
    pass

@flyc.jit
def softmax(x, tile: Constexpr = 64, fast: Constexpr = False):
    return flyc.Kernel("large" if tile == 128 else "small")

calls = [lambda: softmax(Tensor(dtype("torch.float32"))), lambda: softmax(Tensor(dtype("torch.float32")), 128),
         lambda: softmax(Tensor(dtype("torch.bfloat16")), fast=True)]
for call in calls[::int(sys.argv[1])]:
    call()
`
	w := newWork(t, map[string]string{"k.py": text})
	for _, order := range []string{"1", "-1"} {
		r, _ := w.capture("k.py", order)
		want(t, r)
		if got, want := keys(r), []string{
			"k.py/fast=True,bf16/window_filter_0::window_filter_0",
			"k.py/tile=128/window_filter_0::window_filter_0",
			"k.py/window_filter_0::window_filter_0",
		}; !slices.Equal(got, want) {
			t.Errorf("keys %q, want %q", got, want)
		}
	}
}

const aliased = `
import flydsl.compiler as flyc

def build(kernel):
    @flyc.jit
    def softmax(x):
        return kernel
    return softmax

for made in "small", "large":
    build(flyc.Kernel(made))(0)
`

// Specializations that nothing tells apart are not guessed at.
func TestPitfallAliasedSpecializations(t *testing.T) {
	w := newWork(t, map[string]string{"softmax.py": aliased})
	r, _ := w.capture("softmax.py")
	want(t, r, problem.CaptureOverwritten)
	says(t, r, "2 different compiles were dumped into softmax.py/window_filter_0")

	// Two processes into one directory, one after the other.
	w.put("one.py", "import sys, flydsl.compiler as flyc\n@flyc.jit\ndef k(x):\n    return flyc.Kernel(sys.argv[1])\nk(0)\n")
	w.put("both.py", "import subprocess, sys\nfor a in 'small', 'large':\n    subprocess.run([sys.executable, 'one.py', a], check=True)\n")
	r, _ = w.capture("both.py")
	want(t, r, problem.CaptureOverwritten)
	w.put("both.py", "import subprocess, sys\nfor a in 'small', 'small':\n    subprocess.run([sys.executable, 'one.py', a], check=True)\n")
	r, _ = w.capture("both.py")
	want(t, r) // the same compile again loses nothing
}

const one = `
import flydsl.compiler as flyc

@flyc.jit
def softmax(x):
    return flyc.Kernel("MADE")

softmax(0)
`

// A cache hit dumps nothing, and an old dump stays.
func TestPitfallCache(t *testing.T) {
	w := newWork(t, map[string]string{"softmax.py": strings.ReplaceAll(one, "MADE", "small")})
	w.env = append(w.env, "FAKE_CACHE="+t.TempDir())
	plain := filepath.Join(t.TempDir(), "dumps")
	w.plain(plain, nil, "softmax.py")
	before, _ := w.capture("softmax.py")
	want(t, before)
	kept := filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(kept, os.DirFS(plain)); err != nil {
		t.Fatal(err)
	}
	w.put("softmax.py", strings.ReplaceAll(one, "MADE", "large"))
	w.plain(plain, nil, "softmax.py") // from the cache
	if r := plainly(kept, plain); r.Verdict != diff.OK || r.Compared != 1 {
		t.Errorf("the plain workflow: %v, %d compared; this pitfall is none", r.Verdict, r.Compared)
	}
	after, _ := w.capture("softmax.py")
	want(t, after)
	if r := compare(before.Dir, after.Dir); r.Verdict != diff.Regression {
		t.Errorf("captured: %v, %v", r.Verdict, r.Problems)
	}

	// A program that insists on its cache.
	w.put("softmax.py", "import os\nos.environ['FLYDSL_RUNTIME_ENABLE_CACHE'] = '1'\n"+strings.ReplaceAll(one, "MADE", "large"))
	r, _ := w.capture("softmax.py")
	want(t, r, problem.CaptureCached)
	says(t, r, "softmax was launched and not compiled: it came from a cache")
}

// A second launch of one key in one process dumps nothing; under pytest the test
// that comes second would be without a dump.
func TestPitfallSecondLaunch(t *testing.T) {
	text := `
import contextlib, sys
import flydsl.compiler as flyc
try:
    from isadiff_capture import test
except ImportError:
    test = lambda node, values: contextlib.nullcontext()

@flyc.jit
def softmax(x):
    return flyc.Kernel("small")

for node in sys.argv[1:]:
    with test("tests/test_a.py::" + node, []):
        softmax(0)
`
	w := newWork(t, map[string]string{"tests.py": text})
	r, _ := w.capture("tests.py", "test_first[1024-f32]", "test_second[a/b]")
	want(t, r)
	got := keys(r)
	if len(got) != 2 || got[0] != "tests/test_a.py/test_first[1024-f32]/window_filter_0::window_filter_0" ||
		!strings.HasPrefix(got[1], "tests/test_a.py/test_second[a_b]~") {
		t.Errorf("keys %q", got)
	}
	plain := filepath.Join(t.TempDir(), "dumps")
	w.plain(plain, nil, "tests.py", "test_first", "test_second")
	if r := plainly(plain, plain); r.Compared != 1 {
		t.Errorf("the plain workflow has %d kernels; this pitfall is none", r.Compared)
	}
}

// A compile that failed leaves the old dump looking current.
func TestPitfallFailedCompile(t *testing.T) {
	failing := func(how string) string {
		return strings.ReplaceAll(strings.ReplaceAll(one, `"MADE"`, `"large", fails="`+how+`"`), "softmax(0)", "try:\n    softmax(0)\nexcept Exception as e:\n    print(e)")
	}
	tests := []struct {
		how   string
		codes []problem.Code
		says  string
	}{
		{"verify", []problem.Code{problem.CaptureNoISA}, "the compile of softmax failed: ValueError: MLIR verification failed"},
		{"pass", []problem.Code{problem.CaptureNoISA}, "the compile of softmax failed: RuntimeError: a pass failed ..."},
		{"quietly", []problem.Code{problem.CaptureNoISA}, "the compile of softmax left no final assembly in softmax.py/window_filter_0"},
		{"abort", []problem.Code{problem.CaptureNoISA, problem.CaptureFailed}, "the process died while it compiled softmax: LLVM ERROR: Cannot select: intrinsic"},
	}
	for _, tt := range tests {
		t.Run(tt.how, func(t *testing.T) {
			w := newWork(t, map[string]string{"softmax.py": strings.ReplaceAll(one, "MADE", "small")})
			plain := filepath.Join(t.TempDir(), "dumps")
			w.plain(plain, nil, "softmax.py")
			kept := filepath.Join(t.TempDir(), "before")
			if err := os.CopyFS(kept, os.DirFS(plain)); err != nil {
				t.Fatal(err)
			}
			w.put("softmax.py", failing(tt.how))
			w.plain(plain, nil, "softmax.py")
			if r := plainly(kept, plain); r.Verdict != diff.OK || r.Compared != 1 {
				t.Errorf("the plain workflow: %v, %d compared; this pitfall is none", r.Verdict, r.Compared)
			}
			r, _ := w.capture("softmax.py")
			want(t, r, tt.codes...)
			says(t, r, tt.says)
		})
	}
}

// A directory that is used again mixes runs: what was removed is still there, and
// a debug run's stage file hides a plain one's.
func TestPitfallReusedDirectory(t *testing.T) {
	w := newWork(t, map[string]string{
		"a.py": strings.ReplaceAll(one, `"MADE"`, `"small", symbol="window_filter_0", stage="23"`),
	})
	plain := filepath.Join(t.TempDir(), "dumps")
	w.plain(plain, nil, "a.py")
	first, _ := w.capture("a.py")
	want(t, first)
	kept := filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(kept, os.DirFS(plain)); err != nil {
		t.Fatal(err)
	}
	w.put("a.py", strings.ReplaceAll(one, `"MADE"`, `"large", stage="22"`))
	w.plain(plain, nil, "a.py")
	if r := plainly(kept, plain); r.Verdict != diff.OK || r.Compared != 1 {
		t.Errorf("the plain workflow: %v, %d compared; this pitfall is none", r.Verdict, r.Compared)
	}
	beforeDir := filepath.Join(t.TempDir(), "kept")
	if err := os.CopyFS(beforeDir, os.DirFS(first.Dir)); err != nil {
		t.Fatal(err)
	}
	second, _ := w.captureInto(first.Dir, "a.py") // an earlier capture is replaced
	want(t, second)
	if r := compare(beforeDir, second.Dir); r.Verdict != diff.Regression {
		t.Errorf("captured: %v, %v", r.Verdict, r.Problems)
	}

	// What isadiff did not put there is neither removed nor mixed with.
	if _, err := Run(t.Context(), w.options(plain, nil, "a.py")); !hasCode(err, problem.CaptureNotFresh) {
		t.Errorf("into foreign dumps: %v", err)
	}
	if _, err := os.Stat(filepath.Join(plain, "window_filter_0", "23_final_isa.s")); err != nil {
		t.Error(err)
	}
}

// A relative FLYDSL_DUMP_DIR is resolved where the program is at that moment, and
// a program may change the settings itself.
func TestPitfallMovedSettings(t *testing.T) {
	w := newWork(t, map[string]string{"a.py": "import os\nos.makedirs('elsewhere', exist_ok=True)\nos.chdir('elsewhere')\n" + strings.ReplaceAll(one, "MADE", "small")})
	r, _ := w.capture("a.py")
	want(t, r)
	if got := keys(r); len(got) != 1 {
		t.Errorf("keys %q", got)
	}

	w.put("a.py", "import os\nos.environ['FLYDSL_DUMP_DIR'] = os.path.join(os.getcwd(), 'mine')\n"+strings.ReplaceAll(one, "MADE", "small"))
	r, _ = w.capture("a.py")
	want(t, r, problem.CaptureElsewhere)
	says(t, r, "softmax was dumped into ", "mine, which is not in ")

	w.put("a.py", "import os\ndel os.environ['FLYDSL_DUMP_IR']\n"+strings.ReplaceAll(one, "MADE", "small"))
	r, _ = w.capture("a.py")
	want(t, r, problem.CaptureElsewhere)
	says(t, r, "softmax was compiled while FLYDSL_DUMP_IR was off")
}
