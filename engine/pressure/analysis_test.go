package pressure

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// kernel wraps instructions, one a line, as a kernel called k.
func kernel(code string, around ...string) []byte {
	return []byte("\t.amdgcn_target \"amdgcn-amd-amdhsa-unknown-gfx942\"\n" + strings.Join(around, "") +
		"\t.text\n\t.type\tk,@function\nk:\n" + code +
		"\n.Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t\t.amdhsa_user_sgpr_count 4\n\t.end_amdhsa_kernel\n")
}

// before returns the live VGPRs before each instruction of a kernel.
func before(t *testing.T, code string, around ...string) []int {
	t.Helper()
	a := Index(kernel(code, around...)).Analyze("k")
	if a.VGPR.Refused != "" {
		t.Fatalf("refused: %s\n%s", a.VGPR.Refused, code)
	}
	return a.before
}

func TestLiveness(t *testing.T) {
	tests := []struct {
		name, code string
		want       []int
	}{
		{"straight line", "v_mov_b32 v1, v0\nv_add_f32 v2, v1, v0\nglobal_store_dword v2, v1, s[0:1]\ns_endpgm", []int{1, 2, 2, 0}},
		{"a loop keeps what its next round reads", "v_mov_b32 v1, 0\n.L1:\nv_add_f32 v1, v1, v0\ns_cbranch_scc1 .L1\nglobal_store_dword v1, v1, s[0:1]\ns_endpgm", []int{1, 2, 2, 1, 0}},
		{"a read of what nothing wrote does not live from the entry", "s_nop 0\nv_add_f32 v1, v7, v0\nglobal_store_dword v1, v1, s[0:1]\ns_endpgm", []int{1, 1, 1, 0}},
		{"what one path alone wrote lives on that path", "s_cbranch_scc1 .L1\nv_mov_b32 v1, 0\n.L1:\nglobal_store_dword v1, v0, s[0:1]\ns_endpgm", []int{1, 1, 2, 0}},
		{"halves are one register", "v_mov_b16 v1.l, 0\nv_mov_b16 v1.h, 0\nglobal_store_dword v1, v0, s[0:1]\ns_endpgm", []int{1, 2, 2, 0}},
		{"a half that is overwritten", "v_mov_b32 v1, 0\nglobal_load_short_d16 v1, v0, s[0:1]\nglobal_store_short v0, v1, s[0:1]\ns_endpgm", []int{1, 1, 2, 0}},
		{"both halves of a pair are read first", "v_mov_b32 v1, 0\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0\nglobal_store_dword v0, v1, s[0:1]\ns_endpgm", []int{1, 2, 2, 0}},
		{"code that is not reached", "s_endpgm\nv_mov_b32 v1, v0\nglobal_store_dword v0, v1, s[0:1]", []int{0, 0, 0}},
		{"running off the end", "v_mov_b32 v1, v0", []int{1}},
		{"a branch to the end", "s_cbranch_scc0 .Lend\nv_mov_b32 v1, v0\n.Lend:", []int{1, 1}},
		{"a numeric label backwards", "1:\nv_add_f32 v0, v0, v0\ns_cbranch_scc1 1b\n1:\ns_endpgm", []int{1, 1, 0}},
		{"a numeric label forwards", "s_cbranch_scc1 1f\ns_endpgm\n1:\nglobal_store_dword v0, v0, s[0:1]\ns_endpgm", []int{1, 0, 1, 0}},
		{"a quoted label", "s_branch \"odd label\"\ns_endpgm\n\"odd label\":\nglobal_store_dword v0, v0, s[0:1]\ns_endpgm", []int{1, 0, 1, 0}},
		{"block comments", "v_mov_b32 v1, /* v5,\nv_mov_b32 v2, v3 */ v0 /* v6 */\n/**/global_store_dword v1, v1, s[0:1] // v0\ns_endpgm", []int{1, 1, 0}},
		{"an upper-case mnemonic", "V_MOV_B32 v1, v0\nglobal_store_dword v1, v1, s[0:1]\nS_ENDPGM", []int{1, 1, 0}},
		{"registers above v255", "v_mov_b32_e32 v0 /*v256*/, v0\nv_mov_b32 v1, 0\nglobal_store_b32 v1, v0 /*v256*/, s[0:1]\ns_endpgm", []int{1, 1, 2, 0}},
		{"a range above v255", "global_load_b128 v[0:3] /*v[512:515]*/, v0, s[0:1]\nglobal_store_b128 v0, v[0:3] /*v[512:515]*/, s[0:1]\ns_endpgm", []int{1, 5, 0}},
		{"a long branch", "s_getpc_b64 s[4:5]\n.Lpost_getpc1:\ns_add_u32 s4, s4, (.LBB0_2-.Lpost_getpc1)&4294967295\ns_addc_u32 s5, s5, (.LBB0_2-.Lpost_getpc1)>>32\ns_setpc_b64 s[4:5]\nv_mov_b32 v0, 0\n.LBB0_2:\nglobal_store_dword v0, v0, s[0:1]\ns_endpgm",
			[]int{1, 1, 1, 1, 0, 1, 0}},
		{"a long branch of gfx1250", "s_add_pc_i64 .LBB0_3-.Lpost_addpc0\n.Lpost_addpc0:\nv_mov_b32 v0, 0\n.LBB0_3:\nglobal_store_b32 v0, v0, s[0:1]\ns_endpgm", []int{1, 0, 1, 0}},
		{"another section in between", "v_mov_b32 v1, v0\n.section .rodata\n.long 5\nv_mov_b32 v9, v9\n.text\nglobal_store_dword v1, v1, s[0:1]\ns_endpgm", []int{1, 1, 0}},
		{"a load into LDS writes no register", "buffer_load_dword v0, s[0:3], 0 offen lds\nglobal_store_dword v0, v0, s[0:1]\ns_endpgm", []int{1, 1, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := before(t, test.code); !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v\n%s", got, test.want, test.code)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name, code, want string
	}{
		{"an address in registers", "s_setpc_b64 s[0:1]", "a jump to an address that the text does not tell (assembly line 5)"},
		{"a jump by registers", "s_add_pc_i64 s[0:1]", "a jump to an address that the text does not tell (assembly line 5)"},
		{"a number", "s_nop 0\ns_cbranch_scc0 12\ns_endpgm", "a branch to a number rather than a label: 12 (assembly line 6)"},
		{"a negative number", "s_branch -3", "a branch to a number rather than a label: -3 (assembly line 5)"},
		{"a label elsewhere", "s_branch .LBB7_1", "a branch to a label that is not in this function: .LBB7_1 (assembly line 5)"},
		{"no numeric label behind", "1:\ns_branch 1f", "a branch to a label that is not in this function: 1f (assembly line 6)"},
		{"a label twice", ".L1:\ns_nop 0\n.L1:\ns_branch .L1", "the label .L1 stands twice (assembly line 7)"},
		{"a fork", "s_cbranch_g_fork s[0:1], s[2:3]", "control flow that the text does not tell (assembly line 5)"},
		{"a mnemonic of no unit", "xyz_mov_b32 v0, v1", "an instruction that is not known: xyz_mov_b32 (assembly line 5)"},
		{"a conditional", ".if 0\nv_mov_b32 v1, v0\n.endif\ns_endpgm", "the directive .if, which may add or hide instructions (assembly line 5)"},
		{"a repetition", "\t.rept 3\nv_mov_b32 v1, v0\n.endr\ns_endpgm", "the directive .rept, which may add or hide instructions (assembly line 5)"},
		{"data among the code", "\t.long 0xbf800000\ns_endpgm", "the directive .long, which may add or hide instructions (assembly line 5)"},
		{"registers that no comment names", "s_set_vgpr_msb 0x80\nv_mov_b32 v0, v1\ns_endpgm", "s_set_vgpr_msb selects registers above v255, and no comment names them (assembly line 5)"},
		{"a comment that names another register", "v_mov_b32 v0 /*v257*/, v1\ns_endpgm", "a comment that names another register: v0 /*v257*/, v1 (assembly line 5)"},
		{"a range that is none", "v_mov_b32 v[3:1], v1\ns_endpgm", "an operand that cannot be read: v[3:1], v1 (assembly line 5)"},
		{"a register that does not exist", "v_mov_b32 v1024, v1\ns_endpgm", "a register that no processor has: v1024, v1 (assembly line 5)"},
		{"more operands than there are", "v_mov_b32 v0" + strings.Repeat(", v0", 64), "more operands than any instruction has: " + " v0" + strings.Repeat(", v0", 9) + ",... (assembly line 5)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := Index(kernel(test.code)).Analyze("k")
			for _, p := range []Peak{a.VGPR, a.AGPR, a.SGPR} {
				if p.Refused != test.want {
					t.Errorf("%q, want %q", p.Refused, test.want)
				}
			}
		})
	}
}

func TestRefusedFiles(t *testing.T) {
	good := string(kernel("s_endpgm"))
	tests := []struct{ name, data, kernel, want string }{
		{"no such kernel", good, "other", "the file has no function of this name"},
		{"nothing", "", "k", "the file has no function of this name"},
		{"a function that is no kernel", strings.Replace(good, ".amdhsa_kernel k", ".amdhsa_kernel other", 1), "k", "not a kernel: what its caller still needs when it returns is not known (assembly line 4)"},
		{"a cut file", good[:strings.Index(good, ".Lfunc_end")], "k", "not a kernel: what its caller still needs when it returns is not known (assembly line 4)"},
		{"two labels", strings.Replace(good, "k:\n", "k:\ns_endpgm\n.Lfunc_end7:\nk:\n", 1), "k", "a second label of this name (assembly line 7)"},
		{"no end before the next function", strings.Replace(good, "s_endpgm\n", "s_endpgm\n\t.type f,@function\nf:\n", 1), "k", "the next function begins before this one ends (assembly line 7)"},
		{"macros", "\t.macro m\n\t.endm\n" + good, "k", "the file defines macros, so the instructions are not in the text (assembly line 1)"},
	}
	for _, test := range tests {
		if got := Index([]byte(test.data)).Analyze(test.kernel).Refused; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestBounds(t *testing.T) {
	tests := []struct {
		code             string
		vgpr, agpr, sgpr Bound
	}{
		{"s_endpgm", Exact, Exact, Exact},
		{"v_movrels_b32 v1, v0\ns_endpgm", AtLeast, Exact, Exact},
		{"s_movreld_b32 s1, s0\ns_endpgm", Exact, Exact, AtLeast},
		{"s_set_gpr_idx_on s0, 1\nv_mov_b32 v1, v0\ns_set_gpr_idx_off\ns_endpgm", AtLeast, Exact, Exact},
	}
	for _, test := range tests {
		a := Index(kernel(test.code)).Analyze("k")
		if a.VGPR.Bound != test.vgpr || a.AGPR.Bound != test.agpr || a.SGPR.Bound != test.sgpr {
			t.Errorf("%q: %s, %s, %s", test.code, a.VGPR.Bound, a.AGPR.Bound, a.SGPR.Bound)
		}
	}
}

// callCode returns code that calls a function the way LLVM does.
func callCode(symbol string) string {
	return "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, " + symbol + "@rel32@lo+4\ns_addc_u32 s1, s1, " + symbol + "@rel32@hi+12\ns_swappc_b64 s[30:31], s[0:1]\n"
}

func function(name, code string) string {
	return "\t.text\n\t.type\t" + name + ",@function\n" + name + ":\n" + code + "\n.Lfunc_end_" + name + ":\n\t.size\t" + name + ", .Lfunc_end_" + name + "-" + name + "\n"
}

func TestCalls(t *testing.T) {
	code := "v_mov_b32 v1, v0\nv_mov_b32 v2, v0\nv_mov_b32 v50, v0\n" + callCode("f") + "global_store_dword v1, v2, s[2:3]\nglobal_store_dword v50, v50, s[2:3]\ns_endpgm"
	tests := []struct {
		name, callee string
		want         []int // live VGPRs before the call and behind it
	}{
		{"one that reads v1 and writes v2", function("f", "v_mov_b32 v2, v1\ns_setpc_b64 s[30:31]"), []int{2, 3}},
		{"one that reads and writes nothing", function("f", "s_setpc_b64 s[30:31]"), []int{3, 3}},
		{"one that saves what it uses", function("f", "scratch_store_dword off, v40, s32\nv_mov_b32 v40, v1\nscratch_load_dword v40, off, s32\ns_setpc_b64 s[30:31]"), []int{3, 3}},
		{"one that calls another", function("f", callCode("g")+"s_setpc_b64 s[30:31]") + function("g", "v_mov_b32 v2, v0\ns_setpc_b64 s[30:31]"), []int{3, 3}},
		{"one that calls itself", function("f", callCode("f")+"s_setpc_b64 s[30:31]"), []int{3, 3}},
		{"one that is not in the file", "", []int{3, 3}},
	}
	for _, test := range tests {
		a := Index(kernel(code, test.callee)).Analyze("k")
		if a.VGPR.Refused != "" {
			t.Errorf("%s: %s", test.name, a.VGPR.Refused)
			continue
		}
		if got := []int{a.before[6], a.before[7]}; !slices.Equal(got, test.want) {
			t.Errorf("%s: %v live before and behind the call, want %v (%v)", test.name, got, test.want, a.before)
		}
		if a.VGPR.Bound != OwnBody || !strings.Contains(a.SGPR.Refused, "calls functions") {
			t.Errorf("%s: %+v, %+v", test.name, a.VGPR, a.SGPR)
		}
	}
}

const located = "\t.file 1 \"/home/me\" \"soft\\303\\251.py\"\n\t.file 2 \"/usr/lib/python3.12\" \"functools.py\"\n\t.file 3 \"/x/site-packages/flydsl/expr\" \"math.py\"\n"

func TestLines(t *testing.T) {
	code := "\t.loc 2 981 4\ns_nop 0\n\t.loc 1 10 4 prologue_end\nv_mov_b32 v1, v0\nds_read_b32 v2, v1\n\t.loc 3 5 0\nds_write_b32 v1, v2\n\t.loc 1 12 0\nscratch_store_dword off, v2, off offset:4\n\t.loc 1 0 0\nscratch_load_dword v3, off, off offset:4\n" +
		"buffer_load_dword v1, s[0:3], 0 offen lds\n\t.loc 1 10 1\nglobal_store_dword v3, v2, s[0:1]\ns_endpgm"
	a := Index(kernel(code, located)).Analyze("k")
	file := "/home/me/softé.py"
	want := []Line{
		{Source: SourceLine{file, 10}, Instructions: 6, LDSReads: 1, LDSWrites: 1, VGPRs: 2},
		{Source: SourceLine{file, 12}, Instructions: 3, SpillStores: 1, SpillLoads: 1, ScratchStores: 1, ScratchLoads: 1, LDSDirect: 1, VGPRs: 3},
	}
	got := slices.Clone(a.Lines)
	for i := range got {
		got[i].first = 0
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if a.VGPR.Peak != 3 || a.VGPR.Source != (SourceLine{}) || a.VGPR.Near != (SourceLine{file, 12}) {
		t.Errorf("the peak is in code that the compiler made: %+v", a.VGPR)
	}
	if a.SpillStores != 1 || a.SpillLoads != 1 || a.SpillBound != AtMost {
		t.Errorf("%d stores, %d loads, %s", a.SpillStores, a.SpillLoads, a.SpillBound)
	}
}

func TestFramework(t *testing.T) {
	for file, want := range map[string]bool{
		"/usr/lib/python3.12/functools.py":               true,
		"functools.py":                                   true,
		"/usr/lib/python3.12/contextlib.py":              true,
		`C:\py\lib\site-packages\flydsl\compiler\x.py`:   true,
		"/v/lib/python3.12/site-packages/flydsl/a.py":    true,
		"/v/lib/python3.12/site-packages/mine/kernel.py": false,
		"/home/me/FlyDSL/kernels/softmax.py":             false,
		"/home/me/kernels/flydsl_softmax.py":             false,
		"softmax.py":                                     false,
	} {
		if got := framework(file); got != want {
			t.Errorf("framework(%q) = %v", file, got)
		}
	}
	// A kernel of the framework itself keeps its lines.
	a := Index(kernel("\t.loc 3 5 0\nv_mov_b32 v1, v0\ns_endpgm", located)).Analyze("k")
	if len(a.Lines) != 1 || a.Lines[0].Source.Line != 5 {
		t.Errorf("%+v", a.Lines)
	}
}

// TestMnemonics holds what an instruction counts for on its source line against
// the metric of every LDS, scratch and matrix instruction of LLVM 24.
func TestMnemonics(t *testing.T) {
	data, err := os.ReadFile("../isa/testdata/mnemonics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	sites := map[string]site{"lds_read": ldsRead, "lds_write": ldsWrite, "scratch_load": scratchLoad, "scratch_store": scratchStore}
	checked := 0
	for line := range strings.Lines(string(data)) {
		name, metric, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		checked++
		r := roleOf(name)
		if r.unknown {
			t.Errorf("%s is not known", name)
		}
		counted := r.site & (ldsRead | ldsWrite | scratchLoad | scratchStore)
		if counted != sites[metric] {
			t.Errorf("%s counts for %b, want %s", name, counted, metric)
		}
	}
	if checked < 400 {
		t.Errorf("only %d mnemonics were checked", checked)
	}
}

func TestSpillSites(t *testing.T) {
	stores := "scratch_store_dwordx4 off, v[0:3], off offset:16\nscratch_store_dword off, v4, s32\nscratch_store_dword v0, v4, off\nscratch_load_dword v5, off, off\ns_endpgm"
	metadata := func(count int) string {
		return fmt.Sprintf("\t.amdgpu_metadata\n---\namdhsa.kernels:\n  - .args:\n      - .name: x\n        .size: 4\n    .name:           k\n    .symbol:         k.kd\n    .vgpr_spill_count: %d\n...\n\t.end_amdgpu_metadata\n", count)
	}
	for _, test := range []struct {
		count, stores, loads int
		bound                Bound
	}{{0, 0, 0, Exact}, {5, 2, 1, Exact}, {4, 2, 1, AtMost}} {
		a := Index(kernel(stores, metadata(test.count))).Analyze("k")
		if a.SpillStores != test.stores || a.SpillLoads != test.loads || a.SpillBound != test.bound {
			t.Errorf("spill count %d: %d stores, %d loads, %s", test.count, a.SpillStores, a.SpillLoads, a.SpillBound)
		}
	}
}

func TestKernelNames(t *testing.T) {
	for _, name := range []string{"with space", "semi;x", `q"uote`, "123", "apos'trophe", "a//b"} {
		label := `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
		if name == "123" {
			label = name
		}
		text := "\t.type " + label + ",@function\n" + label + ":\n\tv_mov_b32 v1, v0\n\ts_endpgm\n.Lfunc_end0:\n\t.size " + label + ", .Lfunc_end0-" + label +
			"\n\t.amdhsa_kernel " + name + "\n\t.end_amdhsa_kernel\n"
		f := Index([]byte(text))
		if !slices.Equal(f.Kernels(), []string{name}) {
			t.Errorf("kernels %q, want %q", f.Kernels(), name)
		}
		if a := f.Analyze(name); a.Refused != "" || a.VGPR.Peak != 1 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
