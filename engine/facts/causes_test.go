package facts

import (
	"testing"

	"isadiff/engine/pressure"
)

func TestPeakChange(t *testing.T) {
	at := func(peak, line int) pressure.Peak {
		s := pressure.SourceLine{File: "gemm.py", Line: line}
		return pressure.Peak{Peak: peak, Index: 1, Line: 10, Source: s, Near: s, Bound: pressure.Exact}
	}
	plain := pressure.Peak{Peak: 5, Index: 1, Line: 10, Bound: pressure.Exact}
	bound := at(512, 79)
	bound.Bound = pressure.AtLeast
	made := at(548, 83)
	made.Source = pressure.SourceLine{}
	tests := []struct {
		before, after pressure.Peak
		want          string
	}{
		{at(512, 79), at(548, 83), "live VGPRs peak at 512 -> 548, line 83 (was line 79)"},
		{at(512, 79), at(548, 79), "live VGPRs peak at 512 -> 548, line 79"},
		{at(512, 79), at(512, 83), "live VGPRs peak at 512, line 83 (was line 79)"},
		{at(512, 79), at(512, 79), ""},
		{bound, made, "live VGPRs peak at 512 or more -> 548, near line 83 (was line 79)"},
		{plain, pressure.Peak{Index: -1, Refused: "why"}, "live VGPRs peak at 5 -> ?"},
		{pressure.Peak{Index: -1, Bound: pressure.Exact}, plain, "live VGPRs peak at 0 -> 5, assembly line 10"},
	}
	for _, test := range tests {
		if got := PeakChange("VGPRs", test.before, test.after, "->"); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
