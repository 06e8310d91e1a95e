package live

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
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
	r.BaselineChanged(Batch{Removed: []string{path}, Missing: true})
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
	r.BaselineChanged(Batch{Removed: []string{r.path("before")}, Missing: true})
	if s := r.sync(); s.Baseline.Exists || s.Result != nil {
		t.Errorf("removed: %+v", s.Baseline)
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
		r.BaselineChanged(Batch{Settled: []Settled{file(t, r.path("before/"+dir+"/00_origin.mlir"))}})
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
			{"a link to itself", func() {
				if err := os.Symlink("before.json", r.path("before.json")); err != nil {
					t.Skipf("no symbolic links here: %v", err)
				}
			}, Untrustworthy},
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
