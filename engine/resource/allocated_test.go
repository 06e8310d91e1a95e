package resource_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/isa"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// symbolsOf are the resource symbols, which LLVM 19 and older do not write.
var symbolsOf = regexp.MustCompile(`(?m)^\t\.set .*\n`)

// TestAllocated edits a sound dump of 13 VGPRs and 13 numbered SGPRs, with and
// without symbols and for processors that the table has and has not: what the
// file contradicts is found, and more than is counted may be allocated.
func TestAllocated(t *testing.T) {
	data, err := os.ReadFile("../../testdata/dumps/base/gfx942/transpose/transpose_static_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	const (
		vgprs, sgprs = ".vgpr_count:     13", ".sgpr_count:     19"
		free, sfree  = ".amdhsa_next_free_vgpr 13", ".amdhsa_next_free_sgpr 13"
		accum        = ".amdhsa_accum_offset 16"
		first        = "v_and_b32_e32 v1, 31, v0"
		unified      = ".vgpr_count:     24"
	)
	agprs := []string{".agpr_count:     0", ".agpr_count:     8", vgprs, unified, free, ".amdhsa_next_free_vgpr 24"}
	tests := []struct {
		name    string
		symbols bool
		edits   []string
		want    string // a part of the first problem; "" for none
	}{
		{"sound", true, nil, ""},
		{"without symbols", false, nil, ""},
		{"more VGPRs allocated", true, []string{free, ".amdhsa_next_free_vgpr 97"}, ""},
		{"more SGPRs allocated", true, []string{sfree, ".amdhsa_next_free_sgpr 80"}, ""},
		{"an expression", true, []string{free, ".amdhsa_next_free_vgpr max(totalnumvgprs(.Ltranspose_static_0.num_agpr, .Ltranspose_static_0.num_vgpr), 1, 0)"}, ""},
		{"fewer VGPRs", true, []string{free, ".amdhsa_next_free_vgpr 8"}, "transpose_static_0: .vgpr_count is 13, but the descriptor allocates fewer: .amdhsa_next_free_vgpr is 8 (line 100)"},
		{"fewer VGPRs, without symbols", false, []string{free, ".amdhsa_next_free_vgpr 8"}, "allocates fewer: .amdhsa_next_free_vgpr is 8"},
		{"more VGPRs counted", false, []string{vgprs, ".vgpr_count:     15"}, ".vgpr_count is 15, but the descriptor allocates fewer"},
		{"fewer SGPRs", true, []string{sfree, ".amdhsa_next_free_sgpr 8"}, "numbered_sgpr is 13, but the descriptor allocates fewer: .amdhsa_next_free_sgpr is 8 (line 101)"},
		{"more SGPRs counted", false, []string{sgprs, ".sgpr_count:     20"}, ".sgpr_count is 20, but the descriptor allocates fewer"},
		{"an undefined allocation", true, []string{free, ".amdhsa_next_free_vgpr nowhere"}, "symbol nowhere is not defined"},

		{"accumulation offset", false, []string{accum, ".amdhsa_accum_offset 12"}, "allocates fewer: .amdhsa_accum_offset is 12"},
		{"AGPRs behind the offset", false, agprs, ""},
		{"AGPRs that are not in the count", false, []string{".agpr_count:     0", ".agpr_count:     8"}, ".vgpr_count is 13, but .amdhsa_accum_offset 16 (line 102) and 8 AGPRs (line "},
		{"an offset that is not in the count", false, append(agprs[:len(agprs):len(agprs)], accum, ".amdhsa_accum_offset 20"), ".vgpr_count is 24, but .amdhsa_accum_offset 20"},
		{"AGPRs that are not stated", false, []string{"  - .agpr_count:     0\n    .args:", "  - .args:", vgprs, unified, free, ".amdhsa_next_free_vgpr 24"}, ""},

		{"spills to nowhere", true, []string{".vgpr_spill_count: 0", ".vgpr_spill_count: 4"}, ".vgpr_spill_count is 4, but .private_segment_fixed_size is 0"},
		{"SGPRs spilled to lanes", true, []string{".sgpr_spill_count: 0", ".sgpr_spill_count: 4"}, ""},
		{"spills to AGPRs", false, append(agprs[:len(agprs):len(agprs)], ".vgpr_spill_count: 0", ".vgpr_spill_count: 4"), ""},
		{"spills to AGPRs that nobody counts", false, []string{"  - .agpr_count:     0\n    .args:", "  - .args:", ".vgpr_spill_count: 0", ".vgpr_spill_count: 4", vgprs, unified, free, ".amdhsa_next_free_vgpr 24", first, "v_accvgpr_write_b32 a7, v0"}, ""},

		{"a VGPR past the count", true, []string{first, "v_mov_b32_e32 v13, 0"}, "transpose_static_0: the body names v13 (line 12), but num_vgpr is 13 (line 122)"},
		{"a source", true, []string{first, "v_mov_b32_e32 v0, v255"}, "the body names v255"},
		{"a tuple", false, []string{first, "v_mov_b64 v[12:13], 0"}, "the body names v13 (line 12), but .vgpr_count is 13 (line "},
		{"an SGPR past the count", true, []string{first, "s_mov_b64 s[12:13], 0"}, "the body names s13 (line 12), but numbered_sgpr is 13 (line 124)"},
		{"an SGPR past the count, without symbols", false, []string{first, "s_mov_b32 s13, 0"}, "the body names s13 (line 12), but .amdhsa_next_free_sgpr is 13"},
		{"an AGPR where there are none", true, []string{first, "v_accvgpr_write_b32 a0, v0"}, "the body names a0 (line 12), but num_agpr is 0"},
		{"an AGPR past the count", false, append(agprs[:len(agprs):len(agprs)], first, "v_mfma_f32_4x4x1f32 a[8:11], v0, v1, a[0:3]"), "the body names a11 (line 12), but .agpr_count is 8"},
		{"the last AGPR", false, append(agprs[:len(agprs):len(agprs)], first, "v_accvgpr_write_b32 a7, v0"), ""},
		{"an AGPR past what is left", false, []string{"  - .agpr_count:     0\n    .args:", "  - .args:", vgprs, unified, free, ".amdhsa_next_free_vgpr 24", first, "v_accvgpr_write_b32 a8, v0"}, "the body names a8"},
		{"inline assembly", true, []string{first, ";;#ASMSTART\n\tv_mov_b32 v57, 1\n\t;;#ASMEND"}, "the body names v57 (line 13), but num_vgpr is 13 (line 124); it stands in inline assembly"},
		{"behind inline assembly", true, []string{first, ";;#ASMSTART\n\t;;#ASMEND\n\tv_mov_b32 v57, 1"}, "the body names v57 (line 14), but num_vgpr is 13 (line 124)\n"},
		{"a comment", true, []string{first, "v_mov_b32 v1, 1 ; v57"}, ""},
		{"a body that is not counted", true, []string{first, ".if 0\n\tv_mov_b32 v57, 1\n\t.endif"}, "its instructions cannot be counted"},
	}
	processors := []string{"gfx942", "gfx950", "gfx9-4-generic"}
	for _, test := range tests {
		for _, processor := range processors {
			text := string(data)
			text = edit(t, text, test.edits...)
			if !test.symbols {
				text = symbolsOf.ReplaceAllString(text, "")
			}
			text = strings.ReplaceAll(text, "gfx942", processor)
			judge(t, test.name+" on "+processor, text, test.want)
		}
	}
}

// TestAllocatedAnywhere holds what is true of every processor against those that
// the table has not.
func TestAllocatedAnywhere(t *testing.T) {
	data, err := os.ReadFile("../../testdata/dumps/base/gfx942/transpose/transpose_static_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		edits []string
		want  string
	}{
		{"sound", nil, ""},
		{"fewer VGPRs", []string{".amdhsa_next_free_vgpr 13", ".amdhsa_next_free_vgpr 8"}, "allocates fewer: .amdhsa_next_free_vgpr is 8"},
		{"VGPRs that are not counted", []string{".num_vgpr, 13", ".num_vgpr, 12"}, ".vgpr_count is 13, but num_vgpr 12"},
		{"a VGPR past the count", []string{"v_and_b32_e32 v1, 31, v0", "v_mov_b32_e32 v13, 0"}, "the body names v13"},
		{"an SGPR past the count", []string{"v_and_b32_e32 v1, 31, v0", "s_mov_b32 s13, 0"}, "the body names s13"},
		{"fewer SGPRs than are numbered", []string{".sgpr_count:     19", ".sgpr_count:     12"}, ".sgpr_count is 12, but numbered_sgpr 13"},
		{"no place for VCC", []string{".sgpr_count:     19", ".sgpr_count:     14", ".uses_vcc, 0", ".uses_vcc, 1"}, ".sgpr_count is 14, but numbered_sgpr 13"},
		{"more SGPRs than any processor has", []string{".sgpr_count:     19", ".sgpr_count:     20"}, ".sgpr_count is 20"},
		{"spills to nowhere", []string{".vgpr_spill_count: 0", ".vgpr_spill_count: 4"}, ".vgpr_spill_count is 4"},
	}
	for _, processor := range []string{"gfx90b", "gfx1154", "gfx1170", "gfx1252", "gfx1310", "gfx12-5-generic"} {
		for _, test := range tests {
			judge(t, test.name+" on "+processor, strings.ReplaceAll(edit(t, string(data), test.edits...), "gfx942", processor), test.want)
		}
	}
	fixed := edit(t, string(data), ".sgpr_count:     19", ".sgpr_count:     96", ".amdhsa_next_free_sgpr 13", ".amdhsa_next_free_sgpr 90")
	judge(t, "the 96 SGPRs of tonga", strings.ReplaceAll(fixed, "gfx942", "gfx802"), "")
}

// judge holds the problems of a text against a part of the first one.
func judge(t *testing.T, name, text, want string) {
	t.Helper()
	records, problems := resource.FromFile(isa.Parse([]byte(text)), "k", "k/22_final_isa.s")
	for _, r := range records {
		problems = append(problems, r.Problems...)
	}
	all := ""
	for _, p := range problems {
		all += p.Error() + "\n"
		if known := []problem.Code{problem.CountsContradict, problem.SymbolUnresolved, problem.BodyUncountable}; !slices.Contains(known, p.Code) {
			t.Errorf("%s: %v", name, p)
		}
	}
	if want == "" && all != "" || !strings.Contains(all, want) {
		t.Errorf("%s: %q, want %q", name, all, want)
	}
}

// TestDynamicLDS tells from a kernel's arguments that the launch gives it LDS.
func TestDynamicLDS(t *testing.T) {
	data, err := os.ReadFile("../../testdata/dumps/base/gfx942/transpose/transpose_static_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	const args = "    .args:\n"
	tests := []struct {
		name string
		args string
		note string // "" for none
	}{
		{"none", "", ""},
		{"a hidden size", "      - .offset:         128\n        .size:           4\n        .value_kind:     hidden_dynamic_lds_size\n", "(hidden_dynamic_lds_size)"},
		{"a pointer to LDS", "      - .address_space:  local\n        .offset:         0\n        .pointee_align:  4\n        .size:           4\n        .value_kind:     dynamic_shared_pointer\n", "to which an argument points"},
		{"its address space", "      - .offset:         0\n        .size:           4\n        .address_space:  local\n        .value_kind:     by_value\n", "to which an argument points"},
		{"a name", "      - .name:           local\n        .address_space:  global\n        .offset:         0\n        .size:           8\n        .value_kind:     global_buffer\n", ""},
	}
	for _, test := range tests {
		f := isa.Parse([]byte(edit(t, string(data), args, args+test.args)))
		records, problems := resource.FromFile(f, "k", "k/22_final_isa.s")
		r := records[0]
		if len(problems)+len(r.Problems) > 0 {
			t.Errorf("%s: %v, %v", test.name, problems, r.Problems)
		}
		if notes := strings.Join(r.Notes, "\n"); r.Launch.DynamicLDS != (test.note != "") || !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
			t.Errorf("%s: dynamic %v, %q", test.name, r.Launch.DynamicLDS, notes)
		}
		records, _ = resource.FromFileWith(f, "k", "k/22_final_isa.s", resource.Launched{LDS: 8192, LDSFrom: "k.json"})
		if records[0].Launch.DynamicLDS {
			t.Errorf("%s: the launch is known, and its LDS is called dynamic", test.name)
		}
	}
}
