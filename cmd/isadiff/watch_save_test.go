//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// saves makes a project that is compiled by `sh compile.sh`: k.py says to what, and
// how the compile ends.
func saves(t *testing.T) (dir string, save func(text string)) {
	t.Helper()
	dir = desk(t)
	for name, side := range map[string]string{"small": "before", "large": "after"} {
		tree(t, "tile-up-spills/gfx942/"+side, filepath.Join(dir, name))
	}
	save = func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"isadiff.toml": "compile = [\"sh\", \"compile.sh\"]\n",
		"compile.sh": `how=$(cat k.py)
echo "a line of the log: $how"
case $how in
fail) exit 3 ;;
wait) echo began > fifo; read never < never ;;
*) mkdir -p "$FLYDSL_DUMP_DIR" && cp -r $how/window_filter "$FLYDSL_DUMP_DIR" ;;
esac
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	save("small")
	return dir, save
}

// watch compiles at the start and after each save, into a directory of its own, and
// says what became of it; a failure is no OK, with the place of the log.
func TestWatchCompiles(t *testing.T) {
	for _, args := range [][]string{{"--compile"}, {"--", "sh", "compile.sh"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			dir, save := saves(t)
			w := startWatch(t, dir, args...)
			w.until("RESULT: OK")
			save("large")
			if lines := strings.Join(w.until("RESULT: REGRESSION"), "\n"); !strings.Contains(lines, "vgpr_spill") || strings.Contains(lines, "edited since") {
				t.Errorf("shown:\n%s", lines)
			}
			save("fail")
			lines := strings.Join(w.until("RESULT: NOT TRUSTWORTHY"), "\n")
			for _, want := range []string{"[capture-failed] `sh compile.sh` ended with exit status 3", "; its output is in .isadiff/capture.log"} {
				if !strings.Contains(lines, want) {
					t.Errorf("no %q:\n%s", want, lines)
				}
			}
			if log, err := os.ReadFile(filepath.Join(dir, ".isadiff", "capture.log")); string(log) != "a line of the log: fail\n" {
				t.Errorf("%v, the log: %q", err, log)
			}
			if strings.Contains(lines, "capture-incomplete") {
				t.Errorf("said twice:\n%s", lines)
			}
			save("small")
			w.until("RESULT: OK")
			if _, code := w.interrupt(); code != 0 {
				t.Errorf("exit code %d\n%s", code, w.stderr.String())
			}
			if _, err := os.Stat(filepath.Join(dir, ".isadiff", "dumps", ".isadiff-capture.json")); err != nil {
				t.Error(err)
			}
		})
	}
}

// A failure counts also where the directory is not isadiff's to mark, and in JSON.
func TestWatchCompilesElsewhere(t *testing.T) {
	dir, save := saves(t)
	save("fail")
	w := startWatch(t, dir, "dumps", "--json", "--", "sh", "compile.sh")
	for {
		var line struct {
			Verdict  string
			Problems []struct{ Code string } `json:"problem_codes"`
		}
		if err := json.Unmarshal([]byte(w.next()), &line); err != nil {
			t.Fatal(err)
		}
		if line.Verdict != "RESULT: NOT TRUSTWORTHY" {
			t.Fatalf("%+v", line)
		}
		if slices.ContainsFunc(line.Problems, func(p struct{ Code string }) bool { return p.Code == "capture-failed" }) {
			break
		}
	}
	save("large")
	w.until(`"verdict":"RESULT: REGRESSION"`)
	if _, code := w.interrupt(); code != 1 {
		t.Errorf("exit code %d\n%s", code, w.stderr.String())
	}
}

// A save during a run begins anew, and who quits during one ends it.
func TestWatchCompilesAnew(t *testing.T) {
	dir, save := saves(t)
	for _, name := range []string{"fifo", "never"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	began := func() {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(dir, "fifo")); string(text) != "began\n" {
			t.Fatalf("%v, %q", err, text)
		}
	}
	save("wait")
	s := sit(t, dir, "--compile")
	began()
	s.see("compiling")
	save("large")
	s.see("RESULT: REGRESSION\r\n")
	save("wait")
	began()
	s.press("q")
	s.see("RESULT: NOT TRUSTWORTHY")
	s.ends(2)
	if _, err := os.Stat(filepath.Join(dir, ".isadiff", "dumps", ".isadiff-running")); err == nil {
		t.Error("the run was not ended")
	}
}

// What is saved while the configuration is broken is compiled once it is mended.
func TestWatchCompilesWhatWasSavedMeanwhile(t *testing.T) {
	dir, save := saves(t)
	const good = "compile = [\"sh\", \"compile.sh\"]\n"
	w := startWatch(t, dir, "--compile", "--json")
	w.untilSaid("what is there", func(s said) bool { return s.Exit == 0 })
	configure(t, dir, good+"kernels = 3\n")
	w.untilSaid("a broken configuration", func(s said) bool { return s.has("configuration-invalid", "") })
	save("large")
	w.untilSaid("the save", func(s said) bool { return s.has("run-under-way", "") })
	w.untilSaid("that nothing is compiled", func(s said) bool { return !s.has("run-under-way", "") })
	configure(t, dir, good)
	w.untilSaid("a verdict on what was saved", func(s said) bool { return s.Exit == 1 })
	if _, code := w.interrupt(); code != 1 {
		t.Errorf("exit code %d\n%s", code, w.stderr.String())
	}
}
