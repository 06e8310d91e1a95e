package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// benchTree makes a dump tree of n directories out of the real files in
// testdata, and reads it once, so that it is in the page cache.
func benchTree(b *testing.B, n int) string {
	b.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "dumps", "base", "*", "*", "*", "*_final_isa.s"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no dumps: %v", err)
	}
	contents := make([][]byte, len(files))
	for i, f := range files {
		if contents[i], err = os.ReadFile(f); err != nil {
			b.Fatal(err)
		}
	}
	root := b.TempDir()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("module_%03d", i/100), fmt.Sprintf("kernel_%05d", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "22_final_isa.s"), contents[i%len(contents)], 0o666); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// BenchmarkTree runs the whole command beside `find -print0 | xargs -0 cat` over
// the same warm files (of both trees for diff). Its figures: the wall time as a multiple of that of cat
// (the goal is at most 1), and the memory at most in use (the goal is 64 MiB
// beyond the largest file).
func BenchmarkTree(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		root := benchTree(b, n)
		for _, args := range [][]string{{"summarize", root}, {"diff", root, root}} {
			find := "find " + strings.Join(args[1:], " ") + " -name '*final_isa.s' -print0 | xargs -0 cat"
			b.Run(fmt.Sprintf("%s/%d", args[0], n), func(b *testing.B) {
				var ours, theirs time.Duration
				var memory int64
				for b.Loop() {
					b.StopTimer()
					t, err := timed(exec.Command("sh", "-c", find))
					if err != nil {
						b.Fatal(err)
					}
					theirs += t
					b.StartTimer()
					cmd := exec.Command("isadiff", args...)
					t, err = timed(cmd)
					if err != nil {
						b.Fatal(err)
					}
					ours += t
					memory = max(memory, peakMemory(cmd.ProcessState))
				}
				b.ReportMetric(ours.Seconds()/theirs.Seconds(), "x-cat")
				if memory > 0 {
					b.ReportMetric(float64(memory)/(1<<20), "MiB")
				}
			})
		}
	}
}

// timed runs a command and throws its output away.
func timed(cmd *exec.Cmd) (time.Duration, error) {
	start := time.Now()
	err := cmd.Run()
	return time.Since(start), err
}
