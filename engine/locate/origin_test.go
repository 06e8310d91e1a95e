package locate

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dumps = "../../testdata/dumps"

// origins returns every 00_origin.mlir of testdata, by its path below dumps.
func origins(tb testing.TB) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dumps, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "00_origin.mlir" {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dumps, path)
		files[filepath.ToSlash(rel)] = text
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(files) < 50 {
		tb.Fatalf("only %d modules in %s", len(files), dumps)
	}
	return files
}

// TestParseOriginOfRealDumps holds what the scan finds against plain searches in
// the text.
func TestParseOriginOfRealDumps(t *testing.T) {
	for name, text := range origins(t) {
		m := ParseOrigin(text)
		if m.Cut || m.Digest == "" {
			t.Errorf("%s: cut %v, digest %q", name, m.Cut, m.Digest)
		}
		if want := bytes.Count(text, []byte("gpu.func @")); len(m.Kernels) != want {
			t.Errorf("%s: %d kernels, want %d", name, len(m.Kernels), want)
		}
		for _, k := range m.Kernels {
			if len(k.Locations) != 1 || !strings.HasPrefix(k.Locations[0].Path, "/home/user/kernels/") || k.Locations[0].Column != 0 {
				t.Errorf("%s: %s at %v", name, k.Symbol, k.Locations)
			}
			if !bytes.Contains(text, []byte("gpu.func @"+k.Symbol+"(")) {
				t.Errorf("%s: no kernel %s in the text", name, k.Symbol)
			}
			if m.Kernel(k.Symbol).Digest != k.Digest {
				t.Errorf("%s: Kernel(%s) is another", name, k.Symbol)
			}
		}
		if m.Kernel("nobody") != nil {
			t.Errorf("%s: found a kernel that is not there", name)
		}
	}
}

func TestParseOriginOfMemory(t *testing.T) {
	tests := []struct {
		file, kernel    string
		static, dynamic int64
	}{
		{"base/gfx950/transpose/transpose_static_0", "transpose_static_0", 4224, 0},
		{"base/gfx950/transpose/transpose_dynamic_0", "transpose_dynamic_0", 0, 4224},
		{"base/gfx942/gemm_tiled_gemm/gemm_nt_f16_k32", "gemm_nt_f16_k32", 10240, 0},
		{"double-buffer/gfx942/after/gemm_tiled_gemm/gemm_nt_f16_k32", "gemm_nt_f16_k32", 20480, 0},
		{"base/gfx950/quantizer/quantize_0", "quantize_0", 0, 0},
	}
	files := origins(t)
	for _, tt := range tests {
		k := ParseOrigin(files[tt.file+"/00_origin.mlir"]).Kernel(tt.kernel)
		if k == nil {
			t.Errorf("%s: no %s", tt.file, tt.kernel)
			continue
		}
		if k.StaticLDS != tt.static || k.DynamicLDS != tt.dynamic {
			t.Errorf("%s: static %d, dynamic %d, want %d, %d", tt.file, k.StaticLDS, k.DynamicLDS, tt.static, tt.dynamic)
		}
	}
}

func module(location, aliases string) string {
	return fmt.Sprintf(`#map = affine_map<(d0) -> (d0)>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k_0(%%arg0: !fly.memref<f32, global, (?,?):(?{i64},1)> loc("/launcher.py":1:2), %%arg1: i32 loc("/launcher.py":1:2)) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      scf.for %%i = %%c0 to %%c1 step %%c2 {
        "some.op"() {text = "} loc(\"/string.py\":5:5)"} : () -> () loc(#loc9)
      } loc(#loc9)
      gpu.return loc(#loc9)
    } %s
  } loc(#loc)
} loc(#loc)
#loc = loc("/launcher.py":1:2)
#loc9 = loc("/body.py":9:9)
%s`, location, aliases)
}

func TestParseOriginLocations(t *testing.T) {
	at := func(path string, line, column int) []Location { return []Location{{path, line, column}} }
	tests := []struct {
		name, location, aliases string
		want                    []Location
	}{
		{"alias", "loc(#loc1)", `#loc1 = loc("/p/k.py":12:0)`, at("/p/k.py", 12, 0)},
		{"in place", `loc("/p/k.py":12:3)`, "", at("/p/k.py", 12, 3)},
		{"alias of an alias", "loc(#loc1)", "#loc1 = loc(#loc2)\n#loc2 = loc(\"/p/k.py\":12:0)", at("/p/k.py", 12, 0)},
		{"call site", "loc(callsite(#loc7 at #loc6))", "#loc6 = loc(\"/p/outer.py\":6:4)\n#loc7 = loc(\"/p/inner.py\":7:4)", []Location{{"/p/inner.py", 7, 4}, {"/p/outer.py", 6, 4}}},
		{"call site in place", `loc(callsite("/p/a.py":1:2 at callsite("/p/b.py":3:4 at "/p/c.py":5:6)))`, "", []Location{{"/p/a.py", 1, 2}, {"/p/b.py", 3, 4}, {"/p/c.py", 5, 6}}},
		{"call site of no file", `loc(callsite(unknown at "/p/b.py":3:4))`, "", at("/p/b.py", 3, 4)},
		{"fused with no file", `loc(fused["x", unknown, "/p/b.py":3:4])`, "", at("/p/b.py", 3, 4)},
		{"a form of the future", `loc(callsite(newform<1> at "/p/b.py":3:4))`, "", nil},
		{"name", `loc("gemm"(#loc1))`, `#loc1 = loc("/p/k.py":12:0)`, at("/p/k.py", 12, 0)},
		{"name around a file", `loc("a(b"("/p/k.py":12:0))`, "", at("/p/k.py", 12, 0)},
		{"name alone", `loc("gemm")`, "", nil},
		{"fused", `loc(fused["/p/a.py":1:2, #loc1])`, `#loc1 = loc("/p/k.py":12:0)`, []Location{{"/p/a.py", 1, 2}, {"/p/k.py", 12, 0}}},
		{"fused with an attribute", `loc(fused<#di<"x>", (i32) -> i32>>["/p/a.py":1:2])`, "", at("/p/a.py", 1, 2)},
		{"range", `loc("/p/k.py":12:3 to 14:5)`, "", at("/p/k.py", 12, 3)},
		{"range in a call site", `loc(callsite("/p/k.py":12:3 to :9 at "/p/b.py":3:4))`, "", []Location{{"/p/k.py", 12, 3}, {"/p/b.py", 3, 4}}},
		{"without a column", `loc("/p/k.py":12)`, "", at("/p/k.py", 12, 0)},
		{"nested word", `loc(loc("/p/k.py":12:0))`, "", at("/p/k.py", 12, 0)},
		{"unknown", "loc(unknown)", "", nil},
		{"the text itself", `loc("-":124:24)`, "", nil},
		{"no file", `loc("<string>":3:0)`, "", nil},
		{"line 0", `loc("/p/k.py":0:0)`, "", nil},
		{"quote and UTF-8", `loc("/p/a\22b/gr\C3\B6\C3\9Fe.py":12:0)`, "", at(`/p/a"b/größe.py`, 12, 0)},
		{"lower case and raw UTF-8", `loc("/p/\c3\b6/größe.py":12:0)`, "", at("/p/ö/größe.py", 12, 0)},
		{"backslashes", `loc("C:\\p\\k.py":12:0)`, "", at(`C:\p\k.py`, 12, 0)},
		{"backslash in hexadecimal", `loc("C:\5Cp\5Ck.py":12:0)`, "", at(`C:\p\k.py`, 12, 0)},
		{"brackets in the path", `loc("/p (1)/{k}.py":12:0)`, "", at("/p (1)/{k}.py", 12, 0)},
		{"no location", "", "", nil},
		{"alias of itself", "loc(#loc1)", "#loc1 = loc(callsite(#loc1 at #loc1))", nil},
		{"a line that is too large", `loc("/p/k.py":99999999999999999999:0)`, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := ParseOrigin([]byte(module(tt.location, tt.aliases)))
			if len(m.Kernels) != 1 || m.Cut {
				t.Fatalf("%d kernels, cut %v", len(m.Kernels), m.Cut)
			}
			if d := cmp.Diff(tt.want, m.Kernels[0].Locations); d != "" {
				t.Errorf("locations (-want +got):\n%s", d)
			}
			crlf := strings.ReplaceAll(module(tt.location, tt.aliases), "\n", "\r\n")
			if d := cmp.Diff(tt.want, ParseOrigin([]byte(crlf)).Kernels[0].Locations); d != "" {
				t.Errorf("locations with \\r\\n (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseOriginDigest(t *testing.T) {
	base := module("loc(#loc1)", `#loc1 = loc("/p/k.py":12:0)`)
	digests := func(text string) [2]string {
		m := ParseOrigin([]byte(text))
		return [2]string{m.Digest, m.Kernels[0].Digest}
	}
	want := digests(base)
	same := map[string]string{
		"moved":             strings.ReplaceAll(base, ":12:0", ":42:0"),
		"another path":      strings.ReplaceAll(base, "/p/", "/elsewhere/"),
		"another form":      module(`loc(callsite("/a.py":1:2 at "/b.py":1:2))`, ""),
		"locations gone":    strings.NewReplacer(" loc(#loc9)", "", "} \n", "}\n").Replace(module("", "")),
		"other alias names": strings.ReplaceAll(base, "#loc9", "#loc77"),
	}
	for name, text := range same {
		if got := digests(text); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if digests(strings.ReplaceAll(base, "@k_0", "@renamed_0")) == want {
		t.Error("a renamed kernel leaves the module's digest as it was")
	}
	if digests(strings.ReplaceAll(base, "@k_0", "@renamed_0"))[1] != want[1] {
		t.Error("a renamed kernel has another digest")
	}
	other := map[string]string{
		"an operation":  strings.Replace(base, "scf.for", "scf.while", 1),
		"an attribute":  strings.Replace(base, "128, 1, 1", "256, 1, 1", 1),
		"a string":      strings.Replace(base, "/string.py", "/strinG.py", 1),
		"launcher side": strings.Replace(base, "gpu.container_module", "gpu.other", 1),
	}
	for name, text := range other {
		if got := digests(text); got[0] == want[0] {
			t.Errorf("%s: the module's digest is the same", name)
		}
	}
	// What a kernel's text only names is part of it as well; other kernels and the
	// host are not.
	kernels := strings.Replace(base, "module", "!ptr = !fly.ptr<f32>\nmodule", 1)
	want = digests(kernels)
	for name, text := range map[string]string{
		"an attribute's alias": strings.Replace(kernels, "-> (d0)", "-> (d0 * 2)", 1),
		"a type's alias":       strings.Replace(kernels, "fly.ptr<f32>", "fly.ptr<f16>", 1),
		"the device's options": strings.Replace(kernels, "gpu.module @kernels", "gpu.module @kernels [#rocdl.target<O = 3>]", 1),
		"a global":             strings.Replace(kernels, "gpu.func", "memref.global @smem : memref<64xi8, 3>\n    gpu.func", 1),
	} {
		if got := digests(text); text == kernels || got[1] == want[1] || got[0] == want[0] {
			t.Errorf("%s: %v, before %v", name, got, want)
		}
	}
	for name, text := range map[string]string{
		"another kernel": strings.Replace(kernels, "    gpu.func", "    gpu.func @other() kernel {\n      gpu.return\n    } loc(#loc9)\n    gpu.func", 1),
		"the host":       strings.Replace(kernels, "gpu.container_module", "gpu.other", 1),
	} {
		m := ParseOrigin([]byte(text))
		if got := m.Kernel("k_0").Digest; text == kernels || got != want[1] || m.Digest == want[0] {
			t.Errorf("%s: %v, before %v", name, got, want)
		}
	}
	files := origins(t)
	const before, after = "refactor-identical/gfx950/before/rowwise_softmax/softmax_rows_0/00_origin.mlir", "refactor-identical/gfx950/after/rowwise_softmax/softmax_rows_0/00_origin.mlir"
	if bytes.Equal(files[before], files[after]) {
		t.Fatal("the two modules of the refactoring are equal bytes")
	}
	if digests(string(files[before])) == digests(string(files[after])) {
		t.Error("a refactoring that reordered operations has the same digest") // although its instructions are the same
	}
	const stats = "column_stats/centre_columns/00_origin.mlir"
	if digests(string(files["mixed/gfx1201/before/"+stats])) != digests(string(files["base/gfx1201/"+stats])) {
		t.Error("two compiles of one source have different digests")
	}
	if a, b := files["base/gfx950/rowwise_softmax/softmax_rows_0/00_origin.mlir"], files["debug/gfx950/rowwise_softmax/softmax_rows_0/00_origin.mlir"]; digests(string(a)) != digests(string(b)) {
		t.Error("debug information gives another digest")
	}
	if a, b := files["unroll-up/gfx1250/before/rowwise_rmsnorm/rmsnorm_kernel_0/00_origin.mlir"], files["unroll-up/gfx1250/after/rowwise_rmsnorm/rmsnorm_kernel_0/00_origin.mlir"]; digests(string(a)) == digests(string(b)) {
		t.Error("a kernel that was unrolled further has the same digest")
	}
}

// TestParseOriginCut cuts a real module at every line: a cut text is never
// complete, and never yields a location that the whole text does not.
func TestParseOriginCut(t *testing.T) {
	text := origins(t)["base/gfx950/column_stats/centre_columns/00_origin.mlir"]
	whole := ParseOrigin(text)
	end := bytes.LastIndex(text, []byte("\n} loc("))
	for i := 0; i < len(text); i++ {
		if i%7 != 0 && text[i] != '\n' {
			continue
		}
		m := ParseOrigin(text[:i])
		if i < end && (!m.Cut || m.Digest != "") {
			t.Fatalf("cut at %d of %d: not said", i, len(text))
		}
		for _, k := range m.Kernels {
			if len(k.Locations) > 0 && !cmp.Equal(k.Locations, whole.Kernel(k.Symbol).Locations) {
				t.Fatalf("cut at %d: %s at %v", i, k.Symbol, k.Locations)
			}
		}
	}
	if m := ParseOrigin(text[:bytes.Index(text, []byte("\n#loc1 = "))+1]); !m.Cut {
		t.Error("the locations at the end are missing, and that is not said")
	}
}

func TestParseOriginOddities(t *testing.T) {
	tests := []struct {
		name, text string
		kernels    int
		cut        bool
	}{
		{"empty", "", 0, true},
		{"no kernel", "module {\n}\n", 0, false},
		{"one line", `module { gpu.module @m { gpu.func @k_0() kernel { gpu.return } loc("/k.py":1:0) } }`, 1, false},
		{"a comment with a brace", "module { // }\n  gpu.module @m { gpu.func @k_0() kernel {\n // {\n gpu.return\n }\n }\n }\n", 1, false},
		{"quoted symbol", "module { gpu.module @m { gpu.func @\"a b\\22\"() kernel {\n gpu.return\n } loc(\"/k.py\":1:0)\n }\n }\n", 1, false},
		{"a string that is not closed", "module { \"abc\n}\n", 0, true},
		{"a location that is not closed", "module {\n} loc(\"/k.py\":1:0\n", 0, true},
		{"a word that ends like ours", "module { my_gpu.func @k_0() {\n} }\n", 0, false},
	}
	for _, tt := range tests {
		m := ParseOrigin([]byte(tt.text))
		if len(m.Kernels) != tt.kernels || m.Cut != tt.cut {
			t.Errorf("%s: %d kernels, cut %v; want %d, %v", tt.name, len(m.Kernels), m.Cut, tt.kernels, tt.cut)
		}
	}
	twice := module("loc(#loc1)", `#loc1 = loc("/p/k.py":12:0)`) + module("loc(#loc2)", `#loc2 = loc("/p/k.py":99:0)`)
	for _, k := range ParseOrigin([]byte(twice)).Kernels {
		if len(k.Locations) > 0 {
			t.Errorf("two kernels of one name: one of their locations is taken: %v", k.Locations)
		}
	}
}

// TestOriginParserReuse reads real modules one after the other with one parser:
// nothing of one is left in the next, and none keeps a piece of its text.
func TestOriginParserReuse(t *testing.T) {
	var p OriginParser
	buffer := make([]byte, 1<<20)
	read, want := map[string]*Module{}, map[string]*Module{}
	for name, text := range origins(t) {
		want[name] = ParseOrigin(text)
		read[name] = p.Parse(buffer[:copy(buffer, text)])
	}
	clear(buffer)
	if d := cmp.Diff(want, read); d != "" {
		t.Error(d)
	}
}

func FuzzOrigin(f *testing.F) {
	f.Add([]byte(module("loc(#loc1)", `#loc1 = loc("/p/k.py":12:0)`)))
	f.Add([]byte(module(`loc(fused<"x">["a":1:2, callsite("b"(#loc9) at #loc1)])`, "#loc1 = loc(#loc1)")))
	f.Add([]byte("module { gpu.func @k( } loc(\n#loc = loc(\"\\"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := ParseOrigin(text)
		var p OriginParser
		p.Parse(text[len(text)/2:])
		p.Parse(text[:len(text)/2])
		if d := cmp.Diff(m, p.Parse(text)); d != "" {
			t.Errorf("after another text: %s", d)
		}
		if m.Cut == (m.Digest != "") {
			t.Errorf("cut %v with digest %q", m.Cut, m.Digest)
		}
		for _, k := range m.Kernels {
			if k.Digest == "" || k.StaticLDS < 0 || k.DynamicLDS < -1 {
				t.Errorf("%+v", k)
			}
			for _, l := range k.Locations {
				if l.Line <= 0 || l.Column < 0 || !isFileName(l.Path) {
					t.Errorf("%s at %+v", k.Symbol, l)
				}
			}
		}
	})
}

func BenchmarkParseOrigin(b *testing.B) {
	text := origins(b)["base/gfx950/gemm_tiled_gemm/gemm_nt_f16_k32/00_origin.mlir"]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		ParseOrigin(text)
	}
}

func ParseOrigin(text []byte) *Module { return new(OriginParser).Parse(text) }
