package session

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"isadiff/engine/live"
	"isadiff/engine/producer"
	"isadiff/engine/project"
	"isadiff/watch"
)

// A desk is a project on the disk with a session over it.
type desk struct {
	t    testing.TB
	root string
	*Session
	project *project.Config
	sub     *live.Subscription
}

func sit(t testing.TB, dumps string) *desk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, root: root}
	d.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"before\"\nsources = [\"kernels\", \"more\"]\n")
	d.tree(filepath.Join("..", "..", "testdata", "kernels"), "kernels")
	d.tree(filepath.Join("..", "..", "testdata", "kernels", "gemm"), "more")
	d.tree(dump("tile-up-spills/gfx942/before"), "before")
	if dumps != "" {
		d.tree(dump(dumps), "dumps")
	}
	p, err := project.Load(project.Options{Dir: root, Env: func(string) (string, bool) { return "", false }})
	if err != nil || len(p.Faults) > 0 {
		t.Fatal(err, p.Faults)
	}
	d.project = p
	d.Session = Open(t.Context(), Options{Project: p, Log: func(s string) { t.Log(s) }})
	t.Cleanup(d.Close)
	d.sub = d.Subscribe()
	return d
}

func dump(path string) string {
	return filepath.Join("..", "..", "testdata", "dumps", filepath.FromSlash(path))
}

func (d *desk) path(rel string) string { return filepath.Join(d.root, filepath.FromSlash(rel)) }

func (d *desk) write(rel, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(rel)), 0o777); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(rel), []byte(text), 0o666); err != nil {
		d.t.Fatal(err)
	}
}

// tree writes the files of a folder over what stands at rel.
func (d *desk) tree(from, rel string) {
	d.t.Helper()
	err := filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		d.write(filepath.ToSlash(filepath.Join(rel, below)), string(text))
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// until waits for a State that fits.
func (d *desk) until(what string, fits func(*live.State) bool) *live.State {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	s := d.Current()
	for !fits(s) {
		select {
		case s = <-d.sub.C:
		case <-ctx.Done():
			d.t.Fatalf("never %s; the last State: %+v", what, s)
		}
	}
	return s
}

func status(want live.Status) func(*live.State) bool {
	return func(s *live.State) bool {
		k := s.Kernel("window_filter/window_filter_0::window_filter_0")
		return s.Ready && k != nil && k.Status == want
	}
}

func TestSession(t *testing.T) {
	d := sit(t, "")
	s := d.until("pending", status(live.Pending))
	if len(s.Sources) == 0 || s.Sources[d.path("more/tiled_gemm.py")] == nil || s.Sources[d.path("kernels/window_filter.py")] == nil {
		t.Errorf("sources of both roots: %d", len(s.Sources))
	}

	d.tree(dump("tile-up-spills/gfx942/after"), "dumps")
	s = d.until("worse", status(live.Worse))
	if k := s.Kernels[0]; len(k.Place.Candidates) != 1 || k.Place.Candidates[0].Path != d.path("kernels/window_filter.py") {
		t.Errorf("place %+v", k.Place)
	}

	d.tree(dump("tile-up-spills/gfx942/after"), "before")
	d.until("unchanged against a new baseline", status(live.Unchanged))

	d.write("kernels/window_filter.py", "# nothing is left\n")
	d.until("without a definition", func(s *live.State) bool { return len(s.Kernels[0].Place.Candidates) == 0 })

	if err := os.RemoveAll(d.path("before")); err != nil {
		t.Fatal(err)
	}
	d.until("without a baseline", func(s *live.State) bool { return s.Result == nil && status(live.Edited)(s) })

	last, err := d.Rescan(t.Context()) // after it, there is no news on the way
	if err != nil {
		t.Fatal(err)
	}
	s, err = d.Rescan(t.Context())
	if err != nil || s.Seq != last.Seq {
		t.Errorf("a rescan of what did not change made State %d of %d: %v", s.Seq, last.Seq, err)
	}
	if err := os.RemoveAll(d.path("dumps")); err != nil {
		t.Fatal(err)
	}
	d.until("without dumps", func(s *live.State) bool { return !s.Dumps.Exists && len(s.Kernels) == 0 })
}

// TestIgnored: files that are no sources of the project do not count.
func TestIgnored(t *testing.T) {
	d := sit(t, "tile-up-spills/gfx942/after")
	d.until("worse", status(live.Worse))
	text, err := os.ReadFile(d.path("kernels/window_filter.py"))
	if err != nil {
		t.Fatal(err)
	}
	d.write("kernels/.venv/window_filter.py", string(text))
	d.write("kernels/env/pyvenv.cfg", "")
	d.write("kernels/env/window_filter.py", string(text))
	d.write("more/.gitignore", "/patterned/*\n!/patterned/kernels\n!/patterned/kept.py\n")
	d.write("more/patterned/env.py", string(text))
	d.write("more/patterned/kept.py", string(text))
	d.write("more/patterned/kernels/below.py", string(text))
	for _, path := range []string{"more/patterned/kept.py", "more/patterned/kernels/below.py"} {
		d.until(path, func(s *live.State) bool { return s.Sources[d.path(path)] != nil })
	}
	d.write("kernels/seen.py", string(text))
	s := d.until("seen", func(s *live.State) bool { return s.Sources[d.path("kernels/seen.py")] != nil })
	for path := range s.Sources {
		if strings.Contains(path, "env") {
			t.Errorf("%s is a source", path)
		}
	}
}

// TestIgnoreFiles: what git ignores counts as it is now, wherever that is said, also
// for a file that an editor holds.
func TestIgnoreFiles(t *testing.T) {
	d := sit(t, "tile-up-spills/gfx942/after")
	copies := func(n int) func(*live.State) bool {
		return func(s *live.State) bool {
			k := s.Kernel("window_filter/window_filter_0::window_filter_0")
			return s.Ready && k != nil && len(k.Place.Candidates) == n
		}
	}
	d.until("found", copies(1))
	if err := os.Mkdir(d.path(".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	d.Close()
	ignored := d.path("more/build/lib/kernels/window_filter.py")
	edited := make(chan string, 1) // what an editor holds of it
	d.Session = Open(t.Context(), Options{Project: d.project, Looked: func() {
		select {
		case text := <-edited:
			edited <- text
			if d.project.IsSource(ignored) {
				d.SetOverlay(ignored, producer.NewDraft(ignored, text))
			} else {
				d.ClearOverlay(ignored)
			}
		default:
		}
	}})
	d.sub = d.Subscribe()
	t.Cleanup(d.Close)
	text, err := os.ReadFile(d.path("kernels/window_filter.py"))
	if err != nil {
		t.Fatal(err)
	}
	d.until("read", func(s *live.State) bool { return s.Ready })
	d.write("more/build/lib/kernels/window_filter.py", string(text)) // the path of the compile fits both
	if err := os.Rename(d.path("kernels/window_filter.py"), d.path("kernels/other.py")); err != nil {
		t.Fatal(err)
	}
	d.write("more/src/kernels/window_filter.py", string(text))
	d.until("two copies", copies(2))
	for _, file := range []string{"more/.gitignore", ".gitignore", ".git/info/exclude"} {
		d.write(file, "build\n")
		s := d.until("without the copy that "+file+" ignores", copies(1))
		if got := s.Sources[d.path("more/build/lib/kernels/window_filter.py")]; got != nil {
			t.Errorf("%s: the ignored file still counts", file)
		}
		if err := os.Remove(d.path(file)); err != nil {
			t.Fatal(err)
		}
		d.until("two copies again", copies(2))
	}
	edited <- "# nothing is left\n"
	d.SetOverlay(ignored, producer.NewDraft(ignored, string(text)+"\n"))
	d.write("more/.gitignore", "build\n")
	d.until("without the copy that is open", copies(1))
	if err := os.Remove(d.path("more/.gitignore")); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Rescan(t.Context()); err != nil || !copies(1)(s) {
		t.Errorf("what the editor holds counts no more: %v", err)
	}
	<-edited
	d.ClearOverlay(ignored)
	d.until("two copies after it was closed", copies(2))
	d.write("more/.gitignore", "build\n")
	if s, err := d.Rescan(t.Context()); err != nil || !copies(1)(s) {
		t.Errorf("a rescan does not see what git ignores: %v", err)
	}
	// Nor does one that is written again as it was.
	d.write("more/.gitignore", "build\nskipped.py\n")
	d.write("more/skipped.py", string(text))
	d.write("more/seen.py", string(text))
	d.until("seen", func(s *live.State) bool { return s.Sources[d.path("more/seen.py")] != nil })
	for i, next := range []string{"more/later.py", "more/last.py"} {
		at := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(d.path("more/skipped.py"), at, at); err != nil {
			t.Fatal(err)
		}
		d.write(next, string(text))
		s := d.until("seen "+next, func(s *live.State) bool { return s.Sources[d.path(next)] != nil })
		if s.Sources[d.path("more/skipped.py")] != nil {
			t.Error("a file that git ignores counts after it was touched")
		}
	}
}

// TestReconfigured: no change of a file of the configuration is missed, also none
// while the session starts, and what did not change is none.
func TestReconfigured(t *testing.T) {
	d := sit(t, "")
	for round := range 20 {
		if old := time.Now().Add(-time.Hour); round%4 == 3 { // a file of this moment settles after the first batch
			if err := os.Chtimes(d.path("isadiff.toml"), old, old); err != nil {
				t.Fatal(err)
			}
		}
		changed := make(chan struct{}, 100)
		s := Open(t.Context(), Options{
			Project: d.project, NoSources: true, Quiet: time.Millisecond,
			Configuration: []string{d.path("isadiff.toml")}, Reconfigured: func() { changed <- struct{}{} },
		})
		if round%4 == 3 {
			if _, err := s.Rescan(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, p := range s.settings {
				if err := p.rescan(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if len(changed) > 0 {
				t.Error("a file that is as it was counts as changed")
			}
		}
		d.write("isadiff.toml", "# "+strings.Repeat("x", round)+"\n")
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatalf("round %d: never noticed", round)
		}
		s.Close()
	}
}

// TestClose: nothing is left of a session.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		d := sit(t, "tile-up-spills/gfx942/after")
		d.until("worse", status(live.Worse))
		d.Close()
		if _, err := d.Rescan(t.Context()); err == nil {
			t.Error("a rescan after the end")
		}
	}
	// One that has told of its end may not have come to it yet.
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, before %d\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

// TestRescanIsNew: a rescan is not answered by what was found before it was asked
// for and is still being handed on.
func TestRescanIsNew(t *testing.T) {
	dir := t.TempDir()
	p := newPump(watch.Start(t.Context(), watch.Options{Root: dir, Interest: watch.Interest{Rules: []watch.Rule{{Name: "*.py"}}}}))
	defer func() {
		p.watcher.Close()
		<-p.done
	}()
	handed, free := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	seen := map[string]bool{}
	first := true
	go p.run(func(b watch.Batch) {
		if first {
			close(handed)
			<-free
		}
		first = false
		mu.Lock()
		defer mu.Unlock()
		for _, f := range b.Settled {
			seen[filepath.Base(f.Path)] = true
		}
	})
	<-handed
	old := time.Now().Add(-time.Hour)
	file := filepath.Join(dir, "new.py")
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	asked, waits := make(chan error, 1), make(chan struct{})
	go func() { asked <- p.rescan(noticed{t.Context(), sync.OnceFunc(func() { close(waits) })}) }()
	<-waits
	close(free)
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !seen["new.py"] {
		t.Error("a file that was there before the rescan was not found by it")
	}
}

// A noticed context calls waits when somebody begins to wait for its end.
type noticed struct {
	context.Context
	waits func()
}

func (n noticed) Done() <-chan struct{} {
	n.waits()
	return n.Context.Done()
}
