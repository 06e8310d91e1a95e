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
		return problem.Unreadable(path, err)
	}
	text, err := Edit(old, entries)
	if err != nil {
		return problem.New(problem.OutputUnwritable, "%s is not changed, as it cannot be read: %v", path, err).Mended("mend that line, or remove the entry it is in")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return unwritable(path, err)
	}
	if err := atomicfile.Write(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
}
