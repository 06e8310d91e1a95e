package isa

import (
	"isadiff/engine/gfx"
	"isadiff/engine/problem"
)

// A File is what one assembly file says, or one code object.
type File struct {
	Object bool // a code object: nothing has a line, and symbols and bodies were not read

	Target     string // of .amdgcn_target; "" if there is none
	TargetLine int

	Identity gfx.Target // of TargetID; without a processor if it cannot be named

	MetadataTarget     string // amdhsa.target of the metadata; "" if there is none
	MetadataTargetLine int

	Version [2]int // amdhsa.version: 1.1 for code object 4, 1.2 for 5 and 6

	// Symbols reports whether the file sets resource symbols
	// (<function>.num_vgpr and its like), as LLVM does from version 20 on.
	Symbols bool

	// Compilers are those that the file names, in .ident or else as the producer of
	// its debug information: nearly always one, several where code of several was
	// linked, none if it says nothing. Sources is a hash of the names and checksums of
	// all source files of its line table; "" if it does not state them.
	Compilers []string
	Sources   string

	Kernels  []*Kernel         // in the order of the metadata
	Problems []problem.Problem // of the file as a whole, without a file name
}

// A Kernel is one entry of the metadata with what belongs to it.
type Kernel struct {
	Name   string
	Symbol string // of its label and descriptor: Name, or ".L" and Name where the linkage is private
	Line   int    // of its metadata entry

	Metadata   Metadata
	Symbols    Symbols
	Descriptor Descriptor
	Body       Body

	Problems []problem.Problem // of this kernel, without file and kernel names
}

// A FieldState tells whether a field could be read.
type FieldState uint8

// The states of a field.
const (
	Absent     FieldState = iota // the file does not state it
	Read                         // Value holds it
	Invalid                      // it is no plain non-negative decimal integer
	Unresolved                   // it is an expression that cannot be evaluated
)

// A Field is a number that the file states once.
type Field struct {
	Value  int64
	Line   int
	Reason string // why it is Invalid or Unresolved
	State  FieldState
	Bound  bool // it was computed from the module's maxima: a lower bound
}

// Metadata holds the fields of a kernel's metadata entry that matter here.
type Metadata struct {
	VGPRCount            Field // .vgpr_count
	AGPRCount            Field // .agpr_count; absent where there are no AGPRs and before LLVM 16
	SGPRCount            Field // .sgpr_count
	VGPRSpillCount       Field // .vgpr_spill_count
	SGPRSpillCount       Field // .sgpr_spill_count
	PrivateSegment       Field // .private_segment_fixed_size, bytes
	GroupSegment         Field // .group_segment_fixed_size, bytes
	KernargSegment       Field // .kernarg_segment_size, bytes
	WavefrontSize        Field // .wavefront_size, lanes
	MaxFlatWorkgroupSize Field // .max_flat_workgroup_size, work-items
	ReqdWorkgroupSize    [3]int64
	DynamicStack         bool // .uses_dynamic_stack
	DynamicStackStated   bool // of a code object: it is there, as it is from code object v5 on
	LDSArgument          LDSArgument
}

// An LDSArgument is what a kernel's arguments (.args) say about LDS that the
// launch gives it beyond the static size.
type LDSArgument uint8

// What the arguments say.
const (
	NoLDSArgument LDSArgument = iota
	HiddenLDSSize             // the kernel uses dynamic LDS and is told its size: hidden_dynamic_lds_size
	LDSPointer                // an argument is a pointer to LDS: dynamic_shared_pointer, or .address_space: local
)

// Symbols holds the .set <function>.<what> symbols of a kernel.
type Symbols struct {
	NumVGPR          Field
	NumAGPR          Field
	NumberedSGPR     Field
	PrivateSegSize   Field
	UsesVCC          Field
	UsesFlatScratch  Field
	HasDynSizedStack Field
	HasRecursion     Field
	HasIndirectCall  Field
}

// Descriptor holds the fields of a kernel's .amdhsa_kernel block that matter
// here.
type Descriptor struct {
	Line           int   // 0 if there is none
	PrivateSegment Field // .amdhsa_private_segment_fixed_size
	GroupSegment   Field // .amdhsa_group_segment_fixed_size
	KernargSize    Field // .amdhsa_kernarg_size
	NextFreeVGPR   Field // .amdhsa_next_free_vgpr
	NextFreeSGPR   Field // .amdhsa_next_free_sgpr
	AccumOffset    Field // .amdhsa_accum_offset, where the AGPRs of a unified file begin; gfx90a and later only
	Wavefront32    Field // .amdhsa_wavefront_size32
	WGPMode        Field // .amdhsa_workgroup_processor_mode
	XNACKMask      Field // .amdhsa_reserve_xnack_mask
}

// A Body is the kernel's instructions: from its label to its terminator.
type Body struct {
	Label, End   int          // lines; 0 if the body cannot be bounded
	Start, Stop  int          // the same as byte offsets of the lines in the text
	Sites        Sites        // meaningful only if Code is ""
	Code         problem.Code // BodyUnbounded, BodyUncountable or ""
	Reason       string       // why, if Code is not ""
	ReasonLine   int
	FirstScratch int   // line of the first scratch store; 0 if there is none
	DynamicVGPR  bool  // s_alloc_vgpr occurs
	LDSReach     int64 // the highest offset in bytes that an LDS instruction adds to its address
	Occupancy    Field // waves per SIMD of LLVM's own "; Occupancy:" comment

	Named [NumRegisterFiles]Highest // meaningful only if Code is ""
}

// Sites counts instruction sites by class.
type Sites struct {
	Instructions int // dual-issue pairs count as one
	LDSRead      int // ds_read*, ds_load*
	LDSWrite     int // ds_write*, ds_store*, without the exchanges
	LDSOther     int // any other ds_*: atomics, permutes, swizzles
	LDSPermute   int // of LDSOther, those that move data between lanes and touch no memory
	LDSDirect    int // loads from memory directly to LDS; in none of the columns
	ScratchStore int // scratch_store*
	ScratchLoad  int // scratch_load*
	Matrix       int // MFMA, WMMA, SMFMAC, SWMMAC
}
