package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// copies makes a tree with n kernels that are the same but for their folders.
func copies(t *testing.T, side, to string, n int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(side, "window_filter", "window_filter_0", "22_final_isa.s"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		dir := filepath.Join(to, fmt.Sprintf("k%02d", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "22_final_isa.s"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// together starts all commands at once and waits for them.
func together(t *testing.T, dir string, commands [][]string) {
	t.Helper()
	running := make([]*exec.Cmd, len(commands))
	output := make([]bytes.Buffer, len(commands))
	for i, args := range commands {
		running[i] = exec.Command("isadiff", args...)
		running[i].Dir, running[i].Stdout, running[i].Stderr = dir, &output[i], &output[i]
		if err := running[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range running {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", commands[i], err, output[i].String())
		}
	}
}

// Of what many processes accept at once nothing is lost.
func TestAcceptTogether(t *testing.T) {
	t.Parallel()
	const n = 20
	dir := t.TempDir()
	before, after := pair(t)
	copies(t, before, filepath.Join(dir, "before"), n)
	copies(t, after, filepath.Join(dir, "after"), n)
	var commands [][]string
	for i := range n {
		commands = append(commands, []string{"accept", fmt.Sprintf("k%02d::*", i), "--reason", "known", "--baseline", "before", "--dumps", "after"})
	}
	together(t, dir, commands)
	text, err := os.ReadFile(filepath.Join(dir, ".isadiff", "accepted.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got := strings.Count(string(text), fmt.Sprintf(`kernel = "k%02d`, i)); got != 3 {
			t.Errorf("k%02d: %d of 3 entries are left", i, got)
		}
	}
	together(t, dir, [][]string{{"diff", "before", "after", "-q"}})
	entries, err := os.ReadDir(filepath.Join(dir, ".isadiff"))
	if err != nil || len(entries) != 2 { // and .gitignore
		t.Errorf("left in .isadiff: %v, %v", entries, err)
	}
}

// Of many baselines that are taken at once one stands, and the one that is kept for
// an undo is that of another.
func TestSnapshotTogether(t *testing.T) {
	t.Parallel()
	const n = 8
	dir := t.TempDir()
	before, _ := pair(t)
	var commands [][]string
	for i := range n {
		side := fmt.Sprintf("side%d", i)
		copies(t, before, filepath.Join(dir, side), i+1)
		commands = append(commands, []string{"snapshot", side, "-o", "base.json", "--revision", side})
	}
	together(t, dir, commands)
	revisions := map[string]bool{}
	for _, name := range []string{"base.json", "base.previous.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(text, []byte(`"revision": "`))
		revision, _, _ := bytes.Cut(rest, []byte(`"`))
		revisions[string(revision)] = true
		together(t, dir, [][]string{{"diff", name, string(revision), "-q"}})
		if err := keptTexts(t, dir, name); err != nil {
			t.Error(err)
		}
	}
	if len(revisions) != 2 {
		t.Errorf("the baseline and the one before it are of %v", revisions)
	}
}
