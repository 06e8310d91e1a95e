package isa

// A class is a kind of instruction that is counted.
type class uint8

const (
	other class = iota
	ldsRead
	ldsWrite
	ldsOther
	ldsPermute // ds_permute, ds_bpermute, ds_swizzle, ds_nop: no memory is touched
	ldsDirect
	ldsIfModifier // a load that goes to LDS if it carries the modifier "lds"
	scratchStore
	scratchLoad
	matrix
	allocVGPR
)

// classify tells the class of a mnemonic in lower case. Source: every mnemonic
// that LLVM 24 prints or parses for AMDGPU (testdata/mnemonics.tsv). New
// spellings of one family share its prefix, and both spellings of an
// instruction (ds_read_b32, ds_load_b32) are the same instruction.
func classify(m []byte) class {
	switch m[0] {
	case 'd':
		switch {
		case !hasPrefix(m, "ds_"):
			return other
		case hasPrefix(m, "ds_read"), hasPrefix(m, "ds_load"):
			return ldsRead
		case hasPrefix(m, "ds_write"):
			return ldsWrite
		case hasPrefix(m, "ds_store"):
			if hasPrefix(m, "ds_storexchg") {
				return ldsOther
			}
			return ldsWrite
		case hasPrefix(m, "ds_permute"), hasPrefix(m, "ds_bpermute"), hasPrefix(m, "ds_swizzle"), hasPrefix(m, "ds_nop"):
			return ldsPermute
		}
		return ldsOther
	case 's':
		switch {
		case hasPrefix(m, "scratch_store"):
			return scratchStore
		case hasPrefix(m, "scratch_load"):
			return scratchLoad
		case string(m) == "s_alloc_vgpr":
			return allocVGPR
		}
	case 'v':
		if hasPrefix(m, "v_mfma") || hasPrefix(m, "v_wmma") || hasPrefix(m, "v_smfmac") || hasPrefix(m, "v_swmmac") {
			if contains(m, "_ld_scale") {
				return other // sets the scales of the next one
			}
			return matrix
		}
	case 'b':
		if hasPrefix(m, "buffer_load") {
			return ldsIfModifier
		}
	case 'f':
		if hasPrefix(m, "flat_load_lds") {
			return ldsDirect
		}
	case 'g':
		switch {
		case hasPrefix(m, "global_load_lds"), hasPrefix(m, "global_load_async_to_lds"):
			return ldsDirect
		case hasPrefix(m, "global_load"):
			return ldsIfModifier
		}
	case 'c':
		if hasPrefix(m, "cluster_load_async_to_lds") {
			return ldsDirect
		}
	case 't':
		if hasPrefix(m, "tensor_load_to_lds") {
			return ldsDirect
		}
	}
	return other
}

// Matrix reports whether a mnemonic in lower case is that of a matrix operation, as
// the metric matrix_ops counts them.
func Matrix(mnemonic string) bool {
	return mnemonic != "" && classify([]byte(mnemonic)) == matrix
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

func contains(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		if string(b[i:i+len(s)]) == s {
			return true
		}
	}
	return false
}
