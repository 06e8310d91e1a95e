//go:build producers

package realtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ireeEdit makes an activation that needs more registers.
var ireeEdit = [2]string{
	"    %y = arith.maximumf %x, %zero : f32\n",
	"    %e = math.erf %x : f32\n    %y = arith.mulf %x, %e : f32\n",
}

// ireeFile is what IREE names the assembly and the object of kernels.mlir, but for the ending.
const ireeFile = "module_kernels_linked_rocm_hsaco_fb"

// An ireeProject is a project with MLIR that IREE compiles into dumps.
type ireeProject struct {
	t              *testing.T
	compiler, root string
	kernels        string
}

func newIREEProject(t *testing.T) *ireeProject {
	t.Helper()
	p := &ireeProject{t: t, compiler: os.Getenv("IREE_COMPILE"), root: t.TempDir()}
	if p.compiler == "" {
		lacking(t, "IREE_COMPILE names no iree-compile; run make test-producers")
	}
	p.kernels = copyFile(t, "iree/kernels.mlir", p.root)
	if err := os.WriteFile(filepath.Join(p.root, "isadiff.toml"), []byte("producer = \"iree\"\ndumps = \"dumps\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *ireeProject) compile() {
	p.t.Helper()
	dumps := filepath.Join(p.root, "dumps")
	run(p.t, exec.Command(p.compiler, "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942",
		"--iree-hal-dump-executable-intermediates-to="+dumps, "--iree-hal-dump-executable-binaries-to="+filepath.Join(p.root, "objects"),
		p.kernels, "-o", filepath.Join(p.root, "kernels.vmfb")))
}

// TestIREE compiles before and after an edit, and holds each count against the object
// that IREE made.
func TestIREE(t *testing.T) {
	objdump, readobj := llvm(t, "llvm-objdump"), llvm(t, "llvm-readobj")
	p := newIREEProject(t)
	p.compile()
	if out, exit := isadiff(t, p.root, "snapshot"); exit != 0 {
		t.Fatalf("the snapshot: %d\n%s", exit, out)
	}
	baseline := filepath.Join(".isadiff", "baseline.json")
	if r, exit, out := diff(t, p.root, baseline, "dumps"); exit != 0 || r.Exit != 0 {
		t.Fatalf("without an edit: %d\n%s", exit, out)
	}
	edit(t, p.kernels, ireeEdit[0], ireeEdit[1])
	p.compile()
	r, exit, out := diff(t, p.root, baseline, "dumps")
	if exit != 1 || r.Exit != 1 {
		t.Errorf("after the edit: %d\n%s", exit, out)
	}
	const worse = "module_kernels::activate_dispatch_0_elementwise_262144_f32"
	if got := r.grown("vgpr"); len(got) != 1 || got[0] != worse {
		t.Errorf("more registers in %q\n%s", got, out)
	}
	object := filepath.Join(p.root, "objects", ireeFile+".hsaco")
	sites := disassembled(run(t, exec.Command(objdump, "-d", "--mcpu=gfx942", object)))
	notes := noted(run(t, exec.Command(readobj, "--notes", object)))
	if n := compare(t, filepath.Join(p.root, "dumps", ireeFile+".rocmasm"), "iree", sites, notes); n < 2*10 {
		t.Errorf("only %d cells were compared", n)
	}
}

// TestIREEDumps writes the dumps in testdata anew, if it is asked to.
func TestIREEDumps(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	p := newIREEProject(t)
	for _, name := range []string{"before", "after"} {
		p.compile()
		text, err := os.ReadFile(filepath.Join(p.root, "dumps", ireeFile+".rocmasm"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(testdata(t, filepath.Join("iree", name, ireeFile+".rocmasm")), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if name == "before" {
			edit(t, p.kernels, ireeEdit[0], ireeEdit[1])
		}
	}
}
