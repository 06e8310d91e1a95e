package pressure

import (
	"strings"

	"isadiff/engine/isa"
)

// A Class is the unit that an instruction is for.
type Class string

// The classes.
const (
	VALU    Class = "valu"
	Matrix  Class = "matrix" // MFMA, WMMA, SMFMAC, SWMMAC
	SALU    Class = "salu"
	SMEM    Class = "smem" // loads and stores of scalars
	Branch  Class = "branch"
	VMEM    Class = "vmem" // buffer, global, image, tensor
	Flat    Class = "flat"
	LDS     Class = "lds"
	Scratch Class = "scratch" // scratch_*; spill code of older processors is VMEM
	Wait    Class = "wait"    // for counters
	Other   Class = "other"   // what runs on no unit, such as s_endpgm, and what is not known
)

// Classes are all classes in the order in which reports name them.
var Classes = []Class{VALU, Matrix, SALU, SMEM, Branch, VMEM, Flat, LDS, Scratch, Wait, Other}

// classOf tells the class of a mnemonic in lower case. prefix is what stands before
// its first underscore.
func classOf(prefix, m string, f flow) Class {
	switch prefix {
	case "v":
		if isa.Matrix(strings.Replace(m, "v_dual_", "v_", 1)) {
			return Matrix
		}
		return VALU
	case "s":
		return scalarClass(m, f)
	case "ds", "lds":
		return LDS
	case "buffer", "tbuffer", "global", "image", "cluster", "tensor":
		return VMEM
	case "flat":
		return Flat
	case "scratch":
		return Scratch
	}
	return Other
}

func scalarClass(m string, f flow) Class {
	switch f {
	case jump, branch, setPC, addPC, call, callTo, unknowns:
		return Branch
	}
	switch {
	case hasAnyPrefix(m, "s_wait"):
		return Wait
	case hasAnyPrefix(m, "s_load", "s_store", "s_buffer_", "s_scratch_", "s_atomic", "s_dcache", "s_icache", "s_atc_probe", "s_prefetch", "s_memtime", "s_memrealtime"):
		return SMEM
	case hasAnyPrefix(m, notComputing...):
		return Other
	}
	return SALU
}

// notComputing are scalar instructions that steer the wave and compute nothing.
var notComputing = []string{
	"s_endpgm", "s_nop", "s_sleep", "s_barrier", "s_sendmsg", "s_trap", "s_clause", "s_delay_alu", "s_inst_prefetch", "s_code_end", "s_wakeup",
	"s_sethalt", "s_setkill", "s_setprio", "s_set_gpr_idx", "s_set_vgpr_msb", "s_setvskip", "s_alloc_vgpr", "s_monitor_sleep", "s_ttracedata",
	"s_incperflevel", "s_decperflevel", "s_round_mode", "s_denorm_mode", "s_gl1_inv", "s_singleuse", "s_version",
}
