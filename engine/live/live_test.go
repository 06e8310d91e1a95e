package live

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

func TestPairsOfRealDumps(t *testing.T) {
	tests := []struct {
		pair, kernel string
		status       Status
		identical    bool
		verdict      string
	}{
		{"tile-up-spills/gfx942", "window_filter_0", Worse, false, "REGRESSION"},
		{"improvement/gfx942", "window_filter_0", Worse, false, "REGRESSION"}, // vgpr 127 -> 128 beside fewer spills
		{"double-buffer/gfx1250", "gemm_nt_f16_k32", Worse, false, "REGRESSION"},
		{"refactor-identical/gfx950", "softmax_rows_0", Unchanged, true, "OK"},
		{"unroll-up/gfx1250", "rmsnorm_kernel_0", Worse, false, "REGRESSION"},
		{"mixed/gfx1201", "transpose_static_0", Better, false, "REGRESSION"},
		{"mixed/gfx1201", "quantize_0", Unchanged, true, "REGRESSION"},
	}
	for _, tt := range tests {
		t.Run(tt.pair+"/"+tt.kernel, func(t *testing.T) {
			r := newRig(t, tt.pair+"/before", tt.pair+"/after")
			s := r.sync()
			k := r.wantStatus(s, tt.kernel, tt.status)
			if k.Identical != tt.identical {
				t.Errorf("Identical = %v, want %v", k.Identical, tt.identical)
			}
			if got := s.Verdict.String(); got != tt.verdict {
				t.Errorf("verdict %s, want %s: %v", got, tt.verdict, s.Problems)
			}
			if len(k.Place.Candidates) != 1 {
				t.Errorf("place %+v", k.Place)
			}
		})
	}
}

const (
	base  = "base/gfx942"
	other = "base/gfx950"
)

// TestNoBaseline: figures only, and nothing that looks like a comparison.
func TestNoBaseline(t *testing.T) {
	r := newRig(t, "", base)
	s := r.sync()
	if s.Result != nil || s.Baseline.Exists || s.Verdict.String() != "OK" || len(s.Problems) > 0 {
		t.Errorf("result %v, baseline %+v, verdict %v, problems %v", s.Result, s.Baseline, s.Verdict, s.Problems)
	}
	for _, k := range s.Kernels {
		if k.Status != NoBaseline || k.Row != nil || k.Live == nil {
			t.Errorf("%s: status %v, row %v", k.Key, k.Status, k.Row)
		}
	}
	if len(s.Kernels) != 15 {
		t.Errorf("%d kernels, want 15", len(s.Kernels))
	}
}

// TestPending: what the baseline has and this session's dumps do not have yet is
// pending; what was there and vanished is one-sided.
func TestPending(t *testing.T) {
	r := newRig(t, base, "")
	s := r.sync()
	if s.Dumps.Exists || s.Pending != 15 || len(s.Kernels) != 15 || s.Verdict.String() != "NOT TRUSTWORTHY" {
		t.Fatalf("dumps %+v, %d kernels, %d pending, %v", s.Dumps, len(s.Kernels), s.Pending, s.Verdict)
	}
	s = r.compile(base+"/window_filter", "window_filter", noon)
	r.wantStatus(s, "window_filter_0", Unchanged)
	r.wantStatus(s, "softmax_rows_0", Pending)
	if s.Pending != 14 || s.Result.Compared != 1 || s.Result.Total != 15 {
		t.Errorf("%d pending, compared %d of %d", s.Pending, s.Result.Compared, s.Result.Total)
	}
	r.compile(base+"/transpose", "transpose", noon)
	s = r.remove("dumps/window_filter")
	r.wantStatus(s, "window_filter_0", OneSided)
	if s.Pending != 12 {
		t.Errorf("%d pending, want 12", s.Pending)
	}
	s = r.remove("dumps") // a new run begins: nothing vanished
	r.wantStatus(s, "window_filter_0", Pending)
	if s.Pending != 15 || s.Dumps.Exists {
		t.Errorf("%d pending, dumps %+v", s.Pending, s.Dumps)
	}
	s = r.compile(base+"/window_filter", "window_filter", noon)
	r.wantStatus(s, "window_filter_0", Unchanged)
}

// TestBaselineChanges: replaced, broken, deleted and back again while running.
func TestBaselineChanges(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/after")
	r.wantStatus(r.sync(), "window_filter_0", Worse)
	path := r.path(".isadiff/baseline.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	r.write(".isadiff/baseline.json", string(good[:len(good)/2]))
	s := r.baselineSettled()
	if s.Baseline.Problem == nil || s.Baseline.Problem.Code != problem.SnapshotInvalid || s.Verdict.String() != "NOT TRUSTWORTHY" {
		t.Errorf("broken: %+v, verdict %v", s.Baseline, s.Verdict)
	}
	if k := r.wantStatus(s, "window_filter_0", NoBaseline); k.Row != nil {
		t.Errorf("broken: row %v", k.Row)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.BaselineChanged(Change{Removed: []string{path}, Missing: true})
	s = r.sync()
	if s.Baseline.Exists || s.Baseline.Problem != nil || s.Result != nil || s.Verdict.String() != "OK" {
		t.Errorf("deleted: %+v, verdict %v", s.Baseline, s.Verdict)
	}

	r.write(".isadiff/baseline.json", string(good))
	s = r.baselineSettled()
	r.wantStatus(s, "window_filter_0", Worse)
	if !s.Baseline.Exists || s.Verdict.String() != "REGRESSION" {
		t.Errorf("back again: %+v, verdict %v", s.Baseline, s.Verdict)
	}
}

// TestBaselineDirectory: the baseline is a dump tree, which is kept up to date
// like the live one and is not written by a command.
func TestBaselineDirectory(t *testing.T) {
	r := prepare(t, "tile-up-spills/gfx942/after")
	r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbaseline = \"before\"\n")
	r.copy(fixture("tile-up-spills/gfx942/before"), "before", noon)
	r.open()
	s := r.sync()
	r.wantStatus(s, "window_filter_0", Worse)
	if !s.Baseline.Dir || !s.Baseline.Exists {
		t.Errorf("baseline %+v", s.Baseline)
	}
	for name, command := range map[string]func() error{
		"accept":   func() error { _, err := r.AcceptKernel(t.Context(), r.kernel(s, "window_filter_0").Key); return err },
		"snapshot": func() error { _, err := r.SnapshotBaseline(t.Context(), true); return err },
		"undo":     func() error { _, err := r.UndoBaseline(t.Context()); return err },
	} {
		if err := command(); !errors.Is(err, ErrBaselineDir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.copy(fixture("tile-up-spills/gfx942/after"), "before", noon)
	r.BaselineChanged(everything(t, r.path("before")))
	r.wantStatus(r.sync(), "window_filter_0", Unchanged)
	if err := os.RemoveAll(r.path("before")); err != nil {
		t.Fatal(err)
	}
	r.BaselineChanged(Change{Removed: []string{r.path("before")}, Missing: true})
	if s := r.sync(); s.Baseline.Exists || s.Result != nil {
		t.Errorf("removed: %+v", s.Baseline)
	}
}

// TestDebugLeftover: the stage file of a debug run hides a newer one; removing it
// mends that, and nothing else can be removed.
func TestDebugLeftover(t *testing.T) {
	r := prepare(t, "debug-leftover/gfx950")
	newer, leftover := "dumps/window_filter_0/22_final_isa.s", "dumps/window_filter_0/23_final_isa.s"
	r.touch("dumps/window_filter_0/00_origin.mlir", noon.Add(9*time.Minute))
	r.touch(newer, noon.Add(10*time.Minute))
	r.open()
	s := r.sync()
	k := r.wantStatus(s, "window_filter_0", Untrustworthy)
	if len(k.Problems) != 1 || k.Problems[0].Code != problem.StageStale || k.Leftover != r.path(leftover) {
		t.Fatalf("problems %v, leftover %q", k.Problems, k.Leftover)
	}
	for _, file := range []string{r.path(newer), r.path("kernels/transpose.py"), r.path("dumps/../kernels/transpose.py"), r.path("dumps"), "23_final_isa.s"} {
		if err := r.RemoveLeftover(t.Context(), file); !errors.Is(err, ErrNotLeftover) {
			t.Errorf("removing %s: %v", file, err)
		}
	}
	if err := r.RemoveLeftover(t.Context(), r.path(leftover)); err != nil {
		t.Fatal(err)
	}
	k = r.wantStatus(r.Current(), "window_filter_0", NoBaseline)
	if k.File != r.path(newer) || k.Leftover != "" {
		t.Errorf("file %s, leftover %q", k.File, k.Leftover)
	}
}

// TestLeftoverOutside: a repository's configuration does not get a file removed
// outside of it, unless it is trusted.
func TestLeftoverOutside(t *testing.T) {
	outside := prepare(t, "debug-leftover/gfx950")
	outside.touch("dumps/window_filter_0/22_final_isa.s", noon.Add(10*time.Minute))
	r := prepare(t, "")
	r.write("isadiff.toml", fmt.Sprintf("dumps = %q\nsources = [\"kernels\"]\n", outside.dumps))
	r.dumps = outside.dumps
	r.open()
	file := outside.path("dumps/window_filter_0/23_final_isa.s")
	if err := r.RemoveLeftover(t.Context(), file); !errors.Is(err, project.ErrOutside) {
		t.Errorf("untrusted: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	trusted := *r.project()
	trusted.Trusted = true
	r.open(func(c *Config) { c.Project = &trusted })
	if err := r.RemoveLeftover(t.Context(), file); err != nil {
		t.Errorf("trusted: %v", err)
	}
}

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
		r.write("dumps/"+dir+"/00_origin.mlir", string(data))
		r.touch("dumps/"+dir+"/00_origin.mlir", at)
		r.DumpsChanged(Change{Settled: []File{file(t, r.path("dumps/"+dir+"/00_origin.mlir"))}})
		return r.sync()
	}
	r.clock.set(start)
	s := origin(start)
	k := r.wantStatus(s, "gemm_nt_f16_k32", Compiling)
	if s.Compiling != 1 || k.Live == nil {
		t.Errorf("%d compiling, live %v", s.Compiling, k.Live)
	}

	r.write("dumps/"+dir+"/05_canonicalize.mlir", "") // the compile goes on
	r.touch("dumps/"+dir+"/05_canonicalize.mlir", start.Add(8*time.Second))
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
				r.DumpsChanged(Change{Settled: []File{file(t, r.path("dumps/"+dir+"/00_origin.mlir"))}})
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
					if k := r.wantStatus(s, "window_filter_0", Untrustworthy); !onlyStale(k) || s.Verdict.ExitCode() != 2 || k.CompilerChanged {
						t.Errorf("problems %v, verdict %v, compiler changed %v", k.Problems, s.Verdict, k.CompilerChanged)
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

// TestFailureInBaseline: a compile that fails in a baseline that is a tree ends, too.
func TestFailureInBaseline(t *testing.T) {
	const dir = "window_filter/window_filter_0"
	r := prepare(t, base)
	r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbaseline = \"before\"\n")
	r.copy(fixture(base), "before", noon)
	r.open()
	for _, after := range []time.Duration{time.Second, time.Minute} {
		at := noon.Add(after)
		r.clock.set(at)
		r.touch("before/"+dir+"/00_origin.mlir", at)
		r.BaselineChanged(Change{Settled: []File{file(t, r.path("before/"+dir+"/00_origin.mlir"))}})
		k := r.wantStatus(r.sync(), "window_filter_0", Untrustworthy)
		if !onlyStale(k) || after < dump.Tolerance && !strings.Contains(k.Problems[0].Message, "under way") {
			t.Errorf("%v after the compile: problems %v", after, k.Problems)
		}
		r.clock.set(at.Add(20 * time.Second))
		k = r.wantStatus(r.sync(), "window_filter_0", Untrustworthy)
		if !onlyStale(k) || !strings.Contains(k.Problems[0].Message, "left no assembly") {
			t.Errorf("%v after the compile, later: problems %v", after, k.Problems)
		}
	}
	r.copy(fixture(base+"/"+dir), "before/"+dir, noon.Add(2*time.Minute))
	r.BaselineChanged(everything(t, r.path("before/"+dir)))
	r.wantStatus(r.sync(), "window_filter_0", Unchanged)
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

// TestReloadOutside: a source outside of the project that comes or goes sends no
// Change, but is found by reloading.
func TestReloadOutside(t *testing.T) {
	r := prepare(t, base)
	outside := r.path("outside/window_filter.py")
	const origin = "dumps/window_filter/window_filter_0/00_origin.mlir"
	text, err := os.ReadFile(r.path(origin))
	if err != nil {
		t.Fatal(err)
	}
	moved := regexp.MustCompile(`"[^"\n]*window_filter\.py"`).ReplaceAllLiteral(text, []byte(`"`+filepath.ToSlash(outside)+`"`))
	if bytes.Equal(moved, text) {
		t.Fatal("no location in the module")
	}
	r.write(origin, string(moved))
	r.open()
	for _, there := range []bool{false, true, false} {
		want := ""
		if there {
			r.write("outside/window_filter.py", "# another copy\n")
			want = outside
		} else if err := os.RemoveAll(r.path("outside")); err != nil {
			t.Fatal(err)
		}
		r.SetOverlay(r.path("kernels/transpose.py"), fmt.Sprintf("# edited %v\n", there))
		s, err := r.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if k := r.kernel(s, "window_filter_0"); k.Place.Outside != want || (len(k.Place.Candidates) == 1) == there {
			t.Errorf("with the file %v: %+v", there, k.Place)
		}
	}
}

// TestBaselineKind: what stands at the baseline's path may be a tree, a snapshot
// and nothing in turn; reloading sees it without being told.
func TestBaselineKind(t *testing.T) {
	r := prepare(t, "tile-up-spills/gfx942/after")
	r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbaseline = \"before.json\"\n")
	r.open()
	if _, err := r.SnapshotBaseline(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.path("before.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for _, tt := range []struct {
			name string
			put  func()
			want Status
		}{
			{"the same again", func() { r.write("before.json", string(text)) }, Unchanged},
			{"nothing", func() {}, NoBaseline},
			{"a tree", func() { r.copy(fixture("tile-up-spills/gfx942/before"), "before.json", noon) }, Worse},
			{"damaged", func() { r.write("before.json", string(text[:len(text)/2])) }, Untrustworthy},
			{"a snapshot", func() { r.write("before.json", string(text)) }, Unchanged},
		} {
			if err := os.RemoveAll(r.path("before.json")); err != nil {
				t.Fatal(err)
			}
			tt.put()
			s, err := r.Reload(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if k := r.kernel(s, "window_filter_0"); tt.want != Untrustworthy && k.Status != tt.want {
				t.Errorf("%d, %s: %v, want %v; baseline %+v", i, tt.name, k.Status, tt.want, s.Baseline)
			}
			if damaged := s.Baseline.Problem != nil; damaged != (tt.want == Untrustworthy) || damaged && s.Verdict.ExitCode() != 2 {
				t.Errorf("%d, %s: baseline %+v, verdict %v", i, tt.name, s.Baseline, s.Verdict)
			}
		}
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
		r.DumpsChanged(Change{Settled: []File{file(t, r.path(origin))}})
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

// TestGenerations: what one batch wrote over another is named, the last counts.
func TestGenerations(t *testing.T) {
	r := newRig(t, "pytest-last-wins/gfx950", "pytest-last-wins/gfx950")
	read := func(test string) []byte {
		data, err := os.ReadFile(fixture("pytest-per-test/gfx950/test_softmax.py_test_compiles_" + test + "_/softmax_rows_0/22_final_isa.s"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	path := r.path("dumps/softmax_rows_0/22_final_isa.s")
	last := read("8192-bf16")
	change := func(generations ...[]byte) *State {
		r.write("dumps/softmax_rows_0/22_final_isa.s", string(last))
		f := file(t, path)
		f.Generations = generations
		r.DumpsChanged(Change{Settled: []File{f}})
		return r.sync()
	}
	s := change(read("8192-f32"), read("8192-f32"), last, []byte("half a file"))
	k := r.wantStatus(s, "softmax_rows_0", Unchanged)
	if len(k.Generations) != 1 || k.Generations[0].Cells == k.Live.Cells {
		t.Fatalf("generations %v", k.Generations)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "softmax_rows_0: compiled 2 times at once") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s.Verdict.String() != "OK" {
		t.Errorf("a warning changed the verdict to %v: %v", s.Verdict, s.Problems)
	}
	for _, beside := range []string{"", "21_final_isa.s", "21_final_isa.s"} {
		if beside != "" { // then it is read again
			r.write("dumps/softmax_rows_0/"+beside, "")
		}
		reloaded, err := r.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(reloaded.Warnings, s.Warnings[0]) || beside == "" && reloaded != s {
			t.Errorf("reloading with %q beside it left %q", beside, reloaded.Warnings)
		}
	}
	r.write("dumps/softmax_rows_0/22_final_isa.s", string(read("8192-f32")))
	if s, err := r.Reload(t.Context()); err != nil || len(r.kernel(s, "softmax_rows_0").Generations) != 0 {
		t.Errorf("another content keeps %q: %v", s.Warnings, err)
	}
	r.remove("dumps/softmax_rows_0/21_final_isa.s")
	change(read("8192-f32"))
	if s := change(); len(s.Warnings) != 0 || len(r.kernel(s, "softmax_rows_0").Generations) != 0 {
		t.Errorf("the next batch keeps %q", s.Warnings)
	}
}

// TestDisplaced: two modules in one directory, where the kernels of the first are
// not in the second: none is lost without a word.
func TestDisplaced(t *testing.T) {
	r := newRig(t, "", "base/gfx950")
	first, err := os.ReadFile(fixture("base/gfx950/elementwise_gelu/gelu_pair/22_final_isa.s"))
	if err != nil {
		t.Fatal(err)
	}
	path := r.path("dumps/column_stats/centre_columns/22_final_isa.s")
	f := file(t, path)
	f.Generations = [][]byte{first}
	r.DumpsChanged(Change{Settled: []File{f}})
	s := r.sync()
	if len(s.Warnings) != 2 || !strings.HasPrefix(s.Warnings[0], "column_stats/centre_columns::gelu_tanh_bf16: compiled and overwritten at once") || !strings.Contains(s.Warnings[0], ": vgpr 12, sgpr ") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s.Verdict.String() != "OK" {
		t.Errorf("a warning changed the verdict to %v", s.Verdict)
	}
	r.DumpsChanged(Change{Settled: []File{file(t, path)}})
	if s := r.sync(); len(s.Warnings) > 0 {
		t.Errorf("the next batch keeps %q", s.Warnings)
	}
}

// TestRenamed: a kernel that was renamed is one-sided twice, and each names the
// other.
func TestRenamed(t *testing.T) {
	r := newRig(t, "renamed/gfx950/before", "renamed/gfx950/after")
	s := r.sync()
	pairs := map[string]string{
		"column_means_0":      "average_columns_0",
		"gelu_exact_erf":      "gelu_erf_bf16",
		"transpose_dynamic_0": "transpose_on_demand_kernel_0",
	}
	for old, now := range pairs {
		a, b := r.wantStatus(s, old, Pending), r.wantStatus(s, now, OneSided)
		if a.RenamedTo != b.Key || b.RenamedFrom != a.Key {
			t.Errorf("%s -> %q, %s <- %q", a.Key, a.RenamedTo, b.Key, b.RenamedFrom)
		}
	}
	if _, err := r.AcceptKernel(t.Context(), r.kernel(s, "average_columns_0").Key); err != nil {
		t.Fatal(err)
	}
	s = r.sync()
	r.wantStatus(s, "average_columns_0", Unchanged)
	for _, k := range s.Kernels {
		if strings.HasSuffix(k.Key, "::column_means_0") {
			t.Errorf("%s is still there after its successor was accepted", k.Key)
		}
	}
}

// TestRenamedElsewhere: the baseline is of another machine, and the kernel was
// changed as well: what is left in common is the definition.
func TestRenamedElsewhere(t *testing.T) {
	r := newRig(t, "renamed/gfx950/before", "")
	taken, err := os.ReadFile(r.path(".isadiff/baseline.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(taken), `"/home/user/kernels/`); n != 7 {
		t.Fatalf("%d paths in the baseline", n)
	}
	r.write(".isadiff/baseline.json", strings.ReplaceAll(string(taken), `"/home/user/kernels/`, `"/ci/checkout/kernels/`))
	r.baselineSettled()
	r.copy(fixture("renamed/gfx950/after/column_stats"), "dumps/column_stats", noon)
	isa := "dumps/column_stats/centre_columns/22_final_isa.s"
	text, err := os.ReadFile(r.path(isa))
	if err != nil {
		t.Fatal(err)
	}
	r.write(isa, strings.ReplaceAll(string(text), "s_endpgm", "s_nop 0\n\ts_endpgm"))
	r.DumpsChanged(everything(t, r.dumps))
	s := r.sync()
	old, now := r.kernel(s, "column_means_0"), r.kernel(s, "average_columns_0")
	if old.RenamedTo != now.Key || now.RenamedFrom != old.Key {
		t.Errorf("%s -> %q, %s <- %q", old.Key, old.RenamedTo, now.Key, now.RenamedFrom)
	}
}

// TestCompilerChanged: the same module with other instructions.
func TestCompilerChanged(t *testing.T) {
	r := newRig(t, base, base)
	s := r.sync()
	k := r.kernel(s, "transpose_static_0")
	if !k.Identical || k.CompilerChanged || k.Live.Origin.Digest == "" || k.Baseline.Origin != k.Live.Origin {
		t.Fatalf("identical %v, compiler changed %v, origins %v and %v", k.Identical, k.CompilerChanged, k.Baseline.Origin, k.Live.Origin)
	}
	isa := "dumps/transpose/transpose_static_0/22_final_isa.s"
	text, err := os.ReadFile(r.path(isa))
	if err != nil {
		t.Fatal(err)
	}
	r.write(isa, strings.Replace(string(text), "s_endpgm", "s_nop 0\n\ts_endpgm", 1))
	r.DumpsChanged(Change{Settled: []File{file(t, r.path(isa))}})
	k = r.kernel(r.sync(), "transpose_static_0")
	if k.Identical || !k.CompilerChanged {
		t.Errorf("identical %v, compiler changed %v", k.Identical, k.CompilerChanged)
	}
}

// TestOtherTarget: of two targets neither the code nor the compiler is compared.
func TestOtherTarget(t *testing.T) {
	r := newRig(t, "base/gfx942", "base/gfx950")
	same := 0
	for _, k := range r.sync().Kernels {
		if k.Baseline.Digest == k.Live.Digest || k.Baseline.Origin.Digest == k.Live.Origin.Digest {
			same++
		}
		if k.Identical || k.CompilerChanged {
			t.Errorf("%s: identical %v, compiler changed %v", k.Key, k.Identical, k.CompilerChanged)
		}
	}
	if same == 0 {
		t.Error("no kernel has the same module or code for both")
	}
}

// TestStaleSources: results older than their source, on the disk or in an editor.
func TestStaleSources(t *testing.T) {
	r := newRig(t, base, base)
	const source = "kernels/window_filter.py"
	stale := func(s *State) bool { return r.kernel(s, "window_filter_0").Stale }
	if stale(r.sync()) {
		t.Fatal("stale from the start")
	}
	text, err := os.ReadFile(r.path(source))
	if err != nil {
		t.Fatal(err)
	}
	r.SetOverlay(r.path(source), "# a line more\n"+string(text))
	s := r.sync()
	k := r.kernel(s, "window_filter_0")
	if !k.Stale || k.Place.Match != locate.Moved {
		t.Errorf("edited: stale %v, place %v", k.Stale, k.Place.Match)
	}
	r.SetOverlay(r.path(source), string(text))
	if stale(r.sync()) {
		t.Error("stale although the editor holds what the disk does")
	}
	r.ClearOverlay(r.path(source))
	if stale(r.sync()) {
		t.Error("stale after the editor closed the file")
	}
	r.touch(source, noon.Add(time.Minute))
	r.SourcesChanged(Change{Touched: []File{file(t, r.path(source))}})
	if !stale(r.sync()) {
		t.Error("not stale although saved after the compile")
	}
	if stale(r.compile(base+"/window_filter", "window_filter", noon.Add(2*time.Minute))) {
		t.Error("stale although compiled after it was saved")
	}
}

// TestStaleAmong: of several definitions that fit, the result is older than its
// source if it is older than each.
func TestStaleAmong(t *testing.T) {
	r := newRig(t, "", "")
	r.copy(fixture("base/gfx950/elementwise_scale"), "dumps", noon)
	if err := os.Remove(r.path("dumps/scale_kernel_0/00_origin.mlir")); err != nil {
		t.Fatal(err)
	}
	r.DumpsChanged(everything(t, r.dumps))
	for i, source := range []string{"", "kernels/rowwise/scale.py", "kernels/elementwise/scale.py"} {
		if source != "" {
			r.touch(source, noon.Add(time.Minute))
			r.SourcesChanged(Change{Touched: []File{file(t, r.path(source))}})
		}
		if k := r.kernel(r.sync(), "scale_kernel_0"); k.Stale != (i == 2) || k.Place.Match != locate.Ambiguous {
			t.Errorf("%d newer: stale %v, match %v", i, k.Stale, k.Place.Match)
		}
	}
}

// TestSources: each file lists its definitions with their kernels.
func TestSources(t *testing.T) {
	r := newRig(t, base, base)
	s := r.sync()
	count := 0
	for path, src := range s.Sources {
		if src.Path != path || src.Version != 1 {
			t.Errorf("%s: %+v", path, src)
		}
		for _, d := range src.Definitions {
			count += len(d.Kernels)
			if d.Definition.Launcher && len(d.Kernels) > 0 {
				t.Errorf("%s: kernels on the launcher %s", path, d.Definition.Function)
			}
		}
	}
	if count != 15 {
		t.Errorf("%d kernels on definitions, want 15", count)
	}
	path := r.path("kernels/quantizer.py")
	before := s.Sources[path]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.SourcesChanged(Change{Removed: []string{path}})
	s = r.sync()
	if s.Sources[path] != nil {
		t.Error("a removed file is still there")
	}
	if k := r.kernel(s, "quantize_0"); k.Place.Match != locate.None || k.Place.Reason == "" {
		t.Errorf("place of a removed definition: %+v", k.Place)
	}
	if other := r.path("kernels/transpose.py"); s.Sources[other] == nil {
		t.Error("another file is gone too")
	}
	if before == nil || len(before.Definitions) == 0 {
		t.Error("the earlier State changed")
	}
}

// TestSeveralArchitectures: subfolders of one tree, told apart by their keys, and
// one definition lists the kernels of both.
func TestSeveralArchitectures(t *testing.T) {
	r := newRig(t, "", "")
	r.compile(base, "gfx942", noon)
	s := r.compile(other, "gfx950", noon)
	if len(s.Kernels) != 30 {
		t.Fatalf("%d kernels, want 30", len(s.Kernels))
	}
	for _, d := range s.Sources[r.path("kernels/window_filter.py")].Definitions {
		if !d.Definition.Launcher && len(d.Kernels) != 2 {
			t.Errorf("%s has %d kernels, want 2", d.Definition.Function, len(d.Kernels))
		}
	}
}

// TestUnchanged: what says the same makes no new State, and what did not change
// is the same value in the next one.
func TestUnchanged(t *testing.T) {
	r := newRig(t, "mixed/gfx1201/before", "mixed/gfx1201/after")
	first := r.sync()
	r.DumpsChanged(everything(t, r.dumps))
	r.BaselineChanged(everything(t, r.path(".isadiff/baseline.json")))
	r.SourcesChanged(everything(t, r.path("kernels")))
	if s := r.sync(); s != first {
		t.Errorf("reading the same again made State %d of %d", s.Seq, first.Seq)
	}
	s, err := r.Reload(t.Context())
	if err != nil || s != first {
		t.Errorf("reloading made State %d of %d: %v", s.Seq, first.Seq, err)
	}
	next := r.compile("mixed/gfx1201/before/rowwise_softmax", "rowwise_softmax", noon.Add(time.Minute))
	if next.Seq != first.Seq+1 {
		t.Errorf("one compile made States %d to %d", first.Seq, next.Seq)
	}
	for i, k := range next.Kernels {
		if same, changed := k == first.Kernels[i], strings.HasSuffix(k.Key, "softmax_rows_0"); same == changed {
			t.Errorf("%s: same value %v", k.Key, same)
		}
	}
	for path, src := range next.Sources {
		if same, changed := src == first.Sources[path], strings.HasSuffix(path, "softmax.py"); same == changed {
			t.Errorf("%s: same value %v", path, same)
		}
	}
	r.wantStatus(first, "softmax_rows_0", Worse)
}

// TestRules: accepted growth is no regression, and a broken budget is one, with a
// baseline and without.
func TestRules(t *testing.T) {
	const kernel = "window_filter/window_filter_0::window_filter_0"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/after")
	r.wantStatus(r.sync(), "window_filter_0", Worse)
	accepted := ""
	for metric, value := range map[string]int{"vgpr": 127, "vgpr_spill": 136, "scratch_bytes": 276} {
		accepted += fmt.Sprintf("[[accepted]]\nkernel = %q\nmetric = %q\nvalue = %d\nuntil = \"2026-12-01\"\n", kernel, metric, value)
	}
	r.write(".isadiff/accepted.toml", accepted)
	r.RulesChanged()
	s := r.sync()
	if k := r.wantStatus(s, "window_filter_0", Changed); len(k.Row.Accepted) != 3 {
		t.Errorf("accepted %v", k.Row.Accepted)
	}
	if s.Verdict.String() != "OK" || s.Result.Accepted != 3 || len(s.Warnings) > 0 {
		t.Errorf("accepted: %v, %d, %q", s.Verdict, s.Result.Accepted, s.Warnings)
	}
	r.clock.set(r.clock.Now().Add(72 * time.Hour)) // the last day has passed
	s = r.compile("tile-up-spills/gfx942/after", "", noon.Add(time.Minute))
	r.wantStatus(s, "window_filter_0", Worse)
	if s.Verdict.String() != "REGRESSION" || len(s.Warnings) != 3 {
		t.Errorf("expired: %v, %q", s.Verdict, s.Warnings)
	}

	b := prepare(t, "tile-up-spills/gfx942/after")
	b.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbudgets = { '*' = [\"spill == 0\"] }\n")
	b.open()
	s = b.sync()
	if k := b.wantStatus(s, "window_filter_0", NoBaseline); len(k.Broken) != 1 || s.Verdict.String() != "REGRESSION" {
		t.Errorf("budget: %v, broken %v", s.Verdict, k.Broken)
	}
	if _, err := b.SnapshotBaseline(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	s = b.sync()
	if k := b.wantStatus(s, "window_filter_0", Worse); len(k.Broken) != 1 || s.Result.Broken != 1 || s.Verdict.String() != "REGRESSION" {
		t.Errorf("budget with a baseline: %v, broken %v", s.Verdict, k.Broken)
	}
}

// TestTypingBetweenEquals: of two kernels of one name in a file, each stays with
// its own definition, whatever is typed above, and neither takes the other's while
// its own is broken.
func TestTypingBetweenEquals(t *testing.T) {
	builder := func(name string) string {
		return "\n\ndef " + name + "(n):\n    @flyc.kernel\n    def twin(X):\n        return X\n    return twin\n"
	}
	text := "import flydsl.compiler as flyc\n" + builder("build_a") + builder("build_b")
	r := newRig(t, "", "")
	r.write("kernels/pair.py", text)
	r.touch("kernels/pair.py", noon.Add(-time.Hour))
	r.SourcesChanged(Change{Settled: []File{file(t, r.path("kernels/pair.py"))}})
	lines := map[string]int{"a": 5, "b": 12} // of the decorators
	for dir, line := range lines {
		for _, name := range []string{"00_origin.mlir", "22_final_isa.s"} {
			text, err := os.ReadFile(fixture("base/gfx950/elementwise_scale/scale_kernel_0/" + name))
			if err != nil {
				t.Fatal(err)
			}
			text = regexp.MustCompile(`loc\("[^"]*scale.py":11:0\)`).ReplaceAll(text, fmt.Appendf(nil, `loc("%s":%d:0)`, r.path("kernels/pair.py"), line))
			r.write("dumps/"+dir+"/twin_0/"+name, strings.ReplaceAll(string(text), "scale_kernel_0", "twin_0"))
		}
	}
	r.DumpsChanged(everything(t, r.dumps))
	where := func(s *State) string {
		var found []string
		for _, k := range s.Kernels {
			dir, _, _ := strings.Cut(k.Key, "/")
			for _, c := range k.Place.Candidates {
				dir += " " + c.Definition.Qualified[:len("build_x")] + fmt.Sprintf(":%d", c.Definition.Topmost+1)
			}
			found = append(found, dir)
		}
		return strings.Join(found, ", ")
	}
	if got := where(r.sync()); got != "a build_a:5, b build_b:12" {
		t.Fatal(got)
	}
	for n := range 9 {
		r.SetOverlay(r.path("kernels/pair.py"), strings.Repeat("\n", n)+text)
		if got, want := where(r.sync()), fmt.Sprintf("a build_a:%d, b build_b:%d", 5+n, 12+n); got != want {
			t.Errorf("%d lines more: %s, want %s", n, got, want)
		}
	}
	for _, step := range []struct{ old, new, want string }{
		{"@flyc.kernel", "@flyc.ker", "a, b build_b:12"},
		{"build_a", "build_x", "a build_x:5, b build_b:12"},
		{"def twin", "def other", "a, b build_b:12"},
		{"import", "import", "a build_a:5, b build_b:12"},
	} {
		r.SetOverlay(r.path("kernels/pair.py"), strings.Replace(text, step.old, step.new, 1))
		if got := where(r.sync()); got != step.want {
			t.Errorf("%s: %s, want %s", step.new, got, step.want)
		}
	}
}

// TestTyping: while a docstring is being typed the definitions stay.
func TestTyping(t *testing.T) {
	r := newRig(t, base, base)
	path := r.path("kernels/window_filter.py")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.SetOverlay(path, string(text))
	before, after, ok := strings.Cut(string(text), "\ndef window_filter(")
	if !ok {
		t.Fatal("no definition")
	}
	_, body, _ := strings.Cut(after, "\n")
	header := after[:len(after)-len(body)]
	r.SetOverlay(path, before+"\ndef window_filter("+header+"    \"\"\"\n"+body)
	s := r.sync()
	if k := r.kernel(s, "window_filter_0"); len(k.Place.Candidates) != 1 || k.Place.Candidates[0].Definition.Function != "window_filter" {
		t.Errorf("place %+v", k.Place)
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
	r.write(dir+"22_final_isa.s", string(text[:len(text)/2]))
	r.touch(dir+"22_final_isa.s", now.Add(time.Second))
	r.DumpsChanged(Change{Settled: []File{file(t, r.path(dir+"00_origin.mlir"))}})
	s := r.sync()
	if k := r.wantStatus(s, "window_filter_0", Compiling); k.Live.Cells != r.kernel(first, "window_filter_0").Live.Cells || !onlyStale(k) || k.Identical || s.Verdict.ExitCode() != 2 {
		t.Errorf("problems %v, identical %v, verdict %v", k.Problems, k.Identical, s.Verdict)
	}
	r.DumpsChanged(Change{Settled: []File{file(t, r.path(dir+"22_final_isa.s"))}}) // the watcher gave up
	r.wantStatus(r.sync(), "window_filter_0", Untrustworthy)
	r.write(dir+"22_final_isa.s", string(text))
	r.touch(dir+"22_final_isa.s", now.Add(2*time.Second))
	r.DumpsChanged(Change{Settled: []File{file(t, r.path(dir+"22_final_isa.s"))}})
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
	r.write(path, string(text[:len(text)-200]))
	r.touch(path, r.clock.Now())
	s := Open(Config{Project: r.project(), Clock: r.clock, NoSources: true})
	t.Cleanup(s.Close)
	r.Session = s
	s.BaselineChanged(Change{Missing: true})
	s.DumpsChanged(Change{Settled: []File{file(t, r.path("dumps/window_filter/window_filter_0/00_origin.mlir"))}})
	if st := r.sync(); len(st.Kernels) > 0 && st.Kernels[0].Status != Compiling {
		t.Errorf("%v", st.Kernels[0].Status)
	}
	r.write(path, string(text))
	r.touch(path, r.clock.Now())
	s.DumpsChanged(Change{Settled: []File{file(t, r.path(path))}})
	r.wantStatus(r.sync(), "window_filter_0", NoBaseline)
}

// TestCrash: what the session does not survive is no OK, until everything was
// read again.
func TestCrash(t *testing.T) {
	var logged []string
	r := newRig(t, base, base, func(c *Config) { c.Log = func(s string) { logged = append(logged, s) } })
	r.sync()
	before := r.Current().Seq
	r.post(func(*owner) { panic("what is this") })
	last := r.sync()
	if last.Seq != before+2 { // it crashed, and was good again
		t.Errorf("from State %d to %d", before, last.Seq)
	}
	if last.Verdict.String() != "OK" || len(last.Problems) > 0 {
		t.Errorf("after all was read again: %v, %v", last.Verdict, last.Problems)
	}
	if len(logged) != 1 || !strings.Contains(logged[0], "what is this") {
		t.Errorf("logged %q", logged)
	}
	if s := crashed(last, problem.New(problem.InternalError, "x")); s.Verdict.String() != "NOT TRUSTWORTHY" || s.Result.Verdict != s.Verdict ||
		len(s.Problems) != 1 || len(s.Result.Problems) != 1 || len(last.Problems) != 0 || s.Seq != last.Seq+1 {
		t.Errorf("%+v", s)
	}
}

// TestNotReady: before every input was heard of there is nothing to show.
func TestNotReady(t *testing.T) {
	r := prepare(t, base)
	p := r.project()
	s := Open(Config{Project: p, Clock: r.clock})
	defer s.Close()
	s.DumpsChanged(everything(t, r.dumps))
	s.SourcesChanged(everything(t, r.path("kernels")))
	if st, err := s.Sync(t.Context()); err != nil || st.Ready || len(st.Kernels) > 0 {
		t.Errorf("ready %v with %d kernels: %v", st.Ready, len(st.Kernels), err)
	}
	if _, err := s.SnapshotBaseline(t.Context(), false); !errors.Is(err, ErrNotReady) {
		t.Errorf("snapshot: %v", err)
	}
	sub := s.Subscribe()
	s.BaselineChanged(Change{Missing: true})
	if st := <-sub.C; !st.Ready || len(st.Kernels) != 15 {
		t.Errorf("ready %v with %d kernels", st.Ready, len(st.Kernels))
	}
	s.Close()
	if _, ok := <-sub.C; ok {
		t.Error("the subscription goes on after the session")
	}
	if _, err := s.Sync(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("sync after the end: %v", err)
	}
}
