//go:build producers

package realtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A hipProject is a project with HIP kernels that clang compiles into build.
type hipProject struct {
	t           *testing.T
	clang, root string
	kernels     string
}

func newHIPProject(t *testing.T) *hipProject {
	t.Helper()
	p := &hipProject{t: t, clang: llvm(t, "clang"), root: t.TempDir()}
	p.kernels = copyFile(t, "hip/kernels.hip", p.root)
	if err := os.Mkdir(filepath.Join(p.root, "build"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.root, "isadiff.toml"), []byte("dumps = \"build\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// compile compiles the kernels as a build does that keeps its temporary files.
func (p *hipProject) compile() {
	p.t.Helper()
	c := exec.Command(p.clang, "-x", "hip", "--offload-arch=gfx942", "--offload-arch=gfx1201", "-nogpuinc", "-nogpulib", "-O3",
		"-gline-tables-only", "--save-temps", "--offload-device-only", "-S", p.kernels)
	c.Dir = filepath.Join(p.root, "build")
	run(p.t, c)
}

// edit is a change as an author makes it: a wider window, held in registers until
// all of it was read.
func (p *hipProject) edit() {
	p.t.Helper()
	edit(p.t, p.kernels, "  float taps[32];\n", "  float taps[96];\n")
	edit(p.t, p.kernels, "  for (int i = 0; i < 32; i++) sum += in[i] * w.taps[i];\n",
		"  float held[96];\n  for (int i = 0; i < 96; i++) held[i] = in[i];\n  __builtin_amdgcn_s_barrier();\n"+
			"  for (int i = 0; i < 96; i++) sum += held[95 - i] * w.taps[i];\n")
}

// TestHIP compiles before and after an edit into one directory.
func TestHIP(t *testing.T) {
	p := newHIPProject(t)
	p.compile()
	if out, exit := isadiff(t, p.root, "snapshot", "build"); exit != 0 {
		t.Fatalf("the snapshot: %d\n%s", exit, out)
	}
	baseline := filepath.Join(".isadiff", "baseline.json")
	p.compile()
	if r, exit, out := diff(t, p.root, baseline, "build"); exit != 0 || r.Exit != 0 {
		t.Fatalf("without an edit: %d\n%s", exit, out)
	}
	p.edit()
	p.compile()
	r, exit, out := diff(t, p.root, baseline, "build")
	if exit != 1 || r.Exit != 1 {
		t.Errorf("after the edit: %d\n%s", exit, out)
	}
	if got := strings.Join(r.grown("vgpr"), " "); got != "kernels/gfx1201::smooth kernels/gfx942::smooth" {
		t.Errorf("more registers in %q\n%s", got, out)
	}
	if out, _ := isadiff(t, p.root, "summarize", "build"); !strings.Contains(out, "kernels/gfx942::math::scale<float, 256>") {
		t.Errorf("a template's name is not readable:\n%s", out)
	}
}

// TestHIPLive: a live session sees the edit of a kernel and the compile after it,
// and leads both to its definition.
func TestHIPLive(t *testing.T) {
	p := newHIPProject(t)
	p.compile()
	if out, exit := isadiff(t, p.root, "snapshot", "build"); exit != 0 {
		t.Fatalf("the snapshot: %d\n%s", exit, out)
	}
	w := startWatch(t, p.root)
	w.until(0, `"function":"math::scale"`)
	p.edit()
	p.compile()
	w.until(1, "kernels/gfx942::smooth")
	w.stop()
}

// TestHIPDumps writes the dumps in testdata anew, if it is asked to.
func TestHIPDumps(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	p := newHIPProject(t)
	for _, name := range []string{"before", "after"} {
		p.compile()
		to := testdata(t, "hip/"+name)
		if err := os.MkdirAll(to, 0o777); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(p.root, "build", "*.s"))
		if err != nil || len(files) == 0 {
			t.Fatal(err, "no assembly")
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kept := strings.ReplaceAll(string(text), p.root, "/project")
			if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), []byte(kept), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if name == "before" {
			p.edit()
		}
	}
}
