package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// tree makes dirs directories with an assembly file each, ten to a parent, and
// returns their paths relative to root.
func tree(t testing.TB, root string, dirs int) []string {
	t.Helper()
	rels := make([]string, dirs)
	for i := range rels {
		rels[i] = fmt.Sprintf("t%04d/k%d/%s", i/10, i%10, isaName)
		path := filepath.Join(root, filepath.FromSlash(rels[i]))
		mkdir(t, filepath.Dir(path))
		write(t, path, isa(rels[i]))
	}
	return rels
}

func TestTenThousandDirectories(t *testing.T) {
	root := t.TempDir()
	want := map[string]string{}
	rels := tree(t, root, 10_000)
	for _, rel := range rels {
		want[rel] = isa(rel)
	}
	r := begun(t, root)
	r.until(want)
	if r.mode.Polling {
		t.Skip("the watch limit of this machine is too low: ", r.mode.Reason)
	}
	for _, rel := range []string{rels[0], rels[5000], rels[9999]} {
		want[rel] = isa("new")
		write(t, filepath.Join(root, filepath.FromSlash(rel)), want[rel])
		r.until(want)
	}
	r.nothingElse()
}

// 20,000 files in a burst, in directories new and old, from several writers.
func TestBurst(t *testing.T) {
	const writers, dirs, files = 4, 250, 20
	root := t.TempDir()
	r := begun(t, root)
	want := map[string]string{}
	for w := range writers {
		for d := range dirs {
			for f := range files {
				rel := fmt.Sprintf("w%d/d%03d/%02d_final_isa.s", w, d, f)
				want[rel] = isa(rel)
			}
		}
	}
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for d := range dirs {
				dir := mkdir(t, filepath.Join(root, fmt.Sprintf("w%d", w), fmt.Sprintf("d%03d", d)))
				for f := range files {
					name := fmt.Sprintf("%02d_final_isa.s", f)
					write(t, filepath.Join(dir, name), isa(fmt.Sprintf("w%d/d%03d/%s", w, d, name)))
				}
			}
		})
	}
	r.until(want)
	writing.Wait()
	r.nothingElse()
	if r.mode.Polling {
		t.Error("it polled: ", r.mode.Reason)
	}
}

// A consumer that takes nothing while 20,000 files are written still gets all.
func TestSlowConsumer(t *testing.T) {
	root := t.TempDir()
	r := start(t, root)
	want := map[string]string{}
	for d := range 200 {
		dir := mkdir(t, filepath.Join(root, fmt.Sprintf("%03d", d)))
		for f := range 100 {
			name := fmt.Sprintf("%02d_final_isa.s", f)
			want[fmt.Sprintf("%03d/%s", d, name)] = isa(name)
			write(t, filepath.Join(dir, name), isa(name))
		}
	}
	r.until(want)
	r.nothingElse()
}

// The first batch names everything, however long it takes.
func TestFirstBatchIsWhole(t *testing.T) {
	root := t.TempDir()
	rels := oldTree(t, root, 10*chunk)
	d := driven(t, root)
	for len(d.batches) == 0 {
		d.step()
		d.now = d.now.Add(time.Second)
	}
	if b := d.one(); len(b.Settled) != len(rels) {
		t.Errorf("%d of %d files", len(b.Settled), len(rels))
	}
}

// So does the batch of a large tree that was moved in.
func TestMovedInIsOneBatch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	rels := oldTree(t, out, 10*chunk)
	d := driven(t, t.TempDir()).begun()
	rename(t, out, filepath.Join(d.root, "in"))
	d.tell("in", made)
	d.advance(time.Second)
	if b := d.one(); len(b.Settled) != len(rels) {
		t.Errorf("%d of %d files", len(b.Settled), len(rels))
	}
}

// oldTree makes files, many to a directory, that nobody has written for long.
func oldTree(t *testing.T, root string, files int) []string {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	rels := make([]string, files)
	for i := range rels {
		rels[i] = filepath.Join(fmt.Sprint("k", i%3), fmt.Sprintf("%d_final_isa.s", i))
		path := filepath.Join(root, rels[i])
		mkdir(t, filepath.Dir(path))
		write(t, path, isa(rels[i]))
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	return rels
}
