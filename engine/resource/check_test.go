package resource_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/isa"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// TestChecks edits a sound dump of gfx942: what contradicts is found, and what
// depends on a processor is not held against one that is not known.
func TestChecks(t *testing.T) {
	data, err := os.ReadFile("../../testdata/dumps/base/gfx942/transpose/transpose_static_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	sound := string(data)
	directive, metadata := `"amdgcn-amd-amdhsa-unknown-gfx942"`, "amdhsa.target:   amdgcn-amd-amdhsa-unknown-gfx942"
	agprs := func(s string) string {
		return edit(t, s, ".num_agpr, 0", ".num_agpr, 8", ".agpr_count:     0", ".agpr_count:     8", ".vgpr_count:     13", ".vgpr_count:     24", ".amdhsa_next_free_vgpr 13", ".amdhsa_next_free_vgpr 24")
	}
	tests := []struct {
		name, text string
		want       []problem.Code
	}{
		{"sound", sound, nil},
		{"AGPRs behind arch VGPRs", agprs(sound), nil},
		{"vgpr", edit(t, sound, ".vgpr_count:     13", ".vgpr_count:     14"), []problem.Code{problem.CountsContradict}},
		{"sgpr", edit(t, sound, ".sgpr_count:     19", ".sgpr_count:     20"), []problem.Code{problem.CountsContradict}},
		{"LDS", edit(t, sound, ".group_segment_fixed_size: 4224", ".group_segment_fixed_size: 4225"), []problem.Code{problem.CountsContradict}},
		{"wave size", edit(t, sound, ".wavefront_size: 64", ".wavefront_size: 32\n    .x: 1", ".amdhsa_tg_split 0", ".amdhsa_wavefront_size32 0"), []problem.Code{problem.CountsContradict}},
		{"undefined flag", edit(t, sound, ".uses_vcc, 0", ".uses_vcc, nowhere"), []problem.Code{problem.SymbolUnresolved}},
		{"two targets", edit(t, agprs(sound), directive, `"amdgcn-amd-amdhsa-unknown-gfx1100"`), []problem.Code{problem.TargetConflict}},
		{"two targets, the other way", edit(t, agprs(sound), metadata, strings.Replace(metadata, "942", "1100", 1)), []problem.Code{problem.TargetConflict}},
		{"a processor of the future", edit(t, agprs(sound), directive, `"amdgcn-amd-amdhsa-unknown-gfx960"`, metadata, strings.Replace(metadata, "942", "960", 1)), nil},
		{"no target", edit(t, agprs(sound), "\t.amdgcn_target "+directive+"\n", "", metadata+"\n", ""), nil},
	}
	for _, test := range tests {
		records, problems := resource.FromFile(isa.Parse([]byte(test.text)), "k", "k/22_final_isa.s")
		for _, r := range records {
			problems = append(problems, r.Problems...)
		}
		if got := problem.Codes(problems); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, problems, test.want)
		}
	}
}

// edit replaces each first string by the second one, each of which must be there.
func edit(t *testing.T, s string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(s, pairs[i]) {
			t.Fatalf("the dump has no %q", pairs[i])
		}
		s = strings.Replace(s, pairs[i], pairs[i+1], 1)
	}
	return s
}
