package isa

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// module wraps instructions into a sound file of one kernel called k.
func module(body string) string {
	return fmt.Sprintf(`	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl	k
	.p2align	8
	.type	k,@function
k:
%s	s_endpgm
.Lfunc_end0:
	.size	k, .Lfunc_end0-k
	.section	.rodata,"a",@progbits
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
	.end_amdhsa_kernel
	.text
	.set k.num_vgpr, 1
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name:           k
    .symbol:         k.kd
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
...

	.end_amdgpu_metadata
`, body)
}

// sites returns the sites of the kernel in a module around body.
func sites(t *testing.T, body string) (Sites, *Kernel) {
	t.Helper()
	f := Parse([]byte(module(body)))
	if len(f.Problems) > 0 || len(f.Kernels) != 1 {
		t.Fatalf("%d kernels, problems %v", len(f.Kernels), f.Problems)
	}
	return f.Kernels[0].Body.Sites, f.Kernels[0]
}

// TestMnemonics holds every LDS, scratch and matrix mnemonic that LLVM 24 knows
// against the metric that it counts for.
func TestMnemonics(t *testing.T) {
	table, err := os.ReadFile("testdata/mnemonics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(table)) {
		mnemonic, metric, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		for _, spelled := range []string{mnemonic, strings.ToUpper(mnemonic)} {
			got, _ := sites(t, "\t"+spelled+" v0, v1\n")
			counts := map[string]int{"lds_read": got.LDSRead, "lds_write": got.LDSWrite, "scratch_store": got.ScratchStore, "scratch_load": got.ScratchLoad, "matrix_ops": got.Matrix}
			for name, count := range counts {
				want := 0
				if name == metric {
					want = 1
				}
				if count != want {
					t.Errorf("%s counts %d for %s, want %d", spelled, count, name, want)
				}
			}
		}
	}
	if n < 400 {
		t.Errorf("the table has only %d mnemonics", n)
	}
}

// TestStatements holds the rules of LLVM's assembler: what of a line is an
// instruction.
func TestStatements(t *testing.T) {
	tests := []struct {
		name, body string
		reads      int // ds_read* sites
		code       string
	}{
		{"plain", "\tds_read_b32 v0, v1\n", 1, ""},
		{"column 0", "ds_read_b32 v0, v1\n", 1, ""},
		{"blanks", "   \t ds_read_b32\tv0, v1  \n", 1, ""},
		{"no operands", "\tds_read_b32\n", 1, ""},
		{"upper case", "\tDS_READ_B32 v0, v1\nDs_Load_B32 v0, v1\n", 2, ""},
		{"numeric label", "1: ds_read_b32 v0, v1\n\t1:\n\t2:ds_read_b32 v0, v1\n", 2, ""},
		{"symbol label", "x: ds_read_b32 v0, v1\n\ty : ds_read_b32 v0, v1\n.Lz:\tds_read_b32 v0, v1\n", 3, ""},
		{"two labels", "\tx: 1: y: ds_read_b32 v0, v1\n", 1, ""},
		{"quoted label", "\"a b\": ds_read_b32 v0, v1\n", 1, ""},
		{"label that looks like an instruction", "ds_read_b32:\n\tds_read_x:\n\tv_mfma_y : ds_read_b32 v0, v1\n", 1, ""},
		{"semicolon comment", "\t; ds_read_b32 v0, v1\n;ds_read_b32 v0, v1\n\tv_nop ; ds_read_b32\n", 0, ""},
		{"slashes", "\t// ds_read_b32 v0, v1\n\tv_nop // ds_read_b32\n", 0, ""},
		{"hash", "# ds_read_b32 v0, v1\n\t# 1 \"ds_read_b32\"\n", 0, ""},
		{"block comment", "\t/* ds_read_b32 v0, v1 */\n\t/* x */ ds_read_b32 v0, v1\n", 1, ""},
		{"block comment of several lines", "\t/* begin\n\tds_read_b32 v0, v1\n\t*/ ds_read_b32 v0, v1 /* and\n\tds_read_b32 v0, v1 */\n\tds_read_b32 v0, v1\n", 2, ""},
		{"comment opened within a comment", "\t; /* no\n\tds_read_b32 v0, v1\n\t// /* no\n\tds_read_b32 v0, v1\n", 2, ""},
		{"comment opened within a string", "\t.ident \"/*\"\n\tds_read_b32 v0, v1\n\t.ident \"*/\"\n", 1, ""},
		{"comment within operands", "\tds_read_b32 v0 /*v256*/, v1\n\tds_read_b32 v0 /*v256*/, v1 /* open\n\tds_read_b32 v0, v1 */\n", 2, ""},
		{"mnemonic split by a comment", "\tds_read/**/_b32 v0, v1\n", 1, ""},
		{"carriage returns", "\tds_read_b32 v0, v1\r\n\tds_read_b32 v0, v1\r\tds_read_b32 v0, v1\n\t; c\r\tds_read_b32 v0, v1\n", 4, ""},
		{"NUL and form feed", "\x00\tds_read_b32 v0, v1\n\f ds_read_b32 v0, v1\n; \x00 ds_read\n", 2, ""},
		{"assignment", "\tds_read_b32 = 4\n\tds_read_b64=4\n", 0, ""},
		{"assignment and label after two blanks", "\tds_read_b32  = 4\n\tds_read_b64  :\n\tds_read_b32  v0, v1\n", 1, ""},
		{"no prefix", "\txds_read_b32 v0\n\tbds_read_b32 v0\n", 0, ""},
		{"dual issue", "\tv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3\n\tds_read_b32 v0, v1\n", 1, ""},
		{".if", "\t.if 0\n\tds_read_b32 v0, v1\n\t.endif\n", 0, "body-uncountable"},
		{".IF", "\t.IFDEF X\n\tds_read_b32 v0, v1\n\t.ENDIF\n", 0, "body-uncountable"},
		{".rept", "\t.rept 4\n\tds_read_b32 v0, v1\n\t.endr\n", 0, "body-uncountable"},
		{".irp", "\t.irp r, 1, 2\n\tds_read_b32 v0, v1\n\t.endr\n", 0, "body-uncountable"},
		{".macro", "\t.macro m\n\tds_read_b32 v0, v1\n\t.endm\n\tm\n", 0, "body-uncountable"},
		{".include", "\t.include \"x.s\"\n", 0, "body-uncountable"},
		{"data", "\t.long 0xd86c0000\n", 0, "body-uncountable"},
		{"byte data behind a label", "x: .byte 1, 2\n", 0, "body-uncountable"},
		{"data in another section", "\t.section .rodata\n\t.long 0xd86c0000\n\t.text\n\tds_read_b32 v0, v1\n", 1, ""},
		{"instructions in another section", "\t.pushsection .text.other,\"ax\"\n\tds_read_b32 v0, v1\n\t.popsection\n", 0, "body-uncountable"},
		{"a subsection", "\t.text 1\n\tds_read_b32 v0, v1\n\t.text 0\n", 0, "body-uncountable"},
		{"a pushed subsection", "\t.pushsection .text, 1\n\tds_read_b32 v0, v1\n\t.popsection\n", 0, "body-uncountable"},
		{"a section of the same name", "\t.section .text,\"ax\",@progbits,unique,1\n\tds_read_b32 v0, v1\n\t.previous\n", 0, "body-uncountable"},
		{"the same section spelled out", "\t.section .text,\"ax\",@progbits\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a label in another section", "\t.section .rodata\nother:\n\t.text\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a string of several lines", "\t.ident \"\n\tds_read_b32 v0, v1\n/* \"\n\tds_read_b32 v0, v1\n\t.ident \" */\"\n", 1, ""},
		{"a string that is an operand", "\ts_mov_b32 s0, \"a\n\tds_read_b32 v0, v1\n\"\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a quote as a character", "\t.set x, '\"' /* \"\n\tds_read_b32 v0, v1\n*/\n\ts_mov_b32 s0, '\"'\n\tds_read_b32 v0, v1\n\ts_mov_b32 s1, '\\\"'\n", 1, ""},
		{"comment characters", "\ts_mov_b32 s0, ';'\n\ts_mov_b32 s0, '/'/'/'\n\ts_mov_b32 s0, '/'*2\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a line end as a character", "\ts_mov_b32 s0, '\n'\n\ts_mov_b32 s0, '\\\n'\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a label that is a character", "'a': ds_read_b32 v0, v1\n0x10: ds_read_b32 v0, v1\n", 2, ""},
		{"a mnemonic in quotes", "\t\"ds_read_b32\" v0, v1\n", 1, ""},
		{"a hash behind a label", "x: # \" ds_read_b32\n\tds_read_b32 v0, v1\n\"\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a hash with a quote", "# \"\n\tds_read_b32 v0, v1\n # 1 \"\n\tds_read_b32 v0, v1\n", 2, ""},
		{"base64", "\t.base64 \"AABs2AEAAAA=\"\n", 0, "body-uncountable"},
		{"a directive in quotes", "\t\".long\" 0xd86c0000, 1\n", 0, "body-uncountable"},
		{"an alignment with a filling", "\t.p2align 4, 0xd8\n", 0, "body-uncountable"},
		{"a word alignment with a filling", "\t.balignw 16, 0xd8d8\n", 0, "body-uncountable"},
		{"an alignment without one", "\t.p2align 4\n\t.p2align 4, , 8\n\t.p2align 4, 0\n\tds_read_b32 v0, v1\n", 1, ""},
		{"the place counter", "\t. = . + 8\n", 0, "body-uncountable"},
		{"a section of a longer name", "\t.section .text-x,\"ax\"\n\tds_read_b32 v0, v1\n\t.text\n", 0, "body-uncountable"},
		{"a popped section", "\t.section .foo\n\t.pushsection .text\n\t.popsection\n\t.previous\n\tds_read_b32 v0, v1\n", 1, ""},
		{"a numbered subsection", "\t.subsection 1\n\tds_read_b32 v0, v1\n\t.subsection 0\n", 0, "body-uncountable"},
		{"a macro called like a directive", "\t.macro .ident x\n\tds_read_b32 v0, v1\n\t.endm\n\t.ident \"x\"\n", 0, "body-uncountable"},
		{"debug information", "\t.loc\t1 3 4 prologue_end\n.Ltmp3:\n\t.cfi_startproc\n\tds_read_b32 v0, v1\n", 1, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, k := sites(t, test.body)
			if string(k.Body.Code) != test.code {
				t.Errorf("problem %q (%s), want %q", k.Body.Code, k.Body.Reason, test.code)
			}
			if test.code == "" && got.LDSRead != test.reads {
				t.Errorf("%d reads, want %d", got.LDSRead, test.reads)
			}
		})
	}
}

// TestMacroElsewhere: a macro that is defined before the kernel is expanded in
// it, whatever its name.
func TestMacroElsewhere(t *testing.T) {
	text := "\t.macro v_nop\n\tds_read_b32 v0, v1\n\t.endm\n" + module("\tV_NOP\n")
	k := Parse([]byte(text)).Kernels[0]
	if k.Body.Code != "body-uncountable" {
		t.Errorf("sites %+v, problem %q", k.Body.Sites, k.Body.Code)
	}
}

// TestConditionalAround: a kernel within a conditional may not be assembled at
// all.
func TestConditionalAround(t *testing.T) {
	k := Parse([]byte("\t.if 0\n" + module("\tds_read_b32 v0, v1\n"))).Kernels[0]
	if k.Body.Code != "body-uncountable" {
		t.Errorf("sites %+v, problem %q", k.Body.Sites, k.Body.Code)
	}
}

// TestReshaped: what may hide a part of the text makes what follows it uncountable.
func TestReshaped(t *testing.T) {
	for _, before := range []string{
		"\t.macro m\n\t.section .foo\n\t.endm\n\tm\n",
		"\t.macro m\n\tn\n\t.endm\n\t.macro n\n\t.endm\n\tm\n",
		"\t.include \"x.s\"\n",
		"\t.rept 0\n\t.endif\n\t.endr\n\t.if 0\n",
	} {
		k := Parse([]byte(before + module("\tds_read_b32 v0, v1\n"))).Kernels[0]
		if k.Body.Code != "body-uncountable" {
			t.Errorf("%q: sites %+v, problem %q", before, k.Body.Sites, k.Body.Code)
		}
	}
	k := Parse([]byte("\t.macro m\n\tv_nop\n\t.endm\n\tm\n" + module("\tds_read_b32 v0, v1\n"))).Kernels[0]
	if k.Body.Code != "" {
		t.Errorf("a macro of instructions before the kernel: %s", k.Body.Reason)
	}
}

// TestLDSDirect: loads that go from memory to LDS are counted apart.
func TestLDSDirect(t *testing.T) {
	got, _ := sites(t, "\tbuffer_load_dword v1, s[0:3], 0 offen lds\nbuffer_load_dword off, s[0:3], 0 lds ; x\n\tbuffer_load_dword v1, v2, s[0:3], 0 ; lds\n\tbuffer_load_dword off, s[8:11], s[5]lds\n\tglobal_load_lds_dword v[0:1], off\n\tglobal_load_async_to_lds_b32 v0, v1, s[0:1]\n\ttensor_load_to_lds s[0:3], s[4:7]\n")
	if got.LDSDirect != 6 || got.LDSRead+got.LDSWrite != 0 {
		t.Errorf("%+v", got)
	}
}

// TestLDSReach: the highest offset that an instruction adds to its LDS address.
func TestLDSReach(t *testing.T) {
	for body, want := range map[string]int64{
		"\tds_read_b32 v0, v1\n":                                          0,
		"\tds_read_b32 v0, v1 offset:4096\n":                              4096,
		"\tds_read2_b32 v[0:1], v2 offset0:16 offset1:24\n":               96,
		"\tds_read2_b64 v[0:3], v2 offset1:24\n":                          192,
		"\tds_write2st64_b32 v0, v1, v2 offset1:2\n":                      512,
		"\tds_write_b32 v0, v1 offset:8\n\tds_add_u32 v0, v1 offset:64\n": 64,
		"\tds_read_b32 v0, v1 ; offset:4096\n":                            0,
	} {
		if _, k := sites(t, body); k.Body.LDSReach != want {
			t.Errorf("%q reaches %d, want %d", body, k.Body.LDSReach, want)
		}
	}
}
