package watch

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func begin(b *testing.B, root string, change ...func(*Options)) *Watcher {
	b.Helper()
	o := Options{Root: root, Interest: Dumps(nil)}
	for _, c := range change {
		c(&o)
	}
	return Start(context.Background(), o)
}

// BenchmarkStart is the time until 10,000 directories are watched and the first
// batch names their files.
func BenchmarkStart(b *testing.B) {
	root := b.TempDir()
	tree(b, root, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		w := begin(b, root, func(o *Options) { o.Quiet = time.Millisecond }) // the files are new, but nobody writes them
		if batch := <-w.Batches(); len(batch.Settled) != 10_000 {
			b.Fatalf("%d files", len(batch.Settled))
		}
		w.Close()
	}
}

// BenchmarkChange is the time from the last write of one file among 10,000
// directories to the batch, with default settings. The goal is 250 ms.
func BenchmarkChange(b *testing.B) {
	root := b.TempDir()
	rels := tree(b, root, 10_000)
	w := begin(b, root)
	defer w.Close()
	for files := 0; files < len(rels); files += len((<-w.Batches()).Settled) {
	}
	var slowest time.Duration
	n := 0
	for b.Loop() {
		n++
		write(b, filepath.Join(root, rels[n%len(rels)]), isa(fmt.Sprint(n)))
		begun := time.Now()
		if batch := <-w.Batches(); len(batch.Settled) != 1 {
			b.Fatalf("%d files", len(batch.Settled))
		}
		slowest = max(slowest, time.Since(begun))
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-max")
	b.ReportMetric(250, "ms-goal")
}

// BenchmarkWork is the same without the waiting: what one change costs.
func BenchmarkWork(b *testing.B) {
	root := b.TempDir()
	rels := tree(b, root, 10_000)
	d := driven(b, root, func(o *Options) { o.pace.net = 24 * time.Hour })
	d.advance(time.Minute)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		d.batches = d.batches[:0]
		d.write(rels[n%len(rels)], isa(fmt.Sprint(n)))
		d.advance(time.Second)
		if len(d.batches) != 1 {
			b.Fatalf("%d batches", len(d.batches))
		}
	}
}

// BenchmarkNet is one look at 10,000 directories without changes.
func BenchmarkNet(b *testing.B) {
	root := b.TempDir()
	tree(b, root, 10_000)
	d := driven(b, root)
	d.advance(time.Minute)
	b.ReportAllocs()
	for b.Loop() {
		d.advance(d.tracker.pace.net)
	}
}
