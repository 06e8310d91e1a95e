package gfx

import (
	"slices"
	"strings"
)

// A Processor holds the facts about one processor that its figures depend on.
type Processor struct {
	Name string

	// AGPRs: there are accumulation registers.
	AGPRs bool

	// UnifiedVGPRs: arch VGPRs and AGPRs are allocated from one file, so the
	// total is align4(arch)+acc; elsewhere it is max(arch, acc).
	UnifiedVGPRs bool

	// ScratchSpills: spills go through scratch_* instructions, so counting
	// their sites means something; elsewhere they go through buffer_*.
	ScratchSpills bool

	// ArchitectedFlatScratch: the flat scratch base always takes SGPRs.
	ArchitectedFlatScratch bool

	// XNACK: the processor can replay faulting loads, so a target without the
	// feature's setting means "any" and reserves SGPRs for its mask.
	XNACK bool

	// Waves: what decides how many waves are resident on a SIMD.
	Waves WaveLimits
}

// processors holds every processor with a name of its own. Sources: LLVM's
// AMDGPUUsage ("Processors") and the identities of docs/understand/isa-format.md, which
// were measured on LLVM 14 to 24.
var processors = []Processor{
	{Name: "gfx801", Waves: waves9, XNACK: true},
	{Name: "gfx803", Waves: waves9},
	{Name: "gfx810", Waves: waves9, XNACK: true},
	{Name: "gfx900", Waves: waves9, XNACK: true},
	{Name: "gfx902", Waves: waves9, XNACK: true},
	{Name: "gfx904", Waves: waves9, XNACK: true},
	{Name: "gfx906", Waves: waves9, XNACK: true},
	{Name: "gfx908", Waves: waves9, XNACK: true, AGPRs: true},
	{Name: "gfx909", Waves: waves9, XNACK: true},
	{Name: "gfx90a", Waves: waves90a, XNACK: true, AGPRs: true, UnifiedVGPRs: true},
	{Name: "gfx90c", Waves: waves9, XNACK: true},
	{Name: "gfx940", Waves: waves90a, XNACK: true, AGPRs: true, UnifiedVGPRs: true, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx941", Waves: waves90a, XNACK: true, AGPRs: true, UnifiedVGPRs: true, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx942", Waves: waves90a, XNACK: true, AGPRs: true, UnifiedVGPRs: true, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx950", Waves: waves950, XNACK: true, AGPRs: true, UnifiedVGPRs: true, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx9-generic", Waves: waves9, XNACK: true},
	{Name: "gfx9-4-generic", Waves: waves94, XNACK: true, AGPRs: true, UnifiedVGPRs: true, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx1010", Waves: waves101x, XNACK: true},
	{Name: "gfx1011", Waves: waves101x, XNACK: true},
	{Name: "gfx1012", Waves: waves101x, XNACK: true},
	{Name: "gfx1013", Waves: waves101x, XNACK: true},
	{Name: "gfx10-1-generic", Waves: waves101x, XNACK: true},
	{Name: "gfx1030", Waves: waves103x},
	{Name: "gfx1031", Waves: waves103x},
	{Name: "gfx1032", Waves: waves103x},
	{Name: "gfx1033", Waves: waves103x},
	{Name: "gfx1034", Waves: waves103x},
	{Name: "gfx1035", Waves: waves103x},
	{Name: "gfx1036", Waves: waves103x},
	{Name: "gfx10-3-generic", Waves: waves103x},
	{Name: "gfx1100", Waves: waves1100, ScratchSpills: true},
	{Name: "gfx1101", Waves: waves1100, ScratchSpills: true},
	{Name: "gfx1102", Waves: waves103x, ScratchSpills: true},
	{Name: "gfx1103", Waves: waves103x, ScratchSpills: true},
	{Name: "gfx1150", Waves: waves103x, ScratchSpills: true},
	{Name: "gfx1151", Waves: waves1100, ScratchSpills: true},
	{Name: "gfx1152", Waves: waves103x, ScratchSpills: true},
	{Name: "gfx1153", Waves: waves103x, ScratchSpills: true},
	{Name: "gfx11-generic", Waves: waves103x, ScratchSpills: true},
	{Name: "gfx1200", Waves: waves1100, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx1201", Waves: waves1100, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx12-generic", Waves: waves1100, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx1250", Waves: waves1250, ScratchSpills: true, ArchitectedFlatScratch: true},
	{Name: "gfx1251", Waves: waves1250, ScratchSpills: true, ArchitectedFlatScratch: true},
}

// Processors returns every processor with a name of its own.
func Processors() []Processor { return slices.Clone(processors) }

// LookupProcessor finds a processor by its name.
func LookupProcessor(name string) (Processor, bool) {
	p := byName[name]
	if p == nil {
		return Processor{}, false
	}
	return *p, true
}

var byName = func() map[string]*Processor {
	m := make(map[string]*Processor, len(processors))
	for i := range processors {
		m[processors[i].Name] = &processors[i]
	}
	return m
}()

// Shape returns what holds for t's processor. One that is not in the table is
// given what its generation most likely has; known is false then, so nothing is
// held against it that depends on more, and its occupancy cannot be told.
func (t Target) Shape() (p Processor, known bool) {
	if p, known = LookupProcessor(t.Processor); known {
		return p, true
	}
	p = Processor{Name: t.Processor, ScratchSpills: t.Gen() >= 11}
	if strings.HasPrefix(t.Processor, "gfx9") {
		p.XNACK = true
	}
	return p, false
}
