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
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

var update = flag.Bool("update", false, "write the table of docs/reference/occupancy.md anew")

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
	scalars := kernel(32, 256, 0)
	scalars.Cells[resource.SGPR] = resource.Value(81)
	open := kernel(88, 1024, 0)
	open.Launch.ReqdWorkgroupSize = [3]int64{}
	for _, c := range []struct {
		record *resource.Record
		waves  int
		limit  string
		budget int
		next   string
		spare  string
	}{
		// 1,024 threads are 16 waves, 4 a SIMD: a fifth wave completes no workgroup, and
		// more than 128 registers leave room for none.
		{kernel(88, 1024, 0), 4, "VGPR", 128, "24 VGPRs too many for 8 waves", ""},
		{kernel(127, 1024, 0), 4, "VGPR", 128, "63 VGPRs too many for 8 waves", ""},
		// Where the launch chooses the size, a wave is a wave.
		{open, 5, "VGPR", 128, "8 VGPRs too many for 6 waves", "8 VGPRs to spare before 4 waves"},
		// 512 threads are 2 a SIMD.
		{kernel(72, 512, 0), 6, "VGPR", 256, "8 VGPRs too many for 8 waves", "8 VGPRs to spare before 4 waves"},
		{kernel(80, 512, 0), 6, "VGPR", 256, "16 VGPRs too many for 8 waves", "0 VGPRs to spare before 4 waves"},
		{kernel(64, 256, 0), 8, "", 512, "", "0 VGPRs to spare before 7 waves"},
		{kernel(65, 256, 0), 7, "VGPR", 512, "1 VGPR too many for 8 waves", "7 VGPRs to spare before 6 waves"},
		{kernel(512, 256, 0), 1, "VGPR", 512, "256 VGPRs too many for 2 waves", ""},
		// LDS decides.
		{kernel(80, 256, 40<<10), 1, "LDS", 512, "8192 bytes of LDS too many for 2 waves", ""},
		{kernel(80, 256, 20<<10), 3, "LDS", 512, "4096 bytes of LDS too many for 4 waves", "1365 bytes of LDS to spare before 2 waves"},
		// 5 waves by registers and 5 workgroups by LDS: less of one gives nothing.
		{kernel(96, 256, 12<<10), 5, "VGPR", 512, "", "0 VGPRs to spare before 4 waves"},
		// Scalar registers decide, with the 16 of the trap handler.
		{scalars, 7, "SGPR", 512, "1 SGPR too many for 8 waves", "15 SGPRs to spare before 6 waves"},
	} {
		s := occupancy.Of(c.record)
		if !s.Known || s.Waves != c.waves || s.Limit != c.limit || s.Budget != c.budget || s.Next() != c.next || s.Spare() != c.spare {
			t.Errorf("%+v, %d bytes of LDS: %d waves by %q, budget %d, %q, %q; want %d by %q, %d, %q, %q", c.record.Launch, c.record.Cells[resource.LDSStaticBytes].Value,
				s.Waves, s.Limit, s.Budget, s.Next(), s.Spare(), c.waves, c.limit, c.budget, c.next, c.spare)
		}
	}
}

// TestEveryStep holds the steps against a search through all amounts: the next step
// up is the most of the resource that gives more waves, the next down the least
// that costs some and that a launch can have.
func TestEveryStep(t *testing.T) {
	for _, p := range gfx.Processors() {
		for _, lanes := range []int64{32, 64} {
			file, ok := p.Waves.File(lanes)
			if !ok {
				continue
			}
			for _, threads := range []int64{lanes, 192, 512, 1024} {
				for _, lds := range []int64{0, 12 << 10, 40 << 10} {
					record := func(vgprs int64) *resource.Record {
						r := kernel(vgprs, threads, lds)
						r.Target.Processor, r.Launch.WavefrontSize = p.Name, lanes
						r.Occupancy = r.Occupy()
						return r
					}
					waves := make([]int, p.Waves.Addressable+2)
					for v := 1; v <= p.Waves.Addressable; v++ {
						waves[v], _ = occupancy.Waves(record(int64(v)))
					}
					for v := 1; v <= p.Waves.Addressable; v += file.Granule/2 + 1 {
						s := occupancy.Of(record(int64(v)))
						if s.Unlaunchable != "" || s.Limit == gfx.LDS {
							continue
						}
						up, down := v-1, v+1
						for up > 0 && waves[up] <= waves[v] {
							up--
						}
						for down <= p.Waves.Addressable && waves[down] >= waves[v] {
							down++
						}
						if waves[down] == 0 {
							down = 0 // cannot be launched
						}
						check(t, s.Up, int64(up), waves[up], fmt.Sprintf("up from %d on %s, %d threads, %d lanes, LDS %d", v, p.Name, threads, lanes, lds))
						check(t, s.Down, int64(down), waves[down], fmt.Sprintf("down from %d on %s, %d threads, %d lanes, LDS %d", v, p.Name, threads, lanes, lds))
						if t.Failed() {
							t.FailNow()
						}
					}
				}
			}
		}
	}
}

func check(t *testing.T, s *occupancy.Step, amount int64, waves int, what string) {
	t.Helper()
	switch {
	case s == nil && amount == 0:
	case s == nil || s.Amount != amount || s.Waves != waves || s.Resource != gfx.VGPR:
		t.Errorf("%s: %+v, want %d waves at %d", what, s, waves, amount)
	}
}

// The same of LDS, on one processor.
func TestEveryStepOfLDS(t *testing.T) {
	const most = 64 << 10
	for _, threads := range []int64{64, 256, 320, 1024} {
		waves := make([]int, most+1)
		for lds := range waves {
			waves[lds], _ = occupancy.Waves(kernel(8, threads, int64(lds)))
		}
		for lds := 1; lds <= most; lds += 509 {
			s := occupancy.Of(kernel(8, threads, int64(lds)))
			if s.Limit != gfx.LDS {
				continue
			}
			up, down := lds, lds
			for waves[up] <= waves[lds] {
				up--
			}
			for down <= most && waves[down] >= waves[lds] {
				down++
			}
			if s.Up == nil || s.Up.Amount != int64(up) || s.Up.Waves != waves[up] || (s.Down == nil) != (down > most) || s.Down != nil && s.Down.Amount != int64(down) {
				t.Fatalf("%d bytes at %d threads: %+v and %+v, want %d and %d", lds, threads, s.Up, s.Down, up, down)
			}
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
		if s := occupancy.Of(r); s.Known || s.Why == "" || s.Waves != 0 || s.Next() != "" || s.Spare() != "" {
			t.Errorf("%s: %+v", name, s)
		}
		if _, known := occupancy.Waves(r); known || occupancy.Crossed(kernel(88, 256, 0), r) {
			t.Errorf("%s: the waves are known", name)
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
	if occupancy.Crossed(kernel(72, 512, 0), kernel(80, 512, 0)) {
		t.Error("7 to 6 waves of 512 threads is no step: 3 workgroups are resident")
	}
}

// Of what cannot be launched there are 0 waves, and nothing else is said.
func TestUnlaunchable(t *testing.T) {
	for name, r := range map[string]*resource.Record{
		"LDS": kernel(8, 256, 128<<10), "VGPRs": kernel(129, 1024, 0), "threads": kernel(8, 2048, 0),
	} {
		waves, known := occupancy.Waves(r)
		if s := occupancy.Of(r); waves != 0 || !known || s.Known || s.Unlaunchable == "" || !strings.Contains(s.Why, s.Unlaunchable) {
			t.Errorf("%s: %d waves, %v: %+v", name, waves, known, s)
		}
		if occupancy.Crossed(kernel(8, 256, 0), r) {
			t.Errorf("%s: a step was crossed", name)
		}
	}
	r := kernel(129, 1024, 0)
	r.Launch.DynamicVGPR = true
	if r.Occupancy = r.Occupy(); r.Occupancy.Unlaunchable != "" {
		t.Errorf("the registers that it starts with are not known: %+v", r.Occupancy)
	}
	r = kernel(8, 256, 128<<10)
	r.Problems = []problem.Problem{problem.New(problem.CountsContradict, "d::k: two counts")}
	if r.Occupancy = r.Occupy(); r.Occupancy.Unlaunchable != "" {
		t.Errorf("its figures are in doubt: %+v", r.Occupancy)
	}
}

// TestSteps holds the table of docs/reference/occupancy.md against the processors.
func TestSteps(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "reference", "occupancy.md")
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
		t.Errorf("docs/reference/occupancy.md (-want +got; run with -update):\n%s", d)
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
