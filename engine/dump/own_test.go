package dump

import (
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
)

// A tree without kernels is told in the words of the compiler that the project
// uses, and never in those of another one.
func TestOwn(t *testing.T) {
	mine, err := producer.Custom("mine", "*.isa", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		producer           *producer.Producer
		message, mend, why string
	}{
		{nil, "d holds no *final_isa.s", problem.Lookup(problem.NoDumpFiles).Mend, "the default"},
		{producer.Builtin().Named("flydsl"), "d holds no *final_isa.s", problem.Lookup(problem.NoDumpFiles).Mend, "FlyDSL"},
		{producer.Builtin().Named("triton"), "d holds no *.amdgcn", "set TRITON_CACHE_DIR to this directory and TRITON_ALWAYS_COMPILE=1, then compile again", "Triton"},
		{producer.Builtin().Named("hip"), "d holds no *-hip-amdgcn-amd-amdhsa-*.s", "compile again with --save-temps=obj, which keeps the assembly beside the object file", "HIP"},
		{mine, "d holds no *.isa", "let mine write *.isa there, then compile again", "the project's own"},
	} {
		side := Assemble("d", nil)
		Own(side, c.producer)
		if len(side.Problems) != 1 {
			t.Fatalf("%s: %+v", c.why, side.Problems)
		}
		if p := side.Problems[0]; p.Code != problem.NoDumpFiles || p.Message != c.message || p.Mend() != c.mend || p.File != "d" {
			t.Errorf("%s: %+v, mended by %q", c.why, p, p.Mend())
		}
		side.Problems[0] = problem.New(problem.NoKernels, "no kernel was found in d").In("d")
		Own(side, c.producer)
		if p := side.Problems[0]; p.Mend() != c.mend {
			t.Errorf("%s, no kernels: mended by %q", c.why, p.Mend())
		}
	}
	for _, p := range producer.Builtin().Rows() {
		if p.Again == "" {
			t.Errorf("%s: nobody says how to make it dump", p.Title)
		}
	}
	if again, mend := producer.Builtin().Default().Again, problem.Lookup(problem.NoDumpFiles).Mend; again != mend {
		t.Errorf("the default compiler says %q, the code %q", again, mend)
	}
}
