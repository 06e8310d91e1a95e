package occupancy_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/gfx"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

var update = flag.Bool("update", false, "write the table of docs/occupancy.md anew")

// kernel is one of gfx942 in workgroups of that many threads.
func kernel(vgprs, threads, lds int64) *resource.Record {
	r := &resource.Record{Key: "d::k", Name: "k"}
	r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
	for m := range r.Cells {
		r.Cells[m] = resource.Value(0)
	}
	r.Cells[resource.LDSStaticBytes] = resource.Value(lds)
	r.Launch = resource.Launch{NextFreeVGPR: vgprs, WavefrontSize: 64, MaxFlatWorkgroupSize: threads, ReqdWorkgroupSize: [3]int64{threads, 1, 1}}
	r.Occupancy = r.Occupy()
	return r
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		record  *resource.Record
		waves   int
		limiter string
		whole   int
		budget  int
		next    string
		spare   string
	}{
		// 1,024 threads are 16 waves, 4 a SIMD: a fifth wave completes no workgroup.
		{kernel(88, 1024, 0), 5, "VGPR", 4, 128, "8 VGPRs too many for 6 waves", "8 VGPRs to spare before 4 waves"},
		{kernel(127, 1024, 0), 4, "VGPR", 4, 128, "31 VGPRs too many for 5 waves", "1 VGPR to spare before 3 waves"},
		{kernel(128, 1024, 0), 4, "VGPR", 4, 128, "32 VGPRs too many for 5 waves", "0 VGPRs to spare before 3 waves"},
		{kernel(64, 256, 0), 8, "", 8, 512, "", "0 VGPRs to spare before 7 waves"},
		{kernel(65, 256, 0), 7, "VGPR", 7, 512, "1 VGPR too many for 8 waves", "7 VGPRs to spare before 6 waves"},
		{kernel(512, 256, 0), 1, "VGPR", 1, 512, "256 VGPRs too many for 2 waves", ""},
		// LDS for one workgroup of 4 waves: fewer registers would give nothing.
		{kernel(80, 256, 40<<10), 1, "LDS", 1, 512, "", ""},
		{kernel(80, 256, 20<<10), 3, "LDS", 3, 512, "", "88 VGPRs to spare before 2 waves"},
		// 5 waves by registers and 5 workgroups by LDS: fewer registers would give nothing either.
		{kernel(96, 256, 12<<10), 5, "VGPR", 5, 512, "", "0 VGPRs to spare before 4 waves"},
	} {
		s := occupancy.Of(c.record)
		if !s.Known || s.Launch != c.waves || s.Limiter != c.limiter || s.Resident.Waves != c.whole || s.Budget != c.budget || s.Next() != c.next || s.Spare() != c.spare {
			t.Errorf("%d VGPRs: %d waves by %q, %d whole, budget %d, %q, %q; want %d by %q, %d, %d, %q, %q", c.record.Launch.NextFreeVGPR,
				s.Launch, s.Limiter, s.Resident.Waves, s.Budget, s.Next(), s.Spare(), c.waves, c.limiter, c.whole, c.budget, c.next, c.spare)
		}
	}
}

// What is not known is said, and what is only a bound.
func TestUnknown(t *testing.T) {
	for name, change := range map[string]func(*resource.Record){
		"no workgroup size": func(r *resource.Record) { r.Launch.ReqdWorkgroupSize, r.Launch.MaxFlatWorkgroupSize = [3]int64{}, 0 },
		"no wave size":      func(r *resource.Record) { r.Launch.WavefrontSize = 0 },
		"no registers":      func(r *resource.Record) { r.Launch.NextFreeVGPR = 0 },
		"too many":          func(r *resource.Record) { r.Launch.NextFreeVGPR = 513 },
		"unread LDS":        func(r *resource.Record) { r.Cells[resource.LDSStaticBytes] = resource.Unread("cut") },
		"new processor":     func(r *resource.Record) { r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx1399") },
	} {
		r := kernel(88, 256, 0)
		change(r)
		r.Occupancy = r.Occupy()
		if s := occupancy.Of(r); s.Known || s.Why == "" || s.Launch != 0 || s.Next() != "" || s.Spare() != "" {
			t.Errorf("%s: %+v", name, s)
		}
		if occupancy.Crossed(kernel(88, 256, 0), r) {
			t.Errorf("%s: a step was crossed", name)
		}
	}
	r := kernel(88, 256, 0)
	r.Launch.DynamicLDS = true
	if s := occupancy.Of(r); !s.Known || !strings.Contains(s.Bound, "dynamic LDS") {
		t.Errorf("%+v", s)
	}
	if !occupancy.Crossed(kernel(88, 256, 0), kernel(97, 256, 0)) || occupancy.Crossed(kernel(97, 256, 0), kernel(128, 256, 0)) {
		t.Error("5 to 4 waves is a step, 4 to 4 is none")
	}
}

// TestSteps holds the table of docs/occupancy.md against the processors.
func TestSteps(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "occupancy.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- steps: written by the tests of engine/occupancy -->\n", "<!-- end of steps -->\n"
	head, rest, ok := strings.Cut(string(data), begin)
	table, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the marks of the table are gone")
	}
	want := steps()
	if *update {
		if err := os.WriteFile(path, []byte(head+begin+want+end+tail), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, table); d != "" {
		t.Errorf("docs/occupancy.md (-want +got; run with -update):\n%s", d)
	}
}

// steps is the table: processors with the same steps share a row.
func steps() string {
	var order []string
	names := map[string][]string{}
	for _, p := range gfx.Processors() {
		for _, lanes := range []int64{32, 64} {
			curve := gfx.Steps(p, lanes)
			if curve == nil {
				continue
			}
			var cells []string
			for _, s := range curve {
				cells = append(cells, fmt.Sprintf("%d: %d", s.Waves, s.VGPRs))
			}
			key := fmt.Sprintf("| %d | %s |", lanes, strings.Join(cells, ", "))
			if names[key] == nil {
				order = append(order, key)
			}
			names[key] = append(names[key], p.Name)
		}
	}
	b := "| processors | lanes of a wave | waves: most VGPRs |\n|---|---|---|\n"
	for _, key := range order {
		b += "| " + strings.Join(names[key], ", ") + " " + key + "\n"
	}
	return b
}
