//go:build flydsl

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFlyDSLVersions is the story of one kernel across two versions of the real
// FlyDSL, which scripts/flydsl.sh installs: captures of both compare, the keys are
// the same, the compilers are named by diff, by a snapshot and by a watch, which leads
// the kernel to its definition.
func TestFlyDSLVersions(t *testing.T) {
	newest, earlier, rocm := os.Getenv("ISADIFF_FLYDSL_PYTHON"), os.Getenv("ISADIFF_FLYDSL_EARLIER"), os.Getenv("ISADIFF_FLYDSL_ROCM")
	if newest == "" || earlier == "" || rocm == "" {
		t.Fatal("run this test by scripts/flydsl.sh")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository(t), "testdata", "kernels"))); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "ROCM_PATH="+rocm, "PYTHONDONTWRITEBYTECODE=1")
	want := func(exit int, parts []string, args ...string) {
		t.Helper()
		cmd := exec.Command("isadiff", args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if got := exitOf(t, err); got != exit {
			t.Fatalf("isadiff %v: exit code %d, want %d\n%s", args, got, exit, out)
		}
		for _, part := range parts {
			if !strings.Contains(string(out), part) {
				t.Errorf("isadiff %v lacks %q:\n%s", args, part, out)
			}
		}
	}
	version := func(python string) string {
		t.Helper()
		out, err := exec.Command(python, "-c", "import flydsl; print(flydsl.__version__, end='')").Output()
		if err != nil {
			t.Fatal(err)
		}
		return "FlyDSL " + string(out)
	}
	was, is := version(earlier), version(newest)
	if was == is {
		t.Fatalf("both are %s", is)
	}
	want(0, nil, "capture", "-o", "before", "--arch", "gfx942", "--", earlier, "window_filter.py")
	want(0, nil, "capture", "-o", "after", "--arch", "gfx942", "--", newest, "window_filter.py")
	line := "compiler: before " + was + "; after " + is + "\n"
	want(0, []string{line, "compared 1 of 1 kernels; 1 unchanged"}, "diff", "before", "after")
	want(0, nil, "snapshot", "before", "-o", "before.json")
	want(0, []string{line}, "diff", "before.json", "after")

	// Plain dumps name no compiler, and are otherwise the same.
	plain := exec.Command(newest, "window_filter.py")
	plain.Dir, plain.Env = dir, append(env, "ARCH=gfx942", "FLYDSL_GPU_ARCH=gfx942", "COMPILE_ONLY=1",
		"FLYDSL_DUMP_IR=1", "FLYDSL_RUNTIME_ENABLE_CACHE=0", "FLYDSL_DUMP_DIR="+filepath.Join(dir, "plain"))
	if out, err := plain.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want(0, []string{"compiler: before " + was + "; after not known\n", "1 unchanged"}, "diff", "before.json", "plain")

	// An edit is no change of the compiler alone.
	source := filepath.Join(dir, "window_filter.py")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte(strings.Replace(string(text), "OUTPUTS = 32", "OUTPUTS = 128", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	want(0, nil, "capture", "-o", "after", "--arch", "gfx942", "--", newest, "window_filter.py")
	want(1, []string{line}, "diff", "before.json", "after", "--json", "report.json")
	if text, err = os.ReadFile(filepath.Join(dir, "report.json")); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Compilers struct{ Before, After []string }
		Rows      []struct {
			Kernel  string
			Changed bool `json:"compiler_changed"`
		}
	}
	if err := json.Unmarshal(text, &report); err != nil || len(report.Rows) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	if row := report.Rows[0]; row.Changed || row.Kernel != "gfx942/window_filter.py/window_filter_0::window_filter_0" ||
		!slices.Equal(report.Compilers.Before, []string{was}) || !slices.Equal(report.Compilers.After, []string{is}) {
		t.Errorf("%+v", report)
	}
	block := firstBlock(t, dir, filepath.Join(dir, "before.json"), filepath.Join(dir, "after"))
	for _, part := range []string{line, "window_filter.py:19", "* vgpr_spill"} {
		if !strings.Contains(block, part) {
			t.Errorf("a watch lacks %q:\n%s", part, block)
		}
	}
}

// TestFlyDSLPytest is the story of `pytest --isadiff` with the real FlyDSL, of both
// versions: specializations of one kernel in a test each, for a processor that is not
// here, with the newest over the workers of pytest-xdist.
func TestFlyDSLPytest(t *testing.T) {
	newest, earlier, rocm := os.Getenv("ISADIFF_FLYDSL_PYTHON"), os.Getenv("ISADIFF_FLYDSL_EARLIER"), os.Getenv("ISADIFF_FLYDSL_ROCM")
	if newest == "" || earlier == "" || rocm == "" {
		t.Fatal("run this test by scripts/flydsl.sh")
	}
	kernels := os.DirFS(filepath.Join(repository(t), "testdata", "kernels"))
	for python, workers := range map[string]string{newest: "-n2", earlier: "-pno:xdist"} {
		p := newPytest(t, python, nil)
		if err := os.CopyFS(p.dir, kernels); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(p.dir, "test_softmax.py")); err != nil {
			t.Fatal(err)
		}
		p.put("test_kernels.py", `import pytest
from rowwise.softmax import run
from window_filter import main

@pytest.mark.parametrize("cols", [2048, 8192])
def test_softmax(cols):
    run(rows=16, cols=cols, dtype="f16")

def test_window():
    main()
`)
		p.env = append(p.env, "PYTHONPATH="+filepath.Join(repository(t), "cmd", "packaging", "python"), "ROCM_PATH="+rocm,
			"ARCH=gfx942", "FLYDSL_GPU_ARCH=gfx942", "COMPILE_ONLY=1")
		p.run(0, with(workers, "--isadiff-update"), "3 kernels in", "RESULT: OK")

		source := filepath.Join(p.dir, "window_filter.py")
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		p.put("window_filter.py", strings.Replace(string(text), "OUTPUTS = 32", "OUTPUTS = 128", 1))
		p.run(1, with(workers, "-k", "window or 2048"), "FAILED test_kernels.py::test_window - isadiff: got worse: window_filter_0::window_filter_0: ", "vgpr_spill 0 -> ",
			"at window_filter.py:19", "why: spill stores and reloads 0 -> ", "a partial run (-k window or 2048): 1 of 3 kernels", "compared 2 of 2 kernels; 1 unchanged",
			"1 failed, 1 passed", "RESULT: REGRESSION")
	}
}
