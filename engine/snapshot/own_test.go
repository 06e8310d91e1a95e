package snapshot

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// ownText is a snapshot of kernels of every kind that a record can be.
func ownText(t testing.TB) []byte {
	side := &resource.Side{Origin: "dumps", Warnings: []string{"w"}}
	for i := range 8 {
		r := &resource.Record{
			Key: fmt.Sprintf("k%d::plain\"größe\\", i), Source: fmt.Sprintf("k%d/21_final_isa.s", i/2),
			Target: gfx.Target{ID: "amdgcn-amd-amdhsa--gfx942:xnack+", Processor: "gfx942", Features: []string{"xnack+"}},
		}
		for m := range r.Cells {
			r.Cells[m] = resource.Value(int64(m * i))
		}
		if i&1 != 0 {
			r.Cells[resource.AGPR], r.Cells[resource.SGPR] = resource.NA("none here"), resource.Unread("it is lost")
			r.Notes = []string{"a note", "a\tnote\u2028"}
			r.Launch = resource.Launch{NextFreeVGPR: 7, WavefrontSize: 64, MaxFlatWorkgroupSize: 1024, ReqdWorkgroupSize: [3]int64{256, 1, 1}, CUMode: true, CompilerWaves: 8}
			r.Occupancy = r.Occupy()
		}
		if i&2 != 0 {
			r.Digest = "0123abcd"
			r.Origin = resource.Origin{Digest: "4567", Sources: "89ab", Path: "C:\\src\\k.py", Line: 19}
			r.Compilers = []string{"clang version 22.1.8"}
			r.Problems = []problem.Problem{problem.New(problem.CountInvalid, "bad").In(r.Source).At(3).Of(r.Key)}
		}
		if i&4 != 0 {
			r.Target = gfx.Target{}
		}
		side.Records = append(side.Records, r)
	}
	text, err := Encode(side, Meta{Revision: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sameBothWays holds the decoder of our own form against that of any, and reports
// whether the former takes the text.
func sameBothWays(t *testing.T, text []byte) bool {
	head, kernels, ok := readOwn(text)
	if ok && !Is(text) {
		t.Fatalf("%.300q is read, and is no snapshot", text)
	}
	if !ok {
		return false
	}
	side, meta := assemble("s.json", head, kernels)
	want, wantMeta := decodeAny("s.json", text)
	if d := cmp.Diff(want, side, cmpopts.EquateEmpty()); d != "" || meta != wantMeta {
		t.Fatalf("%.300q\n(-any +own):\n%s", text, d)
	}
	return true
}

func TestOwn(t *testing.T) {
	text := ownText(t)
	if !sameBothWays(t, text) {
		t.Fatal("a snapshot of our own is not taken for one")
	}
	// Text that is damaged anywhere is refused by both, or means the same to both.
	for i := 0; i < len(text); i += 5 {
		damaged := bytes.Clone(text)
		damaged[i] = "\"0,{ "[i/5%5]
		sameBothWays(t, damaged)
		sameBothWays(t, text[:i])
	}
	for _, edit := range [][2]string{
		{`"schema": 2`, `"schema": 2.0`}, {`"schema": 2`, `"schema": 3`}, {`"value": 7`, `"value": 07`}, {`"value": 7`, `"value": -7`}, {`"value": 7`, `"value": 9999999999999999999`},
		{`"state": "value",`, `"state": "value", "state": "value",`}, {`"vgpr"`, `"vgpr2"`}, {`"value": 7`, `"value": 7, "x": 1`}, {`"none here"`, `""`}, {`"gen": 9`, `"gen": 9.5`},
		{`"tool": "isa_resource_table"`, `"tool": "other"`}, {"]\n}\n", "]\n} x"}, {`"a note"`, `"\ud800"`}, {`"a note"`, "\"\xff\""}, {`"trustworthy": false`, `"trustworthy": 0`}, {`k1::`, `k0::`},
	} {
		edited := bytes.Replace(text, []byte(edit[0]), []byte(edit[1]), 1)
		if bytes.Equal(edited, text) {
			t.Errorf("there is no %s", edit[0])
		}
		if sameBothWays(t, edited) {
			t.Errorf("%s for %s is taken for our own", edit[1], edit[0])
		}
	}
}

func FuzzOwn(f *testing.F) {
	f.Add(ownText(f))
	f.Fuzz(func(t *testing.T, text []byte) { sameBothWays(t, text) })
}
