package pressure

import (
	"fmt"
	"slices"
	"testing"
)

func TestLoops(t *testing.T) {
	tests := []struct {
		name, code string
		want       []string
	}{
		{"none", "v_mov_b32 v1, v0\ns_cbranch_scc1 .L1\nv_mov_b32 v2, v1\n.L1:\ns_endpgm", nil},
		{"one block", "s_nop 0\n.L1:\ns_nop 1\ns_cbranch_scc1 .L1\ns_endpgm", []string{".L1 1 [1 2]"}},
		{"nested", ".L1:\ns_nop 0\n.L2:\ns_nop 1\ns_cbranch_scc1 .L2\ns_cbranch_scc1 .L1\ns_endpgm", []string{".L1 1 [0 1 2 3]", ".L2 2 [1 2]"}},
		{"two ways back are one loop", ".L1:\ns_nop 0\ns_cbranch_scc1 .L1\ns_nop 1\ns_cbranch_scc0 .L1\ns_endpgm", []string{".L1 1 [0 1 2 3]"}},
		{"the way out is not in it", ".L1:\ns_cbranch_scc1 .L2\ns_branch .L1\n.L2:\ns_nop 3\ns_endpgm", []string{".L1 1 [0 1]"}},
		{"its header stands behind", "s_branch .L2\n.L1:\ns_nop 0\n.L2:\ns_cbranch_scc1 .L1\ns_endpgm", []string{".L2 1 [1 2]"}},
		{"entered at two places", "s_cbranch_scc1 .L2\n.L1:\ns_nop 0\n.L2:\ns_nop 1\ns_cbranch_scc1 .L1\ns_endpgm", nil},
		{"a numeric label", "1:\ns_nop 0\ns_cbranch_scc1 1b\ns_endpgm", []string{"1 1 [0 1]"}},
		{"not reached", "s_endpgm\n.L1:\ns_nop 0\ns_branch .L1", nil},
	}
	for _, test := range tests {
		var got []string
		l := Index(kernel(test.code)).List("k")
		for _, loop := range l.Loops {
			got = append(got, fmt.Sprint(loop.Label, " ", loop.Depth, " ", loop.Body))
		}
		if !slices.Equal(got, test.want) || l.LoopsRefused != "" {
			t.Errorf("%s: %q, want %q (%s)", test.name, got, test.want, l.LoopsRefused)
		}
	}
	for name, text := range map[string][]byte{"nested": nested(9_000), "many blocks": ladder(30_000), "registers": kernel("s_setpc_b64 s[0:1]")} {
		if l := Index(text).List("k"); l.LoopsRefused == "" || l.Loops != nil {
			t.Errorf("%s: %d loops are told", name, len(l.Loops))
		}
	}
}

func TestClasses(t *testing.T) {
	for mnemonic, want := range map[string]Class{
		"v_add_f32_e32": VALU, "v_dual_mov_b32": VALU, "v_nop": VALU, "v_accvgpr_read_b32": VALU,
		"v_mfma_f32_16x16x16_f16": Matrix, "v_wmma_f32_16x16x16_f16": Matrix, "v_mfma_ld_scale_b32": VALU,
		"s_add_u32": SALU, "s_mov_b64": SALU, "s_cmp_eq_u32": SALU, "S_ADD_U32": SALU,
		"s_load_dwordx2": SMEM, "s_buffer_load_dword": SMEM, "s_memtime": SMEM,
		"s_branch": Branch, "s_cbranch_scc1": Branch, "s_setpc_b64": Branch, "s_swappc_b64": Branch, "s_call_b64": Branch,
		"buffer_load_dword": VMEM, "global_store_dword": VMEM, "image_load": VMEM, "tbuffer_load_format_x": VMEM, "tensor_load_to_lds": VMEM,
		"flat_load_dword": Flat, "ds_read_b32": LDS, "ds_bpermute_b32": LDS, "lds_direct_load": LDS,
		"scratch_store_dword": Scratch, "s_waitcnt": Wait, "s_wait_loadcnt": Wait, "s_waitcnt_depctr": Wait,
		"s_endpgm": Other, "s_nop": Other, "s_barrier": Other, "s_delay_alu": Other, "exp": Other, "foo_bar": Other,
	} {
		l := Index(kernel(mnemonic + " v0")).List("k")
		if len(l.Body) != 1 || l.Body[0].Class != want || l.Body[0].Mnemonic != mnemonic {
			t.Errorf("%s: %+v, want %s", mnemonic, l.Body, want)
		}
		if !slices.Contains(Classes, want) {
			t.Errorf("%s is not among the classes", want)
		}
	}
}
