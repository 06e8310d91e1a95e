package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What events did not tell is found by the net.
func TestNet(t *testing.T) {
	tests := []struct {
		name      string
		change    func(t *testing.T, root string)
		want      func(b timed) bool
		rewatched bool // the directory k
	}{
		{"overwritten", func(t *testing.T, root string) {
			write(t, filepath.Join(root, "k", isaName), isa("new"))
		}, func(b timed) bool { return len(b.Settled) == 1 }, false},
		{"overwritten, the modification time set back", func(t *testing.T, root string) {
			path := filepath.Join(root, "k", isaName)
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, isa("new"))
			if err := os.Chtimes(path, fi.ModTime(), fi.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, func(b timed) bool { return len(b.Settled) == 1 }, false},
		{"removed", func(t *testing.T, root string) {
			remove(t, filepath.Join(root, "k", isaName))
		}, func(b timed) bool { return len(b.Removed) == 1 }, false},
		{"its directory removed", func(t *testing.T, root string) {
			remove(t, filepath.Join(root, "k"))
		}, func(b timed) bool { return len(b.Removed) == 1 }, false},
		{"a new directory", func(t *testing.T, root string) {
			write(t, filepath.Join(mkdir(t, filepath.Join(root, "l", "m")), isaName), isa("new"))
		}, func(b timed) bool { return len(b.Settled) == 1 }, false},
		{"another directory of the same name", func(t *testing.T, root string) {
			write(t, filepath.Join(mkdir(t, filepath.Join(root, ".l")), isaName), isa("new"))
			rename(t, filepath.Join(root, "k"), filepath.Join(root, ".m"))
			remove(t, filepath.Join(root, ".m"))
			rename(t, filepath.Join(root, ".l"), filepath.Join(root, "k"))
		}, func(b timed) bool { return len(b.Settled) == 1 && len(b.Removed) == 0 }, true},
		{"a new file, the directory's time set back", func(t *testing.T, root string) { // as where times are coarse
			dir := filepath.Join(root, "k")
			fi, err := os.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "23_final_isa.s"), isa("new"))
			if err := os.Chtimes(dir, fi.ModTime(), fi.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, func(b timed) bool { return len(b.Settled) == 1 }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(mkdir(t, filepath.Join(root, "k")), isaName), isa("old"))
			d := driven(t, root)
			d.advance(time.Second)
			d.batches = nil
			clear(d.back.added)
			tt.change(t, root)
			d.advance(d.tracker.pace.net + time.Second)
			if b := d.one(); !tt.want(b) || b.Rescan {
				t.Errorf("got %+v", b)
			}
			if k := filepath.Join(d.tracker.root.real, "k"); tt.rewatched && !d.back.added[k] {
				t.Errorf("%s is not watched again", k)
			}
			d.advance(10 * d.tracker.pace.net)
			d.none()
		})
	}
}

// Lost events, a suspend and a request lead to a look at everything.
func TestRescan(t *testing.T) {
	tests := []struct {
		name string
		make func(d *drive)
	}{
		{"events lost", func(d *drive) { d.back.lose() }},
		{"suspend", func(d *drive) { d.now = d.now.Add(time.Hour); d.advance(0) }},
		{"asked for", func(d *drive) { d.tracker.askedRescan(1, d.now) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driven(t, t.TempDir(), func(o *Options) { o.pace.net = 24 * time.Hour }).begun()
			write(t, filepath.Join(mkdir(t, filepath.Join(d.root, "k")), isaName), isa("x")) // without an event
			d.advance(10 * time.Second)
			d.none()
			tt.make(d)
			d.advance(10 * time.Second)
			if b := d.one(); !b.Rescan || len(b.Settled) != 1 {
				t.Errorf("got %+v", b)
			}
		})
	}
}

func TestPolling(t *testing.T) {
	d := driven(t, t.TempDir(), func(o *Options) { o.Poll = true })
	d.advance(0)
	if b := d.one(); !b.Mode.Polling || b.Mode.Reason == "" {
		t.Fatalf("got %+v", b)
	}
	write(t, filepath.Join(mkdir(t, filepath.Join(d.root, "k")), isaName), isa("x"))
	written := d.now
	d.advance(10 * time.Second)
	b := d.one()
	if took := b.at.Sub(written); len(b.Settled) != 1 || took > 2*time.Second {
		t.Errorf("after %v: %+v", took, b)
	}
	// Idle, it looks less and less often; when something happens, often again.
	d.advance(time.Minute)
	write(t, filepath.Join(d.root, "k", isaName), isa("y"))
	written = d.now
	d.advance(time.Minute)
	b = d.one()
	if took := b.at.Sub(written); len(b.Settled) != 1 || took > 11*time.Second {
		t.Errorf("after %v: %+v", took, b)
	}
	remove(t, filepath.Join(d.root, "k"))
	d.advance(time.Minute)
	if b := d.one(); len(b.Removed) != 1 {
		t.Errorf("got %+v", b)
	}
}

func TestPollPace(t *testing.T) {
	b := newPollBackend(time.Second, 10*time.Second)
	for i, want := range []time.Duration{1, 2, 4, 8, 10, 10} {
		if got := b.Pace(false, 0); got != want*time.Second {
			t.Errorf("wait %d is %v", i, got)
		}
	}
	if b.Pace(true, 0) != time.Second || b.Pace(false, 0) != time.Second || b.Pace(false, 0) != 2*time.Second {
		t.Error("it does not begin anew")
	}
}
