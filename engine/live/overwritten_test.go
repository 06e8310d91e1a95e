package live

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/pysource"
)

const softmax = "softmax_rows_0"

// specializations are dumps of one kernel, as a parametrized test makes them.
var specializations = []string{"2048-f32", "2048-bf16", "8192-f32", "8192-f16", "8192-bf16"}

// specialize plays the compile of one specialization, which overwrites the last.
func (r *rig) specialize(which string, at time.Time) *State {
	r.t.Helper()
	return r.compile("pytest-per-test/gfx950/test_softmax.py_test_compiles_"+which+"_/"+softmax, softmax, at)
}

// wantOverwritten checks that a kernel is overwritten by a number of variants.
func (r *rig) wantOverwritten(s *State, name string, variants int) *Kernel {
	r.t.Helper()
	k := r.wantStatus(s, name, Untrustworthy)
	if len(k.Variants) != variants || s.Verdict.ExitCode() != 2 ||
		!slices.ContainsFunc(k.Problems, func(p problem.Problem) bool { return p.Code == problem.Overwritten }) {
		r.t.Fatalf("%d variants, want %d; verdict %v, problems %v", len(k.Variants), variants, s.Verdict, k.Problems)
	}
	return k
}

// edit changes a source so that it means something else, and tells the session.
func (r *rig) edit(rel string, at time.Time) *State {
	r.t.Helper()
	r.append(rel, fmt.Sprintf("\nedited = %d\n", at.UnixNano()), at)
	return r.sync()
}

// append adds text to a source and tells the session.
func (r *rig) append(rel, text string, at time.Time) {
	r.t.Helper()
	r.put(rel, r.read(rel)+text, at)
	r.SourcesChanged(Batch{Settled: []Settled{file(r.t, r.path(rel))}})
}

// TestOverwritten: specializations that overwrite each other are never compared with
// the last one, however long the gaps; an edit begins anew.
func TestOverwritten(t *testing.T) {
	r := newRig(t, "pytest-last-wins/gfx950", "pytest-last-wins/gfx950")
	r.wantStatus(r.sync(), softmax, Unchanged)
	at := noon
	for i, which := range specializations {
		at = at.Add(time.Minute)
		r.wantOverwritten(r.specialize(which, at), softmax, min(i+1, 4)) // the first dump was the last of them
	}
	again := r.wantOverwritten(r.specialize(specializations[4], at.Add(time.Minute)), softmax, 4)
	for _, v := range again.Variants {
		if v.Unknown > 0 || v.same(again.Live) {
			t.Errorf("variant %+v", v)
		}
	}
	message := again.Problems[0].Message
	if !strings.Contains(message, "5 compiles of the same sources") || !strings.Contains(message, "vgpr 49") {
		t.Errorf("message %q", message)
	}

	if _, err := r.SnapshotBaseline(t.Context(), false); err == nil {
		t.Error("a baseline was taken of it")
	}
	at = at.Add(time.Hour)
	s := r.edit("kernels/rowwise/softmax.py", at)
	r.wantOverwritten(s, softmax, 4)
	s = r.specialize(specializations[0], at.Add(time.Minute))
	if k := r.kernel(s, softmax); k.Status == Untrustworthy || len(k.Variants) > 0 {
		t.Errorf("after an edit: %v, %v", k.Status, k.Problems)
	}
	r.wantOverwritten(r.specialize(specializations[4], at.Add(2*time.Minute)), softmax, 1)

	if _, err := r.SnapshotBaseline(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	r.wantStatus(r.Current(), softmax, Untrustworthy)
	if err := r.NewestCounts(t.Context(), r.kernel(r.Current(), softmax).Key); err != nil {
		t.Fatal(err)
	}
	k := r.wantStatus(r.Current(), softmax, Untrustworthy)
	if codes := problem.Codes(k.Problems); !slices.Contains(codes, problem.SnapshotUntrustworthy) {
		t.Errorf("a baseline of an overwritten tree says %v", codes)
	}
}

// TestEditAndBack: an edit that is compiled is compared, and so is taking it back.
func TestEditAndBack(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	const source, dir = "kernels/window_filter.py", "window_filter"
	text := r.read(source)
	at := r.clock.Now()
	for i := range 6 {
		at = at.Add(time.Minute)
		which, status, verdict := "before", Unchanged, "OK"
		if i%2 == 0 {
			which, status, verdict = "after", Worse, "REGRESSION"
			r.edit(source, at)
		} else {
			r.put(source, text, at)
			r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
		}
		s := r.compile("tile-up-spills/gfx942/"+which+"/window_filter", dir, at.Add(time.Second))
		r.wantStatus(s, "window_filter_0", status)
		if s.Verdict.String() != verdict {
			t.Errorf("step %d: %v", i, s.Verdict)
		}
		s = r.compile("tile-up-spills/gfx942/"+which+"/window_filter", dir, at.Add(2*time.Second)) // the same again
		r.wantStatus(s, "window_filter_0", status)
	}
}

// TestEditToldLate: a compile whose edit nobody told of yet, and one whose edit is
// told of much later than it.
func TestEditToldLate(t *testing.T) {
	const source, dir = "kernels/window_filter.py", "window_filter"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	at := r.clock.Now()
	r.put(source, r.read(source)+"\nedited = 1\n", at)
	s := r.compile("tile-up-spills/gfx942/after/window_filter", dir, at.Add(time.Second))
	r.wantStatus(s, "window_filter_0", Worse)

	// A file that the session cannot know: it is new.
	r.put("kernels/helper.py", "edited = 2\n", at.Add(time.Minute))
	s = r.compile("tile-up-spills/gfx942/before/window_filter", dir, at.Add(2*time.Minute))
	r.wantOverwritten(s, "window_filter_0", 1)
	r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path("kernels/helper.py"))}})
	r.wantStatus(r.sync(), "window_filter_0", Unchanged)
}

// TestEditReadHalf: a source that was read while it was being written changed when it was
// written, and not when it was read to its end. So an edit soon after is one, too.
func TestEditReadHalf(t *testing.T) {
	const source = "kernels/window_filter.py"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	text, at := r.read(source), r.clock.Now().Add(time.Millisecond)
	save := func(text string, at, read time.Time) {
		r.clock.set(read)
		r.put(source, text, at)
		r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
		r.sync()
	}
	save("", at, at.Add(time.Second))
	save(text+"\nedited = 1\n", at, at.Add(2*time.Second))
	s := r.compile("tile-up-spills/gfx942/after/window_filter", "window_filter", at.Add(time.Millisecond))
	r.wantStatus(s, "window_filter_0", Worse)
	save(text, at.Add(time.Second), at.Add(3*time.Second))
	s = r.compile("tile-up-spills/gfx942/before/window_filter", "window_filter", at.Add(time.Second+time.Millisecond))
	r.wantStatus(s, "window_filter_0", Unchanged)
}

// TestNoEdit: what does not change what a source means is no edit.
func TestNoEdit(t *testing.T) {
	const source = "kernels/window_filter.py"
	for name, save := range map[string]func(r *rig, at time.Time){
		"nothing": func(*rig, time.Time) {},
		"touched": func(r *rig, at time.Time) {
			r.touch(source, at)
			r.SourcesChanged(Batch{Touched: []Settled{file(r.t, r.path(source))}})
		},
		"a comment": func(r *rig, at time.Time) { r.append(source, "\n# a comment\n", at) },
		"not saved": func(r *rig, _ time.Time) { r.SetOverlay(r.path(source), r.read(source)+"\nx = 1\n") },
		"taken back": func(r *rig, at time.Time) {
			text := r.read(source)
			r.edit(source, at.Add(-2*time.Second))
			r.put(source, text, at.Add(-time.Second))
			r.SourcesChanged(Batch{Settled: []Settled{file(r.t, r.path(source))}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
			r.sync()
			at := r.clock.Now()
			save(r, at)
			s := r.sync()
			if k := r.wantStatus(s, "window_filter_0", Unchanged); s.Verdict.String() != "OK" || len(k.Edited) > 0 {
				t.Errorf("verdict %v, edited %v", s.Verdict, k.Edited)
			}
			s = r.compile("tile-up-spills/gfx942/after/window_filter", "window_filter", at.Add(time.Minute))
			r.wantOverwritten(s, "window_filter_0", 1)
		})
	}
}

// TestEdited: a source that was saved after the compile, also one that the kernel
// imports or that imports it, in a running session and in one that begins later.
func TestEdited(t *testing.T) {
	const source = "kernels/window_filter.py"
	for name, test := range map[string]struct {
		file   string
		kernel string // imports
		text   string // of the file before
		edited bool
	}{
		"the source":        {source, "", "", true},
		"a helper":          {"kernels/lib/helper.py", "from lib import helper", "", true},
		"its helper":        {"kernels/lib/base.py", "from lib.helper import x", "", true},
		"a test":            {"kernels/tests/test_filter.py", "", "from window_filter import compile", true},
		"an unrelated file": {"kernels/other.py", "", "import os", false},
	} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s later=%v", name, later), func(t *testing.T) {
				r := prepare(t, "tile-up-spills/gfx942/before")
				old := noon.Add(-time.Hour)
				r.put("kernels/lib/__init__.py", "", old)
				r.put("kernels/lib/helper.py", "from .base import x\n", old)
				r.put("kernels/lib/base.py", "x = 1\n", old)
				r.put(source, test.kernel+"\n"+r.read(source), old)
				if test.text != "" {
					r.put(test.file, test.text+"\n", old)
				}
				if !later {
					r.open()
					if s := r.sync(); s.Verdict.String() != "OK" || s.Edited != 0 {
						t.Fatalf("before: %v, %d edited: %v", s.Verdict, s.Edited, s.Problems)
					}
				}
				r.put(test.file, r.read(test.file)+"\nedited = 1\n", r.clock.Now())
				if later {
					r.open()
				} else {
					r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(test.file))}})
				}
				s := r.sync()
				k := r.kernel(s, "window_filter_0")
				if !test.edited {
					if k.Status != NoBaseline || s.Verdict.String() != "OK" {
						t.Errorf("%v, verdict %v: %v", k.Status, s.Verdict, s.Problems)
					}
					return
				}
				if k.Status != Edited || !slices.Equal(k.Edited, []string{test.file}) || s.Edited != 1 || s.Verdict.ExitCode() != 2 ||
					len(s.Problems) != 1 || s.Problems[0].Code != problem.SourceEdited || s.Problems[0].File != test.file {
					t.Fatalf("%v, edited %v, verdict %v, problems %v", k.Status, k.Edited, s.Verdict, s.Problems)
				}
				s = r.compile("tile-up-spills/gfx942/before/window_filter", "window_filter", r.clock.Now().Add(time.Minute))
				r.wantStatus(s, "window_filter_0", NoBaseline)
				if s.Verdict.String() != "OK" {
					t.Errorf("after the compile: %v", s.Problems)
				}
			})
		}
	}
}

// TestEditedAndFailed: a compile that fails ends no edit.
func TestEditedAndFailed(t *testing.T) {
	const source, origin = "kernels/window_filter.py", "dumps/window_filter/window_filter_0/00_origin.mlir"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	at := r.clock.Now()
	r.wantStatus(r.edit(source, at), "window_filter_0", Edited)
	r.clock.set(at.Add(time.Minute))
	r.touch(origin, at.Add(time.Minute))
	r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(origin))}})
	r.wantStatus(r.sync(), "window_filter_0", Compiling)
	r.clock.set(at.Add(2 * time.Minute))
	s := r.sync()
	r.wantStatus(s, "window_filter_0", Untrustworthy)
	if codes := problem.Codes(s.Problems); !slices.Contains(codes, problem.SourceEdited) || !slices.Contains(codes, problem.DumpStale) {
		t.Errorf("problems %v", codes)
	}
}

// TestSavedWhileCompiling: a compile reads its sources when it begins.
func TestSavedWhileCompiling(t *testing.T) {
	const source, dir = "kernels/window_filter.py", "dumps/window_filter/window_filter_0/"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	at := r.clock.Now()
	r.edit(source, at)
	text := r.read(dir + "22_final_isa.s")
	tell := func(name string, at time.Time) *State {
		r.clock.set(at)
		r.touch(dir+name, at)
		r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(dir+name))}})
		return r.sync()
	}
	r.wantStatus(tell("00_origin.mlir", at.Add(time.Second)), "window_filter_0", Compiling)
	r.edit(source, at.Add(2*time.Second))
	r.wantStatus(tell("22_final_isa.s", at.Add(3*time.Second)), "window_filter_0", Edited)

	// The assembly alone is of a compile that began after the one that left the
	// first file.
	r.write(dir+"22_final_isa.s", text+"\n")
	r.wantStatus(tell("22_final_isa.s", at.Add(4*time.Second)), "window_filter_0", Unchanged)
}

// TestCacheHit: Triton serves a compile from its cache without writing anything. A
// session that runs says of such a tree what one says that begins then.
func TestCacheHit(t *testing.T) {
	const source = "kernels/kernels.py"
	r := prepare(t, "")
	r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nproducer = \"triton\"\n")
	old := noon.Add(-time.Hour)
	r.copy(filepath.Join("..", "..", "testdata", "triton", "kernels.py"), source, old)
	good := r.read(source)
	// land plays compiles: each writes a folder of its own.
	land := func(side string, at time.Time) {
		r.copy(filepath.Join("..", "..", "testdata", "triton", side), "dumps", at)
		files, err := filepath.Glob(filepath.Join(r.dumps, "*", "*.amdgcn"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, path := range files {
			rel, err := filepath.Rel(r.root, path)
			if err != nil {
				t.Fatal(err)
			}
			if text := r.read(rel); strings.Contains(text, `"/project"`) {
				r.put(rel, strings.ReplaceAll(text, `"/project"`, strconv.Quote(r.path("kernels"))), at)
			}
		}
	}
	save := func(text string, at time.Time) *State {
		r.clock.set(at)
		r.put(source, text, at)
		r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
		return r.sync()
	}
	fresh := func() *State {
		f := &rig{t: t, root: r.root, dumps: r.dumps, clock: &fakeClock{now: r.clock.Now()}}
		f.open()
		return f.sync()
	}
	same := func(when string, s *State) {
		t.Helper()
		want := fresh()
		if s.Verdict != want.Verdict || len(s.Kernels) != len(want.Kernels) {
			t.Errorf("%s: %v, %v\nafresh: %v, %v", when, s.Verdict, s.Problems, want.Verdict, want.Problems)
		}
		for i, k := range s.Kernels {
			// That an edit was taken back only watching can tell.
			if w := want.Kernels[i]; k.Key != w.Key || k.Status != w.Status && w.Status != Edited {
				t.Errorf("%s: %s is %v, afresh %s is %v", when, k.Key, k.Status, w.Key, w.Status)
			}
		}
	}
	land("before", noon)
	r.open()
	if s := r.sync(); s.Verdict.String() != "OK" {
		t.Fatalf("good: %v", s.Problems)
	}
	if _, err := r.SnapshotBaseline(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	bad := good + "\nworse = 1\n"
	s := save(bad, noon.Add(time.Hour))
	same("worse, not compiled", s)
	land("after", noon.Add(2*time.Hour))
	r.clock.set(noon.Add(2 * time.Hour))
	r.DumpsChanged(everything(t, r.dumps))
	s = r.sync()
	same("worse", s)
	if !slices.ContainsFunc(s.Kernels, func(k *Kernel) bool { return k.Status == Worse }) {
		t.Errorf("nothing got worse: %v", s.Problems)
	}
	// Back to the good one: a cache hit writes nothing.
	s = save(good, noon.Add(3*time.Hour))
	same("good again, from the cache", s)
	if codes := problem.Codes(s.Problems); s.Verdict.ExitCode() != 2 || !slices.Contains(codes, problem.DumpStale) || !slices.Contains(codes, problem.SourceEdited) {
		t.Errorf("good again, from the cache: %v, %v", s.Verdict, codes)
	}
	for _, p := range s.Problems {
		if p.Code == problem.SourceEdited && !strings.Contains(p.Mend(), "TRITON_ALWAYS_COMPILE=1") {
			t.Errorf("mend %q", p.Mend())
		}
	}
	same("worse again, from the cache", save(bad, noon.Add(4*time.Hour)))
}

// TestEditedOutOfPlace: an edit that leaves no definition for a kernel, or takes away
// what it was compiled with, is an edit.
func TestEditedOutOfPlace(t *testing.T) {
	const source, helper = "kernels/window_filter.py", "kernels/lib/tuned.py"
	for name, change := range map[string]func(r *rig){
		"renamed": func(r *rig) {
			r.put(source, strings.ReplaceAll(r.read(source), "window_filter", "window_filt"), r.clock.Now())
			r.SourcesChanged(Batch{Settled: []Settled{file(r.t, r.path(source))}})
		},
		"emptied": func(r *rig) {
			r.put(source, "", r.clock.Now())
			r.SourcesChanged(Batch{Settled: []Settled{file(r.t, r.path(source))}})
		},
		"removed":          func(r *rig) { r.removeSource(source) },
		"a helper removed": func(r *rig) { r.removeSource(helper) },
	} {
		for _, origin := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s origin=%v", name, origin), func(t *testing.T) {
				r := prepare(t, "tile-up-spills/gfx942/before")
				old := noon.Add(-time.Hour)
				r.put(helper, "x = 1\n", old)
				r.put(source, "from lib import tuned\n"+r.read(source), old)
				if !origin {
					if err := os.Remove(r.path("dumps/window_filter/window_filter_0/00_origin.mlir")); err != nil {
						t.Fatal(err)
					}
				}
				r.open()
				text := r.read(source)
				if s := r.sync(); s.Verdict.String() != "OK" {
					t.Fatalf("before: %v", s.Problems)
				}
				change(r)
				s := r.sync()
				if k := r.kernel(s, "window_filter_0"); k.Status != Edited || s.Verdict.ExitCode() != 2 {
					t.Errorf("%v, edited %v, verdict %v: %v", k.Status, k.Edited, s.Verdict, s.Problems)
				}
				for rel, text := range map[string]string{source: text, helper: "x = 1\n"} {
					r.put(rel, text, old)
					r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(rel))}})
				}
				if s := r.sync(); s.Verdict.String() != "OK" {
					t.Errorf("taken back: %v", s.Problems)
				}
			})
		}
	}
}

func (r *rig) removeSource(rel string) {
	r.t.Helper()
	if err := os.Remove(r.path(rel)); err != nil {
		r.t.Fatal(err)
	}
	r.SourcesChanged(Batch{Removed: []string{r.path(rel)}})
}

// TestReplacedAfterRemoval: a specialization in the place of one that was removed.
func TestReplacedAfterRemoval(t *testing.T) {
	for _, gone := range []string{"dumps/" + softmax, "dumps"} {
		r := newRig(t, "pytest-last-wins/gfx950", "pytest-last-wins/gfx950")
		r.sync()
		r.remove(gone)
		r.wantOverwritten(r.specialize(specializations[0], noon.Add(time.Minute)), softmax, 1)
		r.remove(gone)
		r.edit("kernels/rowwise/softmax.py", noon.Add(2*time.Minute))
		if k := r.kernel(r.specialize(specializations[1], noon.Add(3*time.Minute)), softmax); len(k.Variants) > 0 {
			t.Errorf("%s, after an edit: %v", gone, k.Problems)
		}
	}
}

// TestGenerationsWhileCompiling: what one batch overwrote ends no compile that is under
// way.
func TestGenerationsWhileCompiling(t *testing.T) {
	const isa = "dumps/window_filter/window_filter_0/22_final_isa.s"
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	r.sync()
	now := r.clock.Now()
	settled := Settled{Path: r.path(isa), ModTime: noon, Generations: []Generation{{[]byte(r.read(isa)), noon}}}
	r.put(isa, r.read(isa)[:1000], now)
	r.DumpsChanged(Batch{Settled: []Settled{settled}})
	s := r.sync()
	if k := r.wantStatus(s, "window_filter_0", Compiling); s.Verdict.ExitCode() != 2 {
		t.Errorf("verdict %v: %v", s.Verdict, k.Problems)
	}
	if _, err := r.AcceptKernel(t.Context(), r.kernel(s, "window_filter_0").Key); err == nil {
		t.Error("figures of a compile before were accepted")
	}
}

// TestOverwrittenBeforeRead: a session that reads the dumps later than the watcher, as
// while it loads a large tree, knows of the same specializations as one that reads them
// in time.
func TestOverwrittenBeforeRead(t *testing.T) {
	const source = "kernels/rowwise/softmax.py"
	for _, tt := range []struct {
		name     string
		dir      string
		told     []string // what one batch says settled one after the other
		is       string   // what stands there when the batch is read
		late     bool
		unknown  bool // the content was too large to be held
		variants int
	}{
		{name: "in time", dir: softmax, told: []string{"2048-bf16"}, is: "8192-f32", variants: 1},
		{name: "late", dir: softmax, told: []string{"2048-bf16"}, is: "8192-f32", late: true, variants: 1},
		{name: "not held", dir: softmax, told: []string{"2048-bf16"}, is: "8192-f32", late: true, unknown: true, variants: 1},
		{name: "a generation", dir: softmax, told: []string{"2048-f32", "8192-f32"}, is: "8192-f32", late: true, variants: 1},
		{name: "two", dir: softmax, told: []string{"2048-f32", "2048-bf16"}, is: "8192-f32", late: true, variants: 2},
		{name: "the same again", dir: softmax, told: []string{"8192-f32"}, is: "8192-f32", late: true},
		{name: "a new directory", dir: "other/" + softmax, told: []string{"2048-f32", "2048-bf16"}, is: "8192-f32", late: true, variants: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "pytest-last-wins/gfx950", "pytest-last-wins/gfx950")
			r.sync()
			at := r.clock.Now()
			r.edit(source, at)
			isa := "dumps/" + tt.dir + "/22_final_isa.s"
			text := func(which string) []byte {
				data, err := os.ReadFile(fixture("pytest-per-test/gfx950/test_softmax.py_test_compiles_" + which + "_/" + softmax + "/22_final_isa.s"))
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			write := func(which string, at time.Time) Settled {
				r.put(isa, string(text(which)), at)
				r.clock.set(at)
				f := file(t, r.path(isa))
				f.Content = text(which)
				return f
			}
			var told Settled
			var gone []Generation
			for i, which := range tt.told {
				told = write(which, at.Add(time.Duration(1+i)*time.Second))
				told.Generations = gone
				gone = append(slices.Clip(gone), Generation{told.Content, told.ModTime})
			}
			if tt.unknown {
				told.Content = nil
			}
			tell := func(f Settled) *State {
				r.DumpsChanged(Batch{Settled: []Settled{f}})
				return r.sync()
			}
			last := at.Add(10 * time.Second)
			var f Settled
			if tt.late {
				f = write(tt.is, last)
				if s := tell(told); s.Verdict.ExitCode() == 0 {
					t.Errorf("OK while the compile is not read: %v", s.Verdict)
				}
			} else {
				tell(told)
				f = write(tt.is, last)
			}
			s := tell(f)
			kernels := 0
			for _, k := range s.Kernels {
				if k.Live == nil || !strings.HasPrefix(k.Live.Source, tt.dir) {
					continue
				}
				kernels++
				if len(k.Variants) != tt.variants || (k.Status == Untrustworthy) != (tt.variants > 0) {
					t.Errorf("%s, %d variants, want %d: %v", k.Status, len(k.Variants), tt.variants, k.Problems)
				}
			}
			if kernels == 0 {
				t.Error("no kernel")
			}
		})
	}
}

// TestGenerationBeforeEdit: what one batch overwrote is no other specialization if a
// source was saved after it, as when a compile ends while a session begins.
func TestGenerationBeforeEdit(t *testing.T) {
	const isa, source = "dumps/window_filter/window_filter_0/22_final_isa.s", "kernels/window_filter.py"
	for _, tt := range []struct {
		name  string
		wrote time.Time // the content before
		want  Status
	}{
		{"before the edit", noon, Worse},
		{"after the edit", noon.Add(2 * time.Minute), Untrustworthy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
			r.sync()
			old := []byte(r.read(isa))
			r.edit(source, noon.Add(time.Minute))
			r.copy(fixture("tile-up-spills/gfx942/after/window_filter/window_filter_0"), "dumps/window_filter/window_filter_0", noon.Add(3*time.Minute))
			r.clock.set(noon.Add(4 * time.Minute))
			f := file(t, r.path(isa))
			f.Generations = []Generation{{old, tt.wrote}}
			r.DumpsChanged(Batch{Settled: []Settled{f, file(t, r.path("dumps/window_filter/window_filter_0/00_origin.mlir"))}})
			s := r.sync()
			r.wantStatus(s, "window_filter_0", tt.want)
		})
	}
}

// TestSavedDuringRun: what a run writes is of the sources of its beginning.
func TestSavedDuringRun(t *testing.T) {
	r := newRig(t, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/before")
	at := r.clock.Now()
	order := r.OrderRun()
	order.Began(at)
	r.edit("kernels/window_filter.py", at.Add(time.Second))
	r.compile("tile-up-spills/gfx942/before/window_filter", "window_filter", at.Add(2*time.Second))
	r.clock.set(at.Add(3 * time.Second))
	order.End()
	r.wantStatus(r.sync(), "window_filter_0", Edited)
	s := r.compile("tile-up-spills/gfx942/before/window_filter", "window_filter", at.Add(time.Minute))
	r.wantStatus(s, "window_filter_0", Unchanged)
}

// TestCompiledWith: which sources a kernel is compiled with.
func TestCompiledWith(t *testing.T) {
	e := newEdits(Config{Project: (&rig{t: t, root: t.TempDir()}).project(), Clock: &fakeClock{now: noon}})
	for path, imports := range map[string][]pysource.Import{
		"/p/k/one.py":        {{Module: "lib.helper"}, {Module: "cfg.sub"}},
		"/p/k/two.py":        {{Module: "lib.other"}},
		"/p/lib/helper.py":   {{Module: ".", Names: []string{"base"}}},
		"/p/lib/base.py":     nil,
		"/p/lib/other.py":    nil,
		"/p/cfg/__init__.py": {{Module: "k.two"}},
		"/p/cfg/sub.py":      nil,
		"/p/t/test_all.py":   {{Module: "k.one"}, {Module: "k.two"}, {Module: "shapes"}},
		"/p/t/shapes.py":     nil,
		"/p/t/conftest.py":   nil,
		"/p/conftest.py":     nil,
		"/p/setup.py":        nil,
	} {
		e.enter(filepath.FromSlash(path), pysource.Code{Hash: 1, Imports: imports}, strings.HasPrefix(path, "/p/k/"), noon, true)
	}
	want := []string{
		"/p/cfg/__init__.py", "/p/cfg/sub.py", "/p/conftest.py", "/p/k/one.py", "/p/lib/base.py", "/p/lib/helper.py",
		"/p/t/conftest.py", "/p/t/shapes.py", "/p/t/test_all.py",
	}
	var got []string
	for _, p := range e.compiledWith(filepath.FromSlash("/p/k/one.py")) {
		got = append(got, filepath.ToSlash(p))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestMemory: a session that takes the place of another one knows what that knew.
func TestMemory(t *testing.T) {
	const source = "kernels/rowwise/softmax.py"
	r := newRig(t, "pytest-last-wins/gfx950", "pytest-last-wins/gfx950")
	r.sync()
	r.wantOverwritten(r.specialize(specializations[0], noon.Add(time.Minute)), softmax, 1)
	again := func(meanwhile func()) *State {
		r.Session.Close()
		meanwhile()
		known := r.Session.Memory()
		r.open(func(c *Config) { c.After = known })
		return r.sync()
	}
	r.wantOverwritten(again(func() {}), softmax, 1)
	r.wantOverwritten(again(func() {
		r.copy(fixture("pytest-per-test/gfx950/test_softmax.py_test_compiles_"+specializations[2]+"_/"+softmax), "dumps/"+softmax, noon.Add(2*time.Minute))
	}), softmax, 2)

	// An edit that was taken back is none, and one that was made meanwhile is one.
	text := r.read(source)
	r.edit(source, noon.Add(3*time.Minute))
	r.specialize(specializations[1], noon.Add(4*time.Minute))
	r.edit(source, noon.Add(5*time.Minute))
	at := noon.Add(6 * time.Minute)
	r.put(source, text+fmt.Sprintf("\nedited = %d\n", noon.Add(3*time.Minute).UnixNano()), at)
	r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
	if k := r.kernel(r.sync(), softmax); len(k.Edited) > 0 || len(k.Variants) > 0 {
		t.Errorf("taken back: edited %v, variants %v", k.Edited, k.Variants)
	}
	if k := r.kernel(again(func() {}), softmax); len(k.Edited) > 0 {
		t.Errorf("after another start: edited %v", k.Edited)
	}
	r.wantStatus(again(func() {
		r.put(source, text, at.Add(time.Minute))
	}), softmax, Edited)
}

// TestReplacedAfterRemovalByParts: the same where the first file of the compile is told
// of before its assembly is there.
func TestReplacedAfterRemovalByParts(t *testing.T) {
	const dir, other = "dumps/window_filter/window_filter_0/", "tile-up-spills/gfx942/after/window_filter/window_filter_0/"
	r := newRig(t, "", "tile-up-spills/gfx942/before")
	r.sync()
	r.remove("dumps/window_filter")
	at := r.clock.Now()
	for i, name := range []string{"00_origin.mlir", "22_final_isa.s"} {
		text, err := os.ReadFile(fixture(other + name))
		if err != nil {
			t.Fatal(err)
		}
		r.put(dir+name, string(text), at.Add(time.Duration(i)*time.Second))
		r.DumpsChanged(Batch{Settled: []Settled{file(t, r.path(dir+name))}})
		r.sync()
	}
	r.wantOverwritten(r.sync(), "window_filter_0", 1)
}
