//go:build amd64 || arm64

package watch

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// An idle watcher leaves no garbage, however large the tree is.
func TestIdleAllocations(t *testing.T) {
	root := t.TempDir()
	for i := range 300 {
		write(t, filepath.Join(mkdir(t, filepath.Join(root, fmt.Sprint(i))), isaName), isa("x"))
	}
	for name, path := range map[string]string{
		"directory": root, "missing": filepath.Join(root, "no", "where"), "file": filepath.Join(root, "0", isaName),
	} {
		d := driven(t, path)
		d.advance(time.Minute)
		if !d.tracker.rootStands() {
			t.Errorf("%s: the root is not what it was", name)
		}
		if n := testing.AllocsPerRun(10, func() { d.tracker.rootStands() }); n > 0 {
			t.Errorf("%s: %v allocations in a look at the root", name, n)
		}
		// The whole net has some of its own: the root is looked at thoroughly.
		if n := testing.AllocsPerRun(10, func() { d.advance(30 * time.Second) }); n > 100 {
			t.Errorf("%s: %v allocations in a look at all", name, n)
		}
	}
}
