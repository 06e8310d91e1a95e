package live

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
)

// A held is the lock of a run of another process.
type held struct {
	r    *rig
	path string
	lock *flock.Flock
}

// holds begins a run of another process in a folder of the project, at a time by the
// clock of the file system.
func (r *rig) holds(rel string, at time.Time) *held {
	r.t.Helper()
	h := &held{r, r.path(rel + "/" + dump.RunningName), nil}
	h.lock = flock.New(h.path)
	if ok, err := h.lock.TryLock(); !ok || err != nil {
		r.t.Fatal(ok, err)
	}
	r.touch(rel+"/"+dump.RunningName, at)
	r.t.Cleanup(h.killed)
	return h
}

func (h *held) told() *State {
	h.r.t.Helper()
	h.r.DumpsChanged(Batch{Settled: []Settled{file(h.r.t, h.path)}})
	return h.r.sync()
}

// ended removes the file as a run does.
func (h *held) ended() {
	h.r.t.Helper()
	if err := os.Remove(h.path); err != nil {
		h.r.t.Fatal(err)
	}
	h.killed()
}

func (h *held) killed() { _ = h.lock.Unlock() }

// A check is what a State of a run has to be.
func (r *rig) wantRun(s *State, compiled, known int) {
	r.t.Helper()
	if s.Run == nil || s.Run.Compiled != compiled || s.Run.Known != known || s.Verdict.ExitCode() != 2 ||
		!slices.Contains(problem.Codes(s.Problems), problem.RunUnderWay) || s.Result != nil && s.Result.Verdict != s.Verdict {
		r.t.Errorf("run %+v, want %d/%d; verdict %v, problems %v", s.Run, compiled, known, s.Verdict, s.Problems)
	}
}

func (r *rig) wantOK(s *State) {
	r.t.Helper()
	if s.Run != nil || s.Verdict.ExitCode() != 0 || len(s.Problems) > 0 || s.Compiling > 0 {
		r.t.Errorf("run %+v, verdict %v, problems %v, %d compiling", s.Run, s.Verdict, s.Problems, s.Compiling)
	}
}

// directories of base with their kernels' dumps, below it.
func baseFolders(t *testing.T) (dirs []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(fixture(base), "*", "*"))
	if err != nil || len(found) < 5 {
		t.Fatal(found, err)
	}
	for _, path := range found {
		rel, err := filepath.Rel(fixture(base), path)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, filepath.ToSlash(rel))
	}
	return dirs
}

// TestOrderedRun: from the order to the end of a run nothing is OK, what it compiles
// counts up, what got worse shows at once, and the end says the rest.
func TestOrderedRun(t *testing.T) {
	r := newRig(t, base, base)
	first := r.sync()
	r.wantOK(first)
	n := len(first.Kernels)
	order := r.OrderRun()
	s := r.sync()
	r.wantRun(s, 0, n)
	r.wantStatus(s, "window_filter_0", Compiling)
	if s.Compiling != n || s.Pending != 0 {
		t.Errorf("%d compiling, %d pending", s.Compiling, s.Pending)
	}
	if _, err := r.SnapshotBaseline(t.Context(), false); err == nil {
		t.Error("a baseline was taken during a run")
	}
	if _, err := r.AcceptKernel(t.Context(), s.Kernels[0].Key); err == nil {
		t.Error("a kernel was accepted during a run")
	}
	at := noon.Add(time.Minute)
	// What is written before the command starts is not its work.
	s = r.compile(base+"/window_filter", "window_filter", at.Add(-time.Second))
	r.wantRun(s, 0, n)
	order.Began(at)
	compiled := 0
	for i, dir := range baseFolders(t) {
		from := base + "/" + dir
		if dir == "window_filter/window_filter_0" {
			from = "tile-up-spills/gfx942/after/window_filter/window_filter_0"
		}
		s = r.compile(from, dir, at.Add(time.Duration(i)*time.Second))
		if s.Run == nil || s.Run.Compiled <= compiled {
			t.Fatalf("%s: run %+v after %d", dir, s.Run, compiled)
		}
		compiled = s.Run.Compiled
		r.wantRun(s, compiled, n)
		if dir == "window_filter/window_filter_0" {
			r.wantStatus(s, "window_filter_0", Worse)
		}
	}
	r.wantRun(s, n, n)
	order.End()
	s = r.sync()
	if s.Run != nil || s.Verdict.ExitCode() != 1 || len(s.Problems) > 0 {
		t.Errorf("run %+v, verdict %v, problems %v", s.Run, s.Verdict, s.Problems)
	}
	order.End()
	if again := r.sync(); again != s {
		t.Errorf("ended twice: %+v", again)
	}
}

// TestOneRunAfterAnother: a run that takes the place of one that is under way counts
// anew, and what the older one compiled is no answer to the newer order.
func TestOneRunAfterAnother(t *testing.T) {
	r := newRig(t, base, base)
	n := len(r.sync().Kernels)
	older := r.OrderRun()
	older.Began(noon.Add(time.Minute))
	s := r.compile("tile-up-spills/gfx942/after/window_filter", "window_filter", noon.Add(time.Minute))
	r.wantStatus(s, "window_filter_0", Worse)
	newer := r.OrderRun()
	s = r.sync()
	r.wantRun(s, 0, n)
	r.wantStatus(s, "window_filter_0", Compiling)
	older.End()
	r.wantRun(r.sync(), 0, n)
	newer.Began(noon.Add(2 * time.Minute))
	r.wantRun(r.sync(), 0, n)
	s = r.compile(base+"/window_filter", "window_filter", noon.Add(2*time.Minute))
	r.wantStatus(s, "window_filter_0", Unchanged)
	newer.End()
	r.wantOK(r.sync())
}

// TestEndOfRunIsExact: the State after a run has all that it left, before any watcher
// has told of it: what was compiled, what is new and what is gone.
func TestEndOfRunIsExact(t *testing.T) {
	for _, link := range []bool{false, true} {
		r := newRig(t, base, base)
		if link {
			if err := os.Rename(r.dumps, r.path("elsewhere")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("elsewhere", r.dumps); err != nil {
				t.Skip(err)
			}
		}
		r.sync()
		order := r.OrderRun()
		order.Began(noon.Add(time.Minute))
		r.copy(fixture("tile-up-spills/gfx942/after/window_filter"), "dumps/window_filter", noon.Add(time.Minute))
		r.copy(fixture(base+"/window_filter"), "dumps/other", noon.Add(time.Minute))
		gone := baseFolders(t)[0]
		if err := os.RemoveAll(r.path("dumps/" + gone)); err != nil {
			t.Fatal(err)
		}
		order.End()
		s := r.sync()
		r.wantStatus(s, "window_filter_0", OneSided) // the other one, which comes first
		if k := s.Kernel("window_filter/window_filter_0::window_filter_0"); k == nil || k.Status != Worse || s.Run != nil || s.Verdict.ExitCode() != 2 {
			t.Errorf("%+v, verdict %v", k, s.Verdict)
		}
		for _, k := range s.Kernels {
			if k.File == "" && k.Status != OneSided {
				t.Errorf("%s is %v", k.Key, k.Status)
			}
		}
		if reloaded, err := r.Reload(t.Context()); err != nil || reloaded != s {
			t.Errorf("reading all again finds more: %v", err)
		}
	}
}

// TestRunElsewhere: the run of another process shows as one of this one does, from the
// file that it holds, whether the watcher tells of that first or last, and in a tree
// that the dumps are a part of.
func TestRunElsewhere(t *testing.T) {
	for _, where := range []string{"dumps", "."} {
		for _, told := range []bool{true, false} {
			r := newRig(t, base, base)
			n := len(r.sync().Kernels)
			h := r.holds(where, noon.Add(time.Minute))
			if told && where == "dumps" {
				r.wantRun(h.told(), 0, n)
			}
			s := r.compile(base+"/window_filter", "window_filter", noon.Add(time.Minute))
			r.wantRun(s, 1, n)
			r.wantStatus(s, "window_filter_0", Unchanged)

			// Who begins to look in the middle of it sees the same.
			late := &rig{t: t, root: r.root, dumps: r.dumps, clock: r.clock}
			late.open()
			r.wantRun(late.sync(), 1, n)

			r.copy(fixture("tile-up-spills/gfx942/after/window_filter"), "dumps/window_filter", noon.Add(2*time.Minute))
			h.ended()
			if told && where == "dumps" {
				r.DumpsChanged(Batch{Removed: []string{h.path}})
			}
			r.clock.set(r.clock.Now().Add(2 * time.Second))
			for _, l := range []*rig{r, late} {
				s := l.sync()
				l.wantStatus(s, "window_filter_0", Worse)
				if s.Run != nil || s.Verdict.ExitCode() != 1 || len(s.Problems) > 0 {
					t.Errorf("%s, told %v: run %+v, verdict %v, problems %v", where, told, s.Run, s.Verdict, s.Problems)
				}
			}
		}
	}
}

// TestKilledRun: a run that was killed is none any more: what it left is a capture that
// did not end, and in a directory of the user's own what the files say.
func TestKilledRun(t *testing.T) {
	for _, own := range []bool{true, false} {
		r := newRig(t, base, base)
		n := len(r.sync().Kernels)
		if !own {
			r.write("dumps/"+dump.IncompleteName, "it was begun\n")
		}
		h := r.holds("dumps", noon.Add(time.Minute))
		r.wantRun(h.told(), 0, n)
		r.clock.set(r.clock.Now().Add(time.Minute))
		r.wantRun(r.sync(), 0, n)
		h.killed()
		r.clock.set(r.clock.Now().Add(runLook))
		r.wantRun(r.sync(), 0, n) // another one may take its place just now
		r.clock.set(r.clock.Now().Add(runLook))
		s := r.sync()
		switch codes := problem.Codes(s.Problems); {
		case own:
			r.wantOK(s)
		case s.Run != nil || s.Verdict.ExitCode() != 2 || !slices.Equal(codes, []problem.Code{problem.CaptureIncomplete}):
			t.Errorf("run %+v, verdict %v, problems %v", s.Run, s.Verdict, s.Problems)
		}
		// The file stays, and nobody looks at it for ever.
		r.clock.mu.Lock()
		for _, a := range r.clock.alarms {
			if !a.done {
				t.Errorf("an alarm at %v", a.at)
			}
		}
		r.clock.mu.Unlock()

		// The next one is one again.
		next := r.holds("dumps", noon.Add(2*time.Minute))
		r.wantRun(next.told(), 0, n)
	}
}

// TestFreshCapture: a capture that begins with an empty directory takes nothing for
// gone before its end.
func TestFreshCapture(t *testing.T) {
	r := newRig(t, base, base)
	n := len(r.sync().Kernels)
	h := r.holds("dumps", noon.Add(time.Minute))
	r.wantRun(h.told(), 0, n)
	var c Batch
	for _, dir := range baseFolders(t) {
		if err := os.RemoveAll(r.path("dumps/" + dir)); err != nil {
			t.Fatal(err)
		}
		c.Removed = append(c.Removed, r.path("dumps/"+dir))
	}
	r.DumpsChanged(c)
	s := r.sync()
	r.wantRun(s, 0, n)
	if s.Pending != n {
		t.Errorf("%d pending of %d", s.Pending, n)
	}
	for i, dir := range baseFolders(t) {
		s = r.compile(base+"/"+dir, dir, noon.Add(2*time.Minute+time.Duration(i)*time.Second))
		for _, k := range s.Kernels {
			if k.Status != Pending && k.Status != Unchanged {
				t.Errorf("%s is %v: %v", k.Key, k.Status, k.Problems)
			}
		}
	}
	r.wantRun(s, n, n)
	h.ended()
	r.DumpsChanged(Batch{Removed: []string{h.path}})
	r.wantOK(r.sync())
}

// TestFailedRun: a run that failed is said once, whatever mark it left, until one of
// this process or of another one ends well.
func TestFailedRun(t *testing.T) {
	r := newRig(t, base, base)
	r.wantOK(r.sync())
	fail := func() {
		t.Helper()
		order := r.OrderRun()
		order.Began(noon.Add(time.Minute))
		r.write("dumps/"+dump.IncompleteName, "`make` ended with exit status 3\n")
		order.End(problem.New(problem.CaptureFailed, "`make` ended with exit status 3"))
		s := r.sync()
		if codes := problem.Codes(s.Problems); !slices.Equal(codes, []problem.Code{problem.CaptureFailed}) || len(s.Failed) != 1 || s.Verdict.ExitCode() != 2 ||
			!slices.Equal(s.Result.Problems, s.Problems) {
			t.Errorf("verdict %v, problems %v", s.Verdict, s.Problems)
		}
	}
	unmark := func() {
		t.Helper()
		if err := os.Remove(r.path("dumps/" + dump.IncompleteName)); err != nil {
			t.Fatal(err)
		}
		r.DumpsChanged(Batch{Removed: []string{r.path("dumps/" + dump.IncompleteName)}})
	}
	fail()
	order := r.OrderRun()
	unmark()
	order.EndWell()
	r.wantOK(r.sync())

	fail()
	unmark() // which only says that somebody removed it
	if s := r.sync(); len(s.Failed) != 1 || s.Verdict.ExitCode() != 2 {
		t.Errorf("verdict %v, problems %v", s.Verdict, s.Problems)
	}
	r.write("dumps/"+dump.ManifestName, `{"kernels": 1}`)
	for _, c := range []struct {
		at     time.Duration
		failed int
	}{{0, 1}, {time.Hour, 0}} { // a capture of before, and one of another process since
		r.touch("dumps/"+dump.ManifestName, noon.Add(c.at))
		r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path("dumps/"+dump.ManifestName))}})
		if s := r.sync(); len(s.Failed) != c.failed {
			t.Errorf("%v: problems %v", c.at, s.Problems)
		}
	}
}
