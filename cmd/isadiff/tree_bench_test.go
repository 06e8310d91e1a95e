package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// plainFiles are those of testdata/dumps/base, of one kernel nearly all.
func plainFiles(b *testing.B) (contents [][]byte) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "dumps", "base", "*", "*", "*", "*_final_isa.s"))
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		contents = append(contents, text)
	}
	return contents
}

// realFiles are those and the files of LLVM 14 to 22 in testdata/isa.zip that hold one to
// nine kernels: 3.2 on average, in 46 kB.
func realFiles(b *testing.B) (contents [][]byte) {
	b.Helper()
	archive, err := zip.OpenReader(filepath.Join("..", "..", "testdata", "isa.zip"))
	if err != nil {
		b.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		if !strings.HasPrefix(f.Name, "isa-corpus/llvm") || !strings.HasSuffix(f.Name, ".s") {
			continue
		}
		text, err := fs.ReadFile(archive, f.Name)
		if err != nil {
			b.Fatal(err)
		}
		if n := bytes.Count(text, []byte(".amdhsa_kernel ")); n >= 1 && n <= 9 {
			contents = append(contents, text)
		}
	}
	return append(contents, plainFiles(b)...)
}

// benchTree makes a dump tree of n directories out of files.
func benchTree(b *testing.B, n int, contents [][]byte) string {
	b.Helper()
	if len(contents) == 0 {
		b.Fatal("no files")
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

// beside runs a command beside `find -print0 | xargs -0 cat` over the same warm files.
// Its figures: the wall time as a multiple of that of cat (the goal is at most 1, with
// JSON 1.3), and the memory at most in use (the goal is 64 MiB beyond the largest file).
func beside(b *testing.B, name string, files []string, args ...string) {
	find := "find " + strings.Join(files, " ") + " -type f -print0 | xargs -0 cat"
	b.Run(name, func(b *testing.B) {
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

// BenchmarkTree reads trees with one kernel a file.
func BenchmarkTree(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		root := benchTree(b, n, plainFiles(b))
		beside(b, fmt.Sprintf("summarize/%d", n), []string{root}, "summarize", root)
		beside(b, fmt.Sprintf("diff/%d", n), []string{root, root}, "diff", root, root)
	}
}

// BenchmarkRealTree reads trees of real files with several kernels each, and writes and
// reads snapshots of them.
func BenchmarkRealTree(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		root, snapshots := benchTree(b, n, realFiles(b)), b.TempDir()
		before, now := filepath.Join(snapshots, "before.json"), filepath.Join(snapshots, "now.json")
		if out, err := exec.Command("isadiff", "summarize", "-q", root, "--json", before).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		beside(b, fmt.Sprintf("summarize/%d", n), []string{root}, "summarize", root)
		beside(b, fmt.Sprintf("json/%d", n), []string{root}, "summarize", "-q", root, "--json", now)
		beside(b, fmt.Sprintf("diff/%d", n), []string{root, root}, "diff", root, root)
		beside(b, fmt.Sprintf("snapshot/%d", n), []string{before, root}, "diff", before, root)
	}
}

// timed runs a command and throws its output away.
func timed(cmd *exec.Cmd) (time.Duration, error) {
	start := time.Now()
	err := cmd.Run()
	return time.Since(start), err
}
