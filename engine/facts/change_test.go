package facts_test

import (
	"slices"
	"testing"

	"isadiff/engine/facts"
	"isadiff/engine/resource"
)

// Of more changes than there is room for, the waves stay, and scratch memory that grew
// with spills goes first.
func TestLead(t *testing.T) {
	of := func(metrics ...resource.Metric) (all []facts.Change) {
		for _, m := range metrics {
			all = append(all, facts.Change{Metric: m, Waves: m < 0})
		}
		return all
	}
	const waves, spill, scratch, vgpr, lds, sgpr = resource.Metric(-1), resource.VGPRSpill, resource.ScratchBytes, resource.VGPR, resource.LDSStaticBytes, resource.SGPR
	for _, tt := range []struct {
		changes, want []facts.Change
		n             int
	}{
		{of(spill, scratch, vgpr), of(spill, scratch, vgpr), 3},
		{of(spill, scratch, waves, vgpr), of(spill, waves, vgpr), 3},
		{of(spill, scratch, waves, vgpr, lds, sgpr), of(spill, waves, vgpr), 3},
		{of(spill, resource.SGPRSpill, scratch, waves), of(spill, resource.SGPRSpill, waves), 3},
		{of(scratch, waves, vgpr, lds), of(scratch, waves, vgpr), 3},
		{of(spill, resource.SGPRSpill, waves, vgpr), of(spill, waves), 2},
		{of(waves, vgpr, lds), of(waves), 1},
		{of(spill, waves), of(waves), 1},
		{of(vgpr), of(), 0},
		{of(vgpr), of(), -1},
		{of(), of(), 3},
	} {
		before := slices.Clone(tt.changes)
		got, more := facts.Lead(tt.changes, tt.n)
		if !slices.Equal(got, tt.want) || more != len(tt.changes)-len(tt.want) {
			t.Errorf("%d of %v: %v and %d more, want %v", tt.n, tt.changes, got, more, tt.want)
		}
		if !slices.Equal(before, tt.changes) {
			t.Errorf("the changes became %v", tt.changes)
		}
	}
}
