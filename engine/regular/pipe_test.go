//go:build unix

package regular_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// A pipe that nobody writes to is refused at once.
func TestReadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := regular.Read(path); !errors.Is(err, problem.ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
}
