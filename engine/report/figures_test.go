package report

import (
	"testing"

	"isadiff/engine/dump"
)

// With dynamic LDS, which the launch decides, the waves are a bound.
func TestFigures(t *testing.T) {
	for kernel, want := range map[string]string{
		"transpose_dynamic_0": "vgpr 12, no spill, LDS 0 + dynamic, at most 8 waves",
		"transpose_static_0":  "vgpr 13, no spill, LDS 4224, 8 waves",
	} {
		f := dump.ReadFolder(t.Context(), "../../testdata/dumps/base/gfx942/transpose", kernel, dump.Options{})
		if got := Figures(f.Records[0]); got != want {
			t.Errorf("%s: %q, want %q", kernel, got, want)
		}
	}
}
