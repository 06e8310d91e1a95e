package trace

import (
	"path/filepath"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// Assembly returns the text of the assembly file that a record of a side was read
// from. This is the one place where it comes from, whatever the side is. An error is
// a problem: a snapshot holds figures and no assembly.
func Assembly(s *resource.Side, r *resource.Record) ([]byte, error) {
	if s.Snapshot {
		return nil, problem.New(problem.InputKind, "%s is a snapshot: it holds figures and no assembly", s.Origin).In(s.Origin).
			Mended("give the dump directory that it was taken of, or compile that revision into another directory, as by `isadiff capture -o before -- COMMAND`, and give that")
	}
	data, err := regular.Read(assemblyFile(s.Origin, r))
	if err != nil {
		return nil, problem.Unreadable(r.Source, err).Of(r.Key)
	}
	return data, nil
}

// assemblyFile returns the path of the file that a record was read from. A side that
// is one file has it for its origin and its records' source alike.
func assemblyFile(origin string, r *resource.Record) string {
	if r.Source == origin {
		return origin
	}
	return filepath.Join(origin, filepath.FromSlash(r.Source))
}
