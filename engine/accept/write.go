package accept

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
)

// Add puts entries into the file at path, whole or not at all, and makes the
// folder that it is in. Errors are problems; after one the file is as it was.
func Add(path string, entries []Entry) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(path, err)
	}
	text, err := Edit(old, entries)
	if err != nil {
		return problem.New(problem.OutputUnwritable, "%s is not changed, as it cannot be read: %v", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return unwritable(path, err)
	}
	if err := atomicfile.Write(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// unwritable says what the operating system said, without names of temporary
// files.
func unwritable(path string, err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, err)
}
