package capture

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

// need returns the path of a tool. Without it a test is skipped, but fails where
// CI is set.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is needed: %v", tool, err)
		}
		t.Skipf("%s is not installed", tool)
	}
	return path
}

// A work is a project with a stand-in for FlyDSL.
type work struct {
	t      *testing.T
	dir    string
	python string
	env    []string
}

// newWork makes a project of files. The assembly that the stand-in can "compile"
// is called small (88 VGPRs) and large (127 VGPRs, 136 of them spilled).
func newWork(t *testing.T, files map[string]string) *work {
	t.Helper()
	fake, err := filepath.Abs("testdata/fake")
	if err != nil {
		t.Fatal(err)
	}
	assembly := t.TempDir()
	for name, side := range map[string]string{"small": "before", "large": "after"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "dumps", "tile-up-spills", "gfx942", side, "window_filter", "window_filter_0", "22_final_isa.s"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(assembly, name+".s"), string(text))
	}
	w := &work{t: t, dir: t.TempDir(), python: need(t, "python3")}
	w.env = append(os.Environ(), "PYTHONPATH="+fake, "FAKE_ASSEMBLY="+assembly, "PYTHONDONTWRITEBYTECODE=1")
	for name, text := range files {
		w.put(name, text)
	}
	return w
}

func (w *work) put(name, text string) { w.t.Helper(); write(w.t, filepath.Join(w.dir, name), text) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// capture captures `python args...` into a directory of its own.
func (w *work) capture(args ...string) (*Result, string) {
	w.t.Helper()
	return w.captureInto(filepath.Join(w.t.TempDir(), "out"), args...)
}

func (w *work) captureInto(out string, args ...string) (*Result, string) {
	w.t.Helper()
	var said bytes.Buffer
	r, err := Run(context.Background(), w.options(out, &said, args...))
	if err != nil {
		w.t.Fatalf("%v\n%s", err, said.String())
	}
	return r, said.String()
}

func (w *work) options(out string, said *bytes.Buffer, args ...string) Options {
	return Options{
		Command: project.Command{Args: append([]string{w.python}, args...)},
		Dir:     w.dir, Root: w.dir, Out: out, Env: w.env, Stdout: said, Stderr: said,
	}
}

// plain runs `python args...` as the plain workflow does, into a directory.
func (w *work) plain(out string, env []string, args ...string) {
	w.t.Helper()
	c := exec.Command(w.python, args...)
	c.Dir = w.dir
	c.Env = append(slices.Clone(w.env), "FLYDSL_DUMP_IR=1", "FLYDSL_DUMP_DIR="+out)
	c.Env = append(c.Env, env...)
	_ = c.Run() // the plain workflow does not look at it
}

// compare returns the verdict over two dump directories.
func compare(before, after string) *diff.Result {
	ctx := context.Background()
	return diff.Compare(dump.Read(ctx, before, dump.Options{}), dump.Read(ctx, after, dump.Options{}), diff.Options{})
}

// want holds a capture against its problem codes.
func want(t *testing.T, r *Result, codes ...problem.Code) {
	t.Helper()
	slices.Sort(codes)
	if got := problem.Codes(r.Problems); !slices.Equal(got, codes) {
		t.Errorf("problems %v, want the codes %v", r.Problems, codes)
	}
	_, err := os.Stat(filepath.Join(r.Dir, dump.IncompleteName))
	if marked := err == nil; marked == r.Whole() {
		t.Errorf("whole: %v, marked as incomplete: %v", r.Whole(), marked)
	}
	side := dump.Read(context.Background(), r.Dir, dump.Options{})
	if side.Trustworthy() != r.Whole() {
		t.Errorf("whole: %v, but the directory reads as %v", r.Whole(), side.Problems)
	}
}

// keys are the keys of the kernels that a capture left.
func keys(r *Result) (keys []string) {
	for _, k := range dump.Read(context.Background(), r.Dir, dump.Options{}).Records {
		keys = append(keys, k.Key)
	}
	return keys
}

// says holds the messages of a capture's problems against words.
func says(t *testing.T, r *Result, words ...string) {
	t.Helper()
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.Message)
	}
	text := strings.Join(all, "\n")
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("no problem says %q:\n%s", w, text)
		}
	}
}
