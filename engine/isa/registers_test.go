package isa

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHighest reads the registers that a body names: v, s and a, as counts.
func TestHighest(t *testing.T) {
	const label = "k:\n"
	tests := []struct {
		name, body, want string
	}{
		{"none", "\ts_endpgm\n", "0 0 0"},
		{"one of each", "\tv_mov_b32_e32 v57, s7\n\tv_accvgpr_write_b32 a0, v1\n", "58 8 1"},
		{"tuples", "\tglobal_load_b128 v[200:203], v[0:1], s[0:1]\n\tv_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]\n", "204 2 16"},
		{"a tuple of one", "\tv_mov_b32 v[9], s[12:13]\n", "10 14 0"},
		{"the last operand", "\tv_add_u32_e32 v1, v0, v127\n", "128 0 0"},
		{"two and three digits", "\tv_mov_b32_e32 v99, v100\n\tv_mov_b32_e32 v9, v98\n", "101 0 0"},
		{"modifiers of an operand", "\tv_fma_f32 v1, -v20, |v31|, abs(v22)\n", "32 0 0"},
		{"lists", "\timage_load v0, [v1, v40, v3], s[8:15] dmask:0x1\n", "41 16 0"},
		{"halves", "\tv_add_f16_e32 v5.l, v91.h, v7.l\n", "92 0 0"},
		{"dual", "\tv_dual_fmac_f32 v5, v0, v2 :: v_dual_fmac_f32 v124, v0, v3\n", "125 0 0"},
		{"after labels", ".LBB0_1: 1: v_mov_b32_e32 v41, 0\n", "42 0 0"},
		{"at column 0, without blanks", "v_add_u32 v1,v57,1\n", "58 0 0"},
		{"without commas", "\tv_mov_b32 v1 v57\n", "58 0 0"},
		{"at the very end", "\tv_mov_b32 v0, v7", "8 0 0"},
		{"special registers", "\tv_cmp_eq_u32 vcc, s3, v2\n\ts_mov_b64 exec, ttmp[14:15]\n\ts_mov_b32 m0, ttmp11\n\ts_mov_b64 flat_scratch, null\n", "3 4 0"},
		{"literals and modifiers", "\tv_mov_b32 v0, 0xa88\n\tv_mov_b32 v1, 0xa9 row_shr:15\n\tglobal_load_dword v1, v0, s[0:1] offset:4095 sc0 sc1\n", "2 2 0"},
		{"the modifier a16", "\timage_load v[0:3], v[4:5], s[0:7] dmask:0xf a16\n", "6 8 0"},
		{"the register a16", "\tv_accvgpr_write_b32 a16, v0\n", "1 0 17"},
		{"comments", "\tv_mov_b32 v1, 0 ; v261\n\t; v_mov_b32 v262, 0\n//v263\n\ts_nop 0 // s[90:91]\n\ts_nop 0 /* v264 */\n/* a1\nv265, v266\n*/ v_mov_b32 v3, 0\n", "4 0 0"},
		{"strings", "\t.ident \"v261, s99\"\n\tv_mov_b32 v1, 0\n", "2 0 0"},
		{"no instructions", "\t.loc 1 2 3\nv77:\ns99 = 4\n\t.set v300, 2\n\tv_mov_b32 v1, 0\n", "2 0 0"},
		{"symbols", "\ts_add_u32 s4, s4, foo_v57@rel32@lo+4\n\ts_add_u32 s0, s0, table.s80@rel32@lo\n\ts_getpc_b64 s[0:1]\n", "0 5 0"},
		{"behind a bank", "\ts_set_vgpr_msb 0x80\n\tv_and_b32_e32 v218 /*v730*/, 15, v0\n\tv_mov_b64 v[2:3] /*v[514:515]*/, 0 ; v999\n\ts_nop 0 /* a note */\n", "731 0 0"},
		{"no bank", "\tv_mov_b32 v218 /*v730*/, 0\n", "219 0 0"},
		{"a wide tuple behind a bank", "\ts_set_vgpr_msb 0xff\n\tv_mov_b64 v[232:233] /*v[1000:1001]*/, 0\n", "1002 0 0"},
		{"not ASCII", "\tv_mov_b32 v1, 0 ; é\n\tv_mov_b32 v30, 0 ; é v31\n", "31 0 0"},
		{"carriage returns", "\tv_mov_b32 v1, 0 ; v70\r\tv_mov_b32 v5, 0\r", "6 0 0"},
		{"upper case", "\tV_MOV_B32 v9, 0\n", "10 0 0"},
		{"uncountable", "\t.if 0\n\tv_mov_b32 v9, 0\n\t.endif\n", "0 0 0"},
		{"no number", "\tv_mov_b32 v[n], s[]\n\tv_mov_b32 v, a\n", "0 0 0"},
	}
	for _, test := range tests {
		text := label + test.body + "\n.Lfunc_end0:\n\t.size k, .Lfunc_end0-k\n\t.amdgpu_metadata\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n\t.end_amdgpu_metadata\n"
		if strings.Contains(test.body, "\r") {
			text = strings.ReplaceAll(text, "\n", "\r")
		}
		n := Parse([]byte(text)).Kernels[0].Body.Named
		if got := fmt.Sprint(n[VGPRs].Count, n[SGPRs].Count, n[AGPRs].Count); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestHighestLine names the place of what is past the counts, and only of that.
func TestHighestLine(t *testing.T) {
	text := "k:\n\tv_mov_b32 v5, 0\n\t;;#ASMSTART\n\tv_mov_b32 v57, s9\n\t;;#ASMEND\n\tv_mov_b32 v56, s9\n\tv_accvgpr_write_b32 a9, v0\n" +
		".Lfunc_end0:\n\t.size k, .Lfunc_end0-k\n\t.amdgpu_metadata\namdhsa.kernels:\n  - .agpr_count: 2\n    .name: k\n    .sgpr_count: 16\n    .symbol: k.kd\n    .vgpr_count: 8\n\t.end_amdgpu_metadata\n"
	got := Parse([]byte(text)).Kernels[0].Body.Named
	want := [NumRegisterFiles]Highest{VGPRs: {58, 4, true}, AGPRs: {10, 7, false}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSweep holds the fast way against the exact one, on every dump.
func TestSweep(t *testing.T) {
	kernels, swept := 0, 0
	err := filepath.WalkDir("../../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".s" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var p Parser
		for _, k := range p.Parse(data).Kernels {
			if k.Body.Code != "" {
				continue
			}
			body := data[k.Body.Start:k.Body.Stop]
			exact := p.eachStatement(body, false)
			found := sweepOver(body, [NumRegisterFiles]int64{})
			kernels++
			if p.confirm(body, &found) {
				swept++
				for f, n := range found {
					if n.count != exact[f].count {
						t.Errorf("%s: %s: %s%d, and line by line %d", path, k.Name, RegisterFile(f).Letter(), n.count-1, exact[f].count-1)
					}
				}
			}
			for f, h := range k.Body.Named {
				if want := exact[f].count; h.Count != want && !(h.Count == 0 && want <= k.stated(RegisterFile(f))) && !k.countsNoAGPRs() {
					t.Errorf("%s: %s: %s%d, and line by line %d", path, k.Name, RegisterFile(f).Letter(), h.Count-1, want-1)
				}
				low := exact[f].count // a count that the register is past, and one that it is not
				if low == 0 {
					continue
				}
				past, not := [NumRegisterFiles]int64{}, [NumRegisterFiles]int64{}
				past[f], not[f] = low-1, low
				if a, b := sweepOver(body, past), sweepOver(body, not); p.confirm(body, &found) && (a[f].count != low || b[f].count != 0) {
					t.Errorf("%s: %s: %s%d is found as %d and %d beside counts", path, k.Name, RegisterFile(f).Letter(), low-1, a[f].count-1, b[f].count-1)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if kernels < 100 || swept < kernels*9/10 {
		t.Errorf("the sweep was enough for %d of %d kernels", swept, kernels)
	}
}
