package snapshot

import (
	"io"
	"os"

	"isadiff/engine/atomicfile"
	"isadiff/engine/gitignore"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Write writes the snapshot of a side to path, whole or not at all. A side
// without kernels is not written, so that a baseline that stands at the path
// survives a run that dumped nothing. A file that is no snapshot is not replaced.
// Errors are problems.
func Write(path string, side *resource.Side, meta Meta) error {
	if len(side.Records) == 0 {
		return noKernels(path, side)
	}
	if _, err := Standing(path); err != nil {
		return err
	}
	gitignore.Beside(path, os.OpenFile)
	return unwritable(path, atomicfile.WriteFunc(path, func(w io.Writer) error { return EncodeTo(w, side, meta) }))
}

func noKernels(path string, side *resource.Side) error {
	return problem.New(problem.NoKernels, "%s holds no kernel, so %s was not written", side.Origin, path)
}

// Save writes the text of a snapshot to path, whole or not at all, in place of a
// snapshot or of nothing. An error is a problem.
func Save(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // a pipe would be waited for
		return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.ErrNotRegular)
	}
	if _, err := Standing(path); err != nil {
		return err
	}
	gitignore.Beside(path, os.OpenFile)
	return unwritable(path, atomicfile.Write(path, data))
}

func unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
}
