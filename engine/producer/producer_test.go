package producer

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRole(t *testing.T) {
	for _, test := range []struct {
		name, producer string
		role           Role
	}{
		{"22_final_isa.s", "flydsl", Assembly},
		{"final_isa.s", "flydsl", Assembly},
		{"00_origin.mlir", "flydsl", Origin},
		{"22_final_isa.s.tmp", "", None},
		{"21_llvm_ir.ll", "", None},
		{"softmax.amdgcn", "triton", Assembly},
		{"softmax.json", "triton", Companion},
		{".isadiff-capture.json", "", None},
		{"softmax.ttir", "", None},
		{"k-hip-amdgcn-amd-amdhsa-gfx942.s", "hip", Assembly},
		{"k-hip-amdgcn-amd-amdhsa-gfx90a:xnack+.s", "hip", Assembly},
		{"k-hip-amdgcn-amd-amdhsa-gfx942.o", "", None},
		{"k-host-x86_64-unknown-linux-gnu.s", "", None},
		{"k.s", "", None},
		{"module_k_linked_rocm_hsaco_fb.rocmasm", "iree", Assembly},
		{"module_k_linked_rocm_hsaco_fb.optimized.ll", "", None},
	} {
		for _, table := range []*Table{nil, NewTable(flydsl, triton, hip, iree)} {
			p, role := table.Role(test.name)
			name := ""
			if p != nil {
				name = p.Name
			}
			if name != test.producer || role != test.role {
				t.Errorf("%s is %d of %q", test.name, role, name)
			}
		}
	}
}

func TestCompareStages(t *testing.T) {
	names := []string{"100_final_isa.s", "final_isa.s", "9_final_isa.s", "021_final_isa.s", "20_final_isa.s", "x_final_isa.s"}
	slices.SortFunc(names, flydsl.CompareStages)
	want := []string{"final_isa.s", "x_final_isa.s", "9_final_isa.s", "20_final_isa.s", "021_final_isa.s", "100_final_isa.s"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "x", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "abc", true},
		{"a*b*c", "ac", false},
		{"a*a", "a", false},
		{"*bc*bc", "bc", false},
		{"*bc*bc", "bcbc", true},
		{"k.s", "k.s", true},
		{"k.s", "xk.s", false},
		{"", "", false},
	} {
		if Fits(test.pattern, test.name) != test.want {
			t.Errorf("%q and %q: %v", test.pattern, test.name, !test.want)
		}
	}
}

// beside reads files out of a map.
func beside(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
}

func TestTriton(t *testing.T) {
	const (
		hash = "2GSGWF2Q5MWJQM6WOZJ4WOAE6VUN5TNUUYE7SAGPVNALCVH24F6A"
		json = `{"target": {"backend": "hip", "arch": "gfx942", "warp_size": 64}, "num_warps": 4, "num_stages": 2, "num_ctas": 1, "waves_per_eu": 0, "shared": 8192, "name": "k"}`
		ttir = "module {\n  tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32} loc(\"x\"(#loc)), %y: !tt.ptr<bf16, 3> loc(#l), %n: i32 {tt.divisibility = 16 : i32} loc(\"n\"(#loc)), %e: f32 loc(#l)) attributes {noinline = false} {\n" +
			"    %a = tt.load %4, %m : tensor<64x32x!tt.ptr<f16>> loc(#loc)\n    %s = tt.load %p : !tt.ptr<f32> loc(#loc)\n    tt.store %1, %8 : tensor<64x!tt.ptr<f16>> loc(#loc)\n    tt.store %1, %8 : tensor<64x!tt.ptr<f16>> loc(#loc)\n"
	)
	for _, test := range []struct {
		name, dir string
		files     map[string]string
		want      Description
	}{
		{"whole", hash, map[string]string{"k.json": json, "k.ttir": ttir},
			Description{Dir: "gfx942/^fp16:16@32,^bf16,i32:16,fp32/64,64x32,warps=4,stages=2", LDS: 8192, LDSFrom: "k.json", Module: "k.ttir"}},
		{"a version", "", map[string]string{"k.json": `{"arch": "gfx942", "num_warps": 4, "shared": 0, "triton_version": "3.9.0+git1a2b"}`},
			Description{Dir: "gfx942/warps=4", LDSFrom: "k.json", Compiler: "Triton 3.9.0+git1a2b"}},
		{"below a folder", "a/b/" + hash, map[string]string{"k.json": json},
			Description{Dir: "a/b/gfx942/warps=4,stages=2", LDS: 8192, LDSFrom: "k.json"}},
		{"a folder that is no hash", "mine", map[string]string{"k.json": json},
			Description{Dir: "mine/gfx942/warps=4,stages=2", LDS: 8192, LDSFrom: "k.json"}},
		{"options that are not usual", hash, map[string]string{"k.json": `{"arch": "gfx950", "num_warps": 8, "num_stages": 1, "num_ctas": 2, "waves_per_eu": 3, "matrix_instr_nonkdim": 16, "kpack": 2, "schedule_hint": "a/b*[c]", "shared": 0}`},
			Description{Dir: "gfx950/warps=8,stages=1,ctas=2,waves=3,mfma=16,kpack=2,schedule=a_b__c_", LDSFrom: "k.json"}},
		{"a dump without metadata", hash, map[string]string{"k.ttgir": `module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942"} {`},
			Description{Dir: "gfx942/warps=4"}},
		{"nothing beside it", hash, nil, Description{}},
		{"metadata still to come", hash, map[string]string{"k.source": "", "k.ttir": ttir},
			Description{Dir: "^fp16:16@32,^bf16,i32:16,fp32/64,64x32", Module: "k.ttir", Missing: "k.json"}},
		{"no JSON", hash, map[string]string{"k.json": "{"},
			Description{Fault: "it is no metadata of a Triton kernel: unexpected end of JSON input", Source: "k.json"}},
		{"no LDS in it", hash, map[string]string{"k.json": `{"arch": "gfx942", "num_warps": 4}`},
			Description{Dir: "gfx942/warps=4", Fault: `it has no "shared" that is a number of bytes`, Source: "k.json"}},
		{"LDS that is none", hash, map[string]string{"k.json": `{"arch": "gfx942", "shared": -1}`},
			Description{Dir: "gfx942", Fault: `it has no "shared" that is a number of bytes`, Source: "k.json"}},
		{"an old hash", "22ddfee0355a4f93754c87217a8fa96f76f937c6cc8c86448552e16bfd69392a", map[string]string{"k.json": json},
			Description{Dir: "gfx942/warps=4,stages=2", LDS: 8192, LDSFrom: "k.json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := describeTriton(DumpFile{Dir: test.dir, File: "k.amdgcn", Read: beside(test.files)})
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// FuzzTriton: files of any content beside the assembly make a description.
func FuzzTriton(f *testing.F) {
	f.Add(`{"shared": 16, "arch": "../x"}`, "tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}", `ttg.target = "hip:gfx942"`)
	f.Add("", "  tt.load tensor<64xx", "")
	f.Fuzz(func(t *testing.T, json, ttir, ttgir string) {
		d := describeTriton(DumpFile{Dir: "d", File: "k.amdgcn", Read: beside(map[string]string{"k.json": json, "k.ttir": ttir, "k.ttgir": ttgir})})
		if d.LDS < 0 || (d.Fault == "") != (d.Source == "") || !filepath.IsLocal(filepath.FromSlash(d.Dir)) || strings.ContainsAny(d.Dir, `*?[]{}\`) {
			t.Errorf("%+v", d)
		}
	})
}

func TestHIP(t *testing.T) {
	for _, test := range []struct{ dir, file, want string }{
		{"", "k-hip-amdgcn-amd-amdhsa-gfx942.s", "k/gfx942"},
		{"build/x", "k-hip-amdgcn-amd-amdhsa-gfx90a:xnack+.s", "build/x/k/gfx90a:xnack+"},
		{"b", "k-hip-amdgcn-amd-amdhsa--gfx942.s", "b/k/gfx942"},
		{"b", "a.b-hip-amdgcn-amd-amdhsa-gfx9-4-generic.s", "b/a.b/gfx9-4-generic"},
	} {
		if got := describeHIP(DumpFile{Dir: test.dir, File: test.file}); got != (Description{Dir: test.want}) {
			t.Errorf("%s: %+v", test.file, got)
		}
	}
}

func TestScan(t *testing.T) {
	text, err := os.ReadFile("../../testdata/triton/kernels.py")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range Builtin().Scan("kernels.py", text).Definitions {
		names = append(names, d.Function)
	}
	if want := []string{"add", "largest", "softmax_rows", "rms_norm", "matmul"}; !slices.Equal(names, want) {
		t.Errorf("Triton: %q", names)
	}
	if text, err = os.ReadFile("../../testdata/hip/kernels.hip"); err != nil {
		t.Fatal(err)
	}
	names = nil
	for _, d := range Builtin().Scan("kernels.hip", text).Definitions {
		names = append(names, d.Qualified)
	}
	if want := []string{"math::scale", "smooth", "copy", "copy", "reverse"}; !slices.Equal(names, want) {
		t.Errorf("HIP: %q", names)
	}
	for path, want := range map[string]bool{"a/k.py": true, "k.hip": true, "k.cu": true, "k.cpp": true, "k.h": true, "k.s": false, "k": false, "k.pyc": false} {
		if Builtin().IsSource(path) != want || NewTable(flydsl, triton).IsSource(path) != (want && filepath.Ext(path) == ".py") {
			t.Errorf("%s is a source: %v", path, !want)
		}
	}
}
