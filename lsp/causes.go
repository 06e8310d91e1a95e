package lsp

import (
	"path/filepath"

	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/pressure"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
	"isadiff/engine/where"
)

// A causeKey is a kernel of an assembly file, and which state of the file was read.
type causeKey struct {
	path, kernel string
	file         regular.Stamp
}

// Bounds of the assembly that is analyzed, in bytes, and of the analyses that are kept.
const (
	causesMaxSize = 8 << 20
	causesKept    = 64
)

// causesIn analyzes one kernel of an assembly file, for a user who looks at it: where
// live registers peak and where spill code stands. nil if there is nothing to analyze,
// if the analysis fails, or if the file is not the one that r was read from.
func (v *view) causesIn(file string, r *resource.Record) *pressure.Analysis {
	stamp, err := regular.Stat(file)
	if err != nil || r == nil || stamp.Size > causesMaxSize {
		return nil
	}
	key := causeKey{file, r.Name, stamp}
	a, known := v.causes.get(key)
	if !known {
		if data, err := regular.Read(file); err == nil {
			a = where.One(data, r)
		}
		v.causes.put(key, a)
	}
	return a
}

// causesOf analyzes both sides of a kernel, as far as their assembly is there.
func (v *view) causesOf(s *live.State, k *live.Kernel) (before, after *pressure.Analysis) {
	if k.File != "" && k.Live != nil {
		after = v.causesIn(k.File, k.Live)
	}
	if s.Baseline.Dir && k.Baseline != nil {
		before = v.causesIn(filepath.Join(s.Baseline.Path, filepath.FromSlash(k.Baseline.Source)), k.Baseline)
	}
	return before, after
}

// causeText tells where registers and spills come from.
func causeText(k *live.Kernel, before, after *pressure.Analysis) []string {
	if k.Live == nil {
		return nil
	}
	return facts.Causes(before, after, &k.Live.Cells, "→")
}
