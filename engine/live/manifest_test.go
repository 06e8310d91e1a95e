package live

import (
	"slices"
	"testing"
	"time"

	"isadiff/engine/dump"
)

// TestManifest: the manifest that a capture writes at its end names the compiler of
// dumps that are shown already, and one that goes takes the name with it.
func TestManifest(t *testing.T) {
	r := newRig(t, base, base)
	compilers := func(s *State) []string { return r.kernel(s, "transpose_static_0").Live.Compilers }
	before := r.sync()
	if got := compilers(before); len(got) > 0 {
		t.Fatalf("without a manifest: %q", got)
	}
	name := r.path("dumps/" + dump.ManifestName)
	r.put("dumps/"+dump.ManifestName, `{"compilers": [{"name": "flydsl", "version": "0.5.0"}]}`, noon.Add(time.Minute))
	r.DumpsChanged(Batch{Settled: []Settled{file(t, name)}})
	s := r.sync()
	if got := compilers(s); !slices.Equal(got, []string{"FlyDSL 0.5.0"}) {
		t.Errorf("with a manifest: %q", got)
	}
	if s.Verdict != before.Verdict || len(s.Kernels) != len(before.Kernels) {
		t.Errorf("%v, %d kernels; before %v, %d", s.Verdict, len(s.Kernels), before.Verdict, len(before.Kernels))
	}
	r.copy(fixture(base+"/transpose"), "dumps/transpose", noon.Add(time.Hour)) // a plain compile
	r.DumpsChanged(everything(t, r.dumps))
	if got := compilers(r.sync()); len(got) > 0 {
		t.Errorf("of a later compile: %q", got)
	}
	if got := r.kernel(r.sync(), "window_filter_0").Live.Compilers; len(got) != 1 {
		t.Errorf("of the capture's own: %q", got)
	}
	r.remove("dumps/" + dump.ManifestName)
	r.DumpsChanged(Batch{Removed: []string{name}})
	if got := r.kernel(r.sync(), "window_filter_0").Live.Compilers; len(got) > 0 {
		t.Errorf("after the manifest went: %q", got)
	}
}
