package live

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isadiff/engine/kept"
	"isadiff/engine/regular"
	"isadiff/engine/snapshot"
)

// assembly returns the text that is kept of a kernel of the baseline, or why there is none.
func (r *rig) assembly(key string) (string, error) {
	r.t.Helper()
	side, _ := snapshot.Load(r.path(".isadiff/baseline.json"))
	a, err := kept.Open(side)
	if err != nil {
		return "", err
	}
	defer a.Close()
	for _, record := range side.Records {
		if record.Key == key {
			text, err := a.Text(record)
			return string(text), err
		}
	}
	r.t.Fatalf("%s is not in the baseline", key)
	return "", nil
}

func (r *rig) wantAssembly(key, fixtureFile string) {
	r.t.Helper()
	want, err := os.ReadFile(fixture(fixtureFile))
	if err != nil {
		r.t.Fatal(err)
	}
	if got, err := r.assembly(key); got != string(want) {
		r.t.Errorf("the assembly of %s has %d bytes of %d: %v", key, len(got), len(want), err)
	}
}

// A baseline that is taken keeps its assembly, an undo exchanges it with the figures, and
// what git is to leave alone is said to it.
func TestBaselineKeepsAssembly(t *testing.T) {
	const before, after = "tile-up-spills/gfx942/before/window_filter/window_filter_0/22_final_isa.s", "tile-up-spills/gfx942/after/window_filter/window_filter_0/22_final_isa.s"
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	if w, err := r.SnapshotBaseline(t.Context(), false); err != nil || len(w.Lacking) > 0 {
		t.Fatal(w, err)
	}
	r.wantAssembly(spilling, before)
	if text, err := os.ReadFile(r.path(".isadiff/.gitignore")); !bytes.Contains(text, []byte("*.isa.zst\n")) {
		t.Errorf(".gitignore is %q, %v", text, err)
	}
	r.edit("kernels/window_filter.py", noon.Add(time.Second))
	r.compile("tile-up-spills/gfx942/after", "", noon.Add(time.Minute))
	r.sync()
	if _, err := r.SnapshotBaseline(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	r.wantAssembly(spilling, after)
	for _, want := range []string{before, after} {
		if _, err := r.UndoBaseline(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.wantAssembly(spilling, want)
	}
	if _, err := r.UndoBaseline(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.AcceptKernel(t.Context(), spilling); err != nil {
		t.Fatal(err)
	}
	r.wantAssembly(spilling, after)
	if _, err := r.UndoBaseline(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wantAssembly(spilling, before)
	// A baseline that is gone comes back with its own.
	if err := os.Remove(r.path(".isadiff/baseline.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.UndoBaseline(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wantAssembly(spilling, after)
}

// A kernel that is accepted brings its assembly; that of the others stays. Where the
// baseline has none, none is begun.
func TestAcceptKeepsAssembly(t *testing.T) {
	r := newRig(t, "", "mixed/gfx1201/before")
	if _, err := r.SnapshotBaseline(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	r.compile("mixed/gfx1201/after", "", noon.Add(time.Minute))
	r.sync()
	if err := r.NewestCounts(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s := r.Current()
	accepted, other := r.wantStatus(s, "rmsnorm_kernel_0", Worse), r.wantStatus(s, "softmax_rows_0", Worse)
	if w, err := r.AcceptKernel(t.Context(), accepted.Key); err != nil || len(w.Lacking) > 0 {
		t.Fatal(w, err)
	}
	r.wantAssembly(accepted.Key, "mixed/gfx1201/after/"+accepted.Live.Source)
	r.wantAssembly(other.Key, "mixed/gfx1201/before/"+other.Live.Source)
	archive := kept.Path(r.path(".isadiff/baseline.json"))
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if w, err := r.AcceptKernel(t.Context(), other.Key); err != nil || len(w.Lacking) > 0 {
		t.Error(w, err)
	}
	if _, err := os.Stat(archive); err == nil {
		t.Error("an archive of one kernel of many was begun")
	}
}

// What was written over since it was read is not kept as the assembly of the figures.
func TestAssemblyIsThatOfTheFigures(t *testing.T) {
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	r.sync()
	file := r.path("dumps/window_filter/window_filter_0/22_final_isa.s")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, "; later\n"...), 0o666); err != nil { // nobody told the session yet
		t.Fatal(err)
	}
	w, err := r.SnapshotBaseline(t.Context(), false)
	if err != nil || len(w.Lacking) != 1 {
		t.Fatal(w, err)
	}
	if text, err := r.assembly(spilling); err == nil || !strings.Contains(err.Error(), "does not hold the assembly") {
		t.Errorf("%d bytes of another text: %v", len(text), err)
	}
}

// A link in the place of the archive leads nothing out of the project.
func TestAssemblyStaysInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "stolen.zst")
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	r.sync()
	if err := os.MkdirAll(r.path(".isadiff"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, r.path(".isadiff/baseline.isa.zst")); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no symbolic links here")
	}
	_, err := r.SnapshotBaseline(t.Context(), true)
	if err == nil || regular.Exists(outside) || regular.Exists(r.path(".isadiff/baseline.json")) {
		t.Errorf("written outside: %v; the figures: %v; %v", regular.Exists(outside), regular.Exists(r.path(".isadiff/baseline.json")), err)
	}
}
