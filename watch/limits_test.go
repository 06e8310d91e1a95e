package watch

import (
	"os"
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

// A log that another program appends to, in the tree or beside it, wakes nobody; a root
// that is a file of any name does.
func TestLogs(t *testing.T) {
	top := t.TempDir()
	root := mkdir(t, filepath.Join(top, "dumps"))
	log, beside := filepath.Join(root, "server.log"), filepath.Join(top, "compile.log")
	for _, path := range []string{log, beside} {
		write(t, path, "begun\n")
	}
	d := withEvents(t, root)
	d.events.Take()
	appendTo := func(path string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range 100 {
			if _, err := f.WriteString("line\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	appendTo(log)
	appendTo(beside)
	write(t, filepath.Join(root, isaName), isa("x")) // events come in order
	d.wait(isaName, wrote)
	if n := d.events.Take(); runtime.GOOS != "windows" && len(n.items) != 1 || n.lost {
		t.Errorf("%+v", n)
	}

	single := withEvents(t, log)
	appendTo(log)
	single.wait(".", wrote)
}
