package live

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// many is the size of the largest project that the goals are about.
const many = 10_000

// manyDumps makes a tree of n dump directories out of real ones.
func manyDumps(b testing.TB, r *rig, n int) (dirs []string) {
	b.Helper()
	type dump struct{ isa, origin []byte }
	var kinds []dump
	err := filepath.WalkDir(fixture("base/gfx942"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "22_final_isa.s") {
			return err
		}
		isa, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		origin, err := os.ReadFile(filepath.Join(filepath.Dir(path), "00_origin.mlir"))
		kinds = append(kinds, dump{isa, origin})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		dir := fmt.Sprintf("t%03d/case%05d", i%500, i)
		k := kinds[i%len(kinds)]
		r.write("dumps/"+dir+"/22_final_isa.s", string(k.isa))
		r.write("dumps/"+dir+"/00_origin.mlir", string(k.origin))
		dirs = append(dirs, dir)
	}
	return dirs
}

// loaded makes a session with many dumps and a baseline of them.
func loaded(b testing.TB, n int) (r *rig, dirs []string) {
	b.Helper()
	r = prepare(b, "")
	dirs = manyDumps(b, r, n)
	r.open()
	if _, err := r.SnapshotBaseline(b.Context(), true); err != nil {
		b.Fatal(err)
	}
	return r, dirs
}

// BenchmarkOneDump is the time from "settled" to the new State when one of 10,000
// dump directories was compiled again. The goal is 5 ms.
func BenchmarkOneDump(b *testing.B) {
	r, dirs := loaded(b, many)
	versions := [][]byte{}
	for _, of := range []string{"before", "after"} {
		text, err := os.ReadFile(fixture("tile-up-spills/gfx942/" + of + "/window_filter/window_filter_0/22_final_isa.s"))
		if err != nil {
			b.Fatal(err)
		}
		versions = append(versions, text)
	}
	path := filepath.Join(r.dumps, dirs[len(dirs)/2], "22_final_isa.s")
	b.ReportAllocs()
	b.ResetTimer()
	seq := r.Current().Seq
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		if err := os.WriteFile(path, versions[i%2], 0o666); err != nil {
			b.Fatal(err)
		}
		f := file(b, path)
		b.StartTimer()
		r.DumpsChanged(Batch{Settled: []Settled{f}})
		if s := r.sync(); s.Seq == seq {
			b.Fatal("no new State")
		} else {
			seq = s.Seq
		}
	}
	b.ReportMetric(5e6, "ns-goal")
}

// BenchmarkNewDump is the same when the directory was not there before, so that
// kernels have to be matched again.
func BenchmarkNewDump(b *testing.B) {
	r, dirs := loaded(b, many)
	text, err := os.ReadFile(filepath.Join(r.dumps, dirs[0], "22_final_isa.s"))
	if err != nil {
		b.Fatal(err)
	}
	path := r.path("dumps/new/22_final_isa.s")
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		var c Batch
		if i%2 == 0 {
			r.write("dumps/new/22_final_isa.s", string(text))
			c = Batch{Settled: []Settled{file(b, path)}}
		} else {
			os.Remove(path)
			c = Batch{Removed: []string{path}}
		}
		b.StartTimer()
		r.DumpsChanged(c)
		r.sync()
	}
}

// BenchmarkReload reads 10,000 dump directories and their baseline again, in which
// nothing is another one.
func BenchmarkReload(b *testing.B) {
	r, _ := loaded(b, many)
	first := r.sync()
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if s, err := r.Reload(b.Context()); err != nil || s != first {
			b.Fatal("another State", err)
		}
	}
}

// BenchmarkEdit is one keystroke in a source file that defines kernels of 10,000
// dumps.
func BenchmarkEdit(b *testing.B) {
	r, _ := loaded(b, many)
	path := r.path("kernels/window_filter.py")
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		r.SetOverlay(path, strings.Repeat("#\n", i%7+1)+string(text))
		r.sync()
	}
}

// BenchmarkOpen reads 10,000 dump directories, a baseline of as many kernels and
// 5,000 Python files; the memory is what stays. The goal is 150 MB.
func BenchmarkOpen(b *testing.B) {
	r := prepare(b, "")
	manyDumps(b, r, many)
	for i := range 5_000 {
		r.write(fmt.Sprintf("kernels/m%03d/f%04d.py", i%100, i), "import os\n\n\ndef helper(x):\n    return x\n")
	}
	r.open()
	if _, err := r.SnapshotBaseline(b.Context(), true); err != nil {
		b.Fatal(err)
	}
	r.Session.Close()
	r.Session = nil
	b.ResetTimer()
	for b.Loop() {
		before := heap()
		r.open()
		s := r.sync()
		b.ReportMetric(float64(heap()-before)/(1<<20), "MB-held")
		b.ReportMetric(150, "MB-goal")
		if len(s.Kernels) < many || s.Result == nil {
			b.Fatal(len(s.Kernels))
		}
		r.Session.Close()
		runtime.KeepAlive(s)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
