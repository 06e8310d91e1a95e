package capture

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/regular"
)

// A history is a git repository with a project in it, and a base that is cached
// nowhere else.
type history struct {
	*work
	cache string
}

func newHistory(t *testing.T, files map[string]string) *history {
	t.Helper()
	need(t, "git")
	h := &history{newWork(t, files), t.TempDir()}
	h.git("init", "-q")
	h.commit("the first")
	return h
}

func (h *history) git(args ...string) string {
	h.t.Helper()
	c := exec.Command("git", append([]string{"-C", h.dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (h *history) commit(message string) {
	h.t.Helper()
	h.git("add", "-A")
	h.git("commit", "-q", "-m", message)
}

func (h *history) options(rev string, args ...string) CompareOptions {
	return CompareOptions{
		Revision: rev, Command: project.Command{Args: append([]string{h.python}, args...)},
		Dir: h.dir, Env: h.env, Cache: h.cache,
	}
}

// compare compares and looks at what is left behind.
func (h *history) compare(o CompareOptions) (*Comparison, error) {
	h.t.Helper()
	c, err := Compare(context.Background(), o)
	h.clean()
	return c, err
}

// clean holds that nothing temporary of this process is left.
func (h *history) clean() {
	h.t.Helper()
	if list := strings.Split(strings.TrimSpace(h.git("worktree", "list")), "\n"); len(list) != 1 {
		h.t.Errorf("worktrees are left: %q", list)
	}
}

func kernel(made string) string { return strings.ReplaceAll(one, "MADE", made) }

func TestCompare(t *testing.T) {
	h := newHistory(t, map[string]string{"sub/k.py": kernel("small"), "note.txt": "1"})
	h.put("sub/k.py", kernel("large"))
	h.commit("spill\n\nmore")
	o := h.options("HEAD~1", "k.py")
	o.Dir = filepath.Join(h.dir, "sub")
	var base Revision
	o.Base = func(r Revision) { base = r }
	c, err := h.compare(o)
	if err != nil {
		t.Fatal(err)
	}
	if base.Subject != "the first" || len(c.Problems) > 0 || c.Cached {
		t.Errorf("base %+v, problems %v, cached %v", base, c.Problems, c.Cached)
	}
	r := compare(c.Before, c.After)
	if r.Verdict != diff.Regression || r.Compared != 1 || r.Rows[0].Key != "sub/k.py/window_filter_0::window_filter_0" {
		t.Errorf("%v, %d compared, %v", r.Verdict, r.Compared, r.Problems)
	}
	c.Close()
	if regular.Exists(c.After) {
		t.Errorf("%s is left", c.After)
	}

	// The same content is not captured again, whatever its revision is called.
	h.git("tag", "v1", "HEAD~1")
	o.Revision = "v1"
	o.Out = filepath.Join(t.TempDir(), "sides")
	c, err = h.compare(o)
	if err != nil || !c.Cached || compare(filepath.Join(o.Out, "before"), filepath.Join(o.Out, "after")).Verdict != diff.Regression {
		t.Errorf("%+v, %v", c, err)
	}
	// Another content, command, setting or compiler is.
	h.put("note.txt", "2")
	h.commit("another tree")
	for what, change := range map[string]func(*CompareOptions){
		"tree":    func(o *CompareOptions) { o.Revision = "HEAD" },
		"command": func(o *CompareOptions) { o.Command.Args = append(slices.Clone(o.Command.Args), "x") },
		"archs":   func(o *CompareOptions) { o.Archs = []string{"gfx942"} },
		"setting": func(o *CompareOptions) { o.Env = append(slices.Clone(o.Env), "FLYDSL_COMPILE_OPT_LEVEL=1") },
		"compiler": func(o *CompareOptions) {
			other := t.TempDir()
			if err := os.CopyFS(other, os.DirFS("testdata/fake")); err != nil {
				t.Fatal(err)
			}
			o.Env = append(slices.Clone(o.Env), "PYTHONPATH="+other)
		},
		"flag": func(o *CompareOptions) { o.NoCache = true },
	} {
		changed := o
		change(&changed)
		if c, err := h.compare(changed); err != nil || c.Cached || len(c.Problems) > 0 {
			t.Errorf("another %s: %+v, %v", what, c, err)
		}
	}
}

// A comparison of the working tree with itself is refused.
func TestCompareOwnCode(t *testing.T) {
	installed := "import flydsl.compiler as flyc\n\n@flyc.jit\ndef softmax(x):\n    return flyc.Kernel(TILE)\n\nTILE = 'small'\n"
	tests := []struct {
		name string
		env  func(h *history) string
		args []string
		own  string
	}{
		{"installed kernels", func(h *history) string { return editable(h) }, []string{"run.py"}, "src/library/kernels.py"},
		{"an installed helper", func(h *history) string { return editable(h) }, []string{"helped.py"}, "src/library/tiles.py"},
		{"an absolute script", func(h *history) string { return "" }, []string{"ABS/own.py"}, "own.py"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHistory(t, map[string]string{
				"src/library/__init__.py": "", "src/library/kernels.py": installed, "src/library/tiles.py": "TILE = 'small'\n",
				"run.py":    "from library.kernels import softmax\nsoftmax(0)\n",
				"helped.py": "from library.tiles import TILE\nimport flydsl.compiler as flyc\n@flyc.jit\ndef k(x):\n    return flyc.Kernel(TILE)\nk(0)\n",
				"own.py":    kernel("small"),
			})
			if extra := tt.env(h); extra != "" {
				h.env = append(h.env, "PYTHONPATH="+lookup(h.env, "PYTHONPATH")+string(os.PathListSeparator)+extra)
			}
			args := slices.Clone(tt.args)
			args[0] = strings.ReplaceAll(args[0], "ABS", h.dir)
			_, err := h.compare(h.options("HEAD", args...))
			if !hasCode(err, problem.CompareOwnCode) || !strings.Contains(err.Error(), tt.own) {
				t.Errorf("%v", err)
			}
			// What it says to do mends it.
			var p problem.Problem
			list := string(os.PathListSeparator)
			if mend := `PYTHONPATH="$PWD/src` + list + `$PYTHONPATH"`; !errors.As(err, &p) || strings.Contains(p.Mend(), mend) != strings.HasPrefix(tt.own, "src/") {
				t.Errorf("the mend: %s", p.Mend())
			}
			if !strings.HasPrefix(tt.own, "src/") {
				return
			}
			h.put("src/library/tiles.py", "TILE = 'large'\n")
			h.put("src/library/kernels.py", strings.Replace(installed, "'small'", "'large'", 1))
			h.env = append(h.env, "PYTHONPATH="+filepath.Join(h.dir, "src")+list+lookup(h.env, "PYTHONPATH"))
			c, err := h.compare(h.options("HEAD", args...))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if r := compare(c.Before, c.After); r.Verdict != diff.Regression {
				t.Errorf("mended: %v %v %v", r.Verdict, c.Problems, r.Problems)
			}
		})
	}
}

// editable is what `pip install -e` does: a folder outside the repository leads
// to its sources by an absolute path.
func editable(h *history) string {
	site := h.t.TempDir()
	write(h.t, filepath.Join(site, "library.py"), "import sys\nsys.path.insert(0, "+`"`+filepath.Join(h.dir, "src")+`"`+")\ndel sys.modules['library']\nimport library\n")
	return site
}

// A PYTHONPATH entry of the working tree leads to the worktree for the base.
func TestCompareMovesPath(t *testing.T) {
	h := newHistory(t, map[string]string{
		"src/tiles.py": "TILE = 'small'\n",
		"run.py":       "from tiles import TILE\nimport flydsl.compiler as flyc\n@flyc.jit\ndef k(x):\n    return flyc.Kernel(TILE)\nk(0)\n",
	})
	h.put("src/tiles.py", "TILE = 'large'\n")
	h.env = append(h.env, "PYTHONPATH="+filepath.Join(h.dir, "src")+string(os.PathListSeparator)+lookup(h.env, "PYTHONPATH"))
	c, err := h.compare(h.options("HEAD", "run.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if r := compare(c.Before, c.After); r.Verdict != diff.Regression {
		t.Errorf("%v %v %v", r.Verdict, c.Problems, r.Problems)
	}
}

// Whatever goes wrong, it is said of which side, and nothing is left behind.
func TestCompareFailures(t *testing.T) {
	h := newHistory(t, map[string]string{"k.py": "raise SystemExit(4)\n", "note": ""})
	h.put("k.py", kernel("small"))
	h.commit("mended")

	c, err := h.compare(h.options("HEAD~1", "k.py"))
	if err != nil || len(c.Problems) != 1 || c.Problems[0].Side != "before" || c.Problems[0].Code != problem.CaptureFailed {
		t.Errorf("%+v, %v", c, err)
	}
	if entries, err := os.ReadDir(h.cache); err != nil || len(entries) > 0 {
		t.Errorf("a failure was kept: %v, %v", entries, err)
	}
	h.put("k.py", "raise SystemExit(4)\n")
	c, err = h.compare(h.options("HEAD", "k.py"))
	if err != nil || len(c.Problems) != 1 || c.Problems[0].Side != "after" {
		t.Errorf("%+v, %v", c, err)
	}
	h.put("k.py", kernel("small"))
	for _, rev := range []string{"no-such-branch", "--upload-pack=x", ""} {
		if _, err := h.compare(h.options(rev, "k.py")); !hasCode(err, problem.CompareRevision) {
			t.Errorf("%q: %v", rev, err)
		}
	}
	o := h.options("HEAD", "k.py")
	o.Dir = t.TempDir()
	if _, err := Compare(context.Background(), o); !hasCode(err, problem.CompareRevision) {
		t.Errorf("outside of git: %v", err)
	}

	// Interrupted while the base runs.
	ctx, cancel := context.WithCancel(context.Background())
	o = h.options("HEAD", "k.py")
	o.NoCache = true
	o.Progress = func(side string, _ Progress) {
		if side == "before" {
			cancel()
		}
	}
	if c, err := Compare(ctx, o); err == nil && len(c.Problems) == 0 {
		t.Error("an interrupted comparison is whole")
	}
	h.clean()
}

// Only the sides that were used last are kept.
func TestCacheIsTrimmed(t *testing.T) {
	dir := t.TempDir()
	side := t.TempDir()
	write(t, filepath.Join(side, "x"), "y")
	for name, age := range map[string]time.Duration{"killed": 48 * time.Hour, "working": time.Hour} {
		write(t, filepath.Join(dir, newSide+name, "x"), "y")
		aged(t, filepath.Join(dir, newSide+name), age)
	}
	for i := range cachedSides + 3 {
		store(side, filepath.Join(dir, "key"+strconv.Itoa(i)))
	}
	if regular.Exists(filepath.Join(dir, newSide+"killed")) || !regular.Exists(filepath.Join(dir, newSide+"working")) {
		t.Error("what a killed process left stays, or what another one writes goes")
	}
	_ = os.RemoveAll(filepath.Join(dir, newSide+"working"))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != cachedSides || !regular.Exists(filepath.Join(dir, "key"+strconv.Itoa(cachedSides+2))) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}
