//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// On a terminal the demo waits between its steps. Whoever has seen enough
// interrupts it, and nothing is left behind.
func TestDemoInterrupted(t *testing.T) {
	keyboard, terminal, err := pty.Open()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no pseudo terminal here: %v", err)
	}
	defer keyboard.Close()
	dir := t.TempDir()
	cmd := exec.Command("isadiff", "demo", "--pause", "1h")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	defer cmd.Process.Kill()
	shown := bufio.NewScanner(keyboard)
	for shown.Scan() && !strings.Contains(shown.Text(), "RESULT: ") {
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for shown.Scan() {
		if strings.Contains(shown.Text(), "2. ") {
			t.Error("it went on")
		}
	}
	if exit := exitOf(t, cmd.Wait()); exit != 2 {
		t.Errorf("exit %d", exit)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
