package watch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/regular"
)

// patience ends a test that waits for a batch which never comes.
const patience = time.Minute

// isa is a complete assembly file whose content is told apart by text.
func isa(text string) string {
	return "; " + text + "\n\t.amdgpu_metadata\n---\namdhsa.kernels: []\n...\n\t.end_amdgpu_metadata\n"
}

// A rig is a watcher under test, and what its batches say of the tree.
type rig struct {
	t     *testing.T
	root  string
	w     *Watcher
	seen  map[string]string // path relative to the root -> content, with "cut: " before that of a cut one
	gens  map[string][]string
	log   []string
	mode  Mode
	state RootState
	last  Batch
}

// start watches root, by events only: the net is too wide to find anything. What
// has to be looked at is so more often than by default, not to wait for it.
func start(t *testing.T, root string, change ...func(*Options)) *rig {
	t.Helper()
	o := Options{Root: root, Interest: Dumps(nil), pace: pace{net: time.Hour, root: 100 * time.Millisecond, pollMin: 50 * time.Millisecond, pollMax: 500 * time.Millisecond}}
	for _, c := range change {
		c(&o)
	}
	r := &rig{t: t, root: root, w: Start(t.Context(), o), seen: map[string]string{}, gens: map[string][]string{}}
	t.Cleanup(r.w.Close)
	return r
}

// begun is start, and the first batch.
func begun(t *testing.T, root string, change ...func(*Options)) *rig {
	t.Helper()
	r := start(t, root, change...)
	if b := r.next(); !b.Rescan {
		t.Fatalf("the first batch is no rescan: %+v", b)
	}
	return r
}

func (r *rig) rel(path string) string {
	r.t.Helper()
	rel, err := filepath.Rel(r.root, path)
	if err != nil {
		r.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// next waits for a batch and applies it.
func (r *rig) next() Batch {
	r.t.Helper()
	select {
	case b, ok := <-r.w.Batches():
		if !ok {
			r.t.Fatal("the watcher ended")
		}
		r.apply(b)
		return b
	case <-time.After(patience):
		r.t.Fatalf("no batch came; seen %v; so far:\n%s", summary(r.seen), strings.Join(r.log, "\n"))
	}
	panic("unreachable")
}

func (r *rig) apply(b Batch) {
	r.t.Helper()
	if b.Mode != r.mode && !b.Rescan {
		r.t.Errorf("the mode became %+v without a rescan", b.Mode)
	}
	r.last, r.mode, r.state = b, b.Mode, b.Root
	var line strings.Builder
	fmt.Fprintf(&line, "batch rescan=%v root=%v:", b.Rescan, b.Root)
	if !slices.IsSortedFunc(b.Settled, func(a, b Settled) int { return strings.Compare(a.Path, b.Path) }) {
		r.t.Errorf("Settled is not sorted: %v", b.Settled)
	}
	for _, s := range b.Settled {
		rel := r.rel(s.Path)
		data, err := s.read()
		content := string(data)
		switch {
		case errors.Is(err, errChanged):
			content = "changed" // a later batch must say to what
		case err != nil:
			content = "error: " + err.Error()
		case s.cut:
			content = "cut: " + content
		case int64(len(data)) != s.Stamp.Size:
			r.t.Errorf("%s: %d bytes read, %d said", rel, len(data), s.Stamp.Size)
		}
		r.seen[rel] = content
		for _, g := range s.Generations {
			r.gens[rel] = append(r.gens[rel], string(g.Content))
		}
		fmt.Fprintf(&line, " %s", rel)
	}
	for _, s := range b.Touched {
		if _, known := r.seen[r.rel(s.Path)]; !known {
			r.t.Errorf("%s is touched but was never there", s.Path)
		}
		fmt.Fprintf(&line, " touched:%s", r.rel(s.Path))
	}
	for _, path := range b.Removed {
		rel := r.rel(path)
		if _, known := r.seen[rel]; !known {
			r.t.Errorf("%s is removed but was never there", rel)
		}
		delete(r.seen, rel)
		fmt.Fprintf(&line, " gone:%s", rel)
	}
	r.log = append(r.log, line.String())
	if len(r.log) > 50 {
		r.log = r.log[1:]
	}
}

// until takes batches until the state that they tell of is want.
func (r *rig) until(want map[string]string) {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for !equal(r.seen, want) {
		if time.Now().After(deadline) {
			r.t.Fatalf("seen %v\nwant %v\n%s", summary(r.seen), summary(want), strings.Join(r.log, "\n"))
		}
		r.next()
	}
}

// nothingElse asks for a rescan, which must find that all was told.
func (r *rig) nothingElse() {
	r.t.Helper()
	r.w.Rescan()
	for {
		b := r.next()
		if len(b.Settled)+len(b.Removed) > 0 {
			r.t.Fatalf("a rescan found what was not told: %+v", b)
		}
		if b.Rescan {
			return
		}
	}
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func summary(m map[string]string) string {
	if len(m) > 20 {
		return fmt.Sprintf("%d files", len(m))
	}
	return fmt.Sprintf("%.60q", m)
}

// write writes a file in place. One that is there gets another time: a test may
// take less than a tick of the clock that files are stamped by.
func write(t testing.TB, path, content string) {
	t.Helper()
	tick(t, path)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tick waits until what is written gets a later time than that of a path, if there
// is one and its time is not yet to come.
func tick(t testing.TB, path string) {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		return
	}
	past, probe := fi.ModTime(), filepath.Join(t.TempDir(), "tick")
	for now := past; !now.After(past) && !past.After(time.Now()); now = fi.ModTime() {
		if err := os.WriteFile(probe, []byte("."), 0o644); err != nil {
			t.Fatal(err)
		}
		if fi, err = os.Stat(probe); err != nil {
			t.Fatal(err)
		}
	}
}

func mkdir(t testing.TB, path string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("symbolic links need a privilege here: ", err)
		}
		t.Fatal(err)
	}
}

// TestMain fails if a goroutine of a watcher or of fsnotify outlives the tests,
// each of which closes what it started.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines are left:\n"+left)
		code = 1
	}
	os.Exit(code)
}

func goroutinesLeft() string {
	// The last instructions of one that has said that it is done may still be to run.
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		buf := make([]byte, 1<<20)
		stacks := string(buf[:runtime.Stack(buf, true)])
		switch {
		case !strings.Contains(stacks, "watch.(*Watcher).run") && !strings.Contains(stacks, "watch.(*eventBackend)") &&
			!strings.Contains(stacks, "fsnotify."):
			return ""
		case time.Now().After(deadline):
			return stacks
		}
	}
}

// read returns the content that settled. It returns errChanged if that was not held
// and the file is another one by now: then a later batch tells.
func (s Settled) read() ([]byte, error) {
	if s.Content != nil {
		return s.Content, nil
	}
	f, err := openStamped(s.Path, s.Stamp)
	if err != nil {
		if vanished(err) {
			err = errChanged
		}
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	if after, err := regular.Stat(s.Path); err != nil || after != s.Stamp || after.Size != int64(len(data)) {
		return nil, errChanged
	}
	return data, nil
}
