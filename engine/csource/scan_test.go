package csource

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

var markers = []string{"__global__"}

func TestScan(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // line of the name, qualified name, lines of the definition
	}{
		{"plain", "__global__ void add(float *a) {\n  a[0] = 1;\n}\n", []string{"1 add 1-3"}},
		{"extern C", "extern \"C\" __global__ void add(float *a) {}\n", []string{"1 add 1-1"}},
		{"extern C block", "extern \"C\" {\n__global__ void add(int a)\n{}\n}\n", []string{"2 add 2-3"}},
		{"declaration", "__global__ void add(float *a);\n__global__ void sub(int) {}\n", []string{"2 sub 2-2"}},
		{"template", "template <typename T, int N = (3 > 2)>\n__global__ void\nscale(T *a) {\n}\n", []string{"3 scale 1-4"}},
		{"specialization", "template <>\n__global__ void scale<float, 4>(float *a) {}\n", []string{"2 scale 1-2"}},
		{"explicit instantiation", "template __global__ void scale<float>(float *);\n", nil},
		{"launch bounds", "__global__ __launch_bounds__(256, 2) void f(int a) {}\n__global__ void __launch_bounds__(64) g() {}\n",
			[]string{"1 f 1-1", "2 g 2-2"}},
		{"attribute", "__attribute__((used)) __global__ void __attribute__((amdgpu_waves_per_eu(4))) f() {}\n", []string{"1 f 1-1"}},
		{"namespaces", "namespace a::b {\nnamespace {\n__global__ void f() {}\n}\nstruct S : T {\n  static __global__ void g();\n};\n}\n__global__ void h() {}\n",
			[]string{"3 a::b::f 3-3", "9 h 9-9"}},
		{"host function between", "int host(int x) { if (x) { return 1; } return 0; }\nstatic __global__ void f() { if (1) { } }\nint y = 3;\n", []string{"2 f 2-2"}},
		{"comment", "// __global__ void no() {}\n/* __global__ void no() {}\n*/ __global__ /* x( */ void yes() {}\n", []string{"3 yes 3-3"}},
		{"string", "const char *s = \"__global__ void no() {\";\nconst char *r = R\"x(__global__ void no() { )\" )x\";\n__global__ void yes() {}\n", []string{"3 yes 3-3"}},
		{"preprocessor", "#define K(n) \\\n  __global__ void n() {\n#if 1 /* {\n*/\n__global__ void yes() {}\n#endif\n", []string{"5 yes 5-5"}},
		{"a digit separator", "int n = 1'000'000;\n__global__ void yes() { char c = '{'; }\nint m;\n", []string{"2 yes 2-2"}},
		{"being typed", "__global__ void f(int a", nil},
		{"body being typed", "__global__ void f(int a) {\n  if (a) {\n", []string{"1 f 1-3"}},
		{"default argument", "__global__ void f(S s = {1, 2}, int n = g(3)) {}\n", []string{"1 f 1-1"}},
		{"above is being typed", "int host(int a,\n\n__global__ void f() {}\n", []string{"3 f 3-3"}},
		{"a class's access", "class C {\npublic:\n  __global__ static void f() {}\n};\n", []string{"3 C::f 3-3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range Scan([]byte(test.text), markers).Definitions {
				got = append(got, fmt.Sprintf("%d %s %d-%d", d.Ident.Start.Line+1, d.Qualified, d.Topmost+1, d.Body.End.Line+1))
				if text := test.text[d.Ident.Start.Offset:d.Ident.End.Offset]; text != d.Function {
					t.Errorf("the name of %s stands at %q", d.Function, text)
				}
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzScan: any text gives definitions within it, in its order.
func FuzzScan(f *testing.F) {
	f.Add([]byte("template <int N>\n__global__ void f<N>(int a) { }"))
	f.Add([]byte("R\"__global__ (x)\" '{ \\\n#define __global__"))
	if text, err := os.ReadFile("../../testdata/hip/kernels.hip"); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		last := -1
		for _, d := range Scan(text, markers).Definitions {
			if d.Body.Start.Offset <= last || d.Ident.End.Offset > len(text) || d.Body.End.Offset > len(text) || d.Ident.Start.Offset < d.Body.Start.Offset {
				t.Fatalf("definition %+v", d)
			}
			last = d.Body.Start.Offset
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat("namespace n { template <typename T> __global__ void f(T *a) { a[0] = a[1] * 2; /* x */ } }\n", 2000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if len(Scan(text, markers).Definitions) != 2000 {
			b.Fatal("definitions are missing")
		}
	}
}

// TestParameters: what tells overloads apart is kept as it is written.
func TestParameters(t *testing.T) {
	for text, want := range map[string]string{
		"__global__ void f(float *a, const int *b) {}":                                       "float *a, const int *b",
		"__global__ void f() {}":                                                             "",
		"__global__ void __launch_bounds__(64) f( S s = {1, 2}, int n = g(3) ) {}":           "S s = {1, 2}, int n = g(3)",
		"template <> __global__ void f<float, 4>(float *a) {}":                               "float *a",
		"__global__ void f(int (*g)(float), int n) { h(1); }":                                "int (*g)(float), int n",
		"__global__ void f(" + strings.Repeat("int a, ", maxParameters) + "int b) { h(1); }": "",
	} {
		list := Scan([]byte(text), markers).Definitions
		if len(list) != 1 || list[0].Parameters != want {
			t.Errorf("%.60s: %d definitions, parameters %q, want %q", text, len(list), list[0].Parameters, want)
		}
	}
}
