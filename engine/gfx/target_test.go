package gfx

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTarget(t *testing.T) {
	tests := []struct {
		id, processor string
		features      []string
		gen           int
	}{
		{"amdgcn-amd-amdhsa--gfx942", "gfx942", nil, 9},
		{"amdgcn-amd-amdhsa-unknown-gfx942", "gfx942", nil, 9},
		{"amdgcn-unknown-amdhsa--gfx90a:xnack-:sramecc+", "gfx90a", []string{"sramecc+", "xnack-"}, 9},
		{"amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic", nil, 9},
		{"amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", "gfx9-4-generic", []string{"xnack+"}, 9},
		{"amdgcn-amd-amdhsa--gfx12-generic", "gfx12-generic", nil, 12},
		{"amdgcn-amd-amdhsa--gfx1250", "gfx1250", nil, 12},
		{"amdgpu9.50-amd-amdhsa-unknown-gfx950", "gfx950", nil, 9},
		{"amdgpu12.50-amd-amdhsa-unknown-", "gfx1250", nil, 12},
		{"amdgcn-amd-amdhsa--gfx90a+xnack+sram-ecc", "gfx90a", []string{"sramecc+", "xnack+"}, 9},
	}
	for _, test := range tests {
		got, err := ParseTarget(test.id)
		if err != nil {
			t.Errorf("ParseTarget(%q): %v", test.id, err)
			continue
		}
		want := Target{ID: test.id, Processor: test.processor, Features: test.features}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseTarget(%q) (-want +got):\n%s", test.id, diff)
		}
		if got.Gen() != test.gen {
			t.Errorf("generation of %q is %d, want %d", test.id, got.Gen(), test.gen)
		}
	}
}

func TestParseTargetRefuses(t *testing.T) {
	for _, id := range []string{
		"", "gfx942", "amdgcn-amd-amdhsa-gfx942", "amdgcn-amd-amdhsa--", "amdgcn-amd-amdhsa--hawaii", "amdgcn-amd-amdhsa--gfx",
		"amdgcn-amd-amdhsa--gfx9 42", "amdgcn-amd-amdhsa--gfx942:", "amdgcn-amd-amdhsa--gfx942:xnack", "amdgcn-amd-amdhsa--gfx942:xnack+:xnack-",
		"amdgcn-amd-amdhsa--gfx-generic", "amdgcn-amd-amdhsa--gfx9-x-generic",
	} {
		if got, err := ParseTarget(id); err == nil || got.Processor != "" {
			t.Errorf("ParseTarget(%q) = %+v, %v; want an error and no processor", id, got, err)
		}
	}
}

func TestSame(t *testing.T) {
	parse := func(id string) Target {
		target, _ := ParseTarget(id)
		return target
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"amdgcn-amd-amdhsa--gfx942", "amdgcn-amd-amdhsa-unknown-gfx942", true},
		{"amdgcn-amd-amdhsa--gfx942", "amdgpu9.42-amd-amdhsa-unknown-gfx942", true},
		{"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx942:xnack-:sramecc+", true},
		{"amdgcn-amd-amdhsa--gfx942:xnack-", "amdgcn-amd-amdhsa--gfx942", false},
		{"amdgcn-amd-amdhsa--gfx942", "amdgcn-amd-amdhsa--gfx950", false},
		{"", "", false},
	} {
		if got := Same(parse(test.a), parse(test.b)); got != test.want {
			t.Errorf("Same(%q, %q) = %v", test.a, test.b, got)
		}
	}
}

// FuzzParseTarget holds that a target is either refused or named by a processor
// that reads back as the same target.
func FuzzParseTarget(f *testing.F) {
	f.Add("amdgcn-amd-amdhsa-unknown-gfx9-4-generic:sramecc+:xnack-")
	f.Add("amdgpu12.50-amd-amdhsa-unknown-")
	f.Add("amdgcn-amd-amdhsa--gfx90a+xnack+sram-ecc")
	f.Fuzz(func(t *testing.T, id string) {
		got, err := ParseTarget(id)
		if err != nil {
			if got.Processor != "" {
				t.Errorf("refused, yet named %q", got.Processor)
			}
			return
		}
		spelled := "amdgcn-amd-amdhsa--" + got.Processor
		for _, feature := range got.Features {
			spelled += ":" + feature
		}
		again, err := ParseTarget(spelled)
		if err != nil || !Same(got, again) {
			t.Errorf("%q reads as %+v, which reads back as %+v, %v", id, got, again, err)
		}
		if got.Gen() == 0 {
			t.Errorf("%q has no generation", id)
		}
	})
}
