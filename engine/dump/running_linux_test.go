package dump

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A run that is under way is not taken for one that was killed by who has no more
// files to open: its file stays.
func TestTakeWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	h, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.End()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	probe, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	next := probe.Fd()
	probe.Close()
	none := was
	none.Cur = uint64(next)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Skip(err)
	}
	again, err := Take(dir)
	left := removeLeft(filepath.Join(dir, RunningName))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if again != nil || !errors.Is(err, syscall.EMFILE) || !errors.Is(left, syscall.EMFILE) {
		t.Errorf("%v, %v, %v", again, err, left)
	}
	if _, ok := Running(dir); !ok {
		t.Error("the run is no longer seen")
	}
}
