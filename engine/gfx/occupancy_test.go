package gfx

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type occupancyCase struct {
	compiler, processor, from string
	resources                 Resources
	launch, llvm              int
}

// occupancyCases reads kernels that LLVM 14 to 22 compiled, with the figure of
// the compiler's "; Occupancy:" comment.
func occupancyCases(t *testing.T) []occupancyCase {
	t.Helper()
	data, err := os.ReadFile("testdata/occupancy.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var cases []occupancyCase
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(line, "\t")
		if n < 2 {
			continue
		}
		number := func(i int) int64 {
			v, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				t.Fatalf("testdata/occupancy.tsv:%d: %v", n+1, err)
			}
			return v
		}
		cases = append(cases, occupancyCase{f[0], f[1], f[11], Resources{
			VGPRs: number(2), SGPRs: number(3), LDS: number(4), WavefrontSize: number(5),
			MaxWorkgroupSize: number(6), WorkgroupSize: number(7), CUMode: number(8) == 1,
		}, int(number(9)), int(number(10))})
	}
	return cases
}

func processor(t *testing.T, name string) Processor {
	t.Helper()
	p, ok := LookupProcessor(name)
	if !ok {
		t.Fatalf("%s is not in the table", name)
	}
	return p
}

func TestWavesAgainstCompiler(t *testing.T) {
	checked := 0
	for _, c := range occupancyCases(t) {
		got := Waves(processor(t, c.processor), c.resources)
		if got.Launch != c.launch {
			t.Errorf("%s %s %+v: %d waves at the launch size, want %d", c.compiler, c.processor, c.resources, got.Launch, c.launch)
		}
		want := c.llvm
		switch {
		case c.compiler == "llvm19":
			// LLVM 19 assumes the largest workgroup, and nothing else than the
			// launch figure to compare with.
			want, got.LLVM = c.llvm, got.Launch
		case c.compiler == "llvm14" && c.resources.LDS == 64<<10:
			continue // LLVM 14 ignores an LDS size that fills the compute unit
		}
		if got.LLVM != want {
			t.Errorf("%s %s %+v: LLVM's figure is %d, want %d", c.compiler, c.processor, c.resources, got.LLVM, want)
		}
		if c.from == "comment" {
			checked++
		}
		c.resources.Compiler = int64(c.llvm)
		if got := Waves(processor(t, c.processor), c.resources).LLVM; got != c.llvm {
			t.Errorf("%s %+v: the compiler's own figure %d became %d", c.processor, c.resources, c.llvm, got)
		}
	}
	if checked < 400 {
		t.Errorf("only %d figures of a compiler were checked", checked)
	}
}

func TestWavesUnknown(t *testing.T) {
	whole := Resources{VGPRs: 64, SGPRs: 32, WavefrontSize: 64, MaxWorkgroupSize: 256}
	gfx942 := processor(t, "gfx942")
	if got := Waves(gfx942, whole); got.Launch != 8 || got.Limiter != "" {
		t.Fatalf("Waves(%+v) = %+v", whole, got)
	}
	for name, change := range map[string]func(*Resources){
		"no registers":              func(r *Resources) { r.VGPRs = 0 },
		"more than can be named":    func(r *Resources) { r.VGPRs = 513 },
		"no wave size":              func(r *Resources) { r.WavefrontSize = 0 },
		"a wave size it lacks":      func(r *Resources) { r.WavefrontSize = 32 },
		"no workgroup size":         func(r *Resources) { r.MaxWorkgroupSize = 0 },
		"an impossible workgroup":   func(r *Resources) { r.MaxWorkgroupSize = 1 << 40 },
		"negative scalar registers": func(r *Resources) { r.SGPRs = -1 },
	} {
		r := whole
		change(&r)
		if got := Waves(gfx942, r); got != (Occupancy{}) {
			t.Errorf("%s: %+v, want nothing", name, got)
		}
	}
	if got := Waves(Processor{Name: "gfx9999"}, whole); got != (Occupancy{}) {
		t.Errorf("a processor that is not in the table: %+v, want nothing", got)
	}
}

func TestLimiter(t *testing.T) {
	tests := []struct {
		processor string
		resources Resources
		launch    int
		limiter   string
	}{
		{"gfx942", Resources{VGPRs: 128, SGPRs: 32, WavefrontSize: 64, MaxWorkgroupSize: 256}, 4, "VGPR"},
		{"gfx906", Resources{VGPRs: 24, SGPRs: 80, WavefrontSize: 64, MaxWorkgroupSize: 256}, 8, "SGPR"},
		{"gfx906", Resources{VGPRs: 24, SGPRs: 96, WavefrontSize: 64, MaxWorkgroupSize: 256}, 7, "SGPR"},
		{"gfx942", Resources{VGPRs: 32, SGPRs: 32, LDS: 32 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, 2, "LDS"},
		// LLVM gives a wave all registers that the waves of the group leave.
		{"gfx942", Resources{VGPRs: 129, Used: 74, SGPRs: 32, LDS: 20 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, 3, "LDS"},
		{"gfx942", Resources{VGPRs: 129, Used: 129, SGPRs: 32, LDS: 20 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, 3, "VGPR"},
		{"gfx942", Resources{VGPRs: 129, SGPRs: 32, LDS: 20 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, 3, "VGPR"},
		{"gfx942", Resources{VGPRs: 129, Used: 74, SGPRs: 32, LDS: 1 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, 3, "VGPR"},
		{"gfx906", Resources{VGPRs: 8, SGPRs: 16, WavefrontSize: 64, MaxWorkgroupSize: 1024}, 8, "workgroup"},
		{"gfx1100", Resources{VGPRs: 8, SGPRs: 16, WavefrontSize: 32, MaxWorkgroupSize: 256}, 16, ""},
	}
	for _, test := range tests {
		got := Waves(processor(t, test.processor), test.resources)
		if got.Launch != test.launch || got.Limiter != test.limiter {
			t.Errorf("%s %+v: %+v, want %d limited by %q", test.processor, test.resources, got, test.launch, test.limiter)
		}
	}
}

// TestTrapHandler checks the waves that scalar registers leave: the figures of the
// remarks (-Rpass-analysis=kernel-resource-usage) of LLVM 23.1.4, and of the comment
// in a file of Triton 3.9.
func TestTrapHandler(t *testing.T) {
	for _, test := range []struct {
		processor string
		sgprs     int64
		waves     int
	}{
		{"gfx942", 67, 8}, {"gfx942", 77, 8}, {"gfx942", 81, 7}, {"gfx942", 91, 7}, {"gfx90a", 89, 7}, {"gfx900", 103, 6}, {"gfx1100", 85, 16},
		{"gfx900", 64, 10}, {"gfx900", 65, 8}, {"gfx900", 81, 7}, {"gfx900", 97, 6}, {"gfx942", 100, 6}, {"gfx803", 64, 10}, {"gfx803", 81, 7},
	} {
		p := processor(t, test.processor)
		wave := int64(64)
		if p.Waves.Wave32.Granule > 0 {
			wave = 32
		}
		if got := Waves(p, Resources{VGPRs: 1, SGPRs: test.sgprs, WavefrontSize: wave, MaxWorkgroupSize: 256}); got.Launch != test.waves || got.LLVM != test.waves {
			t.Errorf("%s with %d SGPRs: %+v, want %d", test.processor, test.sgprs, got, test.waves)
		}
	}
}

// What a compiler says is another figure for a reason, and that is said. The
// figures of LLVM 14 were measured.
func TestDisagreement(t *testing.T) {
	for _, test := range []struct {
		processor string
		resources Resources
		figure    int
		reason    string // begins with; "" if they agree
	}{
		{"gfx942", Resources{VGPRs: 2, SGPRs: 81, MaxWorkgroupSize: 256, Compiler: 7}, 0, ""},
		{"gfx942", Resources{VGPRs: 2, SGPRs: 81, MaxWorkgroupSize: 256, Compiler: 8}, 7, "LLVM before version 23"},
		{"gfx900", Resources{VGPRs: 2, SGPRs: 84, MaxWorkgroupSize: 256, Compiler: 9}, 7, "LLVM before version 23"},
		{"gfx900", Resources{VGPRs: 2, SGPRs: 8, LDS: 20000, MaxWorkgroupSize: 256, Compiler: 10}, 3, "LLVM before version 16"},
		{"gfx900", Resources{VGPRs: 2, SGPRs: 8, LDS: 40000, MaxWorkgroupSize: 256, Compiler: 4}, 1, "LLVM before version 16"},
		{"gfx90a", Resources{VGPRs: 2, SGPRs: 8, LDS: 65536, MaxWorkgroupSize: 256, Compiler: 4}, 1, "LLVM before version 16"},
		{"gfx942", Resources{VGPRs: 2, SGPRs: 8, LDS: 20000, MaxWorkgroupSize: 320, Compiler: 4}, 0, ""},
		{"gfx900", Resources{VGPRs: 2, SGPRs: 8, MaxWorkgroupSize: 1024, Compiler: 8}, 10, "it is for workgroups of the largest size"},
		{"gfx950", Resources{VGPRs: 2, SGPRs: 8, LDS: 54613, MaxWorkgroupSize: 256, WorkgroupSize: 256, Compiler: 2}, 3, "LLVM rounds LDS up"},
		{"gfx942", Resources{VGPRs: 2, SGPRs: 8, MaxWorkgroupSize: 256, Compiler: 5}, 8, "none of the known ways"},
	} {
		test.resources.WavefrontSize = 64
		figure, reason := Disagreement(processor(t, test.processor), test.resources)
		if (reason == "") != (test.reason == "") || !strings.HasPrefix(reason, test.reason) || reason != "" && figure != test.figure {
			t.Errorf("%s %+v: %d, %q; want %d, %q", test.processor, test.resources, figure, reason, test.figure, test.reason)
		}
	}
}

func TestUnlaunchable(t *testing.T) {
	for _, test := range []struct {
		processor string
		resources Resources
		want      string // holds; "" if it can be launched, or that is not certain
	}{
		{"gfx1201", Resources{VGPRs: 8, LDS: 131072, WavefrontSize: 32, MaxWorkgroupSize: 256}, "131072 bytes of LDS, and a workgroup on gfx1201 has 65536 at most"},
		{"gfx1201", Resources{VGPRs: 8, LDS: 65536, WavefrontSize: 32, MaxWorkgroupSize: 256}, ""},
		{"gfx942", Resources{VGPRs: 8, LDS: 65537, WavefrontSize: 64, MaxWorkgroupSize: 256}, "has 65536"},
		{"gfx950", Resources{VGPRs: 8, LDS: 160 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, ""},
		{"gfx950", Resources{VGPRs: 8, LDS: 160<<10 + 1, WavefrontSize: 64, MaxWorkgroupSize: 256}, "has 163840"},
		{"gfx9-4-generic", Resources{VGPRs: 8, LDS: 160 << 10, WavefrontSize: 64, MaxWorkgroupSize: 256}, ""}, // gfx950 runs it
		{"gfx1250", Resources{VGPRs: 8, LDS: 320 << 10, WavefrontSize: 32, MaxWorkgroupSize: 256}, ""},
		{"gfx1250", Resources{VGPRs: 8, LDS: 320<<10 + 1, WavefrontSize: 32, MaxWorkgroupSize: 256}, "has 327680"},
		{"gfx942", Resources{VGPRs: 128, WavefrontSize: 64, WorkgroupSize: 1024}, ""},
		{"gfx942", Resources{VGPRs: 129, WavefrontSize: 64, WorkgroupSize: 1024}, "129 VGPRs a wave, and workgroups of 1024 threads leave 128"},
		{"gfx942", Resources{VGPRs: 129, WavefrontSize: 64, MaxWorkgroupSize: 1024}, ""}, // the launch may be smaller
		{"gfx942", Resources{VGPRs: 8, WavefrontSize: 64, WorkgroupSize: 1025}, "runs 1024"},
		{"gfx942", Resources{VGPRs: 8, WavefrontSize: 64, MaxWorkgroupSize: 2048}, ""},
		{"gfx1100", Resources{VGPRs: 192, WavefrontSize: 32, WorkgroupSize: 1024}, ""},
		{"gfx1100", Resources{VGPRs: 97, WavefrontSize: 32, WorkgroupSize: 1024, CUMode: true}, "leave 96"},
		{"gfx1100", Resources{VGPRs: 97, WavefrontSize: 32, WorkgroupSize: 1024}, ""},
	} {
		if got := Unlaunchable(processor(t, test.processor), test.resources); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s %+v: %q, want %q", test.processor, test.resources, got, test.want)
		}
	}
	if got := Unlaunchable(Processor{Name: "gfx9999"}, Resources{LDS: 1 << 30}); got != "" {
		t.Errorf("a processor that is not in the table: %q", got)
	}
}

// TestSteps checks the curves against those that were measured.
func TestSteps(t *testing.T) {
	tests := []struct {
		processors string
		wavefront  int64
		want       string
	}{
		{"gfx803 gfx900 gfx906 gfx908", 64, "10:24 9:28 8:32 7:36 6:40 5:48 4:64 3:84 2:128 1:256"},
		{"gfx90a gfx942 gfx950", 64, "8:64 7:72 6:80 5:96 4:128 3:168 2:256 1:512"},
		{"gfx1030", 32, "16:64 12:80 10:96 9:112 8:128 7:144 6:160 5:192 4:256"},
		{"gfx1100 gfx1201", 32, "16:96 12:120 10:144 9:168 8:192 7:216 6:240 5:256"},
		{"gfx1250", 32, "16:64 12:80 10:96 9:112 8:128 7:144 6:160 5:192 4:256 3:336 2:512 1:1024"},
		{"gfx942", 32, ""},
	}
	for _, test := range tests {
		for name := range strings.FieldsSeq(test.processors) {
			p := processor(t, name)
			var got []string
			for _, s := range Steps(p, test.wavefront) {
				got = append(got, fmt.Sprintf("%d:%d", s.Waves, s.VGPRs))
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("%s wave%d: %s, want %s", name, test.wavefront, s, test.want)
			}
		}
	}
}

// TestStepsAgreeWithWaves checks every register count of every processor: the
// step it lies on allows as many waves as the formula says.
func TestStepsAgreeWithWaves(t *testing.T) {
	for _, p := range processors {
		for _, wavefront := range []int64{32, 64} {
			file, ok := p.Waves.File(wavefront)
			if !ok {
				continue
			}
			for vgprs := int64(1); vgprs <= int64(p.Waves.Addressable); vgprs++ {
				steps := Steps(p, wavefront)
				i := slices.IndexFunc(steps, func(s Step) bool { return vgprs <= int64(s.VGPRs) })
				if want := p.Waves.vgprWaves(file, vgprs); i < 0 || int64(steps[i].Waves) != want {
					t.Fatalf("%s wave%d, %d registers: step %d of %v, formula %d", p.Name, wavefront, vgprs, i, steps, want)
				}
			}
			if steps := Steps(p, wavefront); steps[len(steps)-1].VGPRs > p.Waves.Addressable {
				t.Errorf("%s: more registers than a wave can name lie on a step", p.Name)
			}
		}
	}
}

func TestWholeWorkgroups(t *testing.T) {
	gfx942 := processor(t, "gfx942")
	r := Resources{SGPRs: 32, WavefrontSize: 64, MaxWorkgroupSize: 1024, WorkgroupSize: 1024}
	for _, test := range []struct {
		vgprs       int64
		waves, want int
	}{{88, 5, 4}, {127, 4, 4}, {64, 8, 8}, {129, 3, 0}} {
		r.VGPRs = test.vgprs
		p, ok := Resident(gfx942, r)
		if w := gfx942.Waves.vgprWaves(gfx942.Waves.Wave64, test.vgprs); !ok || int(w) != test.waves || p.Waves != test.want {
			t.Errorf("%d registers: %d waves, %+v resident; want %d and %d", test.vgprs, w, p, test.waves, test.want)
		}
	}
	r.VGPRs, r.LDS = 64, 64<<10
	if p, _ := Resident(gfx942, r); p != (Residency{Workgroups: 1, Waves: 4, Limiter: "LDS"}) {
		t.Errorf("with all of LDS: %+v", p)
	}
}

func TestBudget(t *testing.T) {
	for _, test := range []struct {
		processor       string
		wavefront, size int64
		want            int
	}{
		{"gfx942", 64, 1024, 128},
		{"gfx942", 64, 256, 512},
		{"gfx1100", 32, 1024, 192},
		{"gfx1100", 32, 256, 256},
		{"gfx1250", 32, 128, 1024},
	} {
		got, ok := Budget(processor(t, test.processor), Resources{VGPRs: 1, WavefrontSize: test.wavefront, MaxWorkgroupSize: test.size})
		if !ok || got != test.want {
			t.Errorf("%s at %d work-items: %d, want %d", test.processor, test.size, got, test.want)
		}
	}
}

func TestEveryProcessorHasLimits(t *testing.T) {
	for _, p := range processors {
		if l := p.Waves; l.MaxWaves == 0 || l.LDS == 0 || l.Addressable == 0 || !slices.ContainsFunc([]RegisterFile{l.Wave32, l.Wave64}, func(f RegisterFile) bool { return f.Granule > 0 }) {
			t.Errorf("%s: %+v", p.Name, l)
		}
	}
}
