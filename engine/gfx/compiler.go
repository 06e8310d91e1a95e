package gfx

import "strings"

// Disagreement says why the waves per SIMD that the compiler wrote into the file,
// r.Compiler, are not those of the formula, and returns the latter. The reason is
// "" if they are the same, or one of them is not known.
//
// Compilers count in several ways. A reason is given where its way of counting
// comes to just the figure in the file, the simplest first.
func Disagreement(p Processor, r Resources) (figure int, reason string) {
	l := p.Waves
	file, ok := r.known(l)
	if !ok || r.Compiler <= 0 {
		return 0, ""
	}
	vgpr := l.vgprWaves(file, r.VGPRs)
	figure = int(min(vgpr, l.sgprWaves(r.SGPRs), l.bestGroupWaves(r)))
	if r.Compiler == int64(figure) {
		return figure, ""
	}
	sgprs := []counting{
		{l.sgprWaves(r.SGPRs), ""},
		{l.oldSGPRWaves(r.SGPRs), "LLVM before version 23 leaves out the 16 SGPRs that the trap handler takes of each wave"},
	}
	groups := []counting{
		{l.bestGroupWaves(r), ""},
		{l.groupWaves(r.wavesPerGroup(), r.LDS, r.CUMode), "it is for workgroups of the largest size alone: this LLVM always assumes that size, or the smallest one, which the file does not state, is as large"},
		{l.undividedGroupWaves(r), "LLVM before version 16 counts the waves that LDS leaves a compute unit as if one SIMD ran them all"},
		{l.bestGroupWaves(r.withLDS(l.ldsAllocated(r.LDS))), "LLVM rounds LDS up to what the processor allocates"},
	}
	for _, group := range groups {
		for _, sgpr := range sgprs {
			if min(vgpr, sgpr.waves, group.waves) == r.Compiler {
				return figure, strings.Trim(sgpr.reason+"; "+group.reason, "; ")
			}
		}
	}
	return figure, "none of the known ways in which LLVM counts gives its figure"
}

// A counting is how many waves one way of counting allows, and what is particular
// about it.
type counting struct {
	waves  int64
	reason string
}

func (r Resources) withLDS(bytes int64) Resources { r.LDS = bytes; return r }

// undividedGroupWaves is groupWaves at the largest workgroup as LLVM 14 and 15
// count it: the waves of a compute unit, not divided by its SIMDs
// (getOccupancyWithLocalMemSize; measured with LLVM 14).
func (l WaveLimits) undividedGroupWaves(r Resources) int64 {
	if r.LDS == 0 {
		return int64(l.MaxWaves)
	}
	groups := min(l.maxWorkgroups(r.wavesPerGroup(), r.CUMode), max(1, int64(l.LDS)/r.LDS))
	return min(int64(l.MaxWaves), groups*r.wavesPerGroup())
}

// ldsAllocated returns the bytes of LDS that a workgroup takes when it asks for
// that many.
func (l WaveLimits) ldsAllocated(bytes int64) int64 {
	if l.LDSGranule == 0 {
		return bytes
	}
	return ceilDiv(bytes, int64(l.LDSGranule)) * int64(l.LDSGranule)
}
