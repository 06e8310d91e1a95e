package watch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"isadiff/engine/regular"
)

// All watchers of a process wake it at the same moments.
func TestTick(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(mkdir(t, filepath.Join(root, "k")), isaName), isa("x"))
	begun := time.Date(2026, 7, 1, 12, 0, 1, 0, time.UTC)
	wakes := func(late time.Duration) (all []time.Time) {
		d := driven(t, root)
		d.now = begun.Add(late)
		d.tracker.root.next, d.tracker.nextSweep = time.Time{}, time.Time{}
		d.advance(10 * time.Second)
		for range 60 {
			next := d.tracker.next(d.now, true)
			all = append(all, next)
			d.advance(next.Sub(d.now) + time.Millisecond) // some work is done
		}
		return all
	}
	first, second := wakes(0), wakes(700*time.Millisecond)
	for i := range first {
		if !first[i].Equal(second[i]) {
			t.Fatalf("wake %d: %v and %v", i, first[i], second[i])
		}
		if i > 0 && first[i].Sub(first[i-1]) != 2*time.Second {
			t.Fatalf("wake %d: after %v", i, first[i].Sub(first[i-1]))
		}
	}
}

// The net costs a small share of a core, and comes every 30 s where that is less.
func TestNetPace(t *testing.T) {
	b := &eventBackend{net: 30 * time.Second}
	for took, want := range map[time.Duration]time.Duration{
		0:                      30 * time.Second,
		6 * time.Millisecond:   30 * time.Second,
		8 * time.Millisecond:   40 * time.Second,
		30 * time.Millisecond:  150 * time.Second,
		60 * time.Millisecond:  5 * time.Minute,
		100 * time.Millisecond: 5 * time.Minute,
		time.Hour:              5 * time.Minute,
	} {
		if got := b.Pace(false, took); got != want {
			t.Errorf("after a look of %v: %v, want %v", took, got, want)
		}
	}
}

// The time of a look counts, as long as it works, and what events tell between
// two looks has no influence.
func TestNetOfLargeTree(t *testing.T) {
	root := t.TempDir()
	for i := range 3 * chunk {
		write(t, filepath.Join(mkdir(t, filepath.Join(root, fmt.Sprint(i))), isaName), isa("x"))
	}
	var slow time.Duration
	d := driven(t, root)
	d.tracker.system.now = func() time.Time { // asked before and after each part of a look
		d.now = d.now.Add(slow)
		return d.now
	}
	d.advance(40 * time.Second)
	d.batches = nil
	slow = 5 * time.Millisecond // four parts: that of the root is the fourth
	d.advance(30 * time.Second)
	slow = 0
	due := d.tracker.nextSweep
	if wait := due.Sub(d.now); wait < 65*time.Second || wait > 100*time.Second {
		t.Fatalf("the next look is in %v", wait)
	}
	d.write(filepath.Join("0", isaName), isa("y"))
	d.advance(time.Second)
	d.settled()
	if d.tracker.nextSweep != due {
		t.Errorf("the next look moved by %v", d.tracker.nextSweep.Sub(due))
	}
	write(t, filepath.Join(root, "1", isaName), isa("z")) // without an event
	d.advance(due.Sub(d.now) - time.Millisecond)
	d.none()
	d.advance(time.Second)
	d.settled()
	if wait := d.tracker.nextSweep.Sub(due); wait > 30*time.Second {
		t.Errorf("after a quick look the next is in %v", wait)
	}
}

// Directories that go while a look at all is under way do not keep it from looking
// at every other one.
func TestRemovedDuringLook(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, top := range []string{"a", "b", "c"} {
				for i := range 2 * chunk {
					write(t, filepath.Join(mkdir(t, filepath.Join(root, top, fmt.Sprint(i))), isaName), isa("x"))
				}
			}
			d := driven(t, root)
			d.advance(time.Second)
			d.batches = nil
			for d.step(); d.tracker.sweeping == 0; d.step() {
				d.now = d.tracker.next(d.now, true)
			}
			remove(t, filepath.Join(root, name))
			d.tell(name, gone)
			want := 0
			for _, top := range []string{"a", "b", "c"} {
				if top == name {
					continue
				}
				for i := range 2 * chunk {
					write(t, filepath.Join(root, top, fmt.Sprint(i), isaName), isa("y")) // without an event
					want++
				}
			}
			d.advance(20 * time.Second) // before the next look
			// What was looked at before it was written is left to the next look.
			if settled := len(d.batches[len(d.batches)-1].Settled); settled < want-chunk {
				t.Errorf("%d of %d found", settled, want)
			}
			for i, k := range d.tracker.all {
				if k.index != i || d.tracker.dirs[k.rel] != k {
					t.Errorf("%s is the %dth, not the %dth", k.rel, i, k.index)
				}
			}
			if len(d.tracker.all) != len(d.tracker.dirs) {
				t.Errorf("%d of %d known directories", len(d.tracker.all), len(d.tracker.dirs))
			}
		})
	}
}

// What happens to the root without an event is noticed within two seconds.
func TestRootWithoutEvents(t *testing.T) {
	file := func(t *testing.T, dir, content string) {
		write(t, filepath.Join(mkdir(t, filepath.Join(dir, "k")), isaName), isa(content))
	}
	tests := []struct {
		name   string
		begin  func(t *testing.T, top string)
		change func(t *testing.T, top string)
		want   string // the content of the one file that is there then; "": none
	}{
		{"made", func(*testing.T, string) {}, func(t *testing.T, top string) {
			file(t, filepath.Join(top, "a", "dumps"), "new")
		}, "new"},
		{"removed", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "a", "dumps"), "old")
		}, func(t *testing.T, top string) {
			remove(t, filepath.Join(top, "a"))
		}, ""},
		{"its link retargeted", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "one"), "old")
			file(t, filepath.Join(top, "two"), "new")
			symlink(t, "../one", filepath.Join(mkdir(t, filepath.Join(top, "a")), "dumps"))
		}, func(t *testing.T, top string) {
			symlink(t, "../two", filepath.Join(top, "new"))
			rename(t, filepath.Join(top, "new"), filepath.Join(top, "a", "dumps"))
		}, "new"},
		{"a link above it retargeted", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "one", "dumps"), "old")
			file(t, filepath.Join(top, "two", "dumps"), "new")
			symlink(t, "one", filepath.Join(top, "a"))
		}, func(t *testing.T, top string) {
			symlink(t, "two", filepath.Join(top, "new"))
			rename(t, filepath.Join(top, "new"), filepath.Join(top, "a"))
		}, "new"},
		{"the target of its link got another", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "one"), "old")
			symlink(t, "one", filepath.Join(top, "link"))
			symlink(t, "../link", filepath.Join(mkdir(t, filepath.Join(top, "a")), "dumps"))
		}, func(t *testing.T, top string) {
			rename(t, filepath.Join(top, "one"), filepath.Join(top, "other"))
			file(t, filepath.Join(top, "one"), "new")
		}, "new"},
		{"the same directory under another name", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "one", "x"), "old")
			symlink(t, "../one/x", filepath.Join(mkdir(t, filepath.Join(top, "a")), "dumps"))
		}, func(t *testing.T, top string) {
			rename(t, filepath.Join(top, "one"), filepath.Join(top, "two"))
			symlink(t, "../two/x", filepath.Join(top, "new"))
			rename(t, filepath.Join(top, "new"), filepath.Join(top, "a", "dumps"))
			file(t, filepath.Join(top, "two", "x"), "new")
		}, "new"},
		{"the same, renamed beside", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "one", "x"), "old")
			symlink(t, "../one/x", filepath.Join(mkdir(t, filepath.Join(top, "a")), "dumps"))
		}, func(t *testing.T, top string) {
			rename(t, filepath.Join(top, "one", "x"), filepath.Join(top, "one", "y"))
			symlink(t, "../one/y", filepath.Join(top, "new"))
			rename(t, filepath.Join(top, "new"), filepath.Join(top, "a", "dumps"))
			file(t, filepath.Join(top, "one", "y"), "new")
		}, "new"},
		{"a file instead of it", func(t *testing.T, top string) {
			file(t, filepath.Join(top, "a", "dumps"), "old")
		}, func(t *testing.T, top string) {
			remove(t, filepath.Join(top, "a", "dumps"))
			write(t, filepath.Join(top, "a", "dumps"), isa("new"))
		}, "new"},
		{"a file, written again", func(t *testing.T, top string) {
			write(t, filepath.Join(mkdir(t, filepath.Join(top, "a")), "dumps"), isa("old"))
		}, func(t *testing.T, top string) {
			write(t, filepath.Join(top, "a", "dumps"), isa("new"))
		}, "new"},
		{"a file, its link retargeted", func(t *testing.T, top string) {
			write(t, filepath.Join(top, "one"), isa("old"))
			write(t, filepath.Join(top, "two"), isa("new"))
			symlink(t, "../one", filepath.Join(mkdir(t, filepath.Join(top, "a")), "dumps"))
		}, func(t *testing.T, top string) {
			symlink(t, "../two", filepath.Join(top, "new"))
			rename(t, filepath.Join(top, "new"), filepath.Join(top, "a", "dumps"))
		}, "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			root := filepath.Join(top, "a", "dumps")
			tt.begin(t, top)
			d := driven(t, root, func(o *Options) { o.pace.net = 24 * time.Hour })
			d.advance(10 * time.Second)
			d.batches = nil
			tt.change(t, top)
			d.advance(2*time.Second + d.tracker.MaxDelay)
			content := ""
			for _, b := range d.batches {
				for _, s := range b.Settled {
					content = d.content(s)
				}
				if (b.Root == RootPresent) != (tt.want != "") {
					t.Errorf("the root's state: %+v", b)
				}
			}
			want := ""
			if tt.want != "" {
				want = isa(tt.want)
			}
			if len(d.batches) == 0 || content != want {
				t.Errorf("got %q: %+v", content, d.batches)
			}
			for dir := range d.tracker.root.guards {
				if !d.back.added[dir] {
					t.Errorf("%s is not watched", dir)
				}
			}
		})
	}
}

// A directory further up, of which there are no events, is made again, and in it
// the one in which the root would be made: that is watched again.
func TestGuardReplacedFurtherUp(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	guard := mkdir(t, filepath.Join(top, "a", "b"))
	d := driven(t, filepath.Join(guard, "dumps")).begun()
	rename(t, filepath.Join(top, "a"), filepath.Join(top, "z"))
	mkdir(t, guard)
	clear(d.back.added)
	d.advance(2 * time.Second)
	if !d.back.added[guard] {
		t.Errorf("%s is not watched again: %v", guard, d.back.added)
	}
}

// A look at a path says what the os package says.
func TestLook(t *testing.T) {
	root := t.TempDir()
	mkdir(t, filepath.Join(root, "dir"))
	write(t, filepath.Join(root, "dir", "file"), "x")
	for _, link := range []string{"dir", "dir/file", "nowhere"} {
		symlink(t, link, filepath.Join(root, "to-"+filepath.Base(link)))
	}
	var l looker
	for _, rel := range []string{".", "dir", "dir/file", "to-dir", "to-file", "to-nowhere", "dir/file/x", "nowhere", "with\x00zero"} {
		for _, follow := range []bool{true, false} {
			rel := filepath.FromSlash(rel)
			path, stat := filepath.Join(root, rel), os.Lstat
			if follow {
				stat = os.Stat
			}
			var want regular.Stamp
			var kind fs.FileMode
			fi, wantErr := stat(path)
			if wantErr == nil {
				want, kind = regular.StampOf(fi), fi.Mode().Type()
				if fi.IsDir() {
					want.ID = regular.IdentifyDir(path, fi)
				}
			}
			got, gotKind, err := l.look(root, rel, follow)
			if got != want || gotKind != kind || (err == nil) != (wantErr == nil) || vanished(err) != vanished(wantErr) {
				t.Errorf("%s, follow %v: %+v %v %v, want %+v %v %v", rel, follow, got, gotKind, err, want, kind, wantErr)
			}
		}
	}
}
