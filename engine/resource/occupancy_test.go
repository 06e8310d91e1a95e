package resource_test

import (
	"os"
	"strings"
	"testing"

	"isadiff/engine/isa"
	"isadiff/engine/resource"
)

// A kernel of 81 SGPRs, as Triton 3.9 compiles it for gfx942, of which LLVM says 7
// waves: the figure is read in every form, and where it is not the formula's the
// reason is said.
func TestCompilersFigure(t *testing.T) {
	text, err := os.ReadFile("testdata/sgpr81.s")
	if err != nil {
		t.Fatal(err)
	}
	const tail = "max(.Lk75.numbered_sgpr+extrasgprs(.Lk75.uses_vcc, .Lk75.uses_flat_scratch, 1), 1, 0), max(totalnumvgprs(.Lk75.num_agpr, .Lk75.num_vgpr), 1, 0))"
	for _, test := range []struct {
		figure string
		llvm   int
		note   string // "" if there is none
	}{
		{"7", 7, ""},
		{"8", 8, "LLVM's own figure in the file is 8 waves per SIMD, the formula's is 7: LLVM before version 23 leaves out the 16 SGPRs"},
		{"1", 1, "LLVM's own figure in the file is 1 wave per SIMD, the formula's is 7: none of the known ways"},
		{"occupancy(8, 8, 512, 8, 8, " + tail, 8, "LLVM before version 23"},
		{"occupancy(8, 8, 512, 8, 800, 16, 16, " + tail, 7, ""},
		{"occupancy(8,8,512,8,800,16,16,k75.sgprs,1)", 7, "LLVM's comment on occupancy at line 91 is not understood: symbol k75.sgprs is not defined"},
		{"occupancy(8,8,512,8,800,16,16,0,81,2)", 7, "of 10 arguments is not understood"},
	} {
		changed := strings.Replace(string(text), "; Occupancy: 7", "; Occupancy: "+test.figure, 1)
		records, problems := resource.FromFile(isa.Parse([]byte(changed)), "k", "k/22_final_isa.s")
		if len(records) != 1 || len(problems) > 0 {
			t.Fatalf("%s: %v, %v", test.figure, records, problems)
		}
		r := records[0]
		notes := strings.Join(r.Notes, "\n")
		if o := r.Occupancy; o.Launch != 7 || o.LLVM != test.llvm || o.Limiter != "SGPR" || (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) || !r.Trustworthy() {
			t.Errorf("%s: %+v, %q; want 7, %d, %q", test.figure, o, notes, test.llvm, test.note)
		}
	}
	without := strings.Replace(string(text), "; Occupancy: 7\n", "", 1)
	records, _ := resource.FromFile(isa.Parse([]byte(without)), "k", "k/22_final_isa.s")
	if o := records[0].Occupancy; o.Launch != 7 || o.LLVM != 7 || len(records[0].Notes) > 0 {
		t.Errorf("without a comment: %+v, %q", o, records[0].Notes)
	}
}
