package capture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

func hasCode(err error, code problem.Code) bool {
	var p problem.Problem
	return errors.As(err, &p) && p.Code == code
}

// What a run that is not whole says, and how the command's own end is told.
func TestFailures(t *testing.T) {
	tests := []struct {
		name  string
		text  string
		codes []problem.Code
		says  []string
	}{
		{"nothing to compile", "print('no kernel here')", []problem.Code{problem.CaptureEmpty}, []string{"ended well and compiled no kernel; it did not import FlyDSL"}},
		{"no launch", "import flydsl.compiler", []problem.Code{problem.CaptureEmpty}, []string{"compiled no kernel; it launched none"}},
		{"exit status", "import sys\nprint('oh dear', file=sys.stderr)\nsys.exit(7)", []problem.Code{problem.CaptureFailed}, []string{"ended with exit status 7: oh dear"}},
		{"exception after a compile", strings.ReplaceAll(one, "MADE", "small") + "\nraise KeyError('late')", []problem.Code{problem.CaptureFailed}, []string{"ended with exit status 1: KeyError: 'late'"}},
		{"damaged dump", "import os\nos.environ['FAKE_ASSEMBLY'] = os.getcwd()\nopen('cut.s', 'w').write('.text\\n')\n" + strings.ReplaceAll(one, "MADE", "cut"), []problem.Code{problem.MetadataMissing}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWork(t, map[string]string{"a.py": tt.text})
			r, _ := w.capture("a.py")
			want(t, r, tt.codes...)
			says(t, r, tt.says...)
		})
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	r, err := Run(context.Background(), Options{Command: project.Command{Args: []string{"no-such-program-anywhere"}}, Out: filepath.Join(t.TempDir(), "out"), Archs: []string{"gfx942", "gfx950"}})
	if err != nil {
		t.Fatal(err)
	}
	want(t, r, problem.CaptureFailed)
	says(t, r, "`no-such-program-anywhere` was not run for gfx942: it could not be started: no-such-program-anywhere: ")
	if got := r.Problems[0].Mend(); got != "check the command's name and PATH" {
		t.Errorf("mend %q", got)
	}
	if len(r.Runs) != 1 {
		t.Errorf("it was tried %d times", len(r.Runs))
	}
}

// Each architecture has a run and a folder of its own, and both of the variables
// that FlyDSL asks for its name.
func TestArchitectures(t *testing.T) {
	w := newWork(t, map[string]string{"a.py": "import os\nprint(os.environ['ARCH'], os.environ['FLYDSL_GPU_ARCH'], os.environ['COMPILE_ONLY'])\n" + strings.ReplaceAll(one, "MADE", "small")})
	var said bytes.Buffer
	o := w.options(filepath.Join(t.TempDir(), "out"), &said, "a.py")
	o.Archs = []string{"gfx942", "gfx1201"}
	var progress []Progress
	o.Progress = func(p Progress) { progress = append(progress, p) }
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	want(t, r)
	if !strings.Contains(said.String(), "gfx942 gfx942 1\n") || !strings.Contains(said.String(), "gfx1201 gfx1201 1\n") {
		t.Errorf("the command printed %q", said.String())
	}
	if got := keys(r); !slices.Equal(got, []string{"gfx1201/a.py/window_filter_0::window_filter_0", "gfx942/a.py/window_filter_0::window_filter_0"}) {
		t.Errorf("keys %q", got)
	}
	if len(progress) < 2 || progress[0].Arch != "gfx942" || progress[len(progress)-1].Arch != "gfx1201" {
		t.Errorf("progress %v", progress)
	}
	m := dump.ReadManifest(r.Dir)
	if m == nil || m.Kernels != 2 || !slices.Equal(m.Archs, o.Archs) || len(m.Compilers) != 1 || m.Compilers[0].Version != "0.0.fake" {
		t.Errorf("manifest %+v", m)
	}
}

func TestArchs(t *testing.T) {
	for _, bad := range []string{"", "gfx942,", "gfx942,gfx942", "sm_90", "gfx/../x"} {
		if archs, err := Archs(bad); err == nil {
			t.Errorf("%q is %q", bad, archs)
		}
	}
	if archs, err := Archs("gfx942, gfx9-4-generic"); err != nil || len(archs) != 2 {
		t.Errorf("%q, %v", archs, err)
	}
}

// Interrupted, the command and all that it started end, and what is there is
// never taken for a full capture.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are not asked to end on Windows")
	}
	w := newWork(t, map[string]string{
		"a.py": strings.ReplaceAll(one, "MADE", "small") + `
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # it does not want to
child = subprocess.Popen([sys.executable, "-c", "import signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('child', flush=True)\nsys.stdin.read()"], stdin=subprocess.PIPE)
child.wait()
`})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in, out := io.Pipe()
	o := w.options(filepath.Join(t.TempDir(), "out"), nil, "a.py")
	o.Stdout, o.Stderr = out, io.Discard
	go func() {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			if lines.Text() == "child" {
				cancel()
			}
		}
	}()
	r, err := Run(ctx, o) // returns only when the child's output is closed
	if err != nil {
		t.Fatal(err)
	}
	want(t, r, problem.CaptureInterrupted)
	if r.Runs[0].Exit != -1 {
		t.Errorf("%+v", r.Runs[0])
	}
}

// Without the hook, as in a Python that ignores PYTHONPATH, a capture says that
// it tells no specializations apart.
func TestWithoutHook(t *testing.T) {
	w := newWork(t, map[string]string{"a.py": "import sys, os\nsys.path.insert(0, os.environ['PYTHONPATH'].rpartition(os.pathsep)[2])\n" + strings.ReplaceAll(one, "MADE", "small")})
	r, _ := w.capture("-E", "a.py")
	want(t, r)
	if got := keys(r); !slices.Equal(got, []string{"window_filter_0::window_filter_0"}) {
		t.Errorf("keys %q", got)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the hook did not see the compiles") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// The dumps of a capture have the compiler that the hook saw; where it did not see all
// of them, another one may have made some, so none is named.
func TestCaptureNamesCompiler(t *testing.T) {
	w := newWork(t, map[string]string{
		"seen.py": strings.ReplaceAll(one, "MADE", "small"),
		"both.py": "import os, subprocess, sys\nsubprocess.check_call([sys.executable, '-E', 'hidden.py'])\n" + strings.ReplaceAll(one, "MADE", "small"),
		"hidden.py": "import sys, os\nsys.path.insert(0, os.environ['PYTHONPATH'].rpartition(os.pathsep)[2])\n" +
			"os.environ['FLYDSL_DUMP_DIR'] += '/hidden'\n" + strings.ReplaceAll(one, "MADE", "large"),
	})
	for file, want := range map[string]int{"seen.py": 1, "both.py": 0} {
		r, said := w.capture(file)
		records := dump.Read(t.Context(), r.Dir, dump.Options{}).Records
		if !r.Whole() || len(r.Compilers) != 1 || len(records) == 0 {
			t.Fatalf("%s: %v, compilers %v, %d kernels\n%s", file, r.Problems, r.Compilers, len(records), said)
		}
		for _, k := range records {
			if len(k.Compilers) != want || want == 1 && k.Compilers[0] != "FlyDSL "+r.Compilers[0].Version {
				t.Errorf("%s: %s is of %q; the hook saw %v", file, k.Key, k.Compilers, r.Compilers)
			}
		}
	}
}

// A sitecustomize of the user's own still runs.
func TestHiddenSitecustomize(t *testing.T) {
	w := newWork(t, map[string]string{
		"site/sitecustomize.py": "print('mine ran')\n",
		"a.py":                  strings.ReplaceAll(one, "MADE", "small") + "\nimport sitecustomize\nprint(sitecustomize.__file__)\n",
	})
	w.env = append(w.env, "PYTHONPATH="+filepath.Join(w.dir, "site")+string(os.PathListSeparator)+lookup(w.env, "PYTHONPATH"))
	r, said := w.capture("a.py")
	want(t, r)
	if !strings.Contains(said, "mine ran\n") || !strings.Contains(said, filepath.Join(w.dir, "site", "sitecustomize.py")) {
		t.Errorf("printed %q", said)
	}
}

// A watched directory keeps what it holds until it is written anew; then what the
// run did not compile goes, if it was isadiff that put it there.
func TestLive(t *testing.T) {
	two := func(a, b string) string {
		return "import flydsl.compiler as flyc\n@flyc.jit\ndef a(x):\n    return flyc.Kernel('" + a + "')\n@flyc.jit\ndef b(x):\n    return flyc.Kernel('" + b + "', symbol='b_0')\na(0)\n"
	}
	w := newWork(t, map[string]string{"k.py": two("small", "small") + "b(0)\n"})
	out := filepath.Join(t.TempDir(), "dumps")
	run := func() *Result {
		t.Helper()
		o := w.options(out, &bytes.Buffer{}, "k.py")
		o.Live = true
		r, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	folders := func() (names []string) {
		list, err := findFolders(out, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			names = append(names, filepath.Base(f.path))
		}
		slices.Sort(names)
		return names
	}
	if r := run(); !r.Whole() || r.Kernels != 2 || !slices.Equal(folders(), []string{"b_0", "window_filter_0"}) {
		t.Errorf("%+v, folders %q", r, folders())
	}
	// A failure keeps the old figures, and they are no longer an answer.
	w.put("k.py", "raise SystemExit(3)")
	r := run()
	want(t, r, problem.CaptureFailed)
	if !slices.Equal(folders(), []string{"b_0", "window_filter_0"}) {
		t.Errorf("folders %q", folders())
	}
	w.put("k.py", two("large", "small"))
	if r := run(); !r.Whole() || r.Kernels != 1 || !slices.Equal(folders(), []string{"window_filter_0"}) {
		t.Errorf("%+v, folders %q", r, folders())
	}

	// In the user's own directory nothing is removed or marked.
	own := t.TempDir()
	write(t, filepath.Join(own, "old_0", "22_final_isa.s"), "mine")
	out = own
	if r := run(); !r.Whole() || !slices.Equal(folders(), []string{"old_0", "window_filter_0"}) {
		t.Errorf("%+v, folders %q", r, folders())
	}
	w.put("k.py", "raise SystemExit(3)")
	if r := run(); r.Whole() {
		t.Error("a failure is whole")
	}
	for _, name := range []string{dump.IncompleteName, dump.RunningName} {
		if _, err := os.Stat(filepath.Join(own, name)); err == nil {
			t.Errorf("the user's own directory is marked by %s", name)
		}
	}
}
