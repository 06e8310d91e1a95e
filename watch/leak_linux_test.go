package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// After whatever happened to a tree the kernel has one watch for each of its
// directories and for those above, and nothing else is kept either.
func TestNothingLeaks(t *testing.T) {
	top := t.TempDir()
	root := mkdir(t, filepath.Join(top, "a", "dumps"))
	d := withEvents(t, root)
	const seed = 1
	v := vandal{t, rand.New(rand.NewPCG(seed, seed)), top, root, 0}
	for range 600 {
		v.turn()
		d.tracker.take(d.events.Take(), d.now)
		d.advance(10 * time.Millisecond)
	}
	remove(t, root)
	v.write(filepath.Join(root, "k", isaName), isa("x"))
	d.advance(time.Minute)
	var watches int
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		d.tracker.take(d.events.Take(), d.now)
		d.advance(0)
		if watches = kernelWatches(t); watches == 3 && len(d.tracker.dirs) == 2 {
			break
		}
	}
	if watches != 3 { // root, k, and the directory above
		t.Errorf("%d watches", watches)
	}
	tr := d.tracker
	if got := fmt.Sprint(len(tr.dirs), len(tr.all), len(tr.ids), len(tr.queued), len(tr.problems), tr.held, len(tr.root.guards)); got != "2 2 2 0 0 0 1" {
		t.Errorf("dirs, all, ids, queued, problems, held, guards: %s", got)
	}
}

// kernelWatches counts the watches of this process, see proc_pid_fdinfo(5).
func kernelWatches(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fdinfo")
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	n := 0
	for _, fd := range fds {
		if b, err := os.ReadFile("/proc/self/fdinfo/" + fd.Name()); err == nil { // that of the ReadDir is gone
			n += strings.Count(string(b), "inotify wd:")
		}
	}
	return n
}
