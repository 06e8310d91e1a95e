//go:build unix

package live

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestBaselineIsNoPipe: a pipe in the place of the baseline, or of the one before,
// is neither waited for nor replaced.
func TestBaselineIsNoPipe(t *testing.T) {
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	if _, err := r.SnapshotBaseline(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	path := r.Current().Baseline.Path
	previous := strings.TrimSuffix(path, ".json") + ".previous.json"
	if err := syscall.Mkfifo(previous, 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := r.UndoBaseline(t.Context()); err == nil {
		t.Error("a pipe was put back")
	}
	if _, err := r.SnapshotBaseline(t.Context(), true); err == nil {
		t.Error("the baseline was kept in a pipe")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if _, err := r.SnapshotBaseline(t.Context(), force); err == nil || !strings.Contains(err.Error(), "it is no regular file") {
			t.Errorf("a pipe as baseline, force %v: %v", force, err)
		}
	}
	for _, pipe := range []string{path, previous} {
		if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
			t.Errorf("%s is no pipe any more (%v)", pipe, err)
		}
	}
}
