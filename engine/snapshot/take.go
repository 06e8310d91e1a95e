package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Taken says what became of a baseline.
type Taken struct {
	Path     string
	New      *resource.Side
	Old      *resource.Side // nil if there was none; it may have problems of its own
	Previous string         // where the old one is kept for an undo; "" if there was none
}

// Take makes a side the baseline at path, creating its directory if need be, and
// keeps the one that stood there for [Undo]. Figures that cannot be trusted are
// refused unless forced, and a side without kernels in any case. Errors are
// problems; after one, the old baseline is as it was.
func Take(path string, side *resource.Side, meta Meta, force bool) (*Taken, error) {
	if !force && !side.Trustworthy() {
		return nil, refusal(path, side)
	}
	if len(side.Records) == 0 {
		return nil, noKernels(path, side)
	}
	t := &Taken{Path: path, New: side}
	old, err := os.ReadFile(path)
	switch {
	case err == nil:
		t.Old, _ = Decode(path, old)
		t.Previous = PreviousPath(path)
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, problem.New(problem.OutputUnwritable, "%s cannot be made: %v", filepath.Dir(path), problem.Cause(err))
		}
	default:
		return nil, problem.New(problem.OutputUnwritable, "%s cannot be replaced: %v", path, problem.Cause(err))
	}
	if t.Previous != "" {
		if err := Save(t.Previous, old); err != nil {
			return nil, err
		}
	}
	return t, Write(path, side, meta)
}

func refusal(path string, side *resource.Side) error {
	doubts := side.Doubts()
	p := doubts[0]
	p.Message = "the baseline " + path + " was not written: " + p.Message
	return p
}

// PreviousPath returns where the baseline that stood at path before is kept.
func PreviousPath(path string) string {
	return strings.TrimSuffix(path, ".json") + ".previous.json"
}

// Undo exchanges the baseline at path with the one before, so that a second
// undo takes back the first. Errors are problems; after one, both are as they were.
func Undo(path string) error {
	previous := PreviousPath(path)
	was, err := os.ReadFile(previous)
	if err != nil {
		return unreadable(previous, err)
	}
	is, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unreadable(path, err)
	}
	if err := Save(path, was); err != nil {
		return err
	}
	if is == nil {
		return nil
	}
	if err := Save(previous, is); err != nil {
		if back := Save(path, is); back != nil {
			return back
		}
		return err
	}
	return nil
}
