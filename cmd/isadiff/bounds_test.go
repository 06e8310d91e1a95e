package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sparse makes a file of a size that takes no place on the disk, with a text at its
// beginning.
func sparse(t *testing.T, path, text string, size int64) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// What is too large to be read is a problem that says so, at once and in little memory.
func TestFilesOfAnySize(t *testing.T) {
	const gigabyte = 1 << 30
	dir := t.TempDir()
	good := filepath.Join("..", "..", "testdata", "dumps", "tile-up-spills", "gfx942", "after")
	sparse(t, filepath.Join(dir, "dumps", "k", "22_final_isa.s"), "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n", gigabyte)
	sparse(t, filepath.Join(dir, "snapshot.json"), `{"kernels": {`, gigabyte)
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "kernels", "transpose.py"))
	if err != nil {
		t.Fatal(err)
	}
	sparse(t, filepath.Join(dir, "project", "kernels", "large.py"), string(text), 400<<20)
	if err := os.WriteFile(filepath.Join(dir, "project", "isadiff.toml"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs(good)
	if err != nil {
		t.Fatal(err)
	}
	const large = "it is larger than 256 MiB"
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"summarize", "../dumps"}, 2, large},
		{[]string{"snapshot", "../dumps", "-o", "../out.json"}, 2, large},
		{[]string{"diff", "../snapshot.json", abs}, 2, large},
		{[]string{"diff", abs, "../dumps"}, 2, large},
		{[]string{"merge", "../snapshot.json", "../snapshot.json", "-o", "../out.json"}, 2, large},
		{[]string{"where", "../dumps"}, 2, large},
		{[]string{"where", "../dumps/k/22_final_isa.s"}, 2, large},
		{[]string{"why", "../dumps", abs}, 2, large},
		{[]string{"why", abs, "../dumps/k/22_final_isa.s"}, 2, large},
		{[]string{"snapshot", "--ignore-times", abs, "-o", "../snapshot.json"}, 2, "larger than 256 MiB"},
		{[]string{"diff", "--ignore-times", abs, abs, "--json", "../snapshot.json"}, 2, "is no report"},
		{[]string{"diff", "--ignore-times", abs, abs, "--format", "github"}, 0, "RESULT: OK"},
		{[]string{"where", "../dumps", "--json", "-"}, 2, large},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "isadiff", tt.args...)
			cmd.Dir = filepath.Join(dir, "project")
			out, _ := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != tt.code || !strings.Contains(string(out), tt.says) {
				t.Errorf("%v, want exit status %d and %q:\n%.3000s", cmd.ProcessState, tt.code, tt.says, out)
			}
			if memory := peakMemory(cmd.ProcessState); memory > 200<<20 {
				t.Errorf("%d MiB were in use", memory>>20)
			}
		})
	}
}
