package isa

import (
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// flow is metadata as people write it.
const flow = `
{ amdhsa.version: [ 1, 2 ], "amdhsa.target": amdgcn-amd-amdhsa--gfx950, amdhsa.kernels: [
  { .name: &a "k", .symbol: 'k.kd', .vgpr_count: 24, .sgpr_count: 26, .vgpr_spill_count: 0, .sgpr_spill_count: 0,
    .kernarg_segment_size: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0, .wavefront_size: 64,
    .max_flat_workgroup_size: 256, .reqd_workgroup_size: [ 256, 1, 1 ], .args: [ { .size: 8, .vgpr_count: 3 } ] } ] }
`

// withMetadata returns a module with the given text for its metadata.
func withMetadata(text string) []byte {
	before, rest, _ := strings.Cut(module("\tv_nop\n"), "\t.amdgpu_metadata\n")
	_, after, _ := strings.Cut(rest, "\t.end_amdgpu_metadata")
	return []byte(before + "\t.amdgpu_metadata\n" + text + "\t.end_amdgpu_metadata" + after)
}

// TestAnyYAML reads what LLVM's assembler reads, and refuses what it refuses.
func TestAnyYAML(t *testing.T) {
	block := "amdhsa.version: [ 1, 2 ]\namdhsa.kernels:\n- .name: k\n  .symbol: k.kd\n  .vgpr_count: 24 # of 512\n  .args:\n  - { .size: 8 }\n"
	tests := []struct {
		name, text string
		vgpr       Field
		code       problem.Code
	}{
		{"flow", flow, Field{State: Read, Value: 24, Line: 21}, ""},
		{"another indentation", block, Field{State: Read, Value: 24, Line: 23}, ""},
		{"a string of several lines", strings.Replace(block, "  .args:", "  .language: \"\n    .agpr_count: 5\n    \"\n  .args:", 1), Field{State: Read, Value: 24, Line: 23}, ""},
		{"a block scalar", strings.Replace(block, "  .args:", "  .language: |\n    .agpr_count: 5\n  .args:", 1), Field{State: Read, Value: 24, Line: 23}, ""},
		{"no number", strings.Replace(block, "24", "'24'", 1), Field{State: Invalid, Line: 23}, ""},
		{"a hexadecimal number", strings.Replace(block, "24", "0x18", 1), Field{State: Invalid, Line: 23}, ""},
		{"a negative number", strings.Replace(block, "24", "-24", 1), Field{State: Invalid, Line: 23}, ""},
		{"an octal number", strings.Replace(block, "24", "024", 1), Field{State: Invalid, Line: 23}, ""},
		{"a tag", strings.Replace(block, "24", "!int 24", 1), Field{State: Invalid, Line: 23}, ""},
		{"a list", strings.Replace(block, "24", "[ 24 ]", 1), Field{State: Invalid, Line: 23}, ""},
		{"a key twice", block + "  .vgpr_count: 25\n", Field{}, problem.MetadataMalformed},
		{"a key twice, quoted", block + "  '.vgpr_count': 25\n", Field{}, problem.MetadataMalformed},
		{"an alias", strings.Replace(block, "k.kd", "*a", 1), Field{}, problem.MetadataMalformed},
		{"merged", block + "  <<: { .agpr_count: 4 }\n", Field{}, problem.MetadataMalformed},
		{"two documents", block + "---\nx: 1\n", Field{}, problem.MetadataMalformed},
		{"no list", "amdhsa.kernels: { .name: k }\n", Field{}, problem.MetadataMalformed},
		{"no kernels", "{ amdhsa.version: [ 1, 2 ] }\n", Field{}, problem.MetadataMalformed},
		{"unclosed", "{ amdhsa.kernels: [\n", Field{}, problem.MetadataMalformed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := Parse(withMetadata(test.text))
			if test.code != "" {
				if !hasCode(f.Problems, test.code) {
					t.Errorf("problems %v, want %s", f.Problems, test.code)
				}
				return
			}
			if len(f.Problems) > 0 || len(f.Kernels) != 1 || f.Kernels[0].Name != "k" {
				t.Fatalf("%d kernels, problems %v", len(f.Kernels), f.Problems)
			}
			m := f.Kernels[0].Metadata
			if m.VGPRCount.State != test.vgpr.State || m.VGPRCount.Value != test.vgpr.Value || m.VGPRCount.Line != test.vgpr.Line || m.AGPRCount.State != Absent {
				t.Errorf("%+v, %+v; want %+v", m.VGPRCount, m.AGPRCount, test.vgpr)
			}
			if f.Version != [2]int{1, 2} {
				t.Errorf("version %v", f.Version)
			}
		})
	}
	if m := Parse(withMetadata(flow)).Kernels[0].Metadata; m.ReqdWorkgroupSize != [3]int64{256, 1, 1} || m.GroupSegment.Value != 1024 {
		t.Errorf("%+v", m)
	}
}

func hasCode(problems []problem.Problem, code problem.Code) bool {
	for _, p := range problems {
		if p.Code == code {
			return true
		}
	}
	return false
}

// TestYAMLIsBounded: hostile YAML ends neither the stack nor the limit of the tests.
func TestYAMLIsBounded(t *testing.T) {
	const n = maxYAML - 1000
	for _, text := range []string{
		"x: " + strings.Repeat("[", n), strings.Repeat("- ", n/2), strings.Repeat("? ", n/2), "x: " + strings.Repeat("!a ", n/3), "x: " + strings.Repeat("&a ", n/3),
		strings.Repeat("{a: ", n/4), strings.Repeat("a: ", n/3), "x: [" + strings.Repeat("1, ", n/4) + "]", "x: {" + strings.Repeat("a, ", n/4) + "}",
		strings.Repeat("x\n", n/2), "x: \"" + strings.Repeat("\\", n), "x: '" + strings.Repeat("a\n", n/2), "x: |\n" + strings.Repeat(" a\n", n/4),
		strings.Repeat("#\n", n/2), "x: &a [1]\n" + strings.Repeat("y: *a\n", n/8), strings.Repeat("[]\n", n/3), strings.Repeat("a: [\n", n/5),
	} {
		f := Parse(withMetadata(text + "\n"))
		if len(f.Problems) == 0 {
			t.Errorf("%.10q… is read", text)
		}
	}
}

// FuzzYAML: no metadata makes the reader fail.
func FuzzYAML(f *testing.F) {
	f.Add(flow)
	f.Add("amdhsa.kernels:\n  - .name: k\n    .args: [ { .a: 'x' } ]\n")
	f.Fuzz(func(t *testing.T, text string) { Parse(withMetadata(text)) })
}
