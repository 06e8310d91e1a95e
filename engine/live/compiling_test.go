package live

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"isadiff/engine/problem"
)

// TestCompiling: a new origin beside an old dump is a compile under way; if that
// writes nothing for a while, the dump is stale.
func TestCompiling(t *testing.T) {
	const dir = "gemm/gemm_nt_f16_k32"
	r := newRig(t, "", "")
	r.compile("failed-compile/gfx950/good/gemm_nt_f16_k32", dir, noon)
	start := noon.Add(2 * time.Hour)
	origin := func(at time.Time) *State {
		data, err := os.ReadFile(fixture("failed-compile/gfx950/then-failed/gemm_nt_f16_k32/00_origin.mlir"))
		if err != nil {
			t.Fatal(err)
		}
		r.put("dumps/"+dir+"/00_origin.mlir", string(data), at)
		r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path("dumps/"+dir+"/00_origin.mlir"))}})
		return r.sync()
	}
	r.clock.set(start)
	s := origin(start)
	k := r.wantStatus(s, "gemm_nt_f16_k32", Compiling)
	if s.Compiling != 1 || k.Live == nil {
		t.Errorf("%d compiling, live %v", s.Compiling, k.Live)
	}

	r.put("dumps/"+dir+"/05_canonicalize.mlir", "", start.Add(8*time.Second)) // the compile goes on
	r.clock.set(start.Add(11 * time.Second))
	r.wantStatus(r.sync(), "gemm_nt_f16_k32", Compiling)

	r.clock.set(start.Add(19 * time.Second))
	s = r.sync()
	k = r.wantStatus(s, "gemm_nt_f16_k32", Untrustworthy)
	if s.Compiling != 0 || len(k.Problems) != 1 || k.Problems[0].Code != problem.DumpStale || s.Verdict.String() != "NOT TRUSTWORTHY" {
		t.Errorf("%d compiling, problems %v, verdict %v", s.Compiling, k.Problems, s.Verdict)
	}

	s = r.compile("failed-compile/gfx950/good/gemm_nt_f16_k32", dir, start.Add(time.Minute))
	r.wantStatus(s, "gemm_nt_f16_k32", NoBaseline)

	// A compile that fails a moment after a good one, within what copied trees are
	// forgiven, was seen and is stale all the same.
	at := start.Add(time.Minute + time.Second)
	r.clock.set(at)
	r.wantStatus(origin(at), "gemm_nt_f16_k32", Compiling)
	r.clock.set(at.Add(time.Minute))
	k = r.wantStatus(r.sync(), "gemm_nt_f16_k32", Untrustworthy)
	if len(k.Problems) != 1 || k.Problems[0].Code != problem.DumpStale {
		t.Errorf("problems %v", k.Problems)
	}
}

// TestFailureIsKept: that a compile was seen to fail, a moment after a good one, is
// known until the next one, however often all is read again and whatever lies
// beside it.
func TestFailureIsKept(t *testing.T) {
	const dir = "window_filter/window_filter_0"
	for name, late := range map[string]bool{"told by the clock": false, "read before the clock tells": true} {
		for _, beside := range []string{"", "21_final_isa.s"} {
			t.Run(name+" "+beside, func(t *testing.T) {
				r := newRig(t, base, base)
				if beside != "" {
					r.write("dumps/"+dir+"/"+beside, "")
				}
				r.clock.set(noon.Add(time.Second))
				r.touch("dumps/"+dir+"/00_origin.mlir", noon.Add(time.Second))
				r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path("dumps/"+dir+"/00_origin.mlir"))}})
				r.wantStatus(r.sync(), "window_filter_0", Compiling)
				if late {
					r.clock.mu.Lock()
					r.clock.now = noon.Add(time.Minute)
					r.clock.mu.Unlock()
				} else {
					r.clock.set(noon.Add(time.Minute))
				}
				var last *State
				for range 3 {
					s, err := r.Reload(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if k := r.wantStatus(s, "window_filter_0", Untrustworthy); !onlyStale(k) || s.Verdict.ExitCode() != 2 || k.Remade.CompilerChanged() {
						t.Errorf("problems %v, verdict %v, compiler changed %v", k.Problems, s.Verdict, k.Remade.CompilerChanged())
					}
					if last != nil && s != last {
						t.Errorf("reloading made State %d of %d", s.Seq, last.Seq)
					}
					last = s
				}
				s := r.compile(base+"/"+dir, dir, noon.Add(2*time.Minute))
				r.wantStatus(s, "window_filter_0", Unchanged)
			})
		}
	}
}

// TestUnseenCompile: a compile that only reloading finds ends like any other.
func TestUnseenCompile(t *testing.T) {
	r := newRig(t, base, base)
	r.clock.set(noon.Add(time.Minute))
	r.touch("dumps/window_filter/window_filter_0/00_origin.mlir", noon.Add(time.Minute))
	s, err := r.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.wantStatus(s, "window_filter_0", Compiling)
	r.clock.set(noon.Add(2 * time.Minute))
	if k := r.wantStatus(r.sync(), "window_filter_0", Untrustworthy); !onlyStale(k) {
		t.Errorf("problems %v", k.Problems)
	}
}

func onlyStale(k *Kernel) bool {
	return len(k.Problems) == 1 && k.Problems[0].Code == problem.DumpStale
}

// TestCompilingIsNoOK: while a compile is under way that began a moment after the
// last one ended, the figures are those of the last one and nothing is OK.
func TestCompilingIsNoOK(t *testing.T) {
	for _, baseline := range []string{base, ""} {
		r := newRig(t, baseline, base)
		if s := r.sync(); s.Verdict.String() != "OK" {
			t.Fatalf("before: %v", s.Verdict)
		}
		origin := "dumps/window_filter/window_filter_0/00_origin.mlir"
		r.clock.set(noon.Add(time.Second))
		r.touch(origin, noon.Add(time.Second))
		r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(origin))}})
		s := r.sync()
		k := r.wantStatus(s, "window_filter_0", Compiling)
		if s.Compiling != 1 || s.Verdict.ExitCode() != 2 || k.Identical || !onlyStale(k) || len(s.Problems) != 1 {
			t.Errorf("%d compiling, verdict %v, identical %v, problems %v and %v", s.Compiling, s.Verdict, k.Identical, k.Problems, s.Problems)
		}
		s = r.compile(base+"/window_filter", "window_filter", noon.Add(2*time.Second))
		if k := r.kernel(s, "window_filter_0"); s.Verdict.String() != "OK" || k.Identical != (baseline != "") || s.Compiling != 0 {
			t.Errorf("after: %v, identical %v: %v", s.Verdict, k.Identical, s.Problems)
		}
	}
}

// TestFirstCompile: a kernel of the baseline whose first compile is under way is
// not pending any more, and is again if that fails.
func TestFirstCompile(t *testing.T) {
	const dir = "window_filter/window_filter_0"
	r := newRig(t, base, "")
	r.clock.set(noon)
	text, err := os.ReadFile(filepath.Join(fixture(base), dir, "00_origin.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("dumps/"+dir+"/00_origin.mlir", string(text))
	r.DumpsChanged(everything(t, r.dumps))
	r.wantStatus(r.sync(), "window_filter_0", Compiling)
	r.clock.set(noon.Add(time.Minute))
	r.wantStatus(r.sync(), "window_filter_0", Pending)
	s := r.compile(base+"/window_filter", "window_filter", noon.Add(2*time.Minute))
	r.wantStatus(s, "window_filter_0", Unchanged)
}

// TestStaleAtStart: what the files alone tell, without having seen the compile.
func TestStaleAtStart(t *testing.T) {
	r := prepare(t, "failed-compile/gfx950/then-failed")
	r.touch("dumps/gemm_nt_f16_k32/00_origin.mlir", noon.Add(time.Minute))
	r.open()
	k := r.wantStatus(r.sync(), "gemm_nt_f16_k32", Untrustworthy)
	if len(k.Problems) != 1 || k.Problems[0].Code != problem.DumpStale {
		t.Errorf("problems %v", k.Problems)
	}
}

// TestStaleInTheFuture: a file server whose clock is ahead makes no compile last
// longer.
func TestStaleInTheFuture(t *testing.T) {
	r := prepare(t, "failed-compile/gfx950/then-failed")
	start := r.clock.Now()
	r.touch("dumps/gemm_nt_f16_k32/00_origin.mlir", start.Add(time.Hour))
	r.open()
	r.wantStatus(r.sync(), "gemm_nt_f16_k32", Compiling)
	r.clock.set(start.Add(9 * time.Second))
	r.wantStatus(r.sync(), "gemm_nt_f16_k32", Compiling)
	r.clock.set(start.Add(11 * time.Second))
	k := r.wantStatus(r.sync(), "gemm_nt_f16_k32", Untrustworthy)
	if len(k.Problems) != 1 || k.Problems[0].Code != problem.DumpStale {
		t.Errorf("problems %v", k.Problems)
	}
}

// TestHalfWritten: an assembly file that nobody said had settled is not read.
func TestHalfWritten(t *testing.T) {
	const dir = "dumps/window_filter/window_filter_0/"
	r := newRig(t, base, base)
	first := r.sync()
	now := r.clock.Now()
	text, err := os.ReadFile(r.path(dir + "22_final_isa.s"))
	if err != nil {
		t.Fatal(err)
	}
	r.touch(dir+"00_origin.mlir", now)
	r.put(dir+"22_final_isa.s", string(text[:len(text)/2]), now.Add(time.Second))
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(dir+"00_origin.mlir"))}})
	s := r.sync()
	if k := r.wantStatus(s, "window_filter_0", Compiling); k.Live.Cells != r.kernel(first, "window_filter_0").Live.Cells || !onlyStale(k) || k.Identical || s.Verdict.ExitCode() != 2 {
		t.Errorf("problems %v, identical %v, verdict %v", k.Problems, k.Identical, s.Verdict)
	}
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(dir+"22_final_isa.s"))}}) // the watcher gave up
	r.wantStatus(r.sync(), "window_filter_0", Untrustworthy)
	r.put(dir+"22_final_isa.s", string(text), now.Add(2*time.Second))
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(dir+"22_final_isa.s"))}})
	r.wantStatus(r.sync(), "window_filter_0", Unchanged)
}

// TestHalfWrittenAtStart: the same when it begins before the session.
func TestHalfWrittenAtStart(t *testing.T) {
	const path = "dumps/window_filter/window_filter_0/22_final_isa.s"
	r := prepare(t, "tile-up-spills/gfx942/before")
	text, err := os.ReadFile(r.path(path))
	if err != nil {
		t.Fatal(err)
	}
	r.put(path, string(text[:len(text)-200]), r.clock.Now())
	s := Open(Config{Project: r.project(), Clock: r.clock, NoSources: true})
	t.Cleanup(s.Close)
	r.Session = s
	s.BaselineChanged(Batch{Missing: true})
	s.DumpsChanged(Batch{Settled: []Settled{file(t, r.path("dumps/window_filter/window_filter_0/00_origin.mlir"))}})
	if st := r.sync(); len(st.Kernels) > 0 && st.Kernels[0].Status != Compiling {
		t.Errorf("%v", st.Kernels[0].Status)
	}
	r.put(path, string(text), r.clock.Now())
	s.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(path))}})
	r.wantStatus(r.sync(), "window_filter_0", NoBaseline)
}
