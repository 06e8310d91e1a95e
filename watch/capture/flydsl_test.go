//go:build flydsl

package capture

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/resource"
)

// These tests run the real FlyDSL; scripts/flydsl.sh installs it and sets where
// it is.

// newFlyDSL makes a project of the kernels in testdata/kernels.
func newFlyDSL(t *testing.T) *work {
	t.Helper()
	python, rocm := os.Getenv("ISADIFF_FLYDSL_PYTHON"), os.Getenv("ISADIFF_FLYDSL_ROCM")
	if python == "" || rocm == "" {
		t.Fatal("run these tests by scripts/flydsl.sh")
	}
	w := &work{t: t, dir: t.TempDir(), python: python}
	if err := os.CopyFS(w.dir, os.DirFS("../../testdata/kernels")); err != nil {
		t.Fatal(err)
	}
	w.env = append(os.Environ(), "ROCM_PATH="+rocm, "PYTHONDONTWRITEBYTECODE=1")
	return w
}

// edit replaces a text that occurs once in a file.
func (w *work) edit(name, old, new string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.Count(string(text), old) != 1 {
		w.t.Fatalf("%s does not hold %q once", name, old)
	}
	w.put(name, strings.Replace(string(text), old, new, 1))
}

func (w *work) captureFor(archs []string, args ...string) *Result {
	w.t.Helper()
	o := w.options(filepath.Join(w.t.TempDir(), "out"), new(bytes.Buffer), args...)
	o.Archs = archs
	r, err := Run(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

var gfx950 = []string{"gfx950"}

// What a capture adds, debug locations and the hook, changes no instruction: the
// kernels are those of plain dumps, instruction by instruction.
func TestFlyDSLSameInstructions(t *testing.T) {
	w := newFlyDSL(t)
	for _, module := range []string{"column_stats", "elementwise/gelu", "transpose"} {
		r := w.captureFor(gfx950, module+".py")
		want(t, r)
		plain := filepath.Join("..", "..", "testdata", "dumps", "base", "gfx950", strings.ReplaceAll(module, "/", "_"))
		before := dump.Read(t.Context(), plain, dump.Options{IgnoreTimes: true, Digest: true})
		after := dump.Read(t.Context(), r.Dir, dump.Options{Digest: true})
		if len(before.Records) == 0 || len(before.Records) != len(after.Records) {
			t.Fatalf("%s: %d plain and %d captured kernels", module, len(before.Records), len(after.Records))
		}
		for _, a := range after.Records {
			i := slices.IndexFunc(before.Records, func(b *resource.Record) bool { return b.Name == a.Name })
			if i < 0 || before.Records[i].Digest == "" || before.Records[i].Digest != a.Digest || before.Records[i].Cells != a.Cells {
				t.Errorf("%s is another kernel than in the plain dump", a.Key)
			}
			if !strings.HasSuffix(a.Origin.Path, module+".py") || a.Origin.Line == 0 {
				t.Errorf("%s comes from %s:%d", a.Key, a.Origin.Path, a.Origin.Line)
			}
		}
	}
}

// A parametrized test keeps every variant, also on several workers and for
// several targets; the plain workflow keeps the last and misses the regression.
func TestFlyDSLSpecializations(t *testing.T) {
	w := newFlyDSL(t)
	args := []string{"-m", "pytest", "-q", "-p", "no:cacheprovider", "test_softmax.py"}
	target := []string{"ARCH=gfx950", "FLYDSL_GPU_ARCH=gfx950", "COMPILE_ONLY=1", "FLYDSL_RUNTIME_ENABLE_CACHE=0"}
	plain := t.TempDir()
	w.plain(filepath.Join(plain, "before"), target, args...)
	before := w.captureFor(gfx950, append(args, "-n", "2")...)
	want(t, before)

	// Only the variants in f32 get worse: twice the work per thread.
	w.edit("rowwise/softmax.py", "    steps = cols // (THREADS * width)\n", "    threads = THREADS // 2 if dtype == \"f32\" and cols == 8192 else THREADS\n    steps = cols // (threads * width)\n")
	text, err := os.ReadFile(filepath.Join(w.dir, "rowwise/softmax.py"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "    threads = ")
	body = strings.ReplaceAll(body, "THREADS * width", "threads * width")
	body = strings.ReplaceAll(body, "step * THREADS", "step * threads")
	body = strings.ReplaceAll(body, "block=(THREADS", "block=(threads")
	w.put("rowwise/softmax.py", head+"    threads = "+body)

	w.plain(filepath.Join(plain, "after"), target, args...)
	after := w.captureFor(gfx950, args...)
	want(t, after)
	if r := compare(filepath.Join(plain, "before"), filepath.Join(plain, "after")); r.Verdict != diff.OK || r.Compared != 1 {
		t.Errorf("the plain workflow: %v, %d compared; this pitfall is none", r.Verdict, r.Compared)
	}
	r := compare(before.Dir, after.Dir)
	if r.Verdict != diff.Regression || r.Compared != 6 || r.Changed != 1 {
		t.Errorf("captured: %v, %d compared, %d changed, %v", r.Verdict, r.Compared, r.Changed, r.Problems)
	}
	for _, row := range r.Rows {
		if regressed := len(row.Deltas) > 0; regressed != strings.Contains(row.Key, "gfx950/test_softmax.py/test_compiles[8192-f32]/softmax_rows_0") {
			t.Errorf("%s: deltas %v", row.Key, row.Deltas)
		}
	}
}

// Two tests that launch the same kernel each have its dump, in whatever order
// and process they run.
func TestFlyDSLSecondLaunch(t *testing.T) {
	w := newFlyDSL(t)
	w.put("test_twice.py", "import functools, torch\nfrom rowwise.softmax import build_softmax\n\nbuild = functools.lru_cache(build_softmax)\n\ndef test_one():\n    for dtype in (torch.float32,):\n        build(4096)(torch.zeros(4, 4096), torch.zeros(4, 4096), 4)\n\ndef test_two():\n    test_one()\n")
	r := w.captureFor(gfx950, "-m", "pytest", "-q", "test_twice.py")
	want(t, r)
	if got, want := keys(r), []string{
		"gfx950/test_twice.py/test_one/cols=4096/softmax_rows_0::softmax_rows_0",
		"gfx950/test_twice.py/test_two/cols=4096/softmax_rows_0::softmax_rows_0",
	}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// A compile that LLVM aborts, one without a linker, a test run that selected
// nothing, and a script that launches nothing are each said.
func TestFlyDSLFailures(t *testing.T) {
	w := newFlyDSL(t)
	plain := filepath.Join(t.TempDir(), "dumps")
	target := func(arch, kernels string) []string {
		return []string{"ARCH=" + arch, "FLYDSL_GPU_ARCH=" + kernels, "COMPILE_ONLY=1"}
	}
	w.plain(plain, target("gfx950", "gfx950"), "gemm/tiled_gemm.py")
	w.plain(plain, target("gfx950", "gfx1201"), "gemm/tiled_gemm.py") // WMMA code on a target without
	if r := dump.Read(t.Context(), plain, dump.Options{IgnoreTimes: true}); len(r.Records) != 1 || !r.Trustworthy() {
		t.Errorf("the plain workflow: %v; this pitfall is none", r.Problems)
	}
	env := w.env
	w.env = append(slices.Clone(env), target("gfx950", "gfx1201")...)
	r, _ := w.capture("gemm/tiled_gemm.py")
	want(t, r, problem.CaptureFailed, problem.CaptureNoISA)
	says(t, r, "LLVM ERROR: Cannot select: intrinsic", "the process died while it compiled gemm")

	w.env = append(slices.Clone(env), "ROCM_PATH="+t.TempDir())
	r = w.captureFor(gfx950, "window_filter.py")
	want(t, r, problem.CaptureFailed, problem.CaptureNoISA)

	w.env = env
	r = w.captureFor(gfx950, "-m", "pytest", "-q", "test_softmax.py", "-k", "nothing")
	want(t, r, problem.CaptureFailed)
	says(t, r, "exit status 5")
	r = w.captureFor(gfx950, "-c", "import rowwise.softmax")
	want(t, r, problem.CaptureEmpty)
	says(t, r, "it launched none")
}

// A commit brought a regression in; the comparison finds it, and a second one
// compiles the working tree only.
func TestFlyDSLCompare(t *testing.T) {
	w := newFlyDSL(t)
	h := &history{w, t.TempDir()}
	h.git("init", "-q")
	h.commit("the kernels")
	w.edit("rowwise/rmsnorm.py", "UNROLL = 2", "UNROLL = 4")
	h.commit("Unroll more")
	o := h.options("HEAD~1", "rowwise/rmsnorm.py")
	o.Archs = []string{"gfx1201"}
	for _, cached := range []bool{false, true} {
		c, err := h.compare(o)
		if err != nil {
			t.Fatal(err)
		}
		r := compare(c.Before, c.After)
		if r.Verdict != diff.Regression || r.Compared != 1 || r.Worsened != 1 || c.Cached != cached || len(c.Problems) > 0 {
			t.Errorf("%v, %d worsened, cached %v, %v %v", r.Verdict, r.Worsened, c.Cached, c.Problems, r.Problems)
		}
		c.Close()
	}
	o.Command = project.Command{Args: []string{w.python, filepath.Join(w.dir, "rowwise/rmsnorm.py")}}
	if _, err := h.compare(o); !hasCode(err, problem.CompareOwnCode) {
		t.Errorf("the working tree against itself: %v", err)
	}
}
