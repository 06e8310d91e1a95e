package live

import (
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
)

// TestEditOfRenamedDefinition: an edit counts too where the editor's text, saved, no longer defines the kernel.
func TestEditOfRenamedDefinition(t *testing.T) {
	const source = "kernels/window_filter.py"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.wantStatus(r.sync(), "window_filter_0", Unchanged)
	text := r.read(source)
	for _, overlay := range []bool{false, true} {
		r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
		r.sync()
		next := strings.ReplaceAll(text, "def window_filter", "def window_filtered")
		if next == text {
			t.Fatal("no def")
		}
		if overlay {
			r.SetOverlay(r.path(source), text)
			r.sync()
			r.SetOverlay(r.path(source), next)
			r.sync()
		}
		at := r.clock.Now()
		r.put(source, next, at)
		r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
		s := r.sync()
		if s.Verdict.ExitCode() == 0 {
			t.Errorf("overlay %v: OK after a save", overlay)
		}
	}
}

// TestFailureOutlivesEndedRun: a run that was ended says nothing of the one before that failed.
func TestFailureOutlivesEndedRun(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.sync()
	a := r.OrderRun()
	a.Began(noon)
	a.End(problem.New(problem.CaptureFailed, "it failed"))
	if s := r.sync(); s.Verdict.ExitCode() != 2 {
		t.Fatal(s.Verdict)
	}
	b := r.OrderRun()
	b.End() // superseded, cancelled, or nothing was begun
	if s := r.sync(); s.Verdict.ExitCode() != 2 {
		t.Error("OK after a run that did not end well nor at all: ", s.Verdict)
	}
}

// TestFailureBesideEndedRun: the end of a run that was replaced does not erase the failure of the newer one.
func TestFailureBesideEndedRun(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.sync()
	b := r.OrderRun()
	c := r.OrderRun()
	c.End(problem.New(problem.CaptureFailed, "it failed"))
	b.End()
	if s := r.sync(); s.Verdict.ExitCode() != 2 {
		t.Error("OK ", s.Verdict)
	}
}

// TestMarkAtEnd: what a run left as its mark counts at its end, before the watcher tells.
func TestMarkAtEnd(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.sync()
	a := r.OrderRun()
	a.Began(noon.Add(time.Minute))
	r.sync()
	r.write("dumps/.isadiff-incomplete", "the command failed\n")
	a.End()
	if s := r.sync(); s.Verdict.ExitCode() != 2 {
		t.Error("OK at the end of a run that left its mark:", s.Verdict)
	}
}

// TestFailedOverConfiguration: a compile that left nothing is one still where the configuration has changed.
func TestFailedOverConfiguration(t *testing.T) {
	const dir = "dumps/window_filter/window_filter_0/"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.sync()
	at := noon.Add(time.Second)
	r.clock.set(at.Add(time.Second))
	r.put(dir+"00_origin.mlir", r.read(dir+"00_origin.mlir"), at)
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(dir+"00_origin.mlir"))}})
	r.sync()
	r.clock.set(at.Add(time.Minute))
	s := r.sync()
	if s.Verdict.ExitCode() != 2 {
		t.Fatal("not failed")
	}
	r.Session.Close()
	m := r.Memory()
	r.open(func(c *Config) { c.After = m })
	s = r.sync()
	if s.Verdict.ExitCode() != 2 {
		t.Error("OK after the configuration changed: ", s.Verdict)
	}
}

// TestRunOverConfiguration: what is compiled after a change of the configuration is not of the run that was under way then.
func TestRunOverConfiguration(t *testing.T) {
	const source = "kernels/window_filter.py"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.sync()
	a := r.OrderRun()
	a.Began(r.clock.Now())
	r.sync()
	r.Session.Close()
	a.End()
	m := r.Memory()
	r.open(func(c *Config) { c.After = m })
	at := r.clock.Now().Add(time.Hour)
	r.clock.set(at)
	r.edit(source, at)
	s := r.compile("tile-up-spills/gfx942/before/window_filter", "window_filter", at.Add(time.Minute))
	if k := r.kernel(s, "window_filter_0"); len(k.Edited) > 0 {
		t.Error("edited although compiled since:", k.Status, k.Edited, s.Verdict)
	}
}

// TestCrashBetweenKernels: what was renewed before a crash is delivered after it.
func TestCrashBetweenKernels(t *testing.T) {
	r := newRig(t, "mixed/gfx1201/before", "mixed/gfx1201/before")
	r.sync()
	r.copy(fixture("mixed/gfx1201/after"), "dumps", noon.Add(time.Minute))
	r.post(func(o *owner) {
		o.dumpsChanged(everything(t, r.dumps))
		o.build(o.session.Current()) // stands for a crash after the kernels were renewed
		panic("once")
	})
	s := r.sync()
	for path, src := range s.Sources {
		for _, d := range src.Definitions {
			for _, k := range d.Kernels {
				if now := s.Kernel(k.Key); now != k {
					t.Errorf("%s: the lens shows %v %v, the state has %v", path, k.Key, k.Status, now.Status)
				}
			}
		}
	}
}

// TestAcceptAfterFailure: no baseline is changed while the last compile is a failed one.
func TestAcceptAfterFailure(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/after")
	r.sync()
	a := r.OrderRun()
	a.End(problem.New(problem.CaptureFailed, "it failed"))
	r.sync()
	_, takeErr := r.SnapshotBaseline(t.Context(), false)
	_, err := r.AcceptKernel(t.Context(), spilling)
	if takeErr == nil || err == nil {
		t.Errorf("take: %v; accept: %v", takeErr, err)
	}
}
