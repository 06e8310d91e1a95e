package facts_test

import (
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/resource"
)

func row(figures map[resource.Metric][2]int64) diff.Row {
	before, after := &resource.Record{Key: "d::k", Name: "k"}, &resource.Record{Key: "d::k", Name: "k"}
	before.Target.Processor, after.Target.Processor = "gfx942", "gfx942"
	for m := range before.Cells {
		f := figures[resource.Metric(m)]
		before.Cells[m], after.Cells[m] = resource.Value(f[0]), resource.Value(f[1])
	}
	return diff.RowOf(before, after)
}

func TestEveryTriggerHasAdvice(t *testing.T) {
	for m, info := range resource.Metrics {
		a, ok := facts.AdviceFor(resource.Metric(m))
		if ok != info.Trigger {
			t.Errorf("%s: advice %v, trigger %v", info.Key, ok, info.Trigger)
		}
		if ok && (a.Cause == "" || a.Try == "") {
			t.Errorf("%s: the advice is incomplete: %+v", info.Key, a)
		}
	}
}

func TestRow(t *testing.T) {
	tests := []struct {
		name    string
		figures map[resource.Metric][2]int64
		want    []resource.Metric
		nothing bool // the last advice is to do nothing
	}{
		{"unchanged", nil, nil, false},
		{"the gravest first", map[resource.Metric][2]int64{
			resource.VGPR: {88, 127}, resource.VGPRSpill: {0, 136}, resource.ScratchBytes: {0, 276}, resource.LDSStaticBytes: {0, 64},
		}, []resource.Metric{resource.VGPRSpill, resource.ScratchBytes, resource.VGPR, resource.LDSStaticBytes}, false},
		{"better", map[resource.Metric][2]int64{resource.VGPR: {127, 88}}, nil, false},
		{"VCC came into use", map[resource.Metric][2]int64{resource.SGPR: {16, 18}, resource.NumberedSGPR: {12, 12}}, []resource.Metric{resource.SGPR}, true},
		{"more scalars", map[resource.Metric][2]int64{resource.SGPR: {16, 18}, resource.NumberedSGPR: {12, 14}}, []resource.Metric{resource.SGPR}, false},
		{"accumulators moved", map[resource.Metric][2]int64{resource.AGPR: {0, 32}, resource.ArchVGPR: {64, 32}, resource.VGPR: {64, 64}}, []resource.Metric{resource.AGPR}, true},
		{"accumulators added", map[resource.Metric][2]int64{resource.AGPR: {0, 32}, resource.ArchVGPR: {64, 60}, resource.VGPR: {64, 92}}, []resource.Metric{resource.VGPR}, false},
	}
	for _, tt := range tests {
		r := row(tt.figures)
		list := facts.AdviceOn(&r)
		var got []resource.Metric
		for _, a := range list {
			got = append(got, a.Metric)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: advice for %v, want %v", tt.name, got, tt.want)
			continue
		}
		if n := len(list); n > 0 && (list[n-1].Try[:7] == "Nothing") != tt.nothing {
			t.Errorf("%s: try %q", tt.name, list[n-1].Try)
		}
	}
}

// Lost waves stand behind what went to scratch memory and before registers, and
// for the metric that limits them.
func TestLostWaves(t *testing.T) {
	type side struct{ vgpr, sgpr, lds, threads int64 }
	for _, tt := range []struct {
		before, after side
		want          []resource.Metric
		lost          int // place of the advice about waves; -1 for none
	}{
		{side{64, 16, 1024, 256}, side{100, 16, 65536, 256}, []resource.Metric{resource.LDSStaticBytes, resource.VGPR}, 0},
		{side{64, 16, 1024, 256}, side{100, 16, 2048, 256}, []resource.Metric{resource.VGPR, resource.LDSStaticBytes}, 0},
		{side{64, 80, 1024, 256}, side{65, 100, 2048, 256}, []resource.Metric{resource.SGPR, resource.VGPR, resource.LDSStaticBytes}, 0},
		{side{98, 16, 1024, 256}, side{100, 16, 2048, 256}, []resource.Metric{resource.VGPR, resource.LDSStaticBytes}, -1},
		{side{88, 16, 0, 1024}, side{100, 16, 0, 1024}, []resource.Metric{resource.VGPR}, -1},                            // 5 to 4 waves, and no whole workgroup
		{side{64, 16, 1024, 256}, side{100, 16, 2048, 0}, []resource.Metric{resource.VGPR, resource.LDSStaticBytes}, -1}, // not known
		{side{64, 16, 1024, 256}, side{65, 16, 2048, 320}, []resource.Metric{resource.VGPR, resource.LDSStaticBytes}, 0},
	} {
		r := row(map[resource.Metric][2]int64{
			resource.VGPR: {tt.before.vgpr, tt.after.vgpr}, resource.SGPR: {tt.before.sgpr, tt.after.sgpr}, resource.LDSStaticBytes: {tt.before.lds, tt.after.lds},
		})
		launch := func(s side) resource.Launch {
			return resource.Launch{NextFreeVGPR: s.vgpr, WavefrontSize: 64, ReqdWorkgroupSize: [3]int64{s.threads, 1, 1}}
		}
		r.Before.Launch, r.After.Launch = launch(tt.before), launch(tt.after)
		lost := -1
		var got []resource.Metric
		for i, a := range facts.AdviceOn(&r) {
			got = append(got, a.Metric)
			if strings.HasPrefix(a.Cause, "Fewer waves fit") {
				lost = i
			}
		}
		if !slices.Equal(got, tt.want) || lost != tt.lost {
			t.Errorf("%+v -> %+v: advice for %v, waves at %d; want %v and %d", tt.before, tt.after, got, lost, tt.want, tt.lost)
		}
	}
}
