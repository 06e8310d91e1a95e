package pysource

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// largeSource returns a source of about 3,000 lines: real kernels, one below the other.
func largeSource(b *testing.B) []byte {
	b.Helper()
	var text []byte
	for bytes.Count(text, []byte("\n")) < 3000 {
		for _, path := range pythonFiles(b, "../../testdata/kernels") {
			source, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			text = append(text, source...)
		}
	}
	return text
}

// BenchmarkScan scans 3,000 lines. BenchmarkRead is what to compare it with:
// looking at every byte of the same text once.
func BenchmarkScan(b *testing.B) {
	text := largeSource(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if len(Scan(text).Definitions) == 0 {
			b.Fatal("nothing found")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	text := largeSource(b)
	b.SetBytes(int64(len(text)))
	lines := 0
	for b.Loop() {
		for _, c := range text {
			if c == '\n' {
				lines++
			}
		}
	}
	b.ReportMetric(float64(bytes.Count(text, []byte("\n"))), "lines")
}

// BenchmarkScanOther scans a source of the same size that holds no kernels.
func BenchmarkScanOther(b *testing.B) {
	text := bytes.ReplaceAll(largeSource(b), []byte("fl"), []byte("gl"))
	text = bytes.ReplaceAll(text, []byte("fx."), []byte("gx."))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if Scan(text).Kernels {
			b.Fatal("something found")
		}
	}
}

// BenchmarkRescan rescans 3,000 lines after a keystroke, in correct text and while
// a docstring is open.
func BenchmarkRescan(b *testing.B) {
	text := largeSource(b)
	old := Scan(text)
	at := bytes.Index(text[len(text)/2:], []byte("\n    ")) + len(text)/2 + 5
	for _, typed := range []string{"x", `"""`} {
		b.Run(fmt.Sprintf("%q", typed), func(b *testing.B) {
			edited := append(append(bytes.Clone(text[:at]), typed+"\n    "...), text[at:]...)
			b.SetBytes(int64(len(edited)))
			b.ReportAllocs()
			for b.Loop() {
				if len(Rescan(old, text, edited).Definitions) != len(old.Definitions) {
					b.Fatal("something was lost")
				}
			}
		})
	}
}

// BenchmarkPathologies scans texts that are made to be slow.
func BenchmarkPathologies(b *testing.B) {
	for _, p := range pathologies {
		b.Run(p.name, func(b *testing.B) {
			text := []byte(p.text(1 << 20 / len(p.again)))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Scan(text)
			}
		})
	}
}
