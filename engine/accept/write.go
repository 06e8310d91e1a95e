package accept

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"isadiff/engine/atomicfile"
	"isadiff/engine/gitignore"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// Add puts entries into the file at path, whole or not at all, and makes the
// folder that it is in. Others that add to it at the same time wait. A file that
// is no list of accepted regressions is not changed. Errors are problems; after one
// the file is as it was.
func Add(path string, entries []Entry) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return unwritable(path, err)
	}
	gitignore.Beside(path, os.OpenFile)
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return unwritable(path, err)
	}
	defer unlock()
	var old []byte
	if atomicfile.Replaces(path) { // else it is written to, and there is nothing to read
		if old, err = regular.Read(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return problem.Unreadable(path, err)
		}
	}
	text, err := Edit(old, entries)
	if err != nil {
		return problem.New(problem.OutputUnwritable, "%s is not changed, as it cannot be read: %v", path, err).Mended("mend that line, or remove the entry it is in")
	}
	if !isList(path, old) {
		return problem.New(problem.OutputUnwritable, "%s is not changed: it holds no accepted regression, so it may be another file", path).
			Mended("give another path, or an empty file")
	}
	if err := atomicfile.Write(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// isList reports whether a text without faults is a list: one with entries, or with
// nothing but comments in a file for TOML. To much that is no list every line is a
// comment.
func isList(path string, text []byte) bool {
	return len(bytes.TrimSpace(text)) == 0 || filepath.Ext(path) == ".toml" || len(parse(text).blocks) > 0
}

func unwritable(path string, err error) error {
	return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
}
