package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// exitOf returns the exit code that a finished command ended with.
func exitOf(t *testing.T, err error) int {
	t.Helper()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &failed):
		return failed.ExitCode()
	}
	t.Fatal(err)
	return -1
}

func pair(t *testing.T) (before, after string) {
	dir := filepath.Join(repository(t), "testdata", "dumps", "tile-up-spills", "gfx942")
	return filepath.Join(dir, "before"), filepath.Join(dir, "after")
}

// A reader that goes away before the end, as `| head` does, changes no exit
// code.
func TestClosedPipe(t *testing.T) {
	before, after := pair(t)
	for _, args := range [][]string{{"diff", before, after}, {"diff", before, after, "--json", "-"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := exec.Command("isadiff", args...)
		cmd.Stdout = w
		cmd.Stderr = w
		err = cmd.Run()
		w.Close()
		if got := exitOf(t, err); got != 1 {
			t.Errorf("%v: exit code %d, want 1: %v", args[3:], got, err)
		}
	}
}

// A full disk below stdout is no answer.
func TestFullStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	before, after := pair(t)
	var stderr bytes.Buffer
	cmd := exec.Command("isadiff", "diff", before, after)
	cmd.Stdout, cmd.Stderr = full, &stderr
	if got := exitOf(t, cmd.Run()); got != 2 || !strings.Contains(stderr.String(), "[output-unwritable] the output cannot be written: no space left on device") {
		t.Errorf("exit code %d\n%s", got, stderr.String())
	}
}

// An interrupt ends the run with exit code 2 and the verdict.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by a signal on Windows")
	}
	cmd := exec.Command("isadiff-broken", "wait")
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
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if got := exitOf(t, cmd.Wait()); got != 2 {
		t.Errorf("exit code %d, want 2", got)
	}
	if string(rest) != "RESULT: NOT TRUSTWORTHY\n" || stderr.String() != "error: interrupted; nothing was written\n" {
		t.Errorf("stdout %q, stderr %q", rest, stderr.String())
	}
}
