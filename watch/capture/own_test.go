package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/project"
)

// The dumps of a compiler that only the project knows are counted, swept and read;
// a run that writes none is told.
func TestOwnCompiler(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its commands are those of a POSIX shell")
	}
	own, err := producer.Custom("mine", "*.isa", nil)
	if err != nil {
		t.Fatal(err)
	}
	assembly, err := os.ReadFile("../../testdata/dumps/tile-up-spills/gfx942/before/window_filter/window_filter_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "window.txt"), string(assembly))
	out := filepath.Join(root, "out")
	for _, c := range []struct {
		name, command string
		kernels       int
		codes         []problem.Code
	}{
		{"two files", "mkdir -p out/a out/b && cp window.txt out/a/w.isa && cp window.txt out/b/w.isa", 2, nil},
		{"one of them again", "mkdir -p out/a && cp window.txt out/a/w.isa", 1, nil},
		{"none", "true", 0, []problem.Code{problem.CaptureEmpty}},
		{"cut short", "mkdir -p out/a && head -c 2000 window.txt > out/a/w.isa", 1, []problem.Code{problem.MetadataMissing}},
	} {
		var said bytes.Buffer
		r, err := Run(t.Context(), Options{
			Command: project.Command{Args: []string{"sh", "-c", c.command}}, Dir: root, Root: root, Out: out, Env: os.Environ(),
			Producer: own, Stdout: &said, Stderr: &said,
		})
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, said.String())
		}
		if codes := problem.Codes(r.Problems); len(codes) != len(c.codes) || len(codes) > 0 && codes[0] != c.codes[0] || r.Kernels != c.kernels {
			t.Errorf("%s: %d kernels, problems %v; want %d and %v", c.name, r.Kernels, r.Problems, c.kernels, c.codes)
		}
	}
}
