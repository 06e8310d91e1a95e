package watch

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"isadiff/engine/regular"
)

// Several things that happen to one name between two looks come as one notice.
// Each test here makes an order of events sure that is otherwise a matter of luck.

// A directory that is replaced is another one, even under the same number.
func TestReplacedBetweenLooks(t *testing.T) {
	tests := []struct{ name, replaced string }{
		{"in the tree", "dumps/a/k"},
		{"the root", "dumps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			file := filepath.Join("a", "k", "l", isaName)
			root := filepath.Join(top, "dumps")
			write(t, filepath.Join(mkdir(t, filepath.Dir(filepath.Join(root, file))), isaName), isa("old"))
			d := driven(t, root, func(o *Options) { o.pace.net = 24 * time.Hour })
			d.advance(time.Second)
			d.batches = nil

			replaced := filepath.Join(top, filepath.FromSlash(tt.replaced))
			number := ino(t, replaced)
			for range 50 { // most file systems give a number out again soon
				remove(t, replaced)
				clear(d.back.added)
				mkdir(t, filepath.Dir(filepath.Join(root, file)))
				if ino(t, replaced) == number {
					break
				}
			}
			write(t, filepath.Join(root, file), isa("new"))
			d.back.put(filepath.Join(d.tracker.root.real, "..", tt.replaced), gone|made)
			d.advance(time.Second)
			if s := d.settled(); d.content(s) != isa("new") {
				t.Errorf("got %+v", s)
			}
			for _, dir := range []string{"", "a", "a/k", "a/k/l"} {
				if path := filepath.Join(d.tracker.root.real, dir); len(path) >= len(replaced) && !d.back.added[path] {
					t.Errorf("%s is not watched again", path)
				}
			}
		})
	}
}

func ino(t *testing.T, path string) regular.ID {
	t.Helper()
	fi, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return regular.IdentifyDir(path, fi)
}

// The directory in which the root would be made is itself made again.
func TestGuardReplaced(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "a", "dumps")
	guard := mkdir(t, filepath.Dir(root))
	d := driven(t, root).begun()
	real, err := filepath.EvalSymlinks(guard)
	if err != nil {
		t.Fatal(err)
	}
	if !d.back.added[real] {
		t.Fatalf("%s is not watched: %v", real, d.back.added)
	}
	remove(t, guard)
	clear(d.back.added)
	mkdir(t, guard)
	d.back.put(real, gone|made)
	d.take()
	if !d.back.added[real] {
		t.Errorf("%s is not watched again: %v", real, d.back.added)
	}
}

// A directory further up, of which there are no events, is made again with all in
// it before the root is looked at.
func TestReplacedFurtherUp(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := mkdir(t, filepath.Join(top, "a", "b", "dumps"))
	d := driven(t, root).begun()
	rename(t, filepath.Join(top, "a"), filepath.Join(top, "z"))
	mkdir(t, root)
	clear(d.back.added)
	d.advance(2 * time.Second)
	for _, dir := range []string{root, filepath.Dir(root)} {
		if !d.back.added[dir] {
			t.Errorf("%s is not watched again: %v", dir, d.back.added)
		}
	}
}

// A realDrive has the operating system's events, handed over when a test says so.
type realDrive struct {
	*drive
	events *eventBackend
}

func withEvents(t *testing.T, root string) realDrive {
	t.Helper()
	var r realDrive
	r.drive = driven(t, root, func(o *Options) {
		o.system.events = func(net time.Duration) (backend, error) {
			b, err := newEventBackend(net)
			r.events = b.(*eventBackend)
			return b, err
		}
	})
	r.advance(0)
	r.batches = nil
	return r
}

// wait waits until there is an event that is not handed over yet.
func (r realDrive) wait(rel string, o op) {
	r.t.Helper()
	path, q := filepath.Join(r.tracker.root.real, rel), r.events.queue
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		q.mu.Lock()
		i, ok := q.index[path]
		seen := ok && q.items[i].op&o == o
		q.mu.Unlock()
		if seen {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("no event of %s", rel)
		}
	}
}

// watched fails unless there are events of what is written in each directory.
func (r realDrive) watched(dirs ...string) {
	r.t.Helper()
	for _, dir := range dirs {
		write(r.t, filepath.Join(r.root, dir, isaName), isa(dir))
		r.wait(filepath.Join(dir, isaName), wrote)
	}
}

// A directory is renamed and another one takes its place. The kernel knows the
// first by one watch under either name, so that giving up the old name after the
// new one was added would leave it without.
func TestRenamedAndReplaced(t *testing.T) {
	root := t.TempDir()
	mkdir(t, filepath.Join(root, "a", "k"))
	d := withEvents(t, root)
	rename(t, filepath.Join(root, "a"), filepath.Join(root, "z"))
	mkdir(t, filepath.Join(root, "a", "k"))
	d.wait("a", gone|made)
	d.tracker.take(d.events.Take(), d.now)
	d.advance(0)
	d.watched("a", "z", filepath.Join("a", "k"), filepath.Join("z", "k"))
}

// A directory is found under its new name before the event of the old one is
// handled.
func TestFoundBeforeItsRename(t *testing.T) {
	root := t.TempDir()
	mkdir(t, filepath.Join(root, "a", "k"))
	d := withEvents(t, root)
	mkdir(t, filepath.Join(root, "new"))
	rename(t, filepath.Join(root, "a"), filepath.Join(root, "new", "z"))
	d.wait("a", gone)
	n := d.events.Take()
	for _, i := range n.items {
		d.tracker.take(notices{items: []notice{i}}, d.now)
		d.advance(0)
	}
	d.watched("new", filepath.Join("new", "z"), filepath.Join("new", "z", "k"))
}
