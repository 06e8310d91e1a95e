// Package objecttest holds code objects against the assembly that they were made of,
// for tests.
package objecttest

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"isadiff/engine/codeobject"
	"isadiff/engine/isa"
	"isadiff/engine/resource"
)

// Agree fails t unless a code object has the figures of the assembly: every figure
// that it states, the target, and the waves with what limits them. It returns the
// number of kernels.
func Agree(t *testing.T, assembly, object []byte) int {
	t.Helper()
	want, problems := resource.FromFile(isa.Parse(assembly), "", "k.s")
	if len(problems) > 0 {
		t.Fatalf("the assembly has problems: %v", problems)
	}
	kernels := map[string]*resource.Record{}
	for _, r := range want {
		kernels[r.Name] = r
	}
	found := codeobject.Read(context.Background(), bytes.NewReader(object), int64(len(object)), func(o codeobject.Object) {
		records, problems := resource.FromFile(o.File, "", "k.hsaco")
		if len(problems) > 0 {
			t.Errorf("the code object has problems: %v", problems)
		}
		for _, got := range records {
			if want := kernels[got.Name]; want == nil {
				t.Errorf("%s is in the code object alone", got.Name)
			} else {
				agree(t, want, got)
			}
			delete(kernels, got.Name)
		}
	})
	if len(found.Problems)+len(found.Warnings) > 0 {
		t.Errorf("problems %v, warnings %q", found.Problems, found.Warnings)
	}
	for name := range kernels {
		t.Errorf("%s is not in the code object", name)
	}
	return len(want)
}

func agree(t *testing.T, want, got *resource.Record) {
	t.Helper()
	if len(got.Problems) > 0 {
		t.Errorf("%s has problems: %v", got.Name, got.Problems)
	}
	for m := range want.Cells {
		w, g := want.Cells[m], got.Cells[m]
		metric := resource.Metric(m)
		switch stated := metric.Trigger() || metric == resource.AGPR; {
		case g.State == resource.Unparsed, stated && w.State == resource.Known && g != w:
			t.Errorf("%s: %s is %s (%s), the assembly has %s", got.Name, metric, g, g.Reason, w)
		case g.State == resource.Known && w.State == resource.Known && g != w:
			t.Errorf("%s: %s is %s, the assembly has %s", got.Name, metric, g, w)
		}
	}
	if got.Target.Processor != want.Target.Processor || !slices.Equal(got.Target.Features, want.Target.Features) {
		t.Errorf("%s: the target is %+v, the assembly has %+v", got.Name, got.Target, want.Target)
	}
	// What only instructions and comments tell is not known of a code object.
	launch := want.Launch
	launch.CompilerWaves, launch.DynamicLDS, launch.DynamicVGPR = 0, got.Launch.DynamicLDS, false
	if got.Launch != launch {
		t.Errorf("%s: the launch is %+v, the assembly has %+v", got.Name, got.Launch, launch)
	}
	if got.Occupancy.Launch != want.Occupancy.Launch || got.Occupancy.Limiter != want.Occupancy.Limiter || got.Occupancy.Unlaunchable != want.Occupancy.Unlaunchable {
		t.Errorf("%s: the occupancy is %+v, the assembly has %+v", got.Name, got.Occupancy, want.Occupancy)
	}
}
