package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The daily round of the README, with its configuration: each command does what the
// round needs of it. How watch compiles has tests of its own.
func TestDailyRound(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("its commands are those of a POSIX shell")
	}
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import pytest").Run() != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3 with pytest is needed; run the tests by scripts/pytest.sh")
		}
		t.Skip("python3 with pytest is not installed")
	}
	root := repository(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## Daily use\n")
	block := func(kind string) string {
		t.Helper()
		_, text, found := strings.Cut(section, "```"+kind+"\n")
		text, _, ended := strings.Cut(text, "```\n")
		if !found || !ended {
			t.Fatalf("no block of %s", kind)
		}
		return text
	}
	dir, tools := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"isadiff.toml": block("toml"),
		"tests/kernels/test_window.py": `import pytest
import flydsl.compiler as flyc

def build(cols):
    @flyc.jit
    def window(x):
        return flyc.Kernel("small")
    return window

@pytest.mark.parametrize("cols", [1024, 2048])
def test_window(cols):
    build(cols)(0)
    build(cols + 1)(0)
`,
		".gitignore": "__pycache__/\n.pytest_cache/\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	assembly, err := os.ReadFile(filepath.Join(root, "testdata/dumps/tile-up-spills/gfx942/before/window_filter/window_filter_0/22_final_isa.s"))
	if err == nil {
		err = os.WriteFile(filepath.Join(tools, "small.s"), assembly, 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(tools, "python"), []byte("#!/bin/sh\nexec '"+python+"' \"$@\"\n"), 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(command string) string {
		t.Helper()
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		c.Env = append(os.Environ(), "NO_COLOR=1", "FLYDSL_DUMP_DIR=", "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(tools, "cache"),
			"PYTHONPATH="+filepath.Join(root, "watch", "capture", "testdata", "fake"), "FAKE_ASSEMBLY="+tools, "PYTHONDONTWRITEBYTECODE=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	run("git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm base")
	shown := map[string]string{
		"isadiff capture":  "captured 4 compiles",
		"isadiff snapshot": "/.isadiff/baseline.json\nRESULT: OK\n",
		"isadiff diff .isadiff/baseline.json .isadiff/dumps": "compared 4 of 4 kernels; 4 unchanged",
		"isadiff compare HEAD":                               "compared 4 of 4 kernels; 4 unchanged",
	}
	for line := range strings.Lines(block("sh")) {
		command, _, _ := strings.Cut(line, "#")
		command = strings.TrimSpace(command)
		if command == "isadiff watch --compile" {
			continue
		}
		want, known := shown[command]
		if delete(shown, command); !known {
			t.Fatalf("what does %q show?", command)
		}
		if out := run(command); !strings.Contains(out, want) || !strings.HasSuffix(out, "RESULT: OK\n") {
			t.Errorf("%s: not %q:\n%s", command, want, out)
		}
	}
	if len(shown) > 0 {
		t.Errorf("the README does not have %v", shown)
	}
}
