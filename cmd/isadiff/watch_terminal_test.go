//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// A seat is a person at a terminal with a running watch.
type seat struct {
	t        *testing.T
	cmd      *exec.Cmd
	keyboard *os.File // what is typed goes here, what is shown comes from here
	terminal *os.File
	cooked   *term.State // how the terminal was before
	shown    bytes.Buffer
	output   chan []byte
}

// sit starts `isadiff watch` on a terminal of 100 columns.
func sit(t *testing.T, dir string, args ...string) *seat {
	t.Helper()
	return sitAt(t, dir, append([]string{"isadiff", "watch"}, args...)...)
}

// sitAt starts a command on a terminal of 100 columns.
func sitAt(t *testing.T, dir string, command ...string) *seat {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no pseudo terminal here: %v", err)
	}
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	s := &seat{t: t, keyboard: keyboard, terminal: terminal, output: make(chan []byte, 1000)}
	if s.cooked, err = term.GetState(int(terminal.Fd())); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Dir, s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = dir, terminal, terminal, terminal
	s.cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		terminal.Close()
		keyboard.Close()
	})
	go func() {
		for {
			buf := make([]byte, 4096)
			n, err := keyboard.Read(buf)
			if n > 0 {
				s.output <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// see waits until text is shown, and forgets what came before it.
func (s *seat) see(text string) (before string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for {
		if all := s.shown.String(); strings.Contains(all, text) {
			before, after, _ := strings.Cut(all, text)
			s.shown.Reset()
			s.shown.WriteString(after)
			return before
		}
		select {
		case part := <-s.output:
			s.shown.Write(part)
		case <-ctx.Done():
			s.t.Fatalf("never shown: %q; shown: %q", text, s.shown.String())
		}
	}
}

func (s *seat) press(key string) {
	s.t.Helper()
	if _, err := s.keyboard.WriteString(key); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end, and checks the exit code and that the terminal is as
// it was.
func (s *seat) ends(want int) {
	s.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	for {
		select {
		case <-s.output: // so that it can write to its end
		case err := <-ended:
			if got := exitOf(s.t, err); got != want {
				s.t.Errorf("ended with %d, want %d", got, want)
			}
			s.restored("at the end")
			return
		}
	}
}

func (s *seat) restored(when string) {
	s.t.Helper()
	now, err := term.GetState(int(s.terminal.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if !reflect.DeepEqual(now, s.cooked) {
		s.t.Errorf("%s the terminal is not as it was", when)
	}
}

// desk makes a project whose dumps are worse than its baseline.
func desk(t *testing.T) string {
	dir := t.TempDir()
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "before"))
	tree(t, "tile-up-spills/gfx942/after", filepath.Join(dir, "dumps"))
	if err := os.WriteFile(filepath.Join(dir, "isadiff.toml"), []byte("dumps = \"dumps\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("isadiff", "snapshot", "before")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func TestWatchKeys(t *testing.T) {
	dir := desk(t)
	s := sit(t, dir)
	s.see("RESULT: REGRESSION\r\n")
	s.see("REGRESSION  compared 1 of 1 kernel") // the status line

	s.press("?")
	s.see("q quit; the exit code is the verdict")

	s.press("p")
	s.see("PAUSED  REGRESSION")
	replace(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "dumps"))
	if shown := s.see("PAUSED  OK"); strings.Contains(shown, "RESULT:") {
		t.Errorf("a block while paused: %q", shown)
	}
	s.press("p")
	s.see("RESULT: OK\r\n")

	s.press("r")
	s.see("read again\r\n")

	s.press("c")
	s.see("\x1b[2J\x1b[H")

	replace(t, "tile-up-spills/gfx942/after", filepath.Join(dir, "dumps"))
	s.see("RESULT: REGRESSION\r\n")
	s.press("b")
	s.see("1 kernel in ")
	s.see("OK  compared 1 of 1 kernel")

	s.press("q")
	s.ends(0)
	if _, err := os.Stat(filepath.Join(dir, ".isadiff", "baseline.previous.json")); err != nil {
		t.Errorf("the old baseline was not kept: %v", err)
	}
}

// Every way out leaves the terminal as it was, and the verdict as exit code.
func TestWatchLeavesTheTerminal(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*seat){
		"q":       func(s *seat) { s.press("q") },
		"ctrl-C":  func(s *seat) { s.press("\x03") },
		"SIGINT":  func(s *seat) { s.cmd.Process.Signal(syscall.SIGINT) },
		"SIGTERM": func(s *seat) { s.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(s *seat) { s.cmd.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, desk(t))
			s.see("REGRESSION  compared 1 of 1 kernel")
			leave(s)
			s.see("\r\x1b[KRESULT: REGRESSION")
			s.ends(1)
		})
	}
}

// A trace that is asked for is shown on a terminal that is as it was.
func TestWatchTraces(t *testing.T) {
	s := sit(t, desk(t))
	s.see("REGRESSION  compared 1 of 1 kernel")
	s.cmd.Process.Signal(syscall.SIGQUIT)
	s.see("\r\x1b[KSIGQUIT: quit\r\n")
	s.ends(2)
}

// Stopped, it gives the terminal back to the shell, and takes it again when it
// goes on. A script around it stops as well.
func TestWatchStops(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no shell with job control here: %v", err)
	}
	const alone = "sh -c 'echo PID $$; exec isadiff watch'"
	for name, tt := range map[string]struct {
		job   string
		stop  func(s *seat, pid int)
		gives bool // the terminal back
	}{
		"ctrl-Z":             {alone, func(s *seat, _ int) { s.press("\x1a") }, true},
		"ctrl-Z in a script": {"sh -c 'isadiff watch; exit $?'", func(s *seat, _ int) { s.press("\x1a") }, true},
		// Whatever hears a SIGTSTP does with it what it likes, and when.
		"ctrl-Z in a script that hears it": {"sh -c 'trap : TSTP; isadiff watch; exit $?'", func(s *seat, _ int) { s.press("\x1a") }, true},
		"SIGTSTP":                          {alone, func(s *seat, pid int) { syscall.Kill(pid, syscall.SIGTSTP) }, true},
		"SIGSTOP":                          {alone, func(s *seat, pid int) { syscall.Kill(pid, syscall.SIGSTOP) }, false}, // which nobody hears
	} {
		t.Run(name, func(t *testing.T) {
			s := sitAt(t, desk(t), bash, "-c", "set -m; "+tt.job+"; echo STOPPED; read -r; fg; exit $?")
			shown := s.see("REGRESSION  compared 1 of 1 kernel")
			pid := 0
			if _, of, ok := strings.Cut(shown, "PID "); ok {
				fmt.Sscan(of, &pid)
			}
			tt.stop(s, pid)
			s.see("STOPPED")
			if tt.gives {
				s.restored("while it is stopped")
			}
			s.press("\r\n")                             // of which one ends a line
			s.see("REGRESSION  compared 1 of 1 kernel") // drawn again
			s.press("q")                                // heard without a new line
			if got := exitOf(t, s.cmd.Wait()); got != 1 {
				t.Errorf("ended with %d", got)
			}
			if tt.gives {
				s.restored("at the end")
			}
		})
	}
}

// Where no shell could let it go on, a stop has no effect.
func TestWatchDoesNotHang(t *testing.T) {
	for name, stop := range map[string]func(*seat){
		"ctrl-Z":  func(s *seat) { s.press("\x1a") },
		"SIGTSTP": func(s *seat) { s.cmd.Process.Signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, desk(t))
			s.see("REGRESSION  compared 1 of 1 kernel")
			stop(s)
			s.see("REGRESSION  compared 1 of 1 kernel") // drawn again
			s.press("q")
			s.ends(1)
		})
	}
}

// An arrow key is no command, although it ends with the letter of one.
func TestWatchArrowKeys(t *testing.T) {
	s := sit(t, desk(t))
	s.see("REGRESSION  compared 1 of 1 kernel")
	s.press("\x1b[B\x1bOB\x1b[C\x1bOQ")
	s.press("?")
	if shown := s.see("q quit"); strings.Contains(shown, "kernel in") || strings.Contains(shown, "\x1b[2J") {
		t.Errorf("after arrows: %q", shown)
	}
	s.press("q")
	s.ends(1)
}

// A changed configuration counts at once, and what is wrong with it is said.
func TestWatchReconfigured(t *testing.T) {
	dir := desk(t)
	s := sit(t, dir)
	s.see("REGRESSION  compared 1 of 1 kernel")
	if err := os.WriteFile(filepath.Join(dir, "isadiff.toml"), []byte("dumps = \"before\"\nhoover = 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s.see("\r\x1b[Kwarning: isadiff.toml:2: unknown key \"hoover\"")
	s.see("the configuration has changed: everything is read again\r\n")
	s.see("compared 1 of 1 kernel; none worsened or improved\r\n")
	if err := os.WriteFile(filepath.Join(dir, "isadiff.toml"), []byte("dumps = \"before\"\nbugets = 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s.see("[budget-invalid] isadiff.toml:2: unknown key \"bugets\"")
	s.press("q")
	s.ends(2) // a limit may be lost
}

// What is wrong with a configuration that still compares the same is said, too,
// once, and the status line stands below it. Where a key that decides has no usable
// value, what is shown stays, marked.
func TestWatchReconfiguredInVain(t *testing.T) {
	dir := desk(t)
	s := sit(t, dir)
	s.see("REGRESSION  compared 1 of 1 kernel")
	for _, text := range []string{"dumps = \"dumps\"\nkernles = \"*\"\n", "dumps = \"dumps\"\nkernles = \"*\"\nkernels = 3\n"} {
		file := filepath.Join(dir, "isadiff.toml") // put there whole: an empty one compares other things
		if err := os.WriteFile(file+".new", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		s.see("\r\x1b[Kwarning: isadiff.toml:2: unknown key \"kernles\"")
	}
	s.see("[configuration-invalid] isadiff.toml:3: kernels is 3")
	if shown := s.see("\r\x1b[KNOT TRUSTWORTHY (configuration-invalid)  compared 1 of 1 kernel"); strings.Contains(shown, "read again") {
		t.Errorf("the same is compared, but: %q", shown)
	}
	s.press("q")
	s.ends(2)
}

// The status line is cut to the terminal, and follows it to another size.
func TestWatchStatusLineFits(t *testing.T) {
	s := sit(t, desk(t))
	s.see("REGRESSION  compared 1 of 1 kernel")
	s.see("[q]uit")
	if err := pty.Setsize(s.terminal, &pty.Winsize{Rows: 30, Cols: 30}); err != nil {
		t.Fatal(err)
	}
	s.see("\r\x1b[KREGRESSION  compared 1 of ...")
	s.press("q")
	s.ends(1)
}

// A terminal that says it can do nothing gets lines alone.
func TestWatchDumbTerminal(t *testing.T) {
	dir := desk(t)
	s := sit(t, dir, "--json")
	s.see(`"verdict":"RESULT: REGRESSION"`)
	s.cmd.Process.Signal(os.Interrupt)
	if rest := s.see("RESULT: REGRESSION\r\n"); strings.Contains(rest, "\x1b") {
		t.Errorf("an escape beside JSON: %q", rest)
	}
	s.ends(1)
}
