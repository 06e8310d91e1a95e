package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/snapshot"
)

// keptTexts reads the assembly of all kernels of a snapshot, and wants each to be that of
// the tree that the snapshot's revision names.
func keptTexts(t *testing.T, dir, name string) error {
	t.Helper()
	side, meta := snapshot.Load(filepath.Join(dir, name))
	if len(side.Records) == 0 {
		t.Fatal(side.Problems)
	}
	a, err := kept.Open(side)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, r := range side.Records {
		text, err := a.Text(r)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(filepath.Join(dir, meta.Revision, filepath.FromSlash(r.Source)))
		if err != nil || string(text) != string(want) {
			t.Errorf("%s of %s: %d bytes of %d, %v", r.Key, meta.Revision, len(text), len(want), err)
		}
	}
	return nil
}

// A snapshot that is killed while it writes leaves figures that are whole, and assembly
// that is theirs or is not used; the next one is as ever.
func TestSnapshotKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, after := pair(t)
	copies(t, before, filepath.Join(dir, "before"), 400)
	copies(t, after, filepath.Join(dir, "after"), 400)
	together(t, dir, [][]string{{"snapshot", "before", "-o", "base.json", "--revision", "before"}})
	for range 5 {
		cmd := exec.Command("isadiff", "snapshot", "after", "-o", "base.json", "--revision", "after")
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for writing := false; !writing; {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				writing = writing || strings.Contains(e.Name(), "base.isa.zst") && e.Name() != "base.isa.zst" // a temporary file of it
			}
			select {
			case err := <-ended:
				writing = true
				ended <- err
			default:
			}
		}
		_ = cmd.Process.Kill()
		<-ended
		var known problem.Problem
		if err := keptTexts(t, dir, "base.json"); err != nil && (!errors.As(err, &known) || known.Code != problem.AssemblyMissing) {
			t.Error(err)
		}
	}
	together(t, dir, [][]string{{"snapshot", "before", "-o", "base.json", "--revision", "before"}})
	if err := keptTexts(t, dir, "base.json"); err != nil {
		t.Error(err)
	}
}
