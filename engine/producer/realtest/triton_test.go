//go:build producers

package realtest

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the dumps in testdata anew")

// tritonEdit is a change as an author makes it: a second accumulator in the loop.
var tritonEdit = [2][2]string{
	{"        sums += tl.dot(left, right)\n", "        sums += tl.dot(left, right)\n        norms += tl.dot(tl.abs(left), tl.abs(right))\n"},
	{"    sums = tl.zeros((M, N), dtype=tl.float32)\n", "    sums = tl.zeros((M, N), dtype=tl.float32)\n    norms = tl.zeros((M, N), dtype=tl.float32)\n"},
}

const (
	tritonStore = "columns[None, :], sums.to(tl.float16))"
	tritonAfter = "columns[None, :], (sums / (1.0 + norms)).to(tl.float16))"
)

// A tritonProject is a project with Triton kernels and a cache of its own.
type tritonProject struct {
	t       *testing.T
	python  string
	root    string
	kernels string
	cache   string
}

func newTritonProject(t *testing.T) *tritonProject {
	t.Helper()
	p := &tritonProject{t: t, python: python(t), root: t.TempDir()}
	p.kernels = copyFile(t, "triton/kernels.py", p.root)
	p.cache = filepath.Join(p.root, "dumps")
	config := "dumps = \"dumps\"\n"
	if err := os.WriteFile(filepath.Join(p.root, "isadiff.toml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// command compiles kernels for architectures; none means all kernels.
func (p *tritonProject) command(archs string, kernels ...string) *exec.Cmd {
	c := exec.Command(p.python, append([]string{testdata(p.t, "triton/compile.py"), p.kernels, archs}, kernels...)...)
	c.Dir, c.Env = p.root, append(os.Environ(), "TRITON_CACHE_DIR="+p.cache)
	return c
}

func (p *tritonProject) edit() {
	p.t.Helper()
	for _, e := range tritonEdit {
		edit(p.t, p.kernels, e[0], e[1])
	}
	edit(p.t, p.kernels, tritonStore, tritonAfter)
}

// A report is what the tests ask of `isadiff diff --json` and of a line of `watch
// --json`.
type report struct {
	Exit int `json:"exit_code"`
	Rows []struct {
		Kernel string
		Deltas map[string]int64
	}
}

func (r *report) grown(metric string) (kernels []string) {
	for _, row := range r.Rows {
		if row.Deltas[metric] > 0 {
			kernels = append(kernels, row.Kernel)
		}
	}
	return kernels
}

// diff compares a snapshot with a tree.
func diff(t *testing.T, dir, before, after string) (r report, exit int, out string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "diff.json")
	out, exit = isadiff(t, dir, "diff", before, after, "--json", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r, exit, out
}

// TestTriton compiles before and after an edit into one cache, whose old
// directories stay.
func TestTriton(t *testing.T) {
	p := newTritonProject(t)
	run(t, p.command("gfx942,gfx1201"))
	if out, exit := isadiff(t, p.root, "snapshot", "dumps"); exit != 0 {
		t.Fatalf("the snapshot: %d\n%s", exit, out)
	}
	baseline := filepath.Join(".isadiff", "baseline.json")
	if r, exit, out := diff(t, p.root, baseline, "dumps"); exit != 0 || r.Exit != 0 {
		t.Fatalf("without an edit: %d\n%s", exit, out)
	}
	p.edit()
	run(t, p.command("gfx942,gfx1201"))
	r, exit, out := diff(t, p.root, baseline, "dumps")
	if exit != 1 || r.Exit != 1 {
		t.Errorf("after the edit: %d\n%s", exit, out)
	}
	grown := r.grown("vgpr")
	if len(grown) == 0 {
		t.Errorf("no kernel has more registers:\n%s", out)
	}
	for _, kernel := range grown {
		if !strings.HasSuffix(kernel, "::matmul") {
			t.Errorf("%s was not edited", kernel)
		}
	}
	if !strings.Contains(out, "2 compiles make this key, and the newest counts") {
		t.Errorf("which compile counts is not said:\n%s", out)
	}
	out, exit = isadiff(t, p.root, "where", "dumps", "--kernel", "**::matmul")
	if exit != 0 || !strings.Contains(out, "kernels.py:") {
		t.Errorf("where: %d\n%s", exit, out)
	}
}

// TestTritonDumps writes the dumps in testdata anew, if it is asked to.
func TestTritonDumps(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	p := newTritonProject(t)
	run(t, p.command("gfx942"))
	run(t, p.command("gfx950,gfx1201", "add"))
	p.keep("before")
	if err := os.RemoveAll(p.cache); err != nil {
		t.Fatal(err)
	}
	p.edit()
	run(t, p.command("gfx942", "matmul"))
	p.keep("after")
}

// keep puts the cache into the test data: what isadiff reads of it, without the
// machine's paths.
func (p *tritonProject) keep(name string) {
	p.t.Helper()
	to := testdata(p.t, "triton/"+name)
	if err := os.RemoveAll(to); err != nil {
		p.t.Fatal(err)
	}
	library := strings.TrimSpace(run(p.t, exec.Command(p.python, "-c", "import os, triton; print(os.path.dirname(triton.__file__))")))
	paths := strings.NewReplacer(p.root, "/project", library, "/triton")
	files, err := filepath.Glob(filepath.Join(p.cache, "*", "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range files {
		base := filepath.Base(file)
		if ext := filepath.Ext(base); ext != ".amdgcn" && ext != ".json" && ext != ".ttir" || strings.HasPrefix(base, "__grp__") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		rel, _ := filepath.Rel(p.cache, file)
		copied := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(copied, []byte(paths.Replace(string(text))), 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
}

// TestTritonCapture: a capture leads Triton into its directory and counts what was
// compiled there, also what a cache has.
func TestTritonCapture(t *testing.T) {
	p := newTritonProject(t)
	config := "producer = \"triton\"\n"
	if err := os.WriteFile(filepath.Join(p.root, "isadiff.toml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	compile := []string{"--", p.python, testdata(t, "triton/compile.py"), p.kernels, "gfx942", "matmul", "add"}
	for _, name := range []string{"before", "again"} {
		if out, exit := isadiff(t, p.root, append([]string{"capture", "-o", name}, compile...)...); exit != 0 || strings.Contains(out, "warning") {
			t.Fatalf("%s: %d\n%s", name, exit, out)
		}
	}
	if r, exit, out := diff(t, p.root, "before", "again"); exit != 0 || r.Exit != 0 || !strings.Contains(out, "compared 4 of 4 kernels") {
		t.Errorf("without an edit: %d\n%s", exit, out)
	}
	p.edit()
	if out, exit := isadiff(t, p.root, append([]string{"capture", "-o", "after"}, compile...)...); exit != 0 {
		t.Fatalf("after: %d\n%s", exit, out)
	}
	if r, exit, out := diff(t, p.root, "before", "after"); exit != 1 || len(r.grown("vgpr")) == 0 {
		t.Errorf("after the edit: %d\n%s", exit, out)
	}
	if out, exit := isadiff(t, p.root, "capture", "-o", "nothing", "--", p.python, "-c", "import triton"); exit != 2 || !strings.Contains(out, "compiled no kernel") {
		t.Errorf("nothing: %d\n%s", exit, out)
	}
}

// TestTritonLive: a live session sees the edit of a kernel and the compile after
// it.
func TestTritonLive(t *testing.T) {
	p := newTritonProject(t)
	run(t, p.command("gfx942", "matmul", "add"))
	if out, exit := isadiff(t, p.root, "snapshot", "dumps"); exit != 0 {
		t.Fatalf("the snapshot: %d\n%s", exit, out)
	}
	w := startWatch(t, p.root)
	w.until(0, "")
	p.edit()
	again := p.command("gfx942", "matmul", "add")
	again.Env = append(again.Environ(), "TRITON_ALWAYS_COMPILE=1") // or add is taken from the cache, and stays edited since
	run(t, again)
	w.until(1, "::matmul")
	w.stop()
}
