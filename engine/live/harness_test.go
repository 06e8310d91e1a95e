package live

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isadiff/engine/producer"
	"isadiff/engine/project"
)

// noon is when the tests' files were written, unless they say otherwise. Directories have
// the time of the machine, which has to lie before it.
var noon = time.Now().Add(time.Hour).UTC().Truncate(time.Second)

// A rig is a session over a project in a temporary folder. It plays the watcher:
// what a test writes, it tells the session.
type rig struct {
	t     testing.TB
	root  string
	dumps string
	clock *fakeClock
	*Session
	drafts map[string]*producer.Draft // what SetOverlay gave last, by path
}

// SetOverlay is the next version of a text in an editor.
func (r *rig) SetOverlay(path, text string) {
	if r.drafts == nil {
		r.drafts = map[string]*producer.Draft{}
	}
	if last := r.drafts[path]; last != nil {
		r.drafts[path] = last.Edit(path, text)
	} else {
		r.drafts[path] = producer.NewDraft(path, text)
	}
	r.Session.SetOverlay(path, r.drafts[path])
}

func fixture(path string) string {
	return filepath.Join("..", "..", "testdata", "dumps", filepath.FromSlash(path))
}

// newRig makes a project with our kernels' sources, whose baseline and dumps
// were copied from testdata; "" for none. A baseline becomes a snapshot.
func newRig(t testing.TB, baseline, dumps string, change ...func(*Config)) *rig {
	t.Helper()
	r := prepare(t, dumps)
	if baseline != "" {
		taken := prepare(t, baseline)
		taken.open()
		if _, err := taken.SnapshotBaseline(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(taken.root, ".isadiff", "baseline.json"))
		if err != nil {
			t.Fatal(err)
		}
		r.write(".isadiff/baseline.json", string(data))
	}
	r.open(change...)
	return r
}

// prepare makes a project without opening a session.
func prepare(t testing.TB, dumps string) *rig {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, root: root, dumps: filepath.Join(root, "dumps"), clock: &fakeClock{now: noon.Add(time.Hour)}}
	r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\n")
	r.copy(filepath.Join("..", "..", "testdata", "kernels"), "kernels", noon.Add(-time.Hour))
	if dumps != "" {
		r.copy(fixture(dumps), "dumps", noon)
	}
	return r
}

// open starts the session and tells it of everything.
func (r *rig) open(change ...func(*Config)) {
	r.t.Helper()
	p := r.project()
	cfg := Config{Project: p, Clock: r.clock, Log: func(s string) { r.t.Log(s) }}
	for _, f := range change {
		f(&cfg)
	}
	r.Session = Open(cfg)
	r.t.Cleanup(r.Session.Close)
	r.SourcesChanged(everything(r.t, filepath.Join(r.root, "kernels")))
	r.BaselineChanged(everything(r.t, cfg.Project.Baseline))
	r.DumpsChanged(everything(r.t, r.dumps))
}

func (r *rig) project() *project.Config {
	r.t.Helper()
	p, err := project.Load(project.Options{Dir: r.root, Env: func(string) (string, bool) { return "", false }})
	if err != nil || len(p.Faults) > 0 {
		r.t.Fatal(err, p.Faults)
	}
	return p
}

// everything is the first Change of an input.
func everything(t testing.TB, root string) Batch {
	t.Helper()
	if _, err := os.Stat(root); err != nil {
		return Batch{Missing: true}
	}
	var c Batch
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if info, gone := os.Stat(path); gone == nil && info.Mode().IsRegular() { // also through a link
			c.Settled = append(c.Settled, file(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func file(t testing.TB, path string) Settled {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return Settled{Path: path, ModTime: info.ModTime()}
}

// path returns an absolute path in the project.
func (r *rig) path(rel string) string { return filepath.Join(r.root, filepath.FromSlash(rel)) }

func (r *rig) write(rel, text string) {
	r.t.Helper()
	r.put(rel, text, noon)
}

// put writes a file of a time at once, as the session may look at any moment.
func (r *rig) put(rel, text string, at time.Time) {
	r.t.Helper()
	path, whole := r.path(rel), filepath.Join(r.root, ".whole")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(whole, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
	r.touch(".whole", at)
	if err := os.Rename(whole, path); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) read(rel string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(rel))
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r *rig) touch(rel string, at time.Time) {
	r.t.Helper()
	if err := os.Chtimes(r.path(rel), at, at); err != nil {
		r.t.Fatal(err)
	}
}

// copy copies a folder; the files get the time at.
func (r *rig) copy(from, rel string, at time.Time) {
	r.t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.ToSlash(filepath.Join(rel, below))
		r.put(to, string(data), at)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// compile plays a compile: the files of a dump directory of testdata are written
// into a directory of the dumps at a time, and the session is told.
func (r *rig) compile(from, dir string, at time.Time) *State {
	r.t.Helper()
	r.copy(fixture(from), "dumps/"+dir, at)
	c := everything(r.t, r.path("dumps/"+dir))
	r.DumpsChanged(c)
	return r.sync()
}

// remove removes a file or folder of the dumps.
func (r *rig) remove(rel string) *State {
	r.t.Helper()
	if err := os.RemoveAll(r.path(rel)); err != nil {
		r.t.Fatal(err)
	}
	_, err := os.Stat(r.dumps)
	r.DumpsChanged(Batch{Removed: []string{r.path(rel)}, Missing: err != nil})
	return r.sync()
}

// baseline tells the session that the baseline changed.
func (r *rig) baselineSettled() *State {
	r.t.Helper()
	r.BaselineChanged(everything(r.t, r.path(".isadiff/baseline.json")))
	return r.sync()
}

func (r *rig) sync() *State {
	r.t.Helper()
	s, err := r.Sync(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// kernel returns a kernel by its name.
func (r *rig) kernel(s *State, name string) *Kernel {
	r.t.Helper()
	i := slices.IndexFunc(s.Kernels, func(k *Kernel) bool { return strings.HasSuffix(k.Key, "::"+name) })
	if i < 0 {
		r.t.Fatalf("no kernel %s in %v", name, keys(s))
	}
	return s.Kernels[i]
}

func keys(s *State) (keys []string) {
	for _, k := range s.Kernels {
		keys = append(keys, k.Key)
	}
	return keys
}

// wantStatus checks the status of a kernel.
func (r *rig) wantStatus(s *State, name string, want Status) *Kernel {
	r.t.Helper()
	k := r.kernel(s, name)
	if k.Status != want {
		r.t.Errorf("%s is %v, want %v; problems %v", k.Key, k.Status, want, k.Problems)
	}
	return k
}

// A fakeClock is moved by hand.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []*alarm
}

type alarm struct {
	at   time.Time
	f    func()
	done bool
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{at: c.now.Add(d), f: f}
	c.alarms = append(c.alarms, a)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		a.done = true
	}
}

// set moves the clock and rings what is due.
func (c *fakeClock) set(now time.Time) {
	c.mu.Lock()
	c.now = now
	var due []func()
	c.alarms = slices.DeleteFunc(c.alarms, func(a *alarm) bool {
		if !a.done && a.at.After(now) {
			return false
		}
		if !a.done {
			due = append(due, a.f)
		}
		return true
	})
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}
