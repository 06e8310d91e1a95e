package atomicfile

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain makes the test binary stand for a process that holds a lock until it is
// killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("ISADIFF_TEST_HOLD"); path != "" {
		unlock, err := Lock(path)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed; a process that only sleeps is ended by its runtime
		unlock()
	}
	os.Exit(m.Run())
}

func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range list {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// No change of many at once is lost, and nothing but the file remains.
func TestLockKeepsChangesApart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "count")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		link = path
	}
	const writers, rounds = 8, 20
	var all sync.WaitGroup
	for i := range writers {
		name := path
		if i%2 == 0 {
			name = link
		}
		all.Go(func() {
			for range rounds {
				unlock, err := Lock(name)
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := os.ReadFile(path)
				n, _ := strconv.Atoi(string(text))
				if err := os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o666); err != nil {
					t.Error(err)
				}
				unlock()
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(path); string(text) != strconv.Itoa(writers*rounds) {
		t.Errorf("%s of %d changes are left (%v)", text, writers*rounds, err)
	}
	if got := names(t, dir); got != "count" && runtime.GOOS != "windows" {
		t.Errorf("left in the directory: %s", got)
	}
}

// Who waits for too long is told for what; the lock of a process that was killed
// holds nobody up.
func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), "ISADIFF_TEST_HOLD="+path)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process says %q", line)
	}
	if _, err := lock(path, 30*time.Millisecond); err == nil || !strings.Contains(err.Error(), lockName(path)) {
		t.Errorf("a lock that another process holds: %v", err)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	unlock, err := Lock(path)
	if err != nil {
		t.Fatalf("the lock of a process that was killed: %v", err)
	}
	unlock()
}

func TestLockRefusals(t *testing.T) {
	dir := t.TempDir()
	if _, err := Lock(dir); err == nil {
		t.Error("a directory was locked")
	}
	if _, err := Lock(filepath.Join(dir, "no", "f")); err == nil {
		t.Error("a file of a missing directory was locked")
	}
	if runtime.GOOS == "windows" {
		return
	}
	// A link in the place of the lock file makes no file elsewhere.
	path, elsewhere := filepath.Join(dir, "f"), filepath.Join(t.TempDir(), "made")
	if err := os.Symlink(elsewhere, lockName(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); err == nil {
		t.Error("a link was followed to the lock")
	}
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("a file was made where a link leads")
	}
	unlock, err := Lock("/dev/null")
	if err != nil {
		t.Fatalf("what is written to needs no lock: %v", err)
	}
	unlock()
}
