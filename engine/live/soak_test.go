package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

var (
	soakSteps = flag.Int("soak", 5000, "steps of the soak test")
	soakSeed  = flag.Uint64("seed", 20261130, "seed of the soak test")
)

// TestSoak lives hours of work in seconds: compiles, failed compiles, edits,
// baselines, removals, in random order. Now and then it compares the session with
// one that starts afresh on the same files: they must be in exactly the same
// state. Memory, goroutines and descriptors stay flat.
func TestSoak(t *testing.T) {
	steps := *soakSteps
	if testing.Short() {
		steps = min(steps, 500)
	}
	s := &soak{rig: newRig(t, base, base), random: rand.New(rand.NewPCG(*soakSeed, 0))}
	s.collect()
	s.sync()
	watched := s.witness()
	var early footprint
	for i := range steps {
		s.step()
		if i%250 == 249 || i == steps-1 {
			s.compare(i)
		}
		if i == steps/4 {
			early = measure()
		}
	}
	// A goroutine that has told of its end may not have come to it yet.
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > early.goroutines && time.Now().Before(end); runtime.Gosched() {
	}
	late := measure()
	if late.heap > early.heap*3/2+8<<20 {
		t.Errorf("%d bytes of heap after %d steps, %d after %d", late.heap, steps, early.heap, steps/4)
	}
	if late.goroutines > early.goroutines || late.descriptors > early.descriptors {
		t.Errorf("from %d to %d goroutines, from %d to %d descriptors", early.goroutines, late.goroutines, early.descriptors, late.descriptors)
	}
	s.Close()
	<-watched
}

type footprint struct {
	heap                    int64
	goroutines, descriptors int
}

func measure() footprint {
	f := footprint{heap: heap(), goroutines: runtime.NumGoroutine()}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.descriptors = len(fds)
	}
	return f
}

// A soak is a session with somebody who never sits still.
type soak struct {
	*rig
	random  *rand.Rand
	kinds   []kind // compiles that can happen
	sources map[string]string
	batch   Batch // of the dumps, not told yet
	tells   int   // steps until the batch ends
	edits   int   // so far: no text is one that was there before
}

// A kind is what one compile writes.
type kind struct {
	dir         string // where, in the dumps
	isa, origin []byte
}

// collect finds what can be compiled.
func (s *soak) collect() {
	for _, tree := range []string{base, other, "tile-up-spills/gfx942/before", "tile-up-spills/gfx942/after", "improvement/gfx942/after", "double-buffer/gfx942/after"} {
		root := fixture(tree)
		paths, err := filepath.Glob(filepath.Join(root, "*", "*", "22_final_isa.s"))
		if err != nil || len(paths) == 0 {
			s.t.Fatal(err)
		}
		for _, path := range paths {
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				s.t.Fatal(err)
			}
			isa, err := os.ReadFile(path)
			if err != nil {
				s.t.Fatal(err)
			}
			origin, err := os.ReadFile(filepath.Join(filepath.Dir(path), "00_origin.mlir"))
			if err != nil && !os.IsNotExist(err) {
				s.t.Fatal(err)
			}
			s.kinds = append(s.kinds, kind{filepath.ToSlash(dir), isa, origin})
		}
	}
	s.copy(filepath.Join("..", "..", "testdata", "triton", "kernels.py"), "kernels/triton/kernels.py", s.clock.Now())
	s.SourcesChanged(Batch{Settled: []Settled{file(s.t, s.path("kernels/triton/kernels.py"))}})
	s.sources = map[string]string{}
	for _, f := range everything(s.t, s.path("kernels")).Settled {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			s.t.Fatal(err)
		}
		s.sources[f.Path] = string(text)
	}
}

// step does one thing, some seconds after the last.
func (s *soak) step() {
	s.clock.set(s.clock.Now().Add(time.Duration(3+s.random.IntN(20)) * time.Second))
	switch n := s.random.IntN(100); {
	case n < 45:
		s.compileSome(false)
	case n < 50:
		s.compileSome(true)
	case n < 54:
		s.fail()
	case n < 57:
		s.leftover()
	case n < 62:
		s.removeSome()
	case n < 80:
		s.edit()
	case n < 92:
		s.changeBaseline()
	case n < 93:
		s.tell()
		if _, err := s.Reload(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	case n < 95:
		s.run()
	case n < 96:
		s.triton()
	case n < 97:
		s.breakConfiguration()
	default: // nothing happens for a while
		s.clock.set(s.clock.Now().Add(time.Minute))
	}
	if s.tells--; s.tells < 0 {
		s.tells = s.random.IntN(4)
		s.tell()
	}
}

// triton is a compile of Triton's into its cache, which holds all that came before; or
// one that the cache served, which wrote nothing.
func (s *soak) triton() {
	root := filepath.Join("..", "..", "testdata", "triton")
	sides, err := filepath.Glob(filepath.Join(root, "*", "*", "matmul.amdgcn"))
	if err != nil || len(sides) == 0 {
		s.t.Fatal(sides, err)
	}
	if s.random.IntN(3) == 0 {
		return
	}
	dir := filepath.Dir(sides[s.random.IntN(len(sides))])
	files, err := os.ReadDir(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			s.t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`"/project"`), strconv.AppendQuote(nil, s.path("kernels/triton")))
		s.settle("triton/"+filepath.Base(dir)+"/"+f.Name(), text)
	}
}

// breakConfiguration makes the configuration useless for a while: whatever is there,
// nothing is OK then.
func (s *soak) breakConfiguration() {
	before := s.sync()
	s.Distrust([]problem.Problem{problem.New(problem.ConfigurationInvalid, "dumps has no usable value")})
	if now := s.sync(); now.Verdict.ExitCode() != 2 || len(now.Kernels) != len(before.Kernels) {
		s.t.Errorf("verdict %v of %d kernels, %d before", now.Verdict, len(now.Kernels), len(before.Kernels))
	}
	s.compileSome(false)
	s.tell()
	s.Distrust(nil)
	s.sync()
}

// run is a run that this process ordered: its end reads what no batch has told yet.
func (s *soak) run() {
	order := s.OrderRun()
	order.Began(s.clock.Now())
	for range 1 + s.random.IntN(3) {
		s.compileSome(false)
	}
	if now := s.sync(); now.Run == nil || now.Verdict.ExitCode() != 2 {
		s.t.Errorf("run %+v, verdict %v", now.Run, now.Verdict)
	}
	order.End()
	if now := s.sync(); now.Run != nil {
		s.t.Errorf("after its end: run %+v", now.Run)
	}
}

// tell ends a batch.
func (s *soak) tell() {
	_, err := os.Stat(s.dumps)
	s.batch.Missing = err != nil
	// What a batch names is as it is now, once.
	settled := map[string]Settled{}
	for _, f := range s.batch.Settled {
		if info, err := os.Stat(f.Path); err == nil {
			f.Generations = append(settled[f.Path].Generations, f.Generations...)
			f.ModTime = info.ModTime()
			settled[f.Path] = f
		}
	}
	s.batch.Settled = s.batch.Settled[:0]
	for _, f := range settled {
		s.batch.Settled = append(s.batch.Settled, f)
	}
	slices.SortFunc(s.batch.Settled, func(a, b Settled) int { return strings.Compare(a.Path, b.Path) })
	s.batch.Removed = slices.DeleteFunc(s.batch.Removed, func(path string) bool { return regular.Exists(path) })
	s.DumpsChanged(s.batch)
	s.batch = Batch{}
	s.sync()
}

// settle writes a file of the dumps now.
func (s *soak) settle(rel string, text []byte) {
	s.write("dumps/"+rel, string(text))
	s.touch("dumps/"+rel, s.clock.Now())
	s.batch.Settled = append(s.batch.Settled, file(s.t, s.path("dumps/"+rel)))
}

func (s *soak) kind() kind { return s.kinds[s.random.IntN(len(s.kinds))] }

func (s *soak) compileSome(cut bool) {
	k := s.kind()
	dir := k.dir
	if s.random.IntN(8) == 0 {
		dir = fmt.Sprintf("extra%d/%s", s.random.IntN(5), dir)
	}
	if k.origin != nil {
		s.settle(dir+"/00_origin.mlir", k.origin)
	}
	isa := k.isa
	if cut {
		isa = isa[:s.random.IntN(len(isa))]
	}
	if s.random.IntN(10) == 0 {
		s.settle(dir+"/22_final_isa.s", s.kind().isa)
		s.batch.Settled[len(s.batch.Settled)-1].Generations = []Generation{{s.kind().isa, s.clock.Now()}, {k.isa, s.clock.Now()}}
	}
	s.settle(dir+"/22_final_isa.s", isa)
}

// fail begins a compile that never ends.
func (s *soak) fail() {
	if k := s.kind(); k.origin != nil {
		s.settle(k.dir+"/00_origin.mlir", k.origin)
	}
}

// leftover leaves the stage file of a debug run, hides a newer one with it, and
// perhaps mends that.
func (s *soak) leftover() {
	k := s.kind()
	s.settle(k.dir+"/23_final_isa.s", k.isa)
	if s.random.IntN(2) == 0 {
		s.clock.set(s.clock.Now().Add(5 * time.Second))
		s.settle(k.dir+"/22_final_isa.s", k.isa)
		s.tell()
		if err := s.RemoveLeftover(s.t.Context(), s.path("dumps/"+k.dir+"/23_final_isa.s")); err != nil {
			s.t.Error(err)
		}
		return
	}
	s.tell()
	s.takeAway("dumps/" + k.dir + "/23_final_isa.s")
}

func (s *soak) removeSome() {
	k := s.kind()
	switch s.random.IntN(8) {
	case 0:
		s.takeAway("dumps")
	case 1, 2:
		s.takeAway("dumps/" + filepath.ToSlash(filepath.Dir(filepath.FromSlash(k.dir))))
	case 3:
		s.takeAway("dumps/" + k.dir + "/00_origin.mlir")
	default:
		s.takeAway("dumps/" + k.dir)
	}
}

func (s *soak) takeAway(rel string) {
	path := s.path(rel)
	for _, f := range everything(s.t, path).Settled { // a watcher names every file that is gone
		s.batch.Removed = append(s.batch.Removed, f.Path)
	}
	if err := os.RemoveAll(path); err != nil {
		s.t.Fatal(err)
	}
	s.batch.Settled = slices.DeleteFunc(s.batch.Settled, func(f Settled) bool { return f.Path == path || isBelow(f.Path, path) })
}

// edit changes a source, on the disk or in an editor.
func (s *soak) edit() {
	paths := make([]string, 0, len(s.sources))
	for path := range s.sources {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	path := paths[s.random.IntN(len(paths))]
	s.edits++
	text := fmt.Sprintf("edited = %d\n", s.edits) + strings.Repeat("# a line more\n", s.random.IntN(30)) + s.sources[path]
	rel, err := filepath.Rel(s.root, path)
	if err != nil {
		s.t.Fatal(err)
	}
	switch s.random.IntN(10) {
	case 0:
		os.Remove(path)
		s.SourcesChanged(Batch{Removed: []string{path}})
	case 1, 2, 3:
		s.SetOverlay(path, text[:len(text)-s.random.IntN(200)])
	case 4:
		s.ClearOverlay(path)
	default:
		s.write(filepath.ToSlash(rel), text)
		s.touch(filepath.ToSlash(rel), s.clock.Now())
		s.SourcesChanged(Batch{Settled: []Settled{file(s.t, path)}})
	}
	s.sync()
}

// changeBaseline changes the baseline by a command or behind the session's back.
func (s *soak) changeBaseline() {
	s.tell()
	path := s.path(".isadiff/baseline.json")
	var err error
	switch s.random.IntN(8) {
	case 0, 1:
		_, err = s.SnapshotBaseline(s.t.Context(), s.random.IntN(2) == 0)
	case 2:
		_, err = s.UndoBaseline(s.t.Context())
	case 3, 4:
		if ks := s.Current().Kernels; len(ks) > 0 {
			_, err = s.AcceptKernel(s.t.Context(), ks[s.random.IntN(len(ks))].Key)
		}
	case 5:
		os.Remove(path)
		s.BaselineChanged(Batch{Removed: []string{path}, Missing: true})
	case 6:
		s.write(".isadiff/baseline.json", `{"schema": 2, "kernels": {`)
		s.touch(".isadiff/baseline.json", s.clock.Now())
		s.baselineSettled()
	case 7:
		if old, e := os.ReadFile(path + "~"); e == nil {
			s.write(".isadiff/baseline.json", string(old))
		} else if good, e := os.ReadFile(path); e == nil {
			s.write(".isadiff/baseline.json~", string(good))
		}
		s.BaselineChanged(everything(s.t, path))
	}
	_ = err // a command may refuse; it must not leave anything half done
	s.sync()
}

// compare starts another session on the same files.
func (s *soak) compare(step int) {
	s.t.Helper()
	s.tell()
	for path := range s.sources {
		s.ClearOverlay(path)
	}
	s.clock.set(s.clock.Now().Add(time.Hour)) // no compile is under way any more
	s.forget()

	s.afresh(step, s.sync())
}

// forget ends what only watching can tell: what was overwritten, that an assembly was
// written after the compile to which the first file beside it belongs, and sources that
// are gone.
func (s *soak) forget() {
	s.t.Helper()
	s.post(func(o *owner) {
		maps.DeleteFunc(o.sources.edits.sources, func(_ string, f *edited) bool { return f.gone() })
		o.sources.edits.disconnect()
		clear(o.sources.placed)
		for _, p := range o.compared.pairs {
			p.found = nil // it is looked at anew
		}
		o.dirty = true
		for _, d := range slices.Clone(o.dumps.order) {
			if d.alone {
				next := *d
				next.alone = false
				o.dumps.put(&next)
			}
		}
	})
	if err := s.NewestCounts(s.t.Context(), ""); err != nil && !errors.Is(err, ErrNotOverwritten) {
		s.t.Fatal(err)
	}
}

// afresh compares a State with that of a session that starts now.
func (s *soak) afresh(step int, lived *State) {
	s.t.Helper()
	fresh := &rig{t: s.t, root: s.root, dumps: s.dumps, clock: &fakeClock{now: s.clock.Now()}}
	p := fresh.project()
	fresh.Session = Open(Config{Project: p, Clock: fresh.clock})
	defer fresh.Session.Close()
	fresh.SourcesChanged(everything(s.t, s.path("kernels")))
	fresh.BaselineChanged(everything(s.t, p.Baseline))
	fresh.DumpsChanged(everything(s.t, s.dumps))
	want := fresh.sync()
	got, expected := essence(lived), essence(want)
	if len(got) != len(expected) {
		s.t.Errorf("step %d: %d facts, afresh %d", step, len(got), len(expected))
	}
	for key, value := range expected {
		if !reflect.DeepEqual(got[key], value) {
			s.t.Errorf("step %d: %s is\n%+v\nafresh\n%+v", step, key, got[key], value)
		}
	}
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// witness reads all of every State while the session goes on, and again later: a
// State never changes.
func (s *soak) witness() (done chan struct{}) {
	sub, done := s.Subscribe(), make(chan struct{})
	go func() {
		defer close(done)
		var last *State
		var said []byte
		for state := range sub.C {
			if last != nil && !bytes.Equal(spelled(s.t, last), said) {
				s.t.Errorf("State %d was %s and became %s", last.Seq, said, spelled(s.t, last))
			}
			last, said = state, spelled(s.t, state)
		}
	}()
	return done
}

func spelled(t testing.TB, s *State) []byte {
	copied := *s
	copied.Sources = nil
	text, err := json.Marshal(copied)
	if err != nil {
		t.Error(err)
	}
	return text
}

// essence is all of a State but what only its session's past can tell: sequence
// numbers, what vanished, what was overwritten.
func essence(s *State) map[string]any {
	facts := map[string]any{
		"verdict": s.Verdict, "baseline": s.Baseline, "dumps": s.Dumps, "problems": s.Problems,
		"compiling": s.Compiling, "live": s.Live, "ready": s.Ready,
	}
	if s.Result != nil {
		facts["result"] = *s.Result
	}
	for _, k := range s.Kernels {
		copied := *k
		if copied.Live == nil && copied.Status == OneSided {
			copied.Status = Pending
		}
		copied.Variants = nil
		facts["kernel "+k.Key] = copied
	}
	for path, src := range s.Sources {
		for i, d := range src.Definitions {
			var keys []string
			for _, k := range d.Kernels {
				keys = append(keys, k.Key)
			}
			slices.Sort(keys)
			facts[fmt.Sprintf("definition %s %d", path, i)] = fmt.Sprint(d.Definition, keys)
		}
	}
	return facts
}
