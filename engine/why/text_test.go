package why

import (
	"testing"

	"isadiff/engine/pressure"
)

func TestTexts(t *testing.T) {
	tests := []struct {
		mnemonic, operands string
		exact, mask        string
	}{
		{"s_endpgm", "", "s_endpgm", "s_endpgm"},
		{"v_add_f32_e32", " v1,  v2 ,\tv30 ", "v_add_f32_e32 v1,v2,v30", "v_add_f32_e32 v#,v#,v#"},
		{"v_mov_b64_e32", " v[4:5], s[8 : 9]", "v_mov_b64_e32 v[4:5],s[8 : 9]", "v_mov_b64_e32 v#002,s#002"},
		{"v_add_f32", " v[5], v[6:6], -|a7|", "v_add_f32 v[5],v[6:6],-|a7|", "v_add_f32 v#,v#,-|a#|"},
		{"v_mov_b16_e32", " v3.l, v4.h", "v_mov_b16_e32 v3.l,v4.h", "v_mov_b16_e32 v#.l,v#.h"},
		{"v_mov_b32_e32", " v0 /*v256*/, v1", "v_mov_b32_e32 v0 /*v256*/,v1", "v_mov_b32_e32 v#,v#"},
		{"global_load_dwordx4", " v[0:3], v4, s[2:3] offset:16", "global_load_dwordx4 v[0:3],v4,s[2:3] offset:16", "global_load_dwordx4 v#004,v#,s#002 offset:16"},
		{"v_cndmask_b32_e32", " v1, v2, v3, vcc", "v_cndmask_b32_e32 v1,v2,v3,vcc", "v_cndmask_b32_e32 v#,v#,v#,vcc"},
		{"s_mov_b32", " ttmp4, ttmp[6:7]", "s_mov_b32 ttmp4,ttmp[6:7]", "s_mov_b32 ttmp#,ttmp#002"},
		{"s_cbranch_scc1", " .LBB0_12", "s_cbranch_scc1 .LBB#", "s_cbranch_scc1 .LBB#"},
		{"s_branch", " 12f", "s_branch f", "s_branch f"},
		{"s_add_u32", " s4, s4, (.LBB0_8-.Lpost_getpc1)&4294967295", "s_add_u32 s4,s4,(.LBB#-.Lpost_getpc#)&4294967295", "s_add_u32 s#,s#,(.LBB#-.Lpost_getpc#)&4294967295"},
		{"s_add_u32", " s4, s4, .Lstr.1@rel32@lo+4", "s_add_u32 s4,s4,.Lstr.1@rel32@lo+4", "s_add_u32 s#,s#,.Lstr.1@rel32@lo+4"},
		{"s_add_u32", " s4, s4, s4_table@rel32@lo+4", "s_add_u32 s4,s4,s4_table@rel32@lo+4", "s_add_u32 s#,s#,s4_table@rel32@lo+4"},
		{"v_dual_mov_b32", " v0, v1 :: v_dual_mov_b32 v1, v0", "v_dual_mov_b32 v0,v1 :: v_dual_mov_b32 v1,v0", "v_dual_mov_b32 v#,v# :: v_dual_mov_b32 v#,v#"},
		{"s_waitcnt", " vmcnt(0) lgkmcnt(1)", "s_waitcnt vmcnt(0) lgkmcnt(1)", "s_waitcnt vmcnt(0) lgkmcnt(1)"},
		{"v_pk_fma_f32", " v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[0,1,0]", "v_pk_fma_f32 v[0:1],v[2:3],v[4:5],v[6:7] op_sel:[0,1,0]", "v_pk_fma_f32 v#002,v#002,v#002,v#002 op_sel:[0,1,0]"},
		{"s_call_b64", ` s[0:1], "a, v1"`, `s_call_b64 s[0:1],"a, v1"`, `s_call_b64 s#002,"a, v1"`},
		{"exp", " mrt0 v0, off", "exp mrt0 v0,off", "exp mrt0 v#,off"},
	}
	for _, test := range tests {
		class := pressure.VALU
		if test.mnemonic == "s_branch" {
			class = pressure.Branch
		}
		r := newReader()
		r.read(&pressure.Instruction{Mnemonic: test.mnemonic, Operands: []byte(test.operands), Class: class})
		if string(r.exact) != test.exact || string(r.mask) != test.mask {
			t.Errorf("%s%s:\n%q, want %q\n%q, want %q", test.mnemonic, test.operands, r.exact, test.exact, r.mask, test.mask)
		}
	}
}
