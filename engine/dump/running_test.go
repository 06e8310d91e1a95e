package dump

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"isadiff/engine/problem"
)

// TestRunning: a run is seen by everybody who looks, however many do, until it ends or
// is killed; another one does not begin meanwhile.
func TestRunning(t *testing.T) {
	dir := t.TempDir()
	if _, ok := Running(dir); ok {
		t.Error("a run before there is one")
	}
	for range 2 {
		h, err := Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		since, ok := Running(dir)
		again, still := Running(dir)
		if info, err := os.Stat(filepath.Join(dir, RunningName)); err != nil || !ok || !still || !since.Equal(again) || !since.Equal(info.ModTime()) {
			t.Errorf("%v since %v, %v since %v: %v", ok, since, still, again, err)
		}
		if _, err := Take(dir); !errors.Is(err, ErrHeld) {
			t.Errorf("another run: %v", err)
		}
		if _, ok := Running(dir); !ok {
			t.Error("who was refused has ended the run")
		}
		h.End()
		if _, ok := Running(dir); ok || exists(filepath.Join(dir, RunningName)) {
			t.Error("a run after its end")
		}
		// What a killed one leaves is no run, and keeps nobody off.
		write(t, filepath.Join(dir, RunningName), nil)
		if _, ok := Running(dir); ok {
			t.Error("a file that nobody holds is a run")
		}
	}
	if err := os.Remove(filepath.Join(dir, RunningName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, RunningName), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(dir); err == nil {
		t.Error("a directory of that name is held")
	}
	if _, ok := Running(dir); ok {
		t.Error("a directory of that name is a run")
	}
}

// TestReadDuringRun: nothing of a directory that a run compiles into is trusted, nor of
// a part of it or of what holds it; a run that was killed is a capture that did not
// end, and where nothing but its lock file is left it is nothing.
func TestReadDuringRun(t *testing.T) {
	text, err := os.ReadFile("../../testdata/dumps/base/gfx950/transpose/transpose_static_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	root := filepath.Join(top, "dumps")
	write(t, filepath.Join(root, "k", "22_final_isa.s"), text)
	lock := flock.New(filepath.Join(root, RunningName))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	check := func(what string, codes ...problem.Code) {
		t.Helper()
		for _, dir := range []string{root, filepath.Join(root, "k"), top} {
			side := Read(context.Background(), dir, Options{})
			if got := problem.Codes(side.Problems); len(side.Records) != 1 || len(got) != len(codes) || len(codes) > 0 && got[0] != codes[0] {
				t.Errorf("%s, %s: %d kernels, problems %v", what, dir, len(side.Records), side.Problems)
			}
		}
	}
	check("a run", problem.RunUnderWay)
	write(t, filepath.Join(root, IncompleteName), []byte("it was begun\n"))
	check("a capture", problem.RunUnderWay)
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	check("a killed capture", problem.CaptureIncomplete)
	if err := os.Remove(filepath.Join(root, IncompleteName)); err != nil {
		t.Fatal(err)
	}
	check("a killed run in a directory of the user")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
