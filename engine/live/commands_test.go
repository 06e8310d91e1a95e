package live

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

const spilling = "window_filter/window_filter_0::window_filter_0"

// TestTakeAndUndo: a baseline is taken, the old one is kept, an undo exchanges
// the two.
func TestTakeAndUndo(t *testing.T) {
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	if _, err := r.UndoBaseline(t.Context()); !errors.Is(err, ErrNoUndo) {
		t.Errorf("undo before anything was taken: %v", err)
	}
	w, err := r.SnapshotBaseline(t.Context(), false)
	if err != nil || w.Kernels != 1 || len(w.Lost) != 0 {
		t.Fatal(w, err)
	}
	if s := r.Current(); s.Baseline.Undo || !s.Baseline.Written.Equal(r.clock.Now()) {
		t.Errorf("baseline %+v", s.Baseline)
	}
	r.edit("kernels/window_filter.py", noon.Add(time.Second))
	r.compile("tile-up-spills/gfx942/after", "", noon.Add(time.Minute))
	r.compile(base+"/transpose", "transpose", noon)
	r.wantStatus(r.sync(), "window_filter_0", Worse)
	if w, err = r.SnapshotBaseline(t.Context(), false); err != nil || w.Kernels != 3 {
		t.Fatal(w, err)
	}
	if s := r.Current(); !s.Baseline.Undo || s.Verdict.String() != "OK" {
		t.Errorf("taken: %v, %+v", s.Verdict, s.Baseline)
	}
	w, err = r.UndoBaseline(t.Context())
	if err != nil || w.Kernels != 1 || len(w.Lost) != 2 {
		t.Errorf("undo: %+v, %v", w, err)
	}
	r.wantStatus(r.Current(), "window_filter_0", Worse)
	if w, err = r.UndoBaseline(t.Context()); err != nil || w.Kernels != 3 {
		t.Errorf("undo of the undo: %+v, %v", w, err)
	}
	r.wantStatus(r.Current(), "window_filter_0", Unchanged)
	// What a watcher tells later is known already.
	before := r.Current()
	if s := r.baselineSettled(); s != before {
		t.Errorf("State %d of %d", s.Seq, before.Seq)
	}
}

// TestTakeCountsAll: a baseline holds all kernels of the dumps, also those that
// the project does not compare, and so it is counted.
func TestTakeCountsAll(t *testing.T) {
	r := newRig(t, "", "tile-up-spills/gfx942/before", func(c *Config) {
		limited := *c.Project
		limited.Kernels, _ = resource.NewMatcher("transpose_*")
		c.Project = &limited
	})
	w, err := r.SnapshotBaseline(t.Context(), false)
	if err != nil || w.Kernels != 1 {
		t.Errorf("taken: %+v, %v", w, err)
	}
	if err := os.RemoveAll(filepath.Join(r.dumps, "window_filter")); err != nil {
		t.Fatal(err)
	}
	r.compile(base+"/transpose", "transpose", noon)
	r.DumpsChanged(Batch{Removed: []string{filepath.Join(r.dumps, "window_filter")}})
	if w, err = r.SnapshotBaseline(t.Context(), false); err != nil || w.Kernels != 2 || len(w.Lost) != 1 {
		t.Errorf("taken again: %+v, %v", w, err)
	}
}

// TestTakeRefuses: figures that cannot be trusted are no baseline, unless forced,
// and then they say so.
func TestTakeRefuses(t *testing.T) {
	r := newRig(t, "", "")
	if _, err := r.SnapshotBaseline(t.Context(), true); err == nil || !strings.Contains(err.Error(), "compile first") {
		t.Errorf("without dumps: %v", err)
	}
	r.compile(base+"/transpose", "transpose", noon)
	const cut = "dumps/cut/22_final_isa.s"
	text, err := os.ReadFile(r.path("dumps/transpose/transpose_static_0/22_final_isa.s"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(cut, string(text[:len(text)-100]))
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(cut))}})
	r.sync()
	if _, err := r.SnapshotBaseline(t.Context(), false); !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "[metadata-cut]") {
		t.Errorf("untrustworthy: %v", err)
	}
	if regular.Exists(r.path(".isadiff/baseline.json")) {
		t.Error("a refused baseline was written")
	}
	if _, err := r.SnapshotBaseline(t.Context(), true); err != nil {
		t.Error(err)
	}
	if s := r.remove("dumps/cut"); s.Verdict.String() != "NOT TRUSTWORTHY" {
		t.Errorf("against a baseline that was forced: %v", s.Verdict)
	}
}

// TestAccept: one kernel's figures go into the baseline, and nothing else moves.
func TestAccept(t *testing.T) {
	r := newRig(t, "mixed/gfx1201/before", "mixed/gfx1201/after")
	s := r.sync()
	worse := r.wantStatus(s, "rmsnorm_kernel_0", Worse)
	others := len(s.Kernels)
	w, err := r.AcceptKernel(t.Context(), worse.Key)
	if err != nil || w.Kernels != others || len(w.Lost) != 0 {
		t.Fatal(w, err)
	}
	s = r.Current()
	if k := r.wantStatus(s, "rmsnorm_kernel_0", Unchanged); !k.Identical {
		t.Error("not identical with what was accepted")
	}
	r.wantStatus(s, "softmax_rows_0", Worse)
	if !s.Baseline.Undo {
		t.Error("the old baseline is not kept")
	}
	if _, err := r.AcceptKernel(t.Context(), "nobody::nothing"); !errors.Is(err, ErrNoKernel) {
		t.Errorf("unknown: %v", err)
	}
	fresh := r.compile(base+"/transpose", "new/transpose", noon) // another target, another place
	k := fresh.Kernel("new/transpose/transpose_static_0::transpose_static_0")
	if k == nil || k.Status != OneSided {
		t.Fatalf("%+v", k)
	}
	if _, err := r.AcceptKernel(t.Context(), k.Key); err != nil {
		t.Error(err)
	}
	if k := r.Current().Kernel(k.Key); k.Status != Unchanged {
		t.Errorf("a new kernel that was accepted is %v", k.Status)
	}

	none := newRig(t, "", "tile-up-spills/gfx942/before")
	none.sync()
	if _, err := none.AcceptKernel(t.Context(), spilling); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("without a baseline: %v", err)
	}
}

// TestWritesStayInside: a configuration file cannot make a baseline be written
// outside of the project.
func TestWritesStayInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "baseline.json")
	r := prepare(t, "tile-up-spills/gfx942/before")
	r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbaseline = '"+outside+"'\n")
	r.open()
	r.sync()
	if _, err := r.SnapshotBaseline(t.Context(), true); !errors.Is(err, project.ErrOutside) {
		t.Errorf("snapshot: %v", err)
	}
	if regular.Exists(outside) {
		t.Error("it was written")
	}

	// Nor does a symbolic link within it.
	linked := prepare(t, "tile-up-spills/gfx942/before")
	if err := os.Symlink(filepath.Dir(outside), linked.path(".isadiff")); err != nil {
		t.Skip("no symbolic links here")
	}
	linked.open()
	linked.sync()
	if _, err := linked.SnapshotBaseline(t.Context(), true); !errors.Is(err, project.ErrOutside) {
		t.Errorf("snapshot through a link: %v", err)
	}
	if regular.Exists(outside) {
		t.Error("it was written through a link")
	}
}

// TestLastBaselineSurvives: a baseline that cannot be written leaves the one that
// stands there.
func TestLastBaselineSurvives(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/after")
	r.sync()
	path := r.path(".isadiff/baseline.json")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(path), 0o777)
	if _, err := r.AcceptKernel(t.Context(), spilling); err == nil {
		t.Error("accepted into a folder that cannot be written")
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, old) {
		t.Errorf("the baseline changed: %v", err)
	}
	r.wantStatus(r.sync(), "window_filter_0", Worse)
}

// TestCancelledCommand: what was cancelled before it began does not happen, and what
// had begun is answered by what became of it.
func TestCancelledCommand(t *testing.T) {
	r := newRig(t, "", base)
	r.sync()
	ctx, cancel := context.WithCancel(t.Context())
	held, free := make(chan struct{}), make(chan struct{})
	r.post(func(*owner) { close(held); <-free })
	<-held
	cancel()
	if _, err := r.SnapshotBaseline(ctx, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it waited: %v", err)
	}
	close(free)
	if s := r.sync(); s.Baseline.Exists {
		t.Error("a baseline was taken after that was cancelled")
	}
	ctx, cancel = context.WithCancel(t.Context())
	n, err := ask(ctx, r.Session, func(*owner) (int, error) {
		cancel()
		return 7, nil
	})
	if n != 7 || err != nil {
		t.Errorf("cancelled while it was done: %d, %v", n, err)
	}
}

// TestBaselineIsNoOtherFile: what exists and is no snapshot is never replaced, and
// a link to the baseline stays one.
func TestBaselineIsNoOtherFile(t *testing.T) {
	for _, name := range []string{"src/kernel.py", "package.json", "src/base.json"} {
		r := newRig(t, "", "tile-up-spills/gfx942/before", func(c *Config) {
			other := *c.Project
			other.Baseline = filepath.Join(other.Root, filepath.FromSlash(name))
			c.Project = &other
		})
		const text = "{\"name\": \"mine\"}\n"
		other := name
		if name == "src/base.json" { // what is kept for an undo would take its place
			if _, err := r.SnapshotBaseline(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			other = "src/base.previous.json"
		}
		r.sync() // it has seen that there is none
		r.write(other, text)
		for _, force := range []bool{false, true} {
			if _, err := r.SnapshotBaseline(t.Context(), force); err == nil || !strings.Contains(err.Error(), "is no snapshot, so it is not replaced") {
				t.Errorf("%s, force %v: %v", name, force, err)
			}
		}
		if _, err := r.AcceptKernel(t.Context(), spilling); err == nil {
			t.Errorf("%s: a kernel was accepted into it", name)
		}
		if _, err := r.UndoBaseline(t.Context()); err == nil {
			t.Errorf("%s: an undo took or gave its place", name)
		}
		if got, err := os.ReadFile(r.path(other)); string(got) != text {
			t.Errorf("%s is %q now (%v)", other, got, err)
		}
	}
}

func TestBaselineStaysALink(t *testing.T) {
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	if _, err := r.SnapshotBaseline(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	link := r.Current().Baseline.Path
	target := filepath.Join(filepath.Dir(link), "target.json")
	if err := os.Rename(link, target); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target.json", link); err != nil {
		t.Skip(err)
	}
	if _, err := r.SnapshotBaseline(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more (%v)", err)
	}
}
