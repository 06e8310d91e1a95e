package pressure

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// FuzzAnalyze checks that no text makes the analysis crash, and that its figures
// keep their bounds and are the same when it is done again.
func FuzzAnalyze(f *testing.F) {
	paths, err := filepath.Glob("testdata/vectors/*.s")
	if err != nil || len(paths) == 0 {
		f.Fatal("no vectors", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 10_000 {
			f.Add(data)
		}
	}
	f.Add(kernel("s_set_vgpr_msb 0x80\nv_mov_b32 v0 /*v256*/, v1\n1: s_cbranch_scc0 1b\ns_setpc_b64 s[0:1]", located))
	f.Add(kernel(callCode("f")+"s_endpgm", function("f", callCode("k")+"s_setpc_b64 s[30:31]")))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := Index(data)
		for _, name := range append([]string{"k"}, file.Kernels()...) {
			a := file.Analyze(name)
			if again := Index(data).Analyze(name); !reflect.DeepEqual(a, again) {
				t.Fatalf("a second look differs: %+v, %+v", a, again)
			}
			check(t, a)
			l := file.List(name)
			if !reflect.DeepEqual(l.Analysis, a) || a.Refused == "" && len(l.Body) != a.Instructions {
				t.Fatalf("a list of %d instructions differs: %+v, %+v", len(l.Body), l.Analysis, a)
			}
			for _, loop := range l.Loops {
				if len(loop.Body) == 0 || loop.Body[len(loop.Body)-1] >= len(l.Body) || loop.Depth < 1 {
					t.Fatalf("%+v in %d instructions", loop, len(l.Body))
				}
			}
		}
	})
}

// check checks what holds of every analysis.
func check(t *testing.T, a Analysis) {
	t.Helper()
	limits := []int{maxVGPR, maxAGPR, maxSGPR}
	for file, p := range []Peak{a.VGPR, a.AGPR, a.SGPR} {
		switch {
		case p.Refused != "":
			if p.Peak != 0 || p.Bound != "" {
				t.Errorf("refused, yet %+v", p)
			}
		case p.Peak < 0 || p.Peak > limits[file] || p.Bound == "":
			t.Errorf("%+v", p)
		case p.Peak == 0 && p.Index != -1, p.Peak > 0 && (p.Index < 0 || p.Index >= a.Instructions || p.Line < a.Line):
			t.Errorf("%+v of %d instructions", p, a.Instructions)
		}
	}
	var instructions, stores, vgprs int
	for _, l := range a.Lines {
		instructions += l.Instructions
		stores += l.SpillStores
		vgprs = max(vgprs, l.VGPRs)
	}
	if a.Refused == "" && (instructions != a.Instructions || stores != a.SpillStores || vgprs != a.VGPR.Peak) {
		t.Errorf("the lines have %d instructions, %d spill stores, %d live VGPRs: %+v", instructions, stores, vgprs, a)
	}
}
