package dump

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"isadiff/engine/codeobject/objecttest"
	"isadiff/engine/producer"
)

// benchTree makes a tree of n dump directories out of the real dumps and returns
// its root and the bytes of its assembly.
func benchTree(b *testing.B, n int) (root string, size int64) {
	b.Helper()
	var files []string
	err := filepath.WalkDir("../../testdata/dumps", func(path string, d fs.DirEntry, err error) error {
		if err == nil && (*producer.Table)(nil).IsAssembly(d.Name()) {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		b.Fatal(err, len(files))
	}
	root = b.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range n {
		data, err := os.ReadFile(files[i%len(files)])
		if err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(root, fmt.Sprintf("m%d", i/50), fmt.Sprintf("k%d", i), "22_final_isa.s")
		write(b, path, data)
		if err := os.Chtimes(path, old, old); err != nil {
			b.Fatal(err)
		}
		size += int64(len(data))
	}
	return root, size
}

// BenchmarkRead reads trees of two sizes; the larger must cost ten times the
// smaller. BenchmarkReadBytes reads the same bytes and looks at none of them.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root, size := benchTree(b, n)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if side := Read(context.Background(), root, Options{}); len(side.Problems) > 0 {
					b.Fatal(side.Problems[0])
				}
			}
		})
	}
}

func BenchmarkReadBytes(b *testing.B) {
	root, size := benchTree(b, 1_000)
	b.SetBytes(size)
	for b.Loop() {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				_, err = os.ReadFile(path)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkObject reads a library of 20,000 kernels and 1 GB; ObjectBytes reads its
// bytes alone.
func BenchmarkObject(b *testing.B) {
	name, size := benchLibrary(b)
	b.SetBytes(size)
	for b.Loop() {
		if side, _ := ReadObject(b.Context(), name); len(side.Records) != 20000 || !side.Trustworthy() {
			b.Fatalf("%d kernels, %v", len(side.Records), side.Doubts())
		}
	}
}

func BenchmarkObjectBytes(b *testing.B) {
	name, size := benchLibrary(b)
	b.SetBytes(size)
	for b.Loop() {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, struct{ io.Reader }{f}); err != nil || n != size {
			b.Fatal(n, err)
		}
		f.Close()
	}
}

func benchLibrary(b *testing.B) (name string, size int64) {
	b.Helper()
	name = filepath.Join(b.TempDir(), "library.co")
	if err := objecttest.Library(name, 20000, 1<<30); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	return name, info.Size()
}
