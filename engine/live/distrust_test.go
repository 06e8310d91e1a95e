package live

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A session that is distrusted shows what it showed, and writes nothing.
func TestDistrust(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	good := r.sync()
	if good.Verdict != diff.OK {
		t.Fatal(good.Problems)
	}
	why := []problem.Problem{problem.New(problem.ConfigurationInvalid, "kernels is 3")}
	r.Distrust(why)
	s := r.sync()
	if s.Verdict != diff.NotTrustworthy || s.Result.Verdict != s.Verdict || !slices.Equal(s.Problems, why) || !slices.Equal(s.Result.Problems, why) || !slices.Equal(s.Kernels, good.Kernels) {
		t.Errorf("%s, %v", s.Verdict, s.Problems)
	}
	for name, order := range map[string]func() error{
		"take":   func() error { _, err := r.SnapshotBaseline(t.Context(), true); return err },
		"undo":   func() error { _, err := r.UndoBaseline(t.Context()); return err },
		"accept": func() error { _, err := r.AcceptKernel(t.Context(), s.Kernels[0].Key); return err },
	} {
		if err := order(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.Distrust(slices.Clone(why))
	if again := r.sync(); again != s {
		t.Error("the same reasons made another State")
	}
	r.Distrust(nil)
	if s := r.sync(); s.Verdict != diff.OK || len(s.Problems) > 0 || !slices.Equal(s.Kernels, good.Kernels) {
		t.Errorf("trusted again: %s, %v", s.Verdict, s.Problems)
	}
}

// A session that compares nothing has its sources, is never OK, and waits for no dumps.
func TestRefused(t *testing.T) {
	r := prepare(t, "tile-up-spills/gfx942/before")
	r.Session = Open(Config{Project: r.project(), Clock: r.clock, Refused: true})
	t.Cleanup(r.Session.Close)
	r.Distrust([]problem.Problem{problem.New(problem.ConfigurationInvalid, "dumps is 3")})
	r.SourcesChanged(everything(t, filepath.Join(r.root, "kernels")))
	for range 2 {
		s := r.sync()
		if !s.Ready || !s.Refused || s.Verdict != diff.NotTrustworthy || len(s.Kernels) > 0 || s.Result != nil || len(s.Sources) == 0 || len(s.Problems) != 1 {
			t.Errorf("%+v", s)
		}
		if _, err := r.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A budget that cannot be checked is a reason of its kernel; it hides no regression.
func TestUncheckedBudget(t *testing.T) {
	const dynamic = "transpose/transpose_dynamic_0::transpose_dynamic_0"
	for _, baseline := range []string{"base/gfx942", ""} {
		r := prepare(t, "base/gfx942")
		r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbudgets.\"*\" = \"occupancy >= 1\"\n")
		if baseline != "" {
			r.copy(fixture(baseline), "base", noon)
			r.write("isadiff.toml", "baseline = \"base\"\ndumps = \"dumps\"\nsources = [\"kernels\"]\nbudgets.\"*\" = \"occupancy >= 1\"\n")
		}
		r.open()
		s := r.sync()
		for _, k := range s.Kernels {
			if bad := k.Key == dynamic; (k.Status == Untrustworthy) != bad || (len(k.Problems) > 0) != bad {
				t.Errorf("baseline %q: %s is %s: %v", baseline, k.Key, k.Status, k.Problems)
			} else if bad && (k.Problems[0].Code != problem.BudgetUnknown || !slices.Contains(s.Problems, k.Problems[0])) {
				t.Errorf("%v, the State has %v", k.Problems, s.Problems)
			}
		}
	}
	row := &diff.Row{Broken: []diff.Breach{{}}, Unchecked: []problem.Problem{problem.New(problem.BudgetUnknown, "x")}}
	s := pair{row: row, compared: true}
	known := &resource.Record{}
	for m := range known.Cells {
		known.Cells[m] = resource.Value(0)
	}
	k := &Kernel{Live: known, Baseline: known, Problems: row.Unchecked}
	if got := s.status(k); got != Worse {
		t.Errorf("with a broken budget: %s", got)
	}
}
