package isa

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// dumpFile reads a real dump.
func dumpFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/dumps", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// BenchmarkParse reads real dumps; its bytes per second stand beside those of
// BenchmarkCountLines, which only looks for line ends.
func BenchmarkParse(b *testing.B) {
	for _, file := range benchFiles {
		b.Run(file.name, func(b *testing.B) {
			data := dumpFile(b, file.path)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(data)
			}
		})
	}
}

func BenchmarkCountLines(b *testing.B) {
	for _, file := range benchFiles {
		b.Run(file.name, func(b *testing.B) {
			data := dumpFile(b, file.path)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				lines := 0
				for rest := data; ; lines++ {
					i := bytes.IndexByte(rest, '\n')
					if i < 0 {
						break
					}
					rest = rest[i+1:]
				}
			}
		})
	}
}

var benchFiles = []struct{ name, path string }{
	{"small", "base/gfx950/transpose/transpose_static_0/22_final_isa.s"},
	{"large", "tile-up-spills/gfx942/after/window_filter/window_filter_0/22_final_isa.s"},
	{"msb", "tile-up-spills/gfx1250/after/window_filter/window_filter_0/22_final_isa.s"},
	{"debug", "debug/gfx950/window_filter/window_filter_0/23_final_isa.s"},
}
