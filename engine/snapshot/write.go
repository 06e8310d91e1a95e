package snapshot

import (
	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Write writes the snapshot of a side to path, whole or not at all. A side
// without kernels is not written, so that a baseline that stands at the path
// survives a run that dumped nothing. Errors are problems.
func Write(path string, side *resource.Side, meta Meta) error {
	if len(side.Records) == 0 {
		return problem.New(problem.NoKernels, "%s holds no kernel, so %s was not written", side.Origin, path)
	}
	data, err := Encode(side, meta)
	if err != nil {
		return problem.New(problem.InternalError, "the snapshot of %s cannot be put into JSON: %v", side.Origin, err)
	}
	return Save(path, data)
}

// Save writes data to path, whole or not at all. An error is a problem.
func Save(path string, data []byte) error {
	if err := atomicfile.Write(path, data); err != nil {
		return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
	}
	return nil
}
