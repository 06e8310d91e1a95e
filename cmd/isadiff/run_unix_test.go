//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A runs is a project whose compile copies five kernels, and waits after each of them
// where there is a named pipe.
type runs struct {
	t   *testing.T
	dir string
}

func newRuns(t *testing.T) runs {
	t.Helper()
	r := runs{t, t.TempDir()}
	dumps := filepath.Join(repository(t), "testdata", "dumps", "base", "gfx942")
	script := "cd '" + dumps + "'\nfor k in rowwise_softmax/softmax_rows_0 quantizer/quantize_0 rowwise_scale/scale_kernel_0 transpose/transpose_static_0 window_filter/window_filter_0; do\n" +
		"  mkdir -p \"$FLYDSL_DUMP_DIR/$k\"\n  cp $k/00_origin.mlir $k/22_final_isa.s \"$FLYDSL_DUMP_DIR/$k/\"\n" +
		"  test ! -e '" + r.dir + "/pipe' || cat '" + r.dir + "/pipe'\ndone\n"
	if err := os.WriteFile(filepath.Join(r.dir, "k.sh"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"capture", "-o", "dumps", "--", "sh", "k.sh"}, {"snapshot", "dumps", "-o", "base.json"}} {
		cmd := exec.Command("isadiff", args...)
		cmd.Dir = r.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	return r
}

// capture captures anew, and ends with the test.
func (r runs) capture() *exec.Cmd {
	r.t.Helper()
	cmd := exec.Command("isadiff", "capture", "-o", "dumps", "--", "sh", "k.sh")
	cmd.Dir = r.dir
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		// The shell outlives a capture that is killed: it shall not wait any more.
		pipe := filepath.Join(r.dir, "pipe")
		if f, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			os.Remove(pipe)
			f.Close()
		}
	})
	return cmd
}

func (r runs) goOn() {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "pipe"), nil, 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// A runLine is what the tests of runs look at in a line of `watch --json`.
type runLine struct {
	ExitCode int                     `json:"exit_code"`
	Problems []struct{ Code string } `json:"problem_codes"`
	Run      *struct{ Compiled, Known int }
}

// While a capture runs beside it, no line of a watch is OK, what was compiled counts
// up, and the verdict comes with its end; also for a watch that begins in the middle.
// A capture that is killed is one that did not end.
func TestWatchDuringCapture(t *testing.T) {
	for _, args := range [][]string{{"--json"}, {"--json", "--poll"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			r := newRuns(t)
			args := append(args, "dumps", "--baseline", "base.json")
			var seen []runLine
			until := func(w *watching, what string, fits func(runLine) bool) {
				t.Helper()
				for {
					var line runLine
					if text := w.next(); json.Unmarshal([]byte(text), &line) != nil {
						t.Fatalf("%.300s", text)
					}
					seen = append(seen, line)
					if fits(line) {
						return
					}
				}
			}
			ok := func(l runLine) bool { return l.Run == nil && l.ExitCode == 0 }
			w := startWatch(t, r.dir, args...)
			until(w, "OK", ok)
			seen = nil
			c := r.capture()
			for i := range 5 {
				until(w, fmt.Sprint(i+1), func(l runLine) bool { return l.Run != nil && l.Run.Compiled == i+1 })
				if i == 2 {
					late := startWatch(t, r.dir, args...)
					until(late, "in the middle", func(l runLine) bool { return l.Run != nil && l.Run.Compiled == i+1 && l.Run.Known == 5 })
				}
				r.goOn()
			}
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			until(w, "OK again", ok)
			compiled := 0
			for i, l := range seen[:len(seen)-1] {
				if l.Run == nil || l.ExitCode != 2 || l.Run.Compiled < compiled || l.Run.Known != 5 ||
					!slices.ContainsFunc(l.Problems, func(p struct{ Code string }) bool { return p.Code == "run-under-way" }) {
					t.Errorf("line %d of %d after %d: %+v, run %+v", i, len(seen), compiled, l, l.Run)
				} else {
					compiled = l.Run.Compiled
				}
			}

			c = r.capture()
			until(w, "again", func(l runLine) bool { return l.Run != nil && l.Run.Compiled == 1 })
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			until(w, "killed", func(l runLine) bool { return l.Run == nil })
			last := seen[len(seen)-1]
			if last.ExitCode != 2 || !slices.ContainsFunc(last.Problems, func(p struct{ Code string }) bool { return p.Code == "capture-incomplete" }) {
				t.Errorf("killed: %+v", last)
			}
			if rest, code := w.interrupt(); code != 2 {
				t.Errorf("exit code %d: %q", code, rest)
			}
		})
	}
}

// A watch that ends during a run says that nothing is known.
func TestWatchEndsDuringCapture(t *testing.T) {
	r := newRuns(t)
	w := startWatch(t, r.dir, "dumps", "--baseline", "base.json")
	w.until("RESULT: OK")
	r.capture()
	lines := w.until("compiling 1/5; none worsened or improved")
	rest, code := w.interrupt()
	lines = append(lines, rest...)
	if last := strings.TrimSpace(lines[len(lines)-1]); code != 2 || last != "RESULT: NOT TRUSTWORTHY" {
		t.Errorf("exit code %d, %q", code, lines)
	}
	for _, l := range lines {
		if strings.Contains(l, "OK") || strings.Contains(l, "✓") || strings.Contains(l, "gone") || strings.Contains(l, "pending") {
			t.Errorf("it says %q", l)
		}
	}
}
