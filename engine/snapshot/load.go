package snapshot

import (
	"errors"
	"io/fs"
	"os"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Load reads the snapshot at path. The side is never nil: what is wrong with the
// file is in its problems, and a side that cannot be believed at all holds no
// kernels.
func Load(path string) (*resource.Side, Meta) {
	data, err := read(path)
	if err != nil {
		return refuse(path, unreadable(path, err)), Meta{}
	}
	return Decode(path, data)
}

// read reads a regular file: a pipe could block for ever.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, problem.ErrNotRegular
	}
	return os.ReadFile(path)
}

func unreadable(path string, err error) problem.Problem {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem.New(problem.InputNotFound, "%s does not exist", path)
	case errors.Is(err, problem.ErrNotRegular):
		return problem.New(problem.InputKind, "%s is no regular file", path)
	default:
		return problem.Unreadable(path, err)
	}
}

// refuse returns a side that could not be read.
func refuse(path string, ps ...problem.Problem) *resource.Side {
	for i := range ps {
		ps[i] = ps[i].In(path)
	}
	return &resource.Side{Origin: path, Snapshot: true, Problems: ps}
}
