package resource

import (
	"slices"
	"time"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
)

// A Record is what is known about one kernel on one side. It is immutable once
// it is part of a [Side].
type Record struct {
	Key       string     // "<relative directory in slashes>::<name>"; identifies the kernel on its side
	Name      string     // the kernel's symbol
	Source    string     // the .s file or code object, relative to the side's root, in slashes
	Object    bool       // Source is a code object: there is no text to look at
	Target    gfx.Target // zero if the file names none
	Cells     Cells
	Notes     []string          // facts worth knowing that change no verdict
	Problems  []problem.Problem // what makes this kernel's figures untrustworthy
	Launch    Launch            // what decides occupancy besides the cells
	Occupancy gfx.Occupancy     // waves per SIMD; its zero value means unknown
	Sites     Sites             // where to look in Source; zero when read from a snapshot
	Digest    string            // hash of the body's instructions, "" if not computed; equal digests mean the same instructions
	Compilers []string          // which compiler made it, "Triton 3.9.0", as far as that is certain; several if it is one of them or each made a part; nil if unknown
	Text      uint64            // stands for the text of Source as it was read, within this process; 0 if not computed, and of a snapshot
	Origin    Origin            // what the 00_origin.mlir beside Source says; zero if there is none or it was not read
}

// An Origin is where a kernel came from: what the DSL handed to the compiler.
// Snapshots carry it, so that a live session can tell a changed compiler from a
// changed kernel, and a renamed kernel from a new one.
type Origin struct {
	Digest  string // hash of the module without debug locations; "" if unknown
	Sources string // hash of the names and checksums of the source files that the assembly names; "" if it does not state them
	Path    string // the source file as the compiler named it; "" if unknown
	Line    int    // 1-based line of the kernel's topmost decorator; 0 if unknown
}

// Trustworthy reports whether all figures of r can be believed.
func (r *Record) Trustworthy() bool {
	return len(r.Problems) == 0 && !slices.ContainsFunc(r.Cells[:], func(c Cell) bool { return c.State == Unparsed })
}

// UncountedAGPRs reports whether r has AGPRs, as far as is known, that none of its
// figures counts: those of a code object whose metadata leave them out.
func (r *Record) UncountedAGPRs() bool {
	if r.Cells[AGPR] != NA(notStated) {
		return false
	}
	shape, _ := r.Target.Shape()
	return shape.UnifiedVGPRs
}

// A Launch holds the facts of the metadata and the descriptor that decide
// occupancy besides the register counts. A zero field is unknown.
type Launch struct {
	NextFreeVGPR         int64    // .amdhsa_next_free_vgpr, resolved
	WavefrontSize        int64    // lanes of a wave, 32 or 64
	MaxFlatWorkgroupSize int64    // work-items of a workgroup, at most
	ReqdWorkgroupSize    [3]int64 // work-items in x, y, z if the launch fixes them
	CUMode               bool     // gfx10 and later: a workgroup stays within one compute unit instead of a WGP
	DynamicVGPR          bool     // s_alloc_vgpr: the static count is only a bound
	DynamicLDS           bool     // LDS is addressed past the static size
	DynamicStack         bool     // scratch_bytes is a lower bound
	CompilerWaves        int64    // the figure of LLVM's own "; Occupancy:" comment
}

// Sites are places in a kernel's assembly. Lines are 1-based; 0 means none.
type Sites struct {
	Label      int    // line of the kernel's label
	End        int    // line of its terminator
	Metadata   int    // line of its metadata entry
	FirstSpill int    // first scratch store of a spill
	SpillPath  string // the source file that FirstSpill stands under, as the compiler named it; "" if unknown
	SpillLine  int    // the line in it
	LDSDirect  int    // number of loads that go directly to LDS; in none of the columns
}

// A Side is one of the two things that are compared: a dump tree or a snapshot.
// It is immutable.
type Side struct {
	Origin   string            // as the user named it
	Snapshot bool              // read from a .json snapshot rather than a dump tree
	Sum      [32]byte          // SHA-256 of a snapshot's text; zero of a dump tree
	Revision string            // of the sources, where a snapshot names it
	Written  time.Time         // when the snapshot was taken, where it says so
	Records  []*Record         // sorted by key; keys are unique
	Closest  string            // if [Side.Narrow] left no kernel: what comes nearest to the glob, see [Matcher.Closest]
	Problems []problem.Problem // of files and of the side as a whole; those of a kernel are in its Record
	Warnings []string          // never change the verdict
}

// Trustworthy reports whether the side as a whole and every kernel on it can be
// believed.
func (s *Side) Trustworthy() bool {
	return len(s.Problems) == 0 && !slices.ContainsFunc(s.Records, func(r *Record) bool { return !r.Trustworthy() })
}
