package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A pytestProject is a project whose tests compile with the stand-in for FlyDSL.
type pytestProject struct {
	t      *testing.T
	dir    string
	python string
	env    []string
}

// pythons are the interpreters to test with: those of ISADIFF_TEST_PYTESTS, which
// scripts/pytest-versions.sh sets, or python3.
func pythons(t *testing.T) []string {
	t.Helper()
	if list := os.Getenv("ISADIFF_TEST_PYTESTS"); list != "" {
		return filepath.SplitList(list)
	}
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import pytest").Run() != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3 with pytest is needed; run the tests by scripts/pytest.sh")
		}
		t.Skip("python3 with pytest is not installed")
	}
	return []string{python}
}

// eachPython runs a test with each interpreter.
func eachPython(t *testing.T, test func(t *testing.T, python string)) {
	for _, python := range pythons(t) {
		version, err := exec.Command(python, "-c", "import pytest; print(pytest.__version__, end='')").Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			test(t, python)
		})
	}
}

// kernelsPy has kernels whose assembly is "small" or "large", as the file SIZES of their
// line says: large is worse.
const kernelsPy = `import pathlib
import flydsl.compiler as flyc

def size(name):
    return dict(line.split() for line in pathlib.Path(__file__).with_name("SIZES").read_text().splitlines()).get(name, "small")

def build(cols=1, name="window"):
    @flyc.kernel
    def window_filter():
        return flyc.Kernel(size(f"{name}{cols}"))
    return window_filter
`

// newPytest makes a project of files.
func newPytest(t *testing.T, python string, files map[string]string) *pytestProject {
	t.Helper()
	root := repository(t)
	assembly := t.TempDir()
	for name, side := range map[string]string{"small": "before", "large": "after"} {
		text, err := os.ReadFile(filepath.Join(root, "testdata", "dumps", "tile-up-spills", "gfx942", side, "window_filter", "window_filter_0", "22_final_isa.s"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(assembly, name+".s"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	binary, err := exec.LookPath("isadiff")
	if err != nil {
		t.Fatal(err)
	}
	p := &pytestProject{t: t, dir: t.TempDir(), python: python}
	path := []string{filepath.Join(root, "cmd", "packaging", "python"), filepath.Join(root, "watch", "capture", "testdata", "fake"), p.dir}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "PYTEST_") && !strings.HasPrefix(entry, "CI=") {
			p.env = append(p.env, entry)
		}
	}
	p.env = append(p.env, "PYTHONPATH="+strings.Join(path, string(filepath.ListSeparator)), "FAKE_ASSEMBLY="+assembly, "PYTHONDONTWRITEBYTECODE=1", "ISADIFF="+binary, "COLUMNS=200")
	p.put("isadiff.toml", "")
	p.put("kernels.py", kernelsPy)
	p.put("SIZES", "")
	for name, text := range files {
		p.put(name, text)
	}
	return p
}

func (p *pytestProject) put(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// run runs pytest and wants its exit status, and words in its output; those that begin
// with ! may not be in it.
func (p *pytestProject) run(exit int, args []string, words ...string) string {
	p.t.Helper()
	cmd := exec.Command(p.python, append([]string{"-m", "pytest", "-p", "isadiff.pytest_plugin"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.CombinedOutput()
	if got := exitOf(p.t, err); got != exit {
		p.t.Fatalf("pytest %q: exit status %d, want %d\n%s", args, got, exit, out)
	}
	for _, word := range words {
		not := strings.HasPrefix(word, "!")
		if strings.Contains(string(out), strings.TrimPrefix(word, "!")) == not {
			p.t.Errorf("pytest %q: %q\n%s", args, word, out)
		}
	}
	return string(out)
}

// kernels are the keys of the baseline.
func (p *pytestProject) kernels() []string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, ".isadiff", "baseline.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	var baseline struct{ Kernels map[string]any }
	if err := json.Unmarshal(text, &baseline); err != nil {
		p.t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(baseline.Kernels))
}

const twoTests = `import pytest
from kernels import build

@pytest.mark.parametrize("cols", [1, 2, 3])
def test_window(cols):
    print("the test says", cols)
    build(cols)()

def test_host():
    pass
`

const otherTest = "from kernels import build\n\ndef test_other():\n    build(4)()\n"

var isadiffFlag = []string{"--isadiff"}

func with(args ...string) []string { return append(slices.Clone(isadiffFlag), args...) }

// The way from no baseline to a test that fails for a kernel that got worse.
func TestPytest(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		p := newPytest(t, python, map[string]string{"tests/test_w.py": twoTests})
		p.run(0, nil, "!isadiff")
		if _, err := os.Stat(filepath.Join(p.dir, ".isadiff")); err == nil {
			t.Error("without its option the plugin writes")
		}
		p.run(4, []string{"--isadiff-update"}, "give --isadiff as well")
		p.run(2, with("tests"), "isadiff: no baseline to compare with", "[input-not-found]", "hint: take it before the change: pytest --isadiff --isadiff-update",
			"ERROR isadiff - NOT TRUSTWORTHY", "RESULT: NOT TRUSTWORTHY", "4 passed, 1 error")
		p.run(0, with("--isadiff-update"), "3 kernels in ", "RESULT: OK", "4 passed")
		p.run(0, with(), "isadiff: compared with .isadiff/baseline.json (3 kernels)", "compared 3 of 3 kernels; 3 unchanged", "report: .isadiff/pytest/report.html", "RESULT: OK", "!partial")

		p.put("SIZES", "window2 large\n")
		const figures = "window_filter_0::window_filter_0: vgpr_spill 0 -> 136 (+136), scratch_bytes 0 -> 276 (+276), vgpr 88 -> 127 (+39)"
		out := p.run(1, with("--junitxml=junit.xml"), "1 failed, 3 passed", "FAILED tests/test_w.py::test_window[2] - isadiff: got worse: "+figures, figures,
			"at kernels.py:9", "why: spill stores and reloads 0 -> 67", "RESULT: REGRESSION", "!NOT TRUSTWORTHY", "!instructions an iteration",
			"the test says 2", "![flydsl.compile]")
		if n := strings.Count(out, figures); n != 3 { // the test, the section, the summary
			t.Errorf("the figures are told %d times:\n%s", n, out)
		}
		for _, name := range []string{"report.html", "report.json"} {
			if text, err := os.ReadFile(filepath.Join(p.dir, ".isadiff", "pytest", name)); err != nil || !bytes.Contains(text, []byte("RESULT: REGRESSION")) && !bytes.Contains(text, []byte("REGRESSION")) {
				t.Errorf("%s: %v", name, err)
			}
		}
		wantJUnit(t, filepath.Join(p.dir, "junit.xml"))
		p.run(1, with("--isadiff-why", "--lf", "--tb=line"), "loop at .LBB0_2: 330 -> 1292 instructions an iteration", "a partial run (--lf): 2 of 3 kernels of the baseline",
			"kernels.py:9: isadiff: got worse: ")
		p.run(1, with("-x"), "1 failed, 1 passed", "a partial run (stopped early): 1 of 3 kernels", "RESULT: REGRESSION")
		p.run(0, []string{"--isadiff=report"}, "RESULT: REGRESSION", "4 passed", "!failed")

		// The growth is meant.
		p.run(0, with("--isadiff-update"), "vgpr", "RESULT: OK", "the old baseline is kept in ")
		p.run(0, with(), "3 unchanged", "RESULT: OK")
	})
}

// wantJUnit looks for what pytest's report tells of a regression.
func wantJUnit(t *testing.T, path string) {
	t.Helper()
	type property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	var all struct {
		Suite struct {
			Properties []property `xml:"properties>property"`
			Cases      []struct {
				Name       string     `xml:"name,attr"`
				Properties []property `xml:"properties>property"`
				Failure    struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if want := (property{"isadiff-verdict", "REGRESSION"}); !slices.Contains(all.Suite.Properties, want) {
		t.Errorf("the suite lacks %v:\n%s", want, text)
	}
	for _, c := range all.Suite.Cases {
		worse := slices.Contains(c.Properties, property{"isadiff-verdict", "REGRESSION"})
		compiled := slices.Contains(c.Properties, property{"isadiff-kernels", "1"})
		if want := c.Name == "test_window[2]"; worse != want || want != strings.Contains(c.Failure.Message, "isadiff: got worse") || compiled != (c.Name != "test_host") {
			t.Errorf("%s: %v %q", c.Name, c.Properties, c.Failure.Message)
		}
	}
}

// What a part of the tests does not compile is not missing, which is said, and its
// entries of the baseline stay. What all of them do not compile is missing.
func TestPytestParts(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		p := newPytest(t, python, map[string]string{"tests/test_w.py": twoTests, "tests/more/test_o.py": otherTest})
		p.run(0, with("--isadiff-update"))
		all := p.kernels()
		if len(all) != 4 {
			t.Fatal(all)
		}
		for _, args := range [][]string{{"-k", "window"}, {"tests/test_w.py"}, {"tests/test_w.py::test_window"}, {"--ignore=tests/more"}} {
			p.run(0, with(args...), "a partial run (", "): 1 of 4 kernels of the baseline were not to be compiled", "compared 3 of 3 kernels", "RESULT: OK")
		}
		p.run(2, with("-k", "host"), "[capture-empty]", "compiled no kernel", "RESULT: NOT TRUSTWORTHY")
		p.run(2, with("-k", "nothing"), "RESULT: NOT TRUSTWORTHY")
		p.run(0, with("--collect-only"), "!RESULT")

		p.put("SIZES", "window3 large\n")
		p.run(0, with("--isadiff-update", "-k", "3"), "3 kernels of it stayed as they were", "RESULT: OK")
		if got := p.kernels(); !slices.Equal(got, all) {
			t.Errorf("the baseline has %q, want %q", got, all)
		}
		p.run(0, with(), "compared 4 of 4 kernels; 4 unchanged", "RESULT: OK")
		p.put("SIZES", "window4 large\n") // the assembly stayed as well
		p.run(1, with("tests/more"), "why: spill stores and reloads 0 -> 67", "RESULT: REGRESSION")
		p.put("SIZES", "window3 large\n")

		// A new test in a part has the name of a kernel elsewhere, and is not compared with it.
		p.put("tests/test_new.py", "from kernels import build\n\ndef test_new():\n    build(5)()\n")
		p.run(2, with("tests/test_new.py"), "[only-in-after]", "take it into the baseline: pytest --isadiff --isadiff-update", "RESULT: NOT TRUSTWORTHY")
		p.run(0, with("tests/test_new.py", "--isadiff-update"), "4 kernels of it stayed", "5 kernels in")

		// A test that is skipped, and one that is gone.
		p.put("tests/more/test_o.py", "import pytest\n\n@pytest.mark.skip\ndef test_other():\n    pass\n")
		p.run(2, with(), "[only-in-before]", "RESULT: NOT TRUSTWORTHY")
		p.run(0, with("--isadiff-update"), "1 kernel of it stayed")
		p.put("tests/more/test_o.py", "import pytest\n\npytest.importorskip('nothing_of_that_name')\n")
		p.run(2, with(), "[only-in-before]", "RESULT: NOT TRUSTWORTHY")
		p.run(0, with("--isadiff-update"), "1 kernel of it stayed", "5 kernels in")
		if err := os.Remove(filepath.Join(p.dir, "tests", "more", "test_o.py")); err != nil {
			t.Fatal(err)
		}
		p.run(2, with("tests"), "[only-in-before]", "RESULT: NOT TRUSTWORTHY")
		p.run(0, with("tests/test_w.py", "tests/test_new.py"), "a partial run (only a part of the project): 1 of 5")
		p.run(0, with("--isadiff-update"), "ONLY IN BEFORE", "4 kernels in")
		p.run(0, with(), "RESULT: OK")
	})
}

// What keeps the answer from being trusted ends the run with an error of its own, also
// where every test passed.
func TestPytestNotTrustworthy(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		p := newPytest(t, python, map[string]string{"tests/test_w.py": twoTests, "tests/test_o.py": otherTest})
		p.run(0, with("--isadiff-update"))
		baseline := p.kernels()

		// A cache of the program's own: a test may compile nothing.
		p.env = append(p.env, "FAKE_CACHE="+t.TempDir())
		p.put("tests/conftest.py", "import os\n\nos.environ['FLYDSL_RUNTIME_ENABLE_CACHE'] = '1'\n")
		p.run(2, with(), "RESULT: NOT TRUSTWORTHY", "ERROR isadiff - NOT TRUSTWORTHY")
		p.run(2, with(), "[capture-cached]", "it came from a cache", "RESULT: NOT TRUSTWORTHY")
		p.run(2, with("--isadiff-update"), "[capture-cached]", "was not written", "RESULT: NOT TRUSTWORTHY")
		p.put("tests/conftest.py", "")

		// Two kernels of one name in one place: the last is no regression of the first.
		p.put("tests/test_o.py", otherTest+"    open('SIZES', 'w').write('window4 large')\n    build(4)()\n")
		p.run(2, with("-k", "other"), "[capture-overwritten]", "1 passed, 4 deselected, 1 error", "RESULT: NOT TRUSTWORTHY")
		p.put("tests/test_o.py", otherTest)

		p.put("SIZES", "window1 large\nwindow2 large\nwindow3 large\nwindow4 large\n")
		// A regression within tests that fail anyway, are expected to, or skip at last.
		p.put("tests/test_w.py", `import pytest
from kernels import build

@pytest.mark.parametrize("cols", [1, pytest.param(2, marks=pytest.mark.xfail), 3])
def test_window(cols):
    build(cols)()
    if cols == 3:
        pytest.skip("no GPU")
    assert cols == 0
`)
		p.run(1, with(), "4 failed", "assert 1 == 0", "--- isadiff ---", "tests/test_w.py::test_window[2] - isadiff: got worse", "tests/test_w.py::test_window[3] - isadiff: got worse",
			"ended with exit status 1, which is allowed, as 4 compiles ended well", "RESULT: REGRESSION")
		p.put("SIZES", "window1 large\n") // what is of tests that did not pass stays
		p.run(1, with("--isadiff-update"), "RESULT: OK")
		if got := p.kernels(); !slices.Equal(got, baseline) {
			t.Errorf("the baseline has %q, want %q", got, baseline)
		}

		// A run that ends without a word leaves no report, least of all that of the run before.
		report := filepath.Join(p.dir, ".isadiff", "pytest", "report.json")
		if _, err := os.Stat(report); err != nil {
			t.Error(err)
		}
		p.put("tests/test_o.py", otherTest+"    import os\n    os._exit(3)\n")
		p.run(3, with("-k", "other"), "!RESULT")
		if _, err := os.Stat(report); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the report of an earlier run is there: %v", err)
		}

		// A run that is stopped, with an exit status of success.
		p.put("tests/test_o.py", otherTest+"    import pytest\n    pytest.exit('enough', 0)\n")
		p.run(2, with("-k", "other or window"), "stopped and did not run all tests: Exit: enough", "RESULT: NOT TRUSTWORTHY")
		p.run(2, with("--isadiff-update"), "was not written", "RESULT: NOT TRUSTWORTHY")
		if got := p.kernels(); !slices.Equal(got, baseline) {
			t.Errorf("the baseline has %q, want %q", got, baseline)
		}
		p.put("tests/test_o.py", otherTest)

		// A test that fails before it compiles, and a file that is not collected.
		p.put("tests/test_w.py", "def test_window():\n    assert False\n")
		p.run(1, with(), "[capture-failed]", "failed before it had compiled", "1 failed, 1 passed, 1 error", "RESULT: NOT TRUSTWORTHY")
		p.run(1, with("--isadiff-update"), "was not written", "RESULT: NOT TRUSTWORTHY")
		p.put("tests/test_w.py", "import nothing_of_that_name\n")
		p.run(2, with(), "RESULT: NOT TRUSTWORTHY")
		p.run(2, with("--isadiff-update"), "RESULT: NOT TRUSTWORTHY")
	})
}

// A kernel that no test compiled fails the run.
func TestPytestOutsideOfTests(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		p := newPytest(t, python, map[string]string{"test_o.py": otherTest + "\nbuild(7)()\n"})
		p.run(0, with("--isadiff-update"), "2 kernels in")
		p.put("SIZES", "window7 large\n")
		p.run(1, with(), "ERROR isadiff - got worse: kernels.py/cols=7/", "compiled outside of tests", "1 passed, 1 error", "RESULT: REGRESSION")
	})
}

// The commands of the page do what it says, in its order.
func TestPytestPage(t *testing.T) {
	t.Parallel()
	python := pythons(t)[0]
	page, err := os.ReadFile(filepath.Join(repository(t), "docs", "use", "pytest.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPytest(t, python, map[string]string{"tests/kernels/test_window.py": twoTests, "tests/kernels/test_softmax.py": "from kernels import build\n\ndef test_softmax():\n    build(4)()\n"})
	ran := 0
	for line := range strings.Lines(string(page)) {
		variables, command, found := strings.Cut(strings.TrimSpace(line), "pytest --isadiff")
		if !found || strings.Contains(variables, "`") || strings.Contains(command, "-n ") && exec.Command(python, "-c", "import xdist").Run() != nil {
			continue
		}
		ran++
		env := p.env
		p.env = append(slices.Clip(env), strings.Fields(variables)...)
		p.run(0, with(strings.Fields(command)...), "RESULT: OK")
		p.env = env
	}
	if ran < 7 {
		t.Errorf("%d commands ran", ran)
	}
}

// Within a capture, the plugin leaves it to that.
func TestPytestWithinCapture(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		p := newPytest(t, python, map[string]string{"test_o.py": otherTest, "pytest.ini": "[pytest]\naddopts = --isadiff -p isadiff.pytest_plugin\n"})
		cmd := exec.Command("isadiff", "capture", "-o", "dumps", "--", python, "-m", "pytest")
		cmd.Dir, cmd.Env = p.dir, p.env
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("isadiff: left to the capture that runs this")) || !bytes.Contains(out, []byte("captured 1 compile")) {
			t.Fatalf("%v\n%s", err, out)
		}
		if out, err := exec.Command("isadiff", "snapshot", filepath.Join(p.dir, "dumps"), "-o", filepath.Join(p.dir, "base.json")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		// The keys are the same, so the baseline of the one serves the other.
		p.run(0, []string{"--isadiff-baseline", "base.json"}, "compared with base.json (1 kernel)", "compared 1 of 1 kernels; 1 unchanged", "RESULT: OK")
	})
}

// With pytest-xdist, tests in several workers are one run.
func TestPytestWorkers(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		if exec.Command(python, "-c", "import xdist").Run() != nil {
			if os.Getenv("ISADIFF_TEST_PYTESTS") != "" { // the run that is to have it
				t.Fatal("pytest-xdist is needed; run the tests by scripts/pytest-versions.sh")
			}
			t.Skip("pytest-xdist is not installed; make test-pytest runs this with it")
		}
		p := newPytest(t, python, map[string]string{"tests/test_w.py": twoTests, "tests/test_o.py": otherTest})
		p.run(0, with("-n2", "--isadiff-update"), "4 kernels in", "RESULT: OK")
		p.run(0, with(), "compared 4 of 4 kernels; 4 unchanged", "RESULT: OK")
		p.put("SIZES", "window2 large\n")
		p.run(1, with("-n2", "--junitxml=junit.xml", "-k", "window or host"), "FAILED tests/test_w.py::test_window[2] - isadiff: got worse", "a partial run (-k window or host): 1 of 4", "1 failed, 3 passed", "RESULT: REGRESSION")
		wantJUnit(t, filepath.Join(p.dir, "junit.xml"))
	})
}

// A binary that is of another version, that is gone, that ends: never OK.
func TestPytestBinary(t *testing.T) {
	python := pythons(t)[0]
	for _, c := range []struct {
		name, script string
		exit         int
		words        []string
	}{
		{"another version", "print('{\"protocol\": 99, \"version\": \"9.9\"}', flush=True)", 4, []string{"is of another version (9.9) than this plugin"}},
		{"an error", "import sys\nsys.exit('error: [run-under-way] x')", 4, []string{"isadiff: error: [run-under-way] x"}},
		{"its end", "import json, os, tempfile\nd = tempfile.mkdtemp()\nopen(d + '/isadiff_capture.py', 'w').write('def install(): pass\\ndef node_directory(n): return \"d\"\\ndef component(t): return t\\ndef inside(p, r): return False\\n')\n" +
			"open(d + '/isadiff_pytest.py', 'w').write('def node(i): return \"\"\\n')\nprint(json.dumps({'protocol': 1, 'version': '', 'environment': {}, 'unset': [], 'hook': d, 'root': d, 'dumps': d, 'heading': 'x'}), flush=True)\n" +
			"os.write(2, b'panic: it fell')", 2, []string{"panic: it fell", "RESULT: NOT TRUSTWORTHY", "1 passed, 1 error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPytest(t, python, map[string]string{"test_o.py": otherTest, "binary": "#!" + python + "\n" + c.script + "\n"})
			binary := filepath.Join(p.dir, "binary")
			if err := os.Chmod(binary, 0o755); err != nil {
				t.Fatal(err)
			}
			p.env = append(p.env, "ISADIFF="+binary)
			p.run(c.exit, with(), c.words...)
		})
	}
}
