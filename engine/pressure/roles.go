package pressure

import (
	"slices"
	"strings"
)

// A form tells which operands of an instruction are written and which are read.
type form uint8

const (
	firstWritten  form = iota // the first; the others are read
	noneWritten               // none; all are read
	twoWritten                // the first two if there are at least four, else the first
	bothExchanged             // the first two, which are read as well
	compare                   // the first if there are three, else none
	atomic                    // the first if the old value is returned, else none; the others are read
	atomicInPlace             // the same, but all are read: the data register takes the old value
	stackPush                 // the first two; all but the first are read
	rayStack                  // the first, and items 3 and 4 of the list; all but the first are read
	interpolate               // the first, which is read as well if there are three
)

// A flow tells what an instruction does to the control flow.
type flow uint8

const (
	onward   flow = iota
	jump          // s_branch
	branch        // s_cbranch_*: to the label or on
	finish        // s_endpgm*
	setPC         // s_setpc_b64: to an address in registers
	addPC         // s_add_pc_i64: by an expression or registers
	call          // to an address in registers
	callTo        // s_call_b64: to a label
	getPC         // the address that a long branch or a call starts from
	addToPC       // additions, which may carry the symbol of a long branch or a call
	unknowns      // control flow that is not understood
)

// A site is what an instruction counts for on its source line.
type site uint8

const (
	scratchStore site = 1 << iota
	scratchLoad
	ldsRead
	ldsWrite
	ldsDirect   // a load that goes straight to LDS
	ldsIfToLDS  // the same if it carries the modifier lds
	bufferStore // may be spill code where spills go through buffer_*
	bufferLoad  // likewise
)

// A role is what is known about a mnemonic.
type role struct {
	mnemonic   string // as it stands in the text
	class      Class
	form       form
	flow       flow
	site       site
	accumulate bool  // the first operand is read as well
	dpp        bool  // printed with the suffix of a DPP form
	load       bool  // writes no register if it carries the modifier lds
	result     uint8 // the half of the first operand that is written; 0 for all of it
	bySel      bool  // op_sel tells the half
	data       uint8 // the half of the stored data that is read; 0 for all of it
	dataAt     uint8 // which operand that is
	skipTarget bool  // a word stands before the operands: exp mrt0 v0
	indexed    uint8 // bits of files of which only the base register is named
	msb        bool  // s_set_vgpr_msb
	unknown    bool  // its prefix is that of no instruction
}

// Suffixes of encodings; they change no role.
var encodings = []string{"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"}

// roleOf tells the role of a mnemonic in lower case. The default is that the
// first operand is written and the others are read; what stands here are the
// exceptions. Source: LLVM's instruction tables (versions 19, 22 and 24), all
// processors from gfx900 to gfx1250.
func roleOf(m string) role {
	var r role
	for _, suffix := range encodings {
		if s, ok := strings.CutSuffix(m, suffix); ok {
			m, r.dpp = s, strings.HasSuffix(suffix, "_dpp")
			break
		}
	}
	prefix, _, _ := strings.Cut(m, "_")
	switch prefix {
	case "v":
		r.vector(strings.Replace(m, "v_dual_", "v_", 1))
	case "s":
		r.scalar(m)
	case "ds":
		r.shared(m)
	case "buffer", "tbuffer", "global", "flat", "scratch", "image", "cluster", "tensor":
		r.memory(prefix, m)
	case "lds": // lds_direct_load, lds_param_load
	case "exp", "export":
		r.form, r.skipTarget = noneWritten, true
	default:
		r.unknown = true
	}
	r.class = classOf(prefix, m, r.flow)
	return r
}

func hasAnyPrefix(m string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(m, p) })
}

func containsAny(m string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(m, p) })
}

// vector sets the role of a VALU instruction.
func (r *role) vector(m string) {
	switch {
	case hasAnyPrefix(m, "v_nop", "v_clrexcp", "v_pipeflush", "v_mfma_ld_scale_", "v_wmma_ld_scale_"):
		r.form = noneWritten
	case hasAnyPrefix(m, "v_cmp_", "v_cmpx_"):
		r.form = compare
	case hasAnyPrefix(m, "v_swap_", "v_swaprel_", "v_permlane16_swap", "v_permlane32_swap"):
		r.form = bothExchanged
	case hasAnyPrefix(m, "v_add_co_", "v_sub_co_", "v_subrev_co_", "v_addc_", "v_subb_", "v_subbrev_", "v_div_scale_", "v_mad_co_"),
		m == "v_mad_u64_u32", m == "v_mad_i64_i32", strings.Contains(m, "_co_ci_"):
		r.form = twoWritten
	case hasAnyPrefix(m, accumulators...):
		r.accumulate = true
	case m == "v_interp_p2_f32":
		r.form = interpolate
	case hasAnyPrefix(m, "v_cvt_sr_fp8_", "v_cvt_sr_bf8_", "v_cvt_scalef32_sr_fp8_", "v_cvt_scalef32_sr_bf8_",
		"v_cvt_scalef32_pk_fp4_", "v_cvt_scalef32_sr_pk_fp4_"):
		r.accumulate = true // a byte is written
	case hasAnyPrefix(m, "v_fma_mixlo_", "v_mad_mixlo_"):
		r.result = low
	case hasAnyPrefix(m, "v_fma_mixhi_", "v_mad_mixhi_"):
		r.result = high
	case m == "v_cvt_pk_fp8_f32", m == "v_cvt_pk_bf8_f32", m == "v_cvt_sr_f16_f32", m == "v_cvt_sr_bf16_f32",
		hasAnyPrefix(m, "v_cvt_scalef32_pk_fp8_", "v_cvt_scalef32_pk_bf8_", "v_cvt_scalef32_f16_"):
		r.bySel = true
	}
	if hasAnyPrefix(m, "v_movrel", "v_swaprel") {
		r.indexed |= 1 << vgpr
	}
}

// accumulators are vector instructions whose accumulator is printed once.
var accumulators = []string{
	"v_fmac", "v_mac_", "v_pk_fmac", "v_dot2c_", "v_dot4c_", "v_dot8c_", "v_dot2acc", "v_smfmac_", "v_swmmac_", "v_writelane_",
	"v_permlane16_b32", "v_permlanex16_b32", "v_permlane16_var_b32", "v_permlanex16_var_b32", "v_movreld_", "v_movrelsd_",
}

// scalar sets the role of an instruction of the scalar unit.
func (r *role) scalar(m string) {
	switch {
	case m == "s_branch":
		r.form, r.flow = noneWritten, jump
	case hasAnyPrefix(m, "s_cbranch_i_fork", "s_cbranch_g_fork", "s_cbranch_join"), hasAnyPrefix(m, "s_rfe"):
		r.form, r.flow = noneWritten, unknowns
	case hasAnyPrefix(m, "s_cbranch"):
		r.form, r.flow = noneWritten, branch
	case hasAnyPrefix(m, "s_subvector_loop_"):
		r.accumulate, r.flow = true, branch
	case hasAnyPrefix(m, "s_endpgm"):
		r.form, r.flow = noneWritten, finish
	case hasAnyPrefix(m, "s_setpc", "s_set_pc"):
		r.form, r.flow = noneWritten, setPC
	case hasAnyPrefix(m, "s_add_pc"):
		r.form, r.flow = noneWritten, addPC
	case hasAnyPrefix(m, "s_swappc", "s_swap_pc"):
		r.flow = call
	case hasAnyPrefix(m, "s_call"):
		r.flow = callTo
	case hasAnyPrefix(m, "s_getpc", "s_get_pc"):
		r.flow = getPC
	case hasAnyPrefix(m, "s_addk", "s_mulk", "s_cmovk", "s_cmov_", "s_bitset", "s_fmac"):
		r.accumulate = true
	case strings.Contains(m, "atomic_"):
		r.form = atomicInPlace
	case strings.Contains(m, "_store"), strings.Contains(m, "_prefetch"), hasAnyPrefix(m, scalarReaders...) && !strings.Contains(m, "_rtn"):
		r.form = noneWritten
	case hasAnyPrefix(m, "s_add"):
		r.flow = addToPC
	}
	switch {
	case hasAnyPrefix(m, "s_movrel"):
		r.indexed |= 1 << sgpr
	case hasAnyPrefix(m, "s_set_gpr_idx_on", "s_set_gpr_idx_mode"):
		r.indexed |= 1 << vgpr
	}
	r.msb = m == "s_set_vgpr_msb"
}

// scalarReaders are scalar instructions that write no register.
var scalarReaders = []string{
	"s_cmp_", "s_cmpk_", "s_bitcmp", "s_set", "s_sendmsg", "s_wait", "s_sleep", "s_barrier", "s_alloc_vgpr", "s_monitor_sleep", "s_nop",
	"s_dcache", "s_icache", "s_atc_probe", "s_ttracedata", "s_trap", "s_incperflevel", "s_decperflevel", "s_clause", "s_delay_alu",
	"s_inst_prefetch", "s_code_end", "s_wakeup", "s_round_mode", "s_denorm_mode", "s_gl1_inv", "s_singleuse", "s_version",
}

// shared sets the role of an LDS instruction.
func (r *role) shared(m string) {
	switch {
	case hasAnyPrefix(m, "ds_read", "ds_load"):
		r.site = ldsRead
	case hasAnyPrefix(m, "ds_write", "ds_store") && !hasAnyPrefix(m, "ds_storexchg"):
		r.site = ldsWrite
	}
	switch {
	case hasAnyPrefix(m, "ds_bvh_stack_"):
		r.form = stackPush
	case hasAnyPrefix(m, "ds_nop", "ds_gws_", "ds_atomic_async_"):
		r.form = noneWritten
	case strings.Contains(m, "_rtn"):
	case r.site == ldsWrite:
		r.form = noneWritten
		r.storedHalf(m, 1)
	case hasAnyPrefix(m, "ds_direct_load", "ds_param_load"):
	case r.site == ldsRead:
		r.loadedHalf(m)
	case containsAny(m, "swizzle", "permute", "append", "consume", "ordered_count"):
	default:
		r.form = noneWritten
	}
}

// memory sets the role of an instruction of the vector memory unit.
func (r *role) memory(prefix, m string) {
	operation := m[min(len(m), len(prefix)+1):]
	flat := prefix == "global" || prefix == "flat" || prefix == "scratch" || prefix == "cluster"
	switch {
	case prefix == "tensor":
		r.form = noneWritten
		if operation == "load_to_lds" {
			r.site = ldsDirect
		}
	case (prefix == "buffer" || prefix == "global") && hasAnyPrefix(operation, "inv", "wb", "gl"):
		r.form = noneWritten
	case strings.Contains(operation, "store"):
		r.form = noneWritten
		if prefix == "scratch" {
			r.site = scratchStore
		}
		if prefix == "buffer" {
			r.site = bufferStore
		}
		if flat {
			r.storedHalf(m, 1)
		} else if prefix != "image" {
			r.storedHalf(m, 0)
		}
	case strings.Contains(operation, "prefetch"):
		r.form = noneWritten
	case strings.Contains(operation, "load_lds_"), strings.Contains(operation, "load_async_"):
		r.form, r.site = noneWritten, ldsDirect
		if prefix == "scratch" {
			r.site |= scratchLoad
		}
	case hasAnyPrefix(operation, "atomic_"):
		r.form = atomicInPlace
		if flat {
			r.form = atomic
		}
	case hasAnyPrefix(operation, "bvh8_", "bvh_dual_"):
		r.form = rayStack
	case strings.Contains(operation, "load"):
		r.load = prefix != "image"
		switch prefix {
		case "scratch":
			r.site = scratchLoad | ldsIfToLDS
		case "buffer":
			r.site = bufferLoad | ldsIfToLDS
		case "global", "flat":
			r.site = ldsIfToLDS
		}
		if prefix != "image" {
			r.loadedHalf(m)
		}
	}
}

// loadedHalf notes that a d16 load writes half a register. Loads with a format
// convert and write all of it.
func (r *role) loadedHalf(m string) {
	switch {
	case !strings.Contains(m, "_d16"), strings.Contains(m, "format"):
	case strings.Contains(m, "_d16_hi"):
		r.result = high
	default:
		r.result = low
	}
}

// storedHalf notes that a store of a byte or of 16 bits reads half a register.
func (r *role) storedHalf(m string, at uint8) {
	if strings.Contains(m, "format") || strings.Contains(m, "async") || !containsAny(m, "_byte", "_short", "_b8", "_b16") {
		return
	}
	r.data, r.dataAt = low, at
	if strings.Contains(m, "_d16_hi") {
		r.data = high
	}
}
