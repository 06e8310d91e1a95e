package watch

import (
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Wherever the limit of watches is reached, polling takes over and says so with a
// look at everything.
func TestLimitAnywhere(t *testing.T) {
	tests := []struct {
		name, file string // where the root's file is made
		fails      string // the directory from which on nothing can be watched
	}{
		{"above a root that does not exist yet", "a/b/dumps/k", "a"},
		{"the root", "a/b/dumps/k", "a/b/dumps"},
		{"within", "a/b/dumps/k/l", "a/b/dumps/k/l"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			d := driven(t, filepath.Join(top, "a", "b", "dumps")).begun()
			d.back.refuse = func(dir string) error {
				if strings.HasPrefix(dir, filepath.Join(top, tt.fails)) {
					return syscall.ENOSPC
				}
				return nil
			}
			mkdir(t, filepath.Join(top, "a"))
			d.back.put(filepath.Join(top, "a"), made)
			d.advance(0)
			write(t, filepath.Join(mkdir(t, filepath.Join(top, tt.file)), isaName), isa("x"))
			d.advance(time.Minute)
			var settled, switches int
			mode := Mode{}
			for _, b := range d.batches {
				settled += len(b.Settled)
				if b.Mode != mode {
					switches++
					mode = b.Mode
					if !b.Rescan {
						t.Errorf("without a rescan: %+v", b)
					}
				}
			}
			if settled != 1 || switches != 1 || !mode.Polling || !strings.Contains(mode.Reason, "limit") && runtime.GOOS == "linux" {
				t.Errorf("%d settled, %d switches to %+v", settled, switches, mode)
			}
		})
	}
}

// A root that becomes a link to a file system without events is polled, and not
// any more when it leads back.
func TestRootBecomesRemote(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mkdir(t, filepath.Join(top, "near"))
	mkdir(t, filepath.Join(top, "far"))
	root := filepath.Join(top, "dumps")
	lead := func(target string) {
		symlink(t, target, root+".new")
		rename(t, root+".new", root)
	}
	lead("near")
	d := driven(t, root, func(o *Options) {
		o.system.remote = func(path string) string {
			if strings.HasPrefix(path, filepath.Join(top, "far")) {
				return "NFS"
			}
			return ""
		}
	}).begun()
	for _, target := range []string{"far", "near", "far"} {
		lead(target)
		d.advance(time.Minute)
		if b := d.one(); b.Mode.Polling != (target == "far") || !b.Rescan {
			t.Errorf("%s: got %+v", target, b)
		}
		tick(t, filepath.Join(top, target)) // by the clock of this test it was read long after its last change
		write(t, filepath.Join(top, target, isaName), isa(target))
		d.advance(time.Minute)
		d.one()
	}
}

// What fsnotify reports as an error means that events were lost.
func TestEventErrors(t *testing.T) {
	back, err := newEventBackend(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	events := back.(*eventBackend).events
	events.Errors <- syscall.EINVAL // of no meaning
	events.Errors <- syscall.EINVAL // once this is taken, the first is handled
	if n := back.Take(); n.lost {
		t.Error("EINVAL counts as lost events")
	}
	events.Errors <- fsnotify.ErrEventOverflow
	<-back.Wake()
	if n := back.Take(); !n.lost {
		t.Error("an overflow does not count as lost events")
	}
}
