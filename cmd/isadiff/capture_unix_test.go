//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Interrupted, or with its terminal gone, a capture ends its command, marks the
// directory and exits with 2.
func TestCaptureInterrupted(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("isadiff", "capture", "-o", "out", "--", "sh", "-c", "echo waiting; exec sleep 1000")
			cmd.Dir = dir
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); line != "waiting\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil {
				t.Fatal(err)
			}
			if got := exitOf(t, cmd.Wait()); got != 2 || !strings.HasSuffix(string(rest), "RESULT: NOT TRUSTWORTHY\n") {
				t.Errorf("exit code %d\n%s%s", got, rest, stderr.String())
			}
			if !strings.Contains(stderr.String(), "[capture-interrupted]") {
				t.Errorf("stderr: %s", stderr.String())
			}
			mark, err := os.ReadFile(filepath.Join(dir, "out", ".isadiff-incomplete"))
			if err != nil || !strings.Contains(string(mark), "interrupted") {
				t.Errorf("mark %q, %v", mark, err)
			}
		})
	}
}

// While a capture runs nobody trusts its directory, nor captures into it; killed, it
// leaves a capture that did not end, which the next one replaces.
func TestCaptureUnderWay(t *testing.T) {
	dir := t.TempDir()
	isadiff := func(args ...string) (string, int) {
		cmd := exec.Command("isadiff", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), exitOf(t, err)
	}
	cmd := exec.Command("isadiff", "capture", "-o", "out", "--", "sh", "-c", "echo waiting; exec sleep 1000")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "waiting\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for _, args := range [][]string{{"diff", "out", "out"}, {"summarize", "out"}, {"capture", "-o", "out", "--", "true"}} {
		if text, code := isadiff(args...); code != 2 || !strings.Contains(text, "[run-under-way]") || strings.Contains(text, "[capture-incomplete]") {
			t.Errorf("%q: exit code %d\n%s", args, code, text)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if text, code := isadiff("summarize", "out"); code != 2 || !strings.Contains(text, "[capture-incomplete]") || !strings.Contains(text, "it was killed") || !strings.Contains(text, "hint: capture again; ") || strings.Contains(text, "[run-under-way]") {
		t.Errorf("after its end: exit code %d\n%s", code, text)
	}
	if text, code := isadiff("capture", "-o", "out", "--", "true"); code != 2 || strings.Contains(text, "[run-under-way]") || strings.Contains(text, "[capture-not-fresh]") {
		t.Errorf("again: exit code %d\n%s", code, text)
	}
}

// A comparison that is interrupted leaves no worktree behind.
func TestCompareInterrupted(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("git is not installed")
	}
	dir, temporary := t.TempDir(), t.TempDir()
	script := "test -e after || { mkdir -p \"$FLYDSL_DUMP_DIR/k\"; cp small.s \"$FLYDSL_DUMP_DIR/k/22_final_isa.s\"; exit; }\necho waiting; exec sleep 1000\n"
	before, _ := pair(t)
	text, err := os.ReadFile(filepath.Join(before, "window_filter", "window_filter_0", "22_final_isa.s"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"k.sh": []byte(script), "small.s": text, "after": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "waits in the worktree")
	if err := os.Remove(filepath.Join(dir, "after")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("isadiff", "compare", "HEAD", "--no-cache", "--", "sh", "k.sh")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temporary, "XDG_CACHE_HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "waiting" {
	}
	if got := git("worktree", "list"); strings.Count(got, "\n") != 2 {
		t.Errorf("while it runs: %s", got)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if got := exitOf(t, cmd.Wait()); got != 2 || last != "RESULT: NOT TRUSTWORTHY" {
		t.Errorf("exit code %d, last line %q", got, last)
	}
	if got := git("worktree", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("afterwards: %s", got)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
