package report_test

import (
	"bytes"
	"strings"
	"testing"

	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/where"
)

// whereResult is a result with a kernel of each kind.
func whereResult() *where.Result {
	source := func(line int) pressure.SourceLine { return pressure.SourceLine{File: "/home/me/gemm.py", Line: line} }
	record := kernel("gemm::gemm_0", figures{resource.ArchVGPR: 548, resource.NumberedSGPR: 40})
	return &where.Result{
		Origin: "dumps",
		Kernels: []where.Kernel{
			{Key: "gemm::gemm_0", File: "gemm/23_final_isa.s", Record: record, Analysis: pressure.Analysis{
				Kernel: "gemm_0", Line: 12, Instructions: 900, Blocks: 7,
				VGPR:        pressure.Peak{Peak: 548, Index: 31, Line: 80, Source: source(83), Near: source(83), Bound: pressure.Exact},
				AGPR:        pressure.Peak{Index: -1, Bound: pressure.Exact},
				SGPR:        pressure.Peak{Peak: 33, Index: 2, Line: 17, Near: source(79), Bound: pressure.AtLeast},
				SpillStores: 12, SpillLoads: 1, SpillBound: pressure.Exact,
				Lines: []pressure.Line{
					{Source: source(79), Instructions: 600, LDSReads: 3, LDSWrites: 2, LDSDirect: 1, VGPRs: 540},
					{Source: source(83), Instructions: 300, SpillStores: 12, SpillLoads: 1, ScratchStores: 12, ScratchLoads: 1, VGPRs: 548},
				},
			}},
			{Key: "gemm::calls_1", File: "gemm/23_final_isa.s", Analysis: pressure.Analysis{
				Kernel: "calls_1", Line: 400, Instructions: 30, Blocks: 1,
				VGPR:       pressure.Peak{Peak: 4, Index: 3, Line: 410, Bound: pressure.OwnBody},
				AGPR:       pressure.Peak{Peak: 2, Index: 4, Line: 411, Bound: pressure.OwnBody},
				SGPR:       pressure.Peak{Index: -1, Refused: "the kernel calls functions, and which scalar registers they need is not known (assembly line 405)"},
				SpillLoads: 2, SpillBound: pressure.AtMost,
				Lines: []pressure.Line{{Instructions: 30, VGPRs: 4}},
			}},
			{Key: "gemm::macros_2", File: "gemm/23_final_isa.s", Analysis: pressure.Analysis{
				Kernel: "macros_2", Line: 500,
				VGPR: pressure.Peak{Index: -1, Refused: "the file defines macros (assembly line 3)"},
				AGPR: pressure.Peak{Index: -1, Refused: "the file defines macros (assembly line 3)"},
				SGPR: pressure.Peak{Index: -1, Refused: "the file defines macros (assembly line 3)"}, Refused: "the file defines macros (assembly line 3)",
			}},
		},
		Problems: []problem.Problem{problem.New(problem.BodyUnbounded, "gemm/23_final_isa.s: macros_2: the file defines macros (assembly line 3)").In("gemm/23_final_isa.s").At(500).Of("gemm::macros_2")},
		Warnings: []string{"a warning"},
	}
}

func TestWhereGolden(t *testing.T) {
	golden(t, "where.txt", report.Where(whereResult(), report.Options{}))
	data, err := report.WhereJSON(whereResult())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "where.json", data)
	if again, _ := report.WhereJSON(whereResult()); !bytes.Equal(data, again) {
		t.Error("the same result is written differently")
	}
}

// Where source lines are missing, each compiler is told how it writes them.
func TestWhereWithoutLines(t *testing.T) {
	for file, want := range map[string]string{
		"k/22_final_isa.s":                 "compile with FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 for the source lines",
		"k-hip-amdgcn-amd-amdhsa-gfx942.s": "compile with -gline-tables-only for the source lines",
		"ABC/k.amdgcn":                     "compile with debug locations for the source lines",
		"own/k.isa":                        "compile with debug locations for the source lines",
	} {
		r := &where.Result{Kernels: []where.Kernel{{Key: "::k", File: file, Analysis: pressure.Analysis{Kernel: "k", Lines: []pressure.Line{{Instructions: 1}}}}}}
		if text := string(report.Where(r, report.Options{})); !strings.Contains(text, "no debug locations in 1 kernel: "+want+"\n") {
			t.Errorf("%s: %q is not in\n%s", file, want, text)
		}
	}
}
