package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

var (
	first  = Entry{Commit: strings.Repeat("a", 40), Tree: strings.Repeat("b", 40), Author: "A", Date: "2026-03-04", Subject: "s"}
	second = Entry{Commit: strings.Repeat("c", 40), Tree: strings.Repeat("d", 40), Skipped: 2}
)

func share(i, of int) Share {
	return Share{Tool: "1", Kind: "history", Command: "make", Settings: "s", Shard: i, Of: of, Revisions: []Entry{first, second}}
}

func codeOf(err error) problem.Code {
	var p problem.Problem
	_ = errors.As(err, &p)
	return p.Code
}

// A shard has its folder for itself, and knows another run's.
func TestOpenShard(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenShard(dir, share(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenShard(dir, share(1, 2)); codeOf(err) != problem.RunUnderWay {
		t.Errorf("a second process is the same shard: %v", err)
	}
	other, err := OpenShard(dir, share(2, 2))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := s.note(first.Commit, &Gap{Problem: problem.New(problem.CaptureFailed, "it failed"), More: 2}); err != nil {
		t.Fatal(err)
	}
	if gap := other.Gap(first.Commit); gap == nil || gap.Reason() != "[capture-failed] it failed (and 2 more)" {
		t.Errorf("%v", gap)
	}
	if s.Gap(first.Commit) != nil {
		t.Error("a shard takes its own gap for granted")
	}
	if path, _ := s.ownPath(first.Tree); os.WriteFile(path, nil, 0o666) != nil {
		t.Fatal(path)
	}
	if path, ok := other.Find(first.Tree); !ok || filepath.Base(filepath.Dir(path)) != "shard-1-of-2" {
		t.Errorf("%s, %v", path, ok)
	}
	if _, own := other.ownPath(first.Tree); own {
		t.Error("it is another's")
	}
	s.Close()
	for what, change := range map[string]func(*Share){
		"the commands are `make` and `ninja`": func(s *Share) { s.Command = "ninja" },
		"they have other architectures":       func(s *Share) { s.Settings = "x" },
		"they are of other revisions":         func(s *Share) { s.Revisions = s.Revisions[:1] },
		"one is a history and one a bisect":   func(s *Share) { s.Kind = "bisect" },
		"isadiff is 1 and 2":                  func(s *Share) { s.Tool = "2" },
	} {
		changed := share(1, 2)
		change(&changed)
		if _, err := OpenShard(dir, changed); codeOf(err) != problem.MergeConflict || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s, err = OpenShard(dir, share(1, 2)); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if other.Gap(first.Commit) != nil {
		t.Error("what failed is not tried again")
	}
}

// Figures that are damaged in a shard's folder are no figures, and it is said how to mend them.
func TestDamagedShard(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenShard(dir, share(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if path, _ := s.ownPath(first.Tree); os.WriteFile(path, []byte(`{"kernels":`), 0o666) != nil {
		t.Fatal(path)
	}
	store, _, err := OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	side, err := (&Runner{Store: store}).Side(t.Context(), first.Revision())
	if err != nil || len(side.Records) > 0 || len(side.Problems) != 1 || !strings.HasPrefix(side.Problems[0].Mend(), "remove the file and start its shard again") {
		t.Errorf("%v, %v", side, err)
	}
}

// What is no file of a shard is refused, whatever it names.
func TestHostileShare(t *testing.T) {
	text := func(format, commit, tree, code, shard string) string {
		return `{"format":` + format + `,"tool":"1","kind":"history","command":"c","settings":"s","shard":` + shard + `,"of":1,"revisions":[{"commit":"` + commit + `","tree":"` + tree +
			`","author":"","date":"","subject":""}],"gaps":{"x":{"code":"` + code + `","message":"m"}}}`
	}
	for name, tt := range map[string]struct{ text, says string }{
		"good":       {text("1", first.Commit, first.Tree, "capture-failed", "1"), ""},
		"no JSON":    {"{", "is not what a shard writes"},
		"newer":      {text("2", first.Commit, first.Tree, "capture-failed", "1"), "is of form 2"},
		"a path":     {text("1", first.Commit, "../../../../../../../../../etc/passwd/x/x/x/x/x", "capture-failed", "1"), "names what is no revision"},
		"no commit":  {text("1", "HEAD", first.Tree, "capture-failed", "1"), "names what is no revision"},
		"a code":     {text("1", first.Commit, first.Tree, "no-such-code", "1"), "unknown code"},
		"a number":   {text("1", first.Commit, first.Tree, "capture-failed", "7"), "says that it is shard 7 of 1"},
		"of nothing": {strings.Replace(text("1", first.Commit, first.Tree, "capture-failed", "1"), `"of":1`, `"of":0`, 1), "says that it is shard 1 of 0"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "shard-1-of-1", shareName)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := OpenShards(dir)
		if tt.says == "" && err != nil || tt.says != "" && (codeOf(err) != problem.InputUnreadable || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
