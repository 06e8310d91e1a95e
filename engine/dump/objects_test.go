//go:build unix

package dump

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/codeobject/objecttest"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

func objectOf(t *testing.T, name string) []byte {
	t.Helper()
	data := objecttest.Archive(t, "../../testdata/objects.zip", "")[name+".hsaco"]
	if data == nil {
		t.Fatalf("there is no object %s", name)
	}
	return data
}

const (
	plain942 = "llvm22/gfx942/plain_srameccm"
	plain90a = "llvm14/gfx90a/plain"
)

func TestObjectKeys(t *testing.T) {
	tr := newTree(t)
	object := objectOf(t, plain942)
	bundle := objecttest.Bundle(objecttest.Entry{ID: "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc-", Code: object}, objecttest.Entry{ID: "hipv4-amdgcn-amd-amdhsa--gfx90a", Code: objectOf(t, plain90a)})
	tr.put("lib/rocblas/library/Kernels.so-000-gfx942.hsaco", object, 0)
	tr.put("lib/libfoo.so.6.2", objecttest.Host(".hip_fatbin", bundle), 0)
	tr.put("x-1.0-py3-none-any.whl", objecttest.Wheel(map[string][]byte{"x/k.co": object}, nil), 0)
	tr.put("lib/host.so", objecttest.Host(".text", nil), 0)
	tr.put("notes.txt", object, 0)
	tr.put("weights.pt", objecttest.Wheel(map[string][]byte{"k.co": object}, nil), 0)
	symlink(t, "libfoo.so.6.2", filepath.Join(tr.root, "lib", "libfoo.so"))
	tr.put("lib/blob.dat", object, 0)
	symlink(t, "blob.dat", filepath.Join(tr.root, "lib", "linked.co"))
	side := tr.read(Options{Objects: true})
	expect(t, side, []string{
		"lib/libfoo.so/gfx90a::noargs", "lib/libfoo.so/gfx90a::plain",
		"lib/libfoo.so/gfx942:sramecc-::noargs", "lib/libfoo.so/gfx942:sramecc-::plain", "lib/linked.co::noargs", "lib/linked.co::plain",
		"lib/rocblas/library/Kernels.so-000-gfx942.hsaco::noargs", "lib/rocblas/library/Kernels.so-000-gfx942.hsaco::plain",
		"x.whl/x/k.co::noargs", "x.whl/x/k.co::plain",
	}, nil)
	if source := side.Records[len(side.Records)-1].Source; source != "x-1.0-py3-none-any.whl/x/k.co" {
		t.Errorf("source %s", source)
	}
	if side := tr.read(Options{}); len(side.Records) > 0 {
		t.Errorf("%d kernels, though code objects were not asked for", len(side.Records))
	}
}

// TestAssemblyPreferred reads trees of both kinds: the assembly counts, and the code
// objects are held against it.
func TestAssemblyPreferred(t *testing.T) {
	assembly := openCorpus(t).read(t, plain942+".s")
	other := []byte(strings.ReplaceAll(string(assembly), ".sgpr_spill_count: 0", ".sgpr_spill_count: 7"))
	object := objectOf(t, plain942)
	for name, c := range map[string]struct {
		files map[string][]byte
		keys  []string
		codes []problem.Code
	}{
		"agree":                    {map[string][]byte{"k/21_final_isa.s": assembly, "k/k.hsaco": object, "lib/k.so": objecttest.Host(".hip_fatbin", objecttest.Bundle(objecttest.Entry{ID: "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc-", Code: object}))}, []string{"k::noargs", "k::plain"}, nil},
		"disagree":                 {map[string][]byte{"k/21_final_isa.s": other, "k/k.hsaco": object}, []string{"k::noargs", "k::plain"}, []problem.Code{problem.CountsContradict, problem.CountsContradict}},
		"disagree elsewhere":       {map[string][]byte{"k/21_final_isa.s": other, "lib/k.hsaco": object}, []string{"k::noargs", "k::plain"}, []problem.Code{problem.CountsContradict, problem.CountsContradict}},
		"the one beside counts":    {map[string][]byte{"a/21_final_isa.s": other, "k/21_final_isa.s": assembly, "k/k.hsaco": object}, []string{"a::noargs", "a::plain", "k::noargs", "k::plain"}, nil},
		"one of several elsewhere": {map[string][]byte{"a/21_final_isa.s": other, "k/21_final_isa.s": assembly, "lib/k.hsaco": object}, []string{"a::noargs", "a::plain", "k::noargs", "k::plain"}, nil},
		"another target":           {map[string][]byte{"k/21_final_isa.s": assembly, "k/k.hsaco": objectOf(t, plain90a)}, []string{"k/k.hsaco::noargs", "k/k.hsaco::plain", "k::noargs", "k::plain"}, nil},
		"a damaged object":         {map[string][]byte{"k/21_final_isa.s": assembly, "k/k.hsaco": object[:3000]}, []string{"k::noargs", "k::plain"}, []problem.Code{problem.ObjectMalformed}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t)
			for name, data := range c.files {
				tr.put(name, data, 0)
			}
			side := tr.read(Options{Objects: true})
			var codes []problem.Code
			for _, p := range side.Doubts() {
				codes = append(codes, p.Code)
			}
			if !slices.Equal(codes, c.codes) {
				t.Errorf("problems %v, want %v", side.Doubts(), c.codes)
			}
			var keys []string
			for _, r := range side.Records {
				keys = append(keys, r.Key)
				if r.Object == strings.HasSuffix(r.Source, ".s") {
					t.Errorf("%s is of %s", r.Key, r.Source)
				}
			}
			if !slices.Equal(keys, c.keys) {
				t.Errorf("kernels %q, want %q", keys, c.keys)
			}
		})
	}
}

// TestObjectTwice reads a host binary of two sources that hold a kernel each: once
// the same, once another one of that name.
func TestObjectTwice(t *testing.T) {
	entry := func(name string) objecttest.Entry {
		return objecttest.Entry{ID: "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc-", Code: objectOf(t, name)}
	}
	one := objecttest.Bundle(entry(plain942))
	one = append(one, make([]byte, 4096-len(one)%4096)...)
	changed := entry(plain942)
	changed.Code = []byte(strings.Replace(string(changed.Code), ".sgpr_spill_count\x00", ".sgpr_spill_count\x07", 1))
	for _, c := range []struct {
		name   string
		second objecttest.Entry
		codes  []problem.Code
	}{
		{"the same", entry(plain942), nil},
		{"another", changed, []problem.Code{problem.KernelDuplicate}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t)
			tr.put("app", objecttest.Host(".hip_fatbin", append(slices.Clone(one), objecttest.Bundle(c.second)...)), 0)
			side, _ := ReadObject(context.Background(), filepath.Join(tr.root, "app"))
			expectDoubts(t, side, c.codes)
			if len(side.Records) != 2 || side.Records[0].Key != "gfx942:sramecc-::noargs" {
				t.Errorf("%d kernels", len(side.Records))
			}
		})
	}
	if side, binary := ReadObject(context.Background(), transpose); side != nil || binary {
		t.Errorf("a text is read as a code object: %v", side)
	}
}

// What bears the name of a code object and is none was cut, was never written or is gone:
// its kernels are lost, so the others are not all there are.
func TestObjectNone(t *testing.T) {
	object := objectOf(t, plain942)
	x86 := slices.Clone(object)
	x86[18], x86[19] = 62, 0
	for name, data := range map[string][]byte{"empty.hsaco": {}, "cut.co": []byte("\x7fE"), "zeros.hipfb": make([]byte, 4096), "x86.hsaco": x86} {
		tr := newTree(t)
		tr.put("k.co", object, 0)
		tr.put(name, data, 0)
		side := tr.read(Options{Objects: true})
		expect(t, side, []string{"k.co::noargs", "k.co::plain"}, []problem.Code{problem.ObjectMalformed})
	}
	tr := newTree(t)
	tr.put("k.co", object, 0)
	tr.put("stub.so", nil, 0)
	symlink(t, "gone", filepath.Join(tr.root, "lost.so"))
	expect(t, tr.read(Options{Objects: true}), []string{"k.co::noargs", "k.co::plain"}, nil)
	symlink(t, "gone", filepath.Join(tr.root, "lost.hsaco"))
	expect(t, tr.read(Options{Objects: true}), []string{"k.co::noargs", "k.co::plain"}, []problem.Code{problem.InputUnreadable})

	tr = newTree(t)
	tr.put("k.hipfb", objecttest.Bundle(objecttest.Entry{ID: "host-x86_64-unknown-linux--"}), 0)
	side, _ := ReadObject(context.Background(), filepath.Join(tr.root, "k.hipfb"))
	if len(side.Problems) != 1 || side.Problems[0].Code != problem.NoKernels || !strings.Contains(side.Problems[0].Mend(), "linked for the GPU") {
		t.Errorf("a bundle for the host alone: %v", side.Problems)
	}
}

func expectDoubts(t *testing.T, side *resource.Side, codes []problem.Code) {
	t.Helper()
	if got := problem.Codes(side.Doubts()); !slices.Equal(got, codes) {
		t.Errorf("problems %v, want %v", side.Doubts(), codes)
	}
}
