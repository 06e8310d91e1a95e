package session

import (
	"path/filepath"
	"slices"
	"testing"

	"isadiff/engine/project"
	"isadiff/watch"
)

// A file that goes while the roots are looked at anew is told of, also where that
// look is broken off by the next one.
func TestLookBrokenOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.py")
	s := newSources(nil, Options{Project: &project.Config{}}, nil)
	s.known[file] = 1
	s.watch(t.Context())
	s.missing = 1
	s.enter(watch.Batch{Removed: []string{file}})
	s.cancel()
	s.watch(t.Context())
	defer s.cancel()
	if !slices.Equal(s.heard.Removed, []string{file}) {
		t.Errorf("heard of %q, want %q", s.heard.Removed, file)
	}
}
