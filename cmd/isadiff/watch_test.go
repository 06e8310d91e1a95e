package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A watching is a running `isadiff watch` of a test.
type watching struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

// startWatch starts `isadiff watch` in a directory of its own.
func startWatch(t *testing.T, dir string, args ...string) *watching {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by a signal on Windows")
	}
	w := &watching{t: t, cmd: exec.Command("isadiff", append([]string{"watch"}, args...)...)}
	w.cmd.Dir, w.cmd.Stderr = dir, &w.stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill(); w.cmd.Wait() })
	w.lines = bufio.NewScanner(out)
	w.lines.Buffer(nil, 1<<24)
	return w
}

// next returns the next line.
func (w *watching) next() string {
	w.t.Helper()
	if !w.lines.Scan() {
		w.t.Fatalf("the output has ended: %v\n%s", w.lines.Err(), w.stderr.String())
	}
	return w.lines.Text()
}

// until returns the lines up to one that contains text.
func (w *watching) until(text string) (lines []string) {
	w.t.Helper()
	for {
		lines = append(lines, w.next())
		if strings.Contains(lines[len(lines)-1], text) {
			return lines
		}
	}
}

// interrupt ends the run and returns the rest of its lines and the exit code.
func (w *watching) interrupt() (rest []string, code int) {
	w.t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	for w.lines.Scan() {
		rest = append(rest, w.lines.Text())
	}
	return rest, exitOf(w.t, w.cmd.Wait())
}

// The last JSON line of watch says what diff says, for every pair of real dumps
// and for the traps.
func TestWatchAgreesWithDiff(t *testing.T) {
	dumps := filepath.Join(repository(t), "testdata", "dumps")
	pairs, err := filepath.Glob(filepath.Join(dumps, "*", "*", "before"))
	if err != nil || len(pairs) < 8 {
		t.Fatalf("%d pairs: %v", len(pairs), err)
	}
	tests := [][2]string{}
	for _, before := range pairs {
		tests = append(tests, [2]string{before, filepath.Join(filepath.Dir(before), "after")})
	}
	at := func(path string) string { return filepath.Join(dumps, filepath.FromSlash(path)) }
	empty := t.TempDir()
	broken := filepath.Join(empty, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"schema": 2`), 0o666); err != nil {
		t.Fatal(err)
	}
	tests = append(tests,
		[2]string{at("base/gfx942"), at("base/gfx950")},
		[2]string{at("base/gfx942"), at("mixed/gfx1201/after")},
		[2]string{at("base/gfx950"), at("one-dump-dir/gfx950")},
		[2]string{at("pytest-per-test/gfx950"), at("pytest-last-wins/gfx950")},
		[2]string{at("debug-leftover/gfx950"), at("debug-leftover/gfx950")},
		[2]string{at("failed-compile/gfx950/good"), at("failed-compile/gfx950/then-failed")},
		[2]string{at("base/gfx942"), empty},
		[2]string{at("base/gfx942"), filepath.Join(empty, "missing")},
		[2]string{filepath.Join(empty, "missing"), at("base/gfx942")},
		[2]string{broken, at("base/gfx942")},
		[2]string{at("MANIFEST.md"), at("base/gfx942")},
	)
	for i := range tests {
		if tests[i][0] == at("mixed/gfx1201/before") {
			tests = append(tests, [2]string{tests[i][0], tests[i][1]})
		}
	}
	for i, tt := range tests {
		kernels := "" // the last one is limited to some kernels
		if i == len(tests)-1 {
			kernels = "*max_rows_0"
		}
		name := strings.TrimPrefix(strings.ReplaceAll(tt[0]+" "+tt[1], dumps, ""), "/")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agree(t, t.TempDir(), tt[0], tt[1], kernels)
		})
	}
}

// agree checks that the last line of watch says what diff says.
func agree(t *testing.T, dir, before, after, kernels string) {
	t.Helper()
	diff := exec.Command("isadiff", "diff", before, after, "--json", "-", "--kernels", kernels)
	diff.Dir = dir
	report, err := diff.Output()
	wantCode := exitOf(t, err)
	w := startWatch(t, dir, after, "--baseline", before, "--json", "--kernels", kernels)
	lines := []string{w.next()}
	rest, code := w.interrupt()
	lines = append(lines, rest...)
	var got, want map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
		t.Fatalf("the last line is no JSON object: %v", err)
	}
	if err := json.Unmarshal(report, &want); err != nil {
		t.Fatal(err)
	}
	for key, value := range want {
		if !reflect.DeepEqual(got[key], value) {
			t.Errorf("%s: watch says\n%v\ndiff says\n%v", key, got[key], value)
		}
	}
	if code != wantCode {
		t.Errorf("watch ended with %d, diff with %d", code, wantCode)
	}
}

// The same with what a project allows: accepted regressions and budgets.
func TestWatchKeepsRules(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"budget":              {"isadiff.toml": "budgets = { '*' = ['vgpr <= 120', 'spill <= 200'] }\n"},
		"no budget is broken": {"isadiff.toml": "budgets = { '*' = ['vgpr <= 130'], nobody = ['vgpr <= 1'] }\n"},
		"cannot be read":      {"isadiff.toml": "budgets = { '*' = ['vgprs <= 130'] }\n"},
		"accepted in part":    {".isadiff/accepted.toml": "[[accepted]]\nkernel = \"*\"\nmetric = \"vgpr\"\nvalue = 127\nreason = \"more outputs\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range files {
				file = filepath.Join(dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			before, after := pair(t)
			agree(t, dir, before, after, "")
		})
	}
}

// tree copies a folder of testdata/dumps, beside a source that replace edits.
func tree(t *testing.T, path, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	editSource(t, to)
	from := filepath.Join(repository(t), "testdata", "dumps", filepath.FromSlash(path))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// editSource gives the source beside a dump directory another meaning.
func editSource(t *testing.T, dumps string) {
	t.Helper()
	text := fmt.Appendf(nil, "at = %d\n", time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(filepath.Dir(dumps), "edited.py"), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// replace edits a source and puts the content of a folder of testdata/dumps over what
// stands there, file by file, as a compile does.
func replace(t *testing.T, path, to string) {
	t.Helper()
	editSource(t, to)
	from := filepath.Join(repository(t), "testdata", "dumps", filepath.FromSlash(path))
	err := filepath.WalkDir(from, func(file string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A block for each run, plain lines in a pipe, and the verdict as the exit code.
func TestWatchBlocks(t *testing.T) {
	dir := t.TempDir()
	dumps := filepath.Join(dir, "dumps")
	if err := os.CopyFS(filepath.Join(dir, "kernels"), os.DirFS(filepath.Join(repository(t), "testdata", "kernels"))); err != nil {
		t.Fatal(err)
	}
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "before"))
	tree(t, "tile-up-spills/gfx942/before", dumps)
	w := startWatch(t, dir, "dumps", "--baseline", "before")
	w.until("RESULT: OK")

	replace(t, "tile-up-spills/gfx942/after", dumps)
	block := w.until("RESULT:")
	for _, want := range []string{
		"window_filter/window_filter_0::window_filter_0  " + filepath.Join("kernels", "window_filter.py") + ":19  gfx942",
		"            * vgpr_spill      0 -> 136  (+136)",
		"            * scratch_bytes   0 -> 276  (+276)",
		"            * vgpr           88 -> 127  (+39)",
		"          compared 1 of 1 kernel; 3 figures of 1 kernel worsened",
		"          RESULT: REGRESSION",
	} {
		if !slices.ContainsFunc(block, func(line string) bool { return strings.HasSuffix(line, want) }) {
			t.Errorf("no line %q in\n%s", want, strings.Join(block, "\n"))
		}
	}
	for _, line := range block {
		if strings.ContainsAny(line, "\x1b\r") {
			t.Errorf("an escape in a pipe: %q", line)
		}
	}

	replace(t, "tile-up-spills/gfx942/before", dumps)
	if block := strings.Join(w.until("RESULT:"), "\n"); !strings.Contains(block, "= same instructions: vgpr 88, no spill, LDS 0, 4 waves") {
		t.Errorf("good again:\n%s", block)
	}
	rest, code := w.interrupt()
	if code != 0 || len(rest) != 1 || rest[0] != "RESULT: OK" {
		t.Errorf("ended with %d and %q", code, rest)
	}
}

// What runs before anything was compiled waits for it.
func TestWatchWaitsForDumps(t *testing.T) {
	dir := t.TempDir()
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "before"))
	w := startWatch(t, dir, "later/dumps", "--baseline", "before")
	if block := strings.Join(w.until("RESULT:"), "\n"); !strings.Contains(block, "[input-not-found]") || !strings.Contains(block, "RESULT: NOT TRUSTWORTHY") {
		t.Errorf("without dumps:\n%s", block)
	}
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "later", "dumps"))
	w.until("RESULT: OK")
	if _, code := w.interrupt(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// A reader that goes away ends the run.
func TestWatchClosedPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes are closed in another way on Windows")
	}
	dir := t.TempDir()
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "before"))
	tree(t, "tile-up-spills/gfx942/after", filepath.Join(dir, "dumps"))
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("isadiff", "watch", "dumps", "--baseline", "before")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r.Close()
	replace(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "dumps"))
	if code := exitOf(t, cmd.Wait()); code != 0 {
		t.Errorf("ended with %d, want the verdict of what was written last", code)
	}
}

// A full disk below stdout is no answer.
func TestWatchFullStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	dir := t.TempDir()
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "dumps"))
	var stderr bytes.Buffer
	cmd := exec.Command("isadiff", "watch", "dumps")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, full, &stderr
	if code := exitOf(t, cmd.Run()); code != 2 || !strings.Contains(stderr.String(), "[output-unwritable] the output cannot be written: no space left on device") {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
}

// What takes the baseline that is missed is a command that takes this one.
func TestWatchTellsHowToTakeABaseline(t *testing.T) {
	dir := t.TempDir()
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "my dumps"))
	w := startWatch(t, dir, "my dumps", "--kernels", "window_*")
	w.until("warning: edits of 1 kernel are not noticed, such as of window_filter/window_filter_0::window_filter_0: its source is not found in the project")
	if line := w.next(); !strings.HasSuffix(line, "1 kernel; there is no baseline yet: `isadiff snapshot 'my dumps' --kernels 'window_*'` takes one") {
		t.Errorf("%q", line)
	}
	if _, code := w.interrupt(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	wd := &watched{flags: map[string]any{"dumps": "d's", "baseline": "b.json"}}
	if got, want := wd.snapshotCommand(), `isadiff snapshot 'd'\''s' -o b.json`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Ended before anything is known, it knows nothing, and says so.
func TestWatchEndsEarly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by a signal on Windows")
	}
	p := &program{stdin: strings.NewReader(""), env: os.Getenv}
	var out, errOut bytes.Buffer
	p.stdout, p.stderr = &out, &errOut
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := p.root(p.commands())
	c.SetArgs([]string{"watch", t.TempDir(), "--json"})
	err := c.ExecuteContext(ctx)
	if code := p.conclude(c, err); code != 2 || out.Len() > 0 || errOut.String() != "error: ended before everything was read\nRESULT: NOT TRUSTWORTHY\n" {
		t.Errorf("exit code %d, %v, stdout %q, stderr %q", code, err, out.String(), errOut.String())
	}
}

func TestWatchUsage(t *testing.T) {
	for _, args := range [][]string{{"watch", "a", "b"}, {"watch", "--nothing"}, {"watch", "--kernels", "["}} {
		cmd := exec.Command("isadiff", args...)
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if code := exitOf(t, err); code != 2 || !strings.HasSuffix(string(out), "RESULT: NOT TRUSTWORTHY\n") {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	}
}
