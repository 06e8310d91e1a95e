package capture

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"isadiff/engine/regular"
)

// TestMain makes the test binary stand for a process that works in a temporary folder
// until it is killed.
func TestMain(m *testing.M) {
	if prefix := os.Getenv("ISADIFF_TEST_SCRATCH"); prefix != "" {
		s, err := newScratch(prefix)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.dir)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		s.remove()
	}
	os.Exit(m.Run())
}

// aged makes a folder one of long ago.
func aged(t *testing.T, dir string, age time.Duration) {
	t.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(dir, at, at); err != nil {
		t.Fatal(err)
	}
}

// What a killed process left goes with the next run once it is old. What a living one
// holds stays, whatever its number is here.
func TestTemporaryFoldersOfOthers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const prefix = "isadiff-test-"
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "ISADIFF_TEST_SCRATCH="+prefix)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.StdinPipe(); err != nil { // which stays open
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Process.Kill()
	line, _ := bufio.NewReader(out).ReadString('\n')
	live := filepath.Clean(line[:max(len(line)-1, 0)])
	if !regular.Exists(filepath.Join(live, scratchLock)) {
		t.Fatalf("the other process says %q", line)
	}
	unlocked := filepath.Join(os.TempDir(), prefix+"99999999-1") // as earlier versions named them
	if err := os.Mkdir(unlocked, 0o700); err != nil {
		t.Fatal(err)
	}
	left := func() (list string) {
		s, err := newScratch(prefix)
		if err != nil {
			t.Fatal(err)
		}
		s.remove()
		if regular.Exists(s.dir) {
			t.Errorf("%s is left", s.dir)
		}
		for name, dir := range map[string]string{"live ": live, "unlocked": unlocked} {
			if regular.Exists(dir) {
				list += name
			}
		}
		return list
	}
	is := func(what string, want ...string) {
		t.Helper()
		if got := left(); got != want[0] && got != want[len(want)-1] {
			t.Errorf("%s: left are %q, want %q", what, got, want[0])
		}
	}
	is("new ones", "live unlocked", "unlockedlive ")
	aged(t, live, 30*24*time.Hour)
	aged(t, unlocked, time.Hour)
	is("old ones", "live unlocked", "unlockedlive ")
	aged(t, unlocked, 30*24*time.Hour)
	is("one that nobody ever locked", "live ")
	_ = other.Process.Kill()
	_ = other.Wait()
	aged(t, live, time.Minute)
	is("of a process killed just now", "live ")
	aged(t, live, time.Hour)
	is("of a killed process", "")
}

// What a killed comparison left behind goes with the next one, also what git knows.
func TestCompareAfterKill(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := newHistory(t, map[string]string{"k.py": kernel("small")})
	left, err := newScratch(worktreePrefix)
	if err != nil {
		t.Fatal(err)
	}
	h.git("worktree", "add", "--detach", "-q", filepath.Join(left.dir, "x"))
	_ = left.lock.Close() // as the system does
	aged(t, left.dir, time.Hour)
	c, err := h.compare(h.options("HEAD", "k.py"))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if entries, err := os.ReadDir(os.TempDir()); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
