//go:build producers

package realtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lacking ends a test that a tool is missing for: on a person's machine it is
// skipped with the reason, and where CI is set it fails.
func lacking(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// llvm returns the path of a tool of the newest LLVM that has an AMDGPU backend.
// All tools are of one version.
func llvm(t *testing.T, tool string) string {
	t.Helper()
	for version := 24; version >= 20; version-- {
		clang, err := exec.LookPath(fmt.Sprintf("clang-%d", version))
		if err != nil {
			continue
		}
		if tool == "clang" {
			return clang
		}
		if path, err := exec.LookPath(fmt.Sprintf("%s-%d", tool, version)); err == nil {
			return path
		}
	}
	lacking(t, "there is no %s of LLVM 20 or later; run make test-producers as root, or install clang and llvm", tool)
	return ""
}

// python returns the interpreter that has Triton.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TRITON_PYTHON")
	if path == "" {
		lacking(t, "TRITON_PYTHON names no Python with Triton; run make test-producers")
	}
	return path
}

// binary returns the built isadiff.
func binary(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../bin/isadiff")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("isadiff is not built: %v; run make build", err)
	}
	return path
}

// testdata returns the path of a file of the repository's test data.
func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../../testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a command that must succeed and returns what it says.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
	return string(out)
}

// isadiff runs the built binary and returns what it says and its exit code.
func isadiff(t *testing.T, dir string, args ...string) (out string, exit int) {
	t.Helper()
	c := exec.Command(binary(t), args...)
	c.Dir = dir
	text, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// edit replaces a piece of a file that occurs in it once.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), old) != 1 {
		t.Fatalf("%s: %q does not stand in it once", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// copyFile copies a file of the test data into a directory.
func copyFile(t *testing.T, name, dir string) string {
	t.Helper()
	text, err := os.ReadFile(testdata(t, name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
