package report

import (
	"strings"
	"testing"

	"isadiff/engine/gate"
	"isadiff/engine/resource"
)

// TestDemangled: names are shown demangled where their compiler mangles them, and
// nowhere else; overloads keep their symbols.
func TestDemangled(t *testing.T) {
	const hip = "k-hip-amdgcn-amd-amdhsa-gfx942.s"
	for _, test := range []struct{ key, source, want string }{
		{"k/gfx942::_ZN4math5scaleIfLi256EEEvPT_S1_", "build/" + hip, "k/gfx942::math::scale<float, 256>"},
		{"k/gfx942::plain", hip, "k/gfx942::plain"},
		{"k::_ZN4math5scaleIfLi256EEEvPT_S1_", "k/22_final_isa.s", "k::_ZN4math5scaleIfLi256EEEvPT_S1_"},
		{"k::_ZN4math5scaleIfLi256EEEvPT_S1_", "", "k::_ZN4math5scaleIfLi256EEEvPT_S1_"},
	} {
		if got := demangled(&resource.Record{Key: test.key, Source: test.source}); got != test.want {
			t.Errorf("%s of %s is shown as %s", test.key, test.source, got)
		}
	}
	side := &resource.Side{Records: []*resource.Record{
		{Key: "k::_Z4copyPfPKf", Source: hip}, {Key: "k::_Z4copyPiPKi", Source: hip}, {Key: "k::_Z7reversePf", Source: hip},
	}}
	text := string(Summary(side, gate.Standing{}, Options{}))
	for _, want := range []string{"\nk::_Z4copyPfPKf ", "\nk::_Z4copyPiPKi ", "\nk::reverse "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
