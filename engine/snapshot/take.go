package snapshot

import (
	"os"
	"path/filepath"
	"strings"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
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
// refused unless forced; a side without kernels and the place of a file that is no
// snapshot in any case. Errors are problems; after one, the old baseline is as it
// was.
func Take(path string, side *resource.Side, meta Meta, force bool) (*Taken, error) {
	if !force && !side.Trustworthy() {
		return nil, refusal(path, side)
	}
	if len(side.Records) == 0 {
		return nil, noKernels(path, side)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, problem.New(problem.OutputUnwritable, "%s cannot be made: %v", filepath.Dir(path), problem.Cause(err))
	}
	t := &Taken{Path: path, New: side}
	return t, Change(path, func() error {
		old, err := Standing(path)
		if err != nil {
			return err
		}
		if old != nil {
			t.Old, _ = Decode(path, old)
			t.Previous = PreviousPath(path)
			if err := Save(t.Previous, old); err != nil {
				return err
			}
		}
		return Write(path, side, meta)
	})
}

// Change runs a change of the snapshot at path, from before it is read until it is
// written, while no other process changes it. An error of the lock is a problem.
func Change(path string, change func() error) error {
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return unwritable(path, err)
	}
	defer unlock()
	return change()
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
	if _, err := os.Stat(previous); err != nil {
		return unreadable(previous, err)
	}
	return Change(path, func() error {
		was, err := regular.Read(previous)
		if err != nil {
			return unreadable(previous, err)
		}
		if !Is(was) {
			return taken(previous)
		}
		is, err := Standing(path)
		if err != nil {
			return err
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
	})
}
