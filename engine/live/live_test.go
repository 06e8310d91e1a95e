package live

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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
		for _, g := range generations {
			f.Generations = append(f.Generations, Generation{g, f.ModTime})
		}
		r.DumpsChanged(Batch{Settled: []Settled{f}})
		return r.sync()
	}
	s := change(read("8192-f32"), read("8192-f32"), last, []byte("half a file"))
	k := r.wantOverwritten(s, "softmax_rows_0", 1)
	if k.Variants[0].Cells == k.Live.Cells || !strings.Contains(k.Problems[0].Message, "softmax_rows_0: 2 compiles of the same sources") {
		t.Fatalf("variants %v, problems %v", k.Variants, k.Problems)
	}
	for _, beside := range []string{"", "21_final_isa.s", "21_final_isa.s"} {
		if beside != "" { // then it is read again
			r.write("dumps/softmax_rows_0/"+beside, "")
		}
		reloaded, err := r.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.wantOverwritten(reloaded, "softmax_rows_0", 1)
		if beside == "" && reloaded != s {
			t.Errorf("reloading made State %d of %d", reloaded.Seq, s.Seq)
		}
	}
	r.remove("dumps/softmax_rows_0/21_final_isa.s")
	r.wantOverwritten(change(read("8192-f32")), "softmax_rows_0", 1)
	r.wantOverwritten(change(read("2048-f32")), "softmax_rows_0", 2)
	if err := r.NewestCounts(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r.wantStatus(r.Current(), "softmax_rows_0", Unchanged)
	r.wantStatus(change(last), "softmax_rows_0", Unchanged)
	if err := r.NewestCounts(t.Context(), ""); !errors.Is(err, ErrNotOverwritten) {
		t.Errorf("nothing is overwritten any more: %v", err)
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
	f.Generations = []Generation{{first, f.ModTime}}
	r.DumpsChanged(Batch{Settled: []Settled{f}})
	s := r.sync()
	if len(s.Warnings) != 2 || !strings.HasPrefix(s.Warnings[0], "column_stats/centre_columns::gelu_tanh_bf16: compiled and overwritten at once") || !strings.Contains(s.Warnings[0], ": vgpr 12, sgpr ") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s.Verdict.String() != "OK" {
		t.Errorf("a warning changed the verdict to %v", s.Verdict)
	}
	r.DumpsChanged(Batch{Settled: []Settled{file(t, path)}})
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
	if !k.Identical || k.Remade.CompilerChanged() || k.Live.Origin.Digest == "" || k.Baseline.Origin != k.Live.Origin {
		t.Fatalf("identical %v, compiler changed %v, origins %v and %v", k.Identical, k.Remade.CompilerChanged(), k.Baseline.Origin, k.Live.Origin)
	}
	isa := "dumps/transpose/transpose_static_0/22_final_isa.s"
	text, err := os.ReadFile(r.path(isa))
	if err != nil {
		t.Fatal(err)
	}
	r.write(isa, strings.Replace(string(text), "s_endpgm", "s_nop 0\n\ts_endpgm", 1))
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(isa))}})
	k = r.kernel(r.sync(), "transpose_static_0")
	if k.Identical || !k.Remade.CompilerChanged() {
		t.Errorf("identical %v, compiler changed %v", k.Identical, k.Remade.CompilerChanged())
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
		if k.Identical || k.Remade.CompilerChanged() {
			t.Errorf("%s: identical %v, compiler changed %v", k.Key, k.Identical, k.Remade.CompilerChanged())
		}
	}
	if same == 0 {
		t.Error("no kernel has the same module or code for both")
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
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, last := range []time.Time{day, day.Add(24*time.Hour - time.Second)} {
		r.clock.set(last)
		if s = r.sync(); s.Verdict.String() != "OK" {
			t.Errorf("at %v: %v", last, s.Verdict)
		}
	}
	r.clock.set(day.Add(24 * time.Hour)) // the last day has passed, and nothing else happened
	s = r.sync()
	r.wantStatus(s, "window_filter_0", Worse)
	if s.Verdict.String() != "REGRESSION" || len(s.Warnings) != 3 {
		t.Errorf("expired: %v, %q", s.Verdict, s.Warnings)
	}
	r.clock.mu.Lock()
	if n := len(r.clock.alarms); n > 0 {
		t.Errorf("%d alarms are set although nothing ends any more", n)
	}
	r.clock.mu.Unlock()

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
	// Who asked for what crashed is told so.
	if _, err := ask(t.Context(), r.Session, func(*owner) (int, error) { panic("what is that") }); err == nil || !strings.Contains(err.Error(), "failed inside") {
		t.Errorf("asked for a crash: %v", err)
	}
	last = r.sync()
	if s := crashed(last, problem.New(problem.InternalError, "x")); s.Verdict.String() != "NOT TRUSTWORTHY" || s.Result.Verdict != s.Verdict ||
		len(s.Problems) != 1 || len(s.Result.Problems) != 1 || len(last.Problems) != 0 || s.Seq != last.Seq+1 {
		t.Errorf("%+v", s)
	}
}

// TestBaselineAfterCrash: what a session holds that crashed and could not read
// everything again is no baseline.
func TestBaselineAfterCrash(t *testing.T) {
	r := newRig(t, base, base)
	key := r.sync().Kernels[0].Key
	r.post(func(o *owner) {
		o.dumps.cfg.Project = nil // reading again crashes, too
		panic("what is this")
	})
	if s := r.sync(); s.Verdict.ExitCode() != 2 {
		t.Fatalf("verdict %v", s.Verdict)
	}
	if _, err := r.SnapshotBaseline(t.Context(), false); !errors.Is(err, ErrUntrusted) {
		t.Errorf("snapshot: %v", err)
	}
	if _, err := r.AcceptKernel(t.Context(), key); !errors.Is(err, ErrUntrusted) {
		t.Errorf("accept: %v", err)
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
	s.BaselineChanged(Batch{Missing: true})
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
