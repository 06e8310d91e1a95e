package capture

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
)

// While its command runs a directory says so, whoever it belongs to, and no longer
// after that; what the command writes is not older than the time that is told.
func TestDirectoryIsHeldWhileItRuns(t *testing.T) {
	for name, o := range map[string]struct{ live, own bool }{
		"a capture": {false, false}, "a live one": {true, false}, "a live one of the user's": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "dumps")
			if o.own {
				write(t, filepath.Join(out, "old_0", "22_final_isa.s"), "mine")
			}
			w := newWork(t, map[string]string{"k.py": "import os, sys\nd = sys.argv[1]\n" +
				"open(os.path.join(d, 'seen'), 'w').write(repr(sorted(n for n in os.listdir(d) if n.startswith('.isadiff'))))\n"})
			opt := w.options(out, &bytes.Buffer{}, "k.py", out)
			opt.Live = o.live
			var since time.Time
			opt.Began = func(at time.Time) {
				since = at
				if _, ok := dump.Running(out); !ok {
					t.Error("it does not run")
				}
				if _, err := dump.Take(out); !errors.Is(err, dump.ErrHeld) {
					t.Errorf("another run begins: %v", err)
				}
			}
			if _, err := Run(t.Context(), opt); err != nil {
				t.Fatal(err)
			}
			want := "['.isadiff-incomplete', '.isadiff-running']"
			if o.own {
				want = "['.isadiff-running']"
			}
			seen, err := os.ReadFile(filepath.Join(out, "seen"))
			if string(seen) != want || err != nil {
				t.Errorf("while it ran there were %s, %v", seen, err)
			}
			if info, err := os.Stat(filepath.Join(out, "seen")); err != nil || info.ModTime().Before(since) {
				t.Errorf("written before %v: %v", since, err)
			}
			if _, err := os.Stat(filepath.Join(out, dump.RunningName)); err == nil {
				t.Error("it runs after its end")
			}
		})
	}
}

// A directory in which nothing is but the file of a run that was killed belongs to
// isadiff as an empty one does; one with something else in it does not.
func TestFileOfAKilledRunOwnsNothing(t *testing.T) {
	w := newWork(t, map[string]string{"k.py": "print()"})
	out := t.TempDir()
	write(t, filepath.Join(out, dump.RunningName), "")
	if _, err := Run(t.Context(), w.options(out, &bytes.Buffer{}, "k.py")); err != nil {
		t.Errorf("an empty one: %v", err)
	}
	out = t.TempDir()
	write(t, filepath.Join(out, dump.RunningName), "")
	write(t, filepath.Join(out, "mine"), "")
	_, err := Run(t.Context(), w.options(out, &bytes.Buffer{}, "k.py"))
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != problem.CaptureNotFresh {
		t.Errorf("one of the user: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "mine")); err != nil {
		t.Error(err)
	}
}

// A live run waits for the one that is there, a capture is refused.
func TestTwoRunsInOneDirectory(t *testing.T) {
	w := newWork(t, map[string]string{"k.py": "print()"})
	out := t.TempDir()
	other, err := dump.Take(out)
	if err != nil {
		t.Fatal(err)
	}
	opt := w.options(out, &bytes.Buffer{}, "k.py")
	_, err = Run(t.Context(), opt)
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != problem.RunUnderWay {
		t.Errorf("a capture: %v", err)
	}
	opt.Live = true
	var free atomic.Bool
	opt.Began = func(time.Time) {
		if !free.Load() {
			t.Error("a live run does not wait")
		}
	}
	asked, ended := make(chan struct{}), make(chan error)
	go func() {
		close(asked)
		_, err := Run(t.Context(), opt)
		ended <- err
	}()
	<-asked
	free.Store(true)
	other.End()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
