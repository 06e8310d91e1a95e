package locate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/producer"
	"isadiff/engine/pysource"
)

// kernelFiles returns the sources of testdata by their slash path.
func kernelFiles(tb testing.TB) map[string]string {
	tb.Helper()
	files := map[string]string{}
	root := "../../testdata/kernels"
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".py" {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil || len(files) < 9 {
		tb.Fatalf("%d sources: %v", len(files), err)
	}
	return files
}

// project scans sources into an index below a root; nothing exists on disk.
func project(root string, files map[string]string) Resolver {
	scanned := map[string]*pysource.File{}
	for name, text := range files {
		scanned[filepath.Join(root, name)] = scan([]byte(text))
	}
	return Resolver{Index: NewIndex(maps.All(scanned)), Stat: func(string) (os.FileInfo, error) { return nil, fs.ErrNotExist }}
}

// shown is a place as text: "exact rowwise/scale.py:12 scale_kernel".
func shown(root string, p Place) string {
	out := []string{[...]string{"none", "ambiguous", "by name", "moved", "exact"}[p.Match]}
	for _, c := range p.Candidates {
		rel, _ := filepath.Rel(root, c.Path)
		out = append(out, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), c.Definition.Ident.Start.Line+1, c.Definition.Qualified))
	}
	return strings.Join(out, " | ")
}

// wholeNames are the definitions of all kernels in testdata/dumps.
var wholeNames = map[string]string{
	"column_means_0":       "column_stats.py:14 column_means",
	"subtract_means_1":     "column_stats.py:25 subtract_means",
	"gelu_tanh_bf16":       "elementwise/gelu.py:15 gelu",
	"gelu_tanh_bf16_1":     "elementwise/gelu.py:15 gelu",
	"gelu_exact_erf":       "elementwise/gelu.py:25 gelu_erf",
	"gemm_nt_f16_k32":      "gemm/tiled_gemm.py:52 build_gemm.<locals>.gemm_kernel",
	"quantize_0":           "quantizer.py:18 Int8Quantizer.quantize",
	"dequantize_0":         "quantizer.py:28 Int8Quantizer.dequantize",
	"rmsnorm_kernel_0":     "rowwise/rmsnorm.py:19 rmsnorm_kernel",
	"softmax_rows_0":       "rowwise/softmax.py:37 build_softmax.<locals>.softmax_rows",
	"transpose_static_0":   "transpose.py:30 transpose_static",
	"transpose_dynamic_0":  "transpose.py:36 transpose_dynamic",
	"window_filter_0":      "window_filter.py:19 window_filter",
	"scale_kernel_0/row":   "rowwise/scale.py:12 scale_kernel",
	"scale_kernel_0/point": "elementwise/scale.py:12 scale_kernel",
}

// TestResolveRealDumps leads every kernel of every base dump to its line, in the
// compiler's own tree, in a checkout elsewhere, and with \r\n in the sources.
func TestResolveRealDumps(t *testing.T) {
	files := kernelFiles(t)
	crlf := map[string]string{}
	for name, text := range files {
		crlf[name] = strings.ReplaceAll(text, "\n", "\r\n")
	}
	projects := map[string]struct {
		root string
		r    Resolver
	}{
		"in place":  {"/home/user/kernels", project("/home/user/kernels", files)},
		"elsewhere": {"/work tree/ü/kernels", project("/work tree/ü/kernels", files)},
		"flat name": {"/srv", project("/srv", files)},
		"crlf":      {"/home/user/kernels", project("/home/user/kernels", crlf)},
	}
	checked := 0
	for name, text := range origins(t) {
		if !strings.HasPrefix(name, "base/") && !strings.HasPrefix(name, "debug/") {
			continue
		}
		for _, k := range ParseOrigin(text).Kernels {
			key := k.Symbol
			if key == "scale_kernel_0" {
				key += map[bool]string{true: "/row", false: "/point"}[strings.Contains(name, "rowwise")]
			}
			for p, tt := range projects {
				place := tt.r.Resolve(Query{Symbol: k.Symbol, At: k.Locations})
				if want := "exact | " + wholeNames[key]; shown(tt.root, place) != want || place.Reason != "" || place.Origin != k.Locations[0] {
					t.Errorf("%s, %s, %s:\n got %s %s\nwant %s", name, k.Symbol, p, shown(tt.root, place), place.Reason, want)
				}
			}
			checked++
		}
	}
	if checked < 4*15 {
		t.Errorf("only %d kernels", checked)
	}
}

// TestResolveByName does without locations, as with FlyDSL 0.4.1.
func TestResolveByName(t *testing.T) {
	const root = "/p"
	r := project(root, kernelFiles(t))
	for symbol, want := range wholeNames {
		want = "by name | " + want
		if name, _, two := strings.Cut(symbol, "/"); two {
			symbol = name
			want = "ambiguous | elementwise/scale.py:12 scale_kernel | rowwise/scale.py:12 scale_kernel"
		}
		p := r.Resolve(Query{Symbol: symbol})
		if shown(root, p) != want {
			t.Errorf("%s:\n got %s\nwant %s", symbol, shown(root, p), want)
		}
		if (p.Reason != "") != (p.Match == Ambiguous) {
			t.Errorf("%s: reason %q", symbol, p.Reason)
		}
	}
	if p := r.Resolve(Query{Symbol: "not_there_0"}); p.Match != None || !strings.Contains(p.Reason, "not_there_0") || len(p.Candidates) > 0 {
		t.Errorf("a kernel of nobody: %s, %q", shown(root, p), p.Reason)
	}
}

// define makes a file of definitions out of short lines: "decorator line;
// function; name", where the name is a constant, f"…{}…" or "?".
func define(lines ...string) string {
	var b strings.Builder
	b.WriteString("import flydsl.compiler as flyc\n")
	at := 1
	for _, line := range lines {
		var n int
		var function, name string
		parts := strings.SplitN(line, ";", 3)
		fmt.Sscan(parts[0], &n)
		function = parts[1]
		outer, inner, nested := strings.Cut(function, ".")
		if nested { // the builder's def stands on the line before
			n--
		}
		for ; at < n-1; at++ {
			b.WriteString("\n")
		}
		decorator := "@flyc.kernel"
		if len(parts) == 3 {
			if name = parts[2]; name == "?" {
				name = "compute()"
			}
			decorator += "(name=" + name + ")"
		}
		if nested {
			b.WriteString("def " + outer + "():\n    " + decorator + "\n    def " + inner + "(X):\n        pass\n")
			at += 4
			continue
		}
		b.WriteString(decorator + "\ndef " + function + "(X):\n    pass\n")
		at += 3
	}
	return b.String()
}

// madeByRepr are kernels of Triton, of which one has symbols that a function makes.
const madeByRepr = `import triton
@triton.jit(repr=named)
def scale(x):
    pass
    pass

@triton.jit(repr=None, do_not_specialize=["n"])
def shift(x):
    pass
`

func TestResolve(t *testing.T) {
	const root = "/p"
	at := func(path string, line int) []Location { return []Location{{Path: path, Line: line}} }
	tests := []struct {
		name   string
		files  map[string]string
		symbol string
		at     []Location
		maps   []Mapping
		want   string
		reason string // a part of it
	}{
		// The names, in the order of their strength.
		{"constant", map[string]string{"a.py": define(`3;f;"gemm_nt"`)}, "gemm_nt", nil, nil, "by name | a.py:4 f", ""},
		{"constant before function", map[string]string{"a.py": define(`3;f;"plain_0"`), "b.py": define("3;plain")}, "plain_0", nil, nil, "by name | a.py:4 f", ""},
		{"taken name", map[string]string{"b.py": define("3;plain")}, "plain_0_1", nil, nil, "by name | b.py:4 plain", ""},
		{"second use of a constant", map[string]string{"a.py": define(`3;f;"gemm"`)}, "gemm_7", nil, nil, "by name | a.py:4 f", ""},
		{"the first use has no id", map[string]string{"a.py": define(`3;f;"gemm"`)}, "gemm_0", nil, nil, "none", "gemm_0"},
		{"second use or function", map[string]string{"a.py": define(`3;f;"gemm"`), "b.py": define("3;gemm")}, "gemm_1", nil, nil, "ambiguous | a.py:4 f | b.py:4 gemm", "2 definitions"},
		{"function only with an id", map[string]string{"b.py": define("3;plain")}, "plain", nil, nil, "none", ""},
		{"named function has no id symbol", map[string]string{"b.py": define(`3;plain;"other"`)}, "plain_0", nil, nil, "none", ""},
		{"pattern", map[string]string{"a.py": define(`3;f;f"gemm_{m}x{n}_k32"`)}, "gemm_64x128_k32", nil, nil, "by name | a.py:4 f", ""},
		{"pattern twice", map[string]string{"a.py": define(`3;f;f"gemm_{m}x{n}"`)}, "gemm_64x128_3", nil, nil, "by name | a.py:4 f", ""},
		{"pattern does not fit", map[string]string{"a.py": define(`3;f;f"gemm_{m}x{n}_k32"`)}, "gemm_64_k32", nil, nil, "none", ""},
		{"constant before pattern", map[string]string{"a.py": define(`3;f;f"gemm_{m}"`, `8;g;"gemm_64"`)}, "gemm_64", nil, nil, "by name | a.py:9 g", ""},
		{"two patterns", map[string]string{"a.py": define(`3;f;f"gemm_{m}"`), "b.py": define(`3;g;f"gemm_nt_{m}"`)}, "gemm_nt_64", nil, nil, "ambiguous | a.py:4 f | b.py:4 g", "2 definitions"},
		{"pattern of nothing", map[string]string{"a.py": define(`3;f;f"{a}_{b}"`)}, "gemm_64", nil, nil, "none", ""},
		{"computed name", map[string]string{"a.py": define("3;f;?")}, "gemm_64", nil, nil, "none", ""},
		{"computed name that may be none", map[string]string{"a.py": define("3;f;?"), "b.py": ""}, "f_0", nil, nil, "by name | a.py:4 f", ""},
		{"name that may be among the options", map[string]string{"a.py": "import flydsl.compiler as flyc\n@flyc.kernel(**options)\ndef f(X):\n    pass\n"}, "f_2", nil, nil, "by name | a.py:3 f", ""},
		{"a sure name before a computed one", map[string]string{"a.py": define("3;f;?"), "b.py": define("3;f")}, "f_0", nil, nil, "by name | b.py:4 f", ""},
		{"two computed names", map[string]string{"a.py": define("3;f;?"), "b.py": define("3;f;?")}, "f_0", nil, nil, "ambiguous | a.py:4 f | b.py:4 f", "2 definitions"},
		{"two files", map[string]string{"a.py": define("3;k"), "b.py": define("3;k")}, "k_0", nil, nil, "ambiguous | a.py:4 k | b.py:4 k", "/p/a.py:4, /p/b.py:4"},
		{"digits in the function's name", map[string]string{"a.py": define("3;k_8")}, "k_8_0", nil, nil, "by name | a.py:4 k_8", ""},

		// Locations.
		{"exact", map[string]string{"a.py": define("3;k")}, "k_0", at("/p/a.py", 3), nil, "exact | a.py:4 k", ""},
		{"exact among equals", map[string]string{"a.py": define("3;x.k", "10;y.k")}, "k_0", at("/p/a.py", 10), nil, "exact | a.py:11 y.<locals>.k", ""},
		{"exact, computed name", map[string]string{"a.py": define("3;f;?")}, "gemm_64", at("/p/a.py", 3), nil, "exact | a.py:4 f", ""},
		{"exact, weak pattern", map[string]string{"a.py": define(`3;f;f"{a}_{b}"`)}, "gemm_64", at("/p/a.py", 3), nil, "exact | a.py:4 f", ""},
		{"a computed name on the line of a constant one", map[string]string{"a.py": define("3;f;?", `7;g;f"gemm_{m}_k32"`)}, "gemm_64_k32", at("/p/a.py", 3), nil, "ambiguous | a.py:4 f | a.py:8 g", "compile it again"},
		{"a computed name that may be none on the line", map[string]string{"a.py": define("3;x.f;?", "9;y.f")}, "f_0", at("/p/a.py", 3), nil, "exact | a.py:4 x.<locals>.f", ""},
		{"a number on the line of a constant", map[string]string{"a.py": define("3;seven", `7;eight;"seven_0"`)}, "seven_0", at("/p/a.py", 3), nil, "ambiguous | a.py:4 seven | a.py:8 eight", "compile it again"},
		{"a constant on its line", map[string]string{"a.py": define("3;seven", `7;eight;"seven_0"`)}, "seven_0", at("/p/a.py", 7), nil, "exact | a.py:8 eight", ""},
		{"another kernel on the line", map[string]string{"a.py": define("3;other", "10;k")}, "k_0", at("/p/a.py", 3), nil, "moved | a.py:11 k", ""},
		{"moved", map[string]string{"a.py": define("30;k")}, "k_0", at("/p/a.py", 3), nil, "moved | a.py:31 k", ""},
		{"moved, computed name", map[string]string{"a.py": define("30;f;?")}, "gemm_64", at("/p/a.py", 3), nil, "moved | a.py:31 f", ""},
		{"moved, several computed names", map[string]string{"a.py": define("30;f;?", "40;g;?")}, "gemm_64", at("/p/a.py", 3), nil, "ambiguous | a.py:31 f | a.py:41 g", "compile it again"},
		{"moved among equals", map[string]string{"a.py": define("5;x.k", "12;y.k")}, "k_0", at("/p/a.py", 8), nil, "ambiguous | a.py:6 x.<locals>.k | a.py:13 y.<locals>.k", "compile it again"},
		{"moved near its line", map[string]string{"a.py": define("5;x.k", "12;y.k", "90;z.k")}, "k_0", at("/p/a.py", 3), nil, "moved | a.py:6 x.<locals>.k", ""},
		{"moved near its line, up", map[string]string{"a.py": define("5;x.k", "88;y.k")}, "k_0", at("/p/a.py", 99), nil, "moved | a.py:89 y.<locals>.k", ""},
		{"moved near its line, elsewhere", map[string]string{"x/a.py": define("5;x.k", "88;y.k"), "y/a.py": ""}, "k_0", at("/c/x/a.py", 99), nil, "moved | x/a.py:89 y.<locals>.k", ""},
		{"moved to another file", map[string]string{"a.py": "", "b.py": define("3;k")}, "k_0", at("/p/a.py", 3), nil, "by name | b.py:4 k", ""},
		{"gone", map[string]string{"a.py": define("3;other")}, "k_0", at("/p/a.py", 3), nil, "none", "nothing at /p/a.py:3 is known to define k_0"},
		{"renamed file", map[string]string{"new.py": define("3;k")}, "k_0", at("/p/old.py", 3), nil, "by name | new.py:4 k", ""},
		{"call site: the kernel is the outer one", map[string]string{"a.py": define("3;k")}, "k_0", []Location{{"/usr/lib/python3.11/functools.py", 9, 0}, {"/p/a.py", 3, 0}}, nil, "exact | a.py:4 k", ""},

		{"call site: the kernel is the inner one", map[string]string{"a.py": define("3;k", "9;other")}, "k_0", []Location{{"/p/a.py", 3, 0}, {"/p/a.py", 9, 0}}, nil, "exact | a.py:4 k", ""},
		{"call site: one moved", map[string]string{"a.py": define("5;k")}, "k_0", []Location{{"/lib/x.py", 3, 0}, {"/p/a.py", 3, 0}}, nil, "moved | a.py:6 k", ""},

		// Paths of other places.
		{"container", map[string]string{"x/a.py": define("3;k"), "y/a.py": define("3;k")}, "k_0", at("/in/container/x/a.py", 3), nil, "exact | x/a.py:4 k", ""},
		{"suffix of one name", map[string]string{"x/a.py": define("3;k"), "x/b.py": ""}, "k_0", at("/elsewhere/a.py", 3), nil, "exact | x/a.py:4 k", ""},
		{"suffix must agree", map[string]string{"x/a.py": define("3;other")}, "k_0", at("/elsewhere/a.py", 3), nil, "none", "/p/x/a.py, which ends like it, does not define k_0; map its folder in path-map"},
		{"suffix, moved", map[string]string{"x/a.py": define("9;k")}, "k_0", at("/elsewhere/x/a.py", 3), nil, "moved | x/a.py:10 k", ""},
		{"suffix, a computed name off the line is no agreement", map[string]string{"x/a.py": define("9;f;?")}, "gemm_64", at("/elsewhere/x/a.py", 3), nil, "none", "path-map"},
		{"suffix that is not unique", map[string]string{"x/a.py": define("3;k"), "y/a.py": define("9;k")}, "k_0", at("/elsewhere/a.py", 3), nil, "ambiguous | x/a.py:4 k | y/a.py:10 k", "path-map"},
		{"suffix that is not unique, one defines it", map[string]string{"x/a.py": define("3;k"), "y/a.py": ""}, "k_0", at("/elsewhere/a.py", 3), nil, "by name | x/a.py:4 k", ""},
		{"two worktrees", map[string]string{"one/x/a.py": define("3;k"), "two/x/a.py": define("3;k")}, "k_0", at("/c/x/a.py", 3), nil, "ambiguous | one/x/a.py:4 k | two/x/a.py:4 k", "path-map"},
		{"two worktrees, mapped", map[string]string{"one/x/a.py": define("3;k"), "two/x/a.py": define("3;k")}, "k_0", at("/c/x/a.py", 3), []Mapping{{"/c", "/p/two"}}, "exact | two/x/a.py:4 k", ""},
		{"no suffix, but the name", map[string]string{"a.py": define("3;k")}, "k_0", at("/c/b.py", 3), nil, "by name | a.py:4 k", ""},
		{"nothing", map[string]string{"a.py": define("3;other")}, "k_0", at("/c/b.py", 3), nil, "none", "/c/b.py does not exist here and no file of the project ends like it"},
		{"part of a name is no suffix", map[string]string{"my_a.py": define("3;k"), "b.py": define("3;k")}, "k_0", at("/c/a.py", 3), nil, "ambiguous | b.py:4 k | my_a.py:4 k", ""},
		{"Windows", map[string]string{"x/a.py": define("3;k"), "y/a.py": define("3;k")}, "k_0", at(`C:\proj\X\A.py`, 3), nil, "exact | x/a.py:4 k", ""},
		{"Windows, mapped", map[string]string{"x/a.py": define("3;k"), "y/x/a.py": define("3;k")}, "k_0", at(`C:\proj\x\a.py`, 3), []Mapping{{`c:/Proj/`, "/p"}}, "exact | x/a.py:4 k", ""},
		{"network share", map[string]string{"x/a.py": define("3;k"), "y/a.py": define("3;k")}, "k_0", at(`\\server\share\x\a.py`, 3), nil, "exact | x/a.py:4 k", ""},
		{"a backslash in a name", map[string]string{`x\y.py`: define("3;k"), "y.py": define("3;k")}, "k_0", at(`/c/x\y.py`, 3), nil, `exact | x\y.py:4 k`, ""},
		{"a mapping fits whole names", map[string]string{"one/a.py": define("3;k"), "two/a.py": define("3;k")}, "k_0", at("/contain/one/a.py", 3), []Mapping{{"/con", "/p/two"}}, "exact | one/a.py:4 k", ""},
		{"the longest mapping", map[string]string{"one/a.py": define("3;k"), "two/a.py": define("3;k")}, "k_0", at("/c/d/a.py", 3), []Mapping{{"/c/d", "/p/two"}, {"/c", "/p/one"}}, "exact | two/a.py:4 k", ""},
		// A name that is computed says nothing: the path and the line have to.
		{"container, computed name", map[string]string{"x/a.py": define("3;f;?", "9;g;?"), "y/a.py": define("3;f;?")}, "gemm_64", at("/in/container/x/a.py", 9), nil, "exact | x/a.py:10 g", ""},
		{"container, weak pattern", map[string]string{"x/a.py": define(`3;f;f"{a}_{b}"`)}, "gemm_64", at("/c/x/a.py", 3), nil, "exact | x/a.py:4 f", ""},
		{"container, computed name, Windows", map[string]string{"x/a.py": define("3;f;?")}, "gemm_64", at(`D:\c\X\A.py`, 3), nil, "exact | x/a.py:4 f", ""},
		{"container, computed name, another line", map[string]string{"x/a.py": define("3;f;?")}, "gemm_64", at("/c/x/a.py", 4), nil, "none", "path-map"},
		{"container, computed name, one name in common", map[string]string{"x/a.py": define("3;f;?")}, "gemm_64", at("/c/z/a.py", 3), nil, "none", "path-map"},
		{"container, weak pattern, one name in common", map[string]string{"x/a.py": define(`3;f;f"{a}_{b}"`)}, "gemm_64", at("/c/z/a.py", 3), nil, "none", "path-map"},
		{"container, computed name, two worktrees", map[string]string{"one/x/a.py": define("3;f;?"), "two/x/a.py": define("3;f;?")}, "gemm_64", at("/c/x/a.py", 3), nil, "ambiguous | one/x/a.py:4 f | two/x/a.py:4 f", "path-map"},
		{"container, computed name, two worktrees, one edited", map[string]string{"one/x/a.py": define("3;f;?"), "two/x/a.py": define("4;f;?")}, "gemm_64", at("/c/x/a.py", 3), nil, "none", "path-map"},
		{"container, computed name, and a better one", map[string]string{"x/a.py": define("3;f;?", `7;g;f"gemm_{m}"`)}, "gemm_64", at("/c/x/a.py", 3), nil, "ambiguous | x/a.py:4 f | x/a.py:8 g", "compile it again"},
		{"container, a name that says another symbol", map[string]string{"x/a.py": define(`3;f;"other"`)}, "gemm_64", at("/c/x/a.py", 3), nil, "none", "path-map"},
		{"a file of the same name with a computed one", map[string]string{"x/a.py": define("3;f;?"), "b.py": define(`3;g;f"gemm_{m}"`)}, "gemm_64", at("/c/z/a.py", 3), nil, "by name | b.py:4 g", ""},

		// Triton: a location names the line of the def, and repr= makes symbols.
		{"repr", map[string]string{"x/t.py": madeByRepr}, "scale_fp16_b64", at("/c/x/t.py", 3), nil, "exact | x/t.py:3 scale", ""},
		{"repr, in the body", map[string]string{"x/t.py": madeByRepr}, "scale_fp16_b64", at("/c/x/t.py", 5), nil, "exact | x/t.py:3 scale", ""},
		{"repr, one name in common", map[string]string{"x/t.py": madeByRepr}, "scale_fp16_b64", at("/c/z/t.py", 3), nil, "none", "path-map"},
		{"repr, of another line", map[string]string{"x/t.py": madeByRepr}, "scale_fp16_b64", at("/c/x/t.py", 8), nil, "none", "path-map"},
		{"repr, two worktrees", map[string]string{"one/x/t.py": madeByRepr, "two/x/t.py": madeByRepr}, "scale_fp16_b64", at("/c/x/t.py", 3), nil, "ambiguous | one/x/t.py:3 scale | two/x/t.py:3 scale", "path-map"},
		{"repr, and the name of another", map[string]string{"x/t.py": madeByRepr}, "shift", at("/c/x/t.py", 3), nil, "ambiguous | x/t.py:3 scale | x/t.py:8 shift", "compile it again"},
		{"repr is no name", map[string]string{"x/t.py": madeByRepr}, "scale_fp16_b64", nil, nil, "none", "scale_fp16_b64"},
		{"repr may be the name", map[string]string{"x/t.py": madeByRepr}, "scale", nil, nil, "by name | x/t.py:3 scale", ""},
		{"repr=None is the name", map[string]string{"x/t.py": "import triton\n@triton.jit(repr=None)\ndef shift(x): pass\n"}, "shift_b64", at("/p/x/t.py", 3), nil, "none", "nothing at"},
		{"Triton, a decorator of the project's own", map[string]string{"x/t.py": "import triton\n@compiled\ndef scale(x): pass\n"}, "scale", at("/c/x/t.py", 3), nil, "exact | x/t.py:3 scale", ""},
		{"Triton, a function on the line", map[string]string{"x/t.py": "import triton\n@compiled\ndef scale(x): pass\n"}, "shift", at("/c/x/t.py", 3), nil, "none", "path-map"},
		{"dots in the path", map[string]string{"x/a.py": define("3;k")}, "k_0", at("/p/./y/../x/a.py", 3), nil, "exact | x/a.py:4 k", ""},
		{"relative path", map[string]string{"x/a.py": define("3;k"), "y/a.py": define("3;k")}, "k_0", at("y/a.py", 3), nil, "exact | y/a.py:4 k", ""},
		{"non-ASCII", map[string]string{"größe/ü.py": define("3;k"), "x/ü.py": define("3;k")}, "k_0", at("/c/größe/ü.py", 3), nil, "exact | größe/ü.py:4 k", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if filepath.Separator == '\\' && strings.Contains(tt.name, "backslash") {
				t.Skip("no such file names here")
			}
			r := project(root, tt.files)
			r.Map = tt.maps
			p := r.Resolve(Query{Symbol: tt.symbol, At: tt.at})
			if got := shown(root, p); got != tt.want || !strings.Contains(p.Reason, tt.reason) {
				t.Errorf("\n got %s (%s)\nwant %s (%s)", got, p.Reason, tt.want, tt.reason)
			}
			if (p.Reason == "") != (p.Match > Ambiguous) {
				t.Errorf("match %d with reason %q", p.Match, p.Reason)
			}
			if len(tt.at) > 0 && p.Origin != tt.at[0] {
				t.Errorf("origin %v", p.Origin)
			}
		})
	}
}

// TestResolveFilesOfThisMachine tells a path that does not exist from one of
// another project, which has kernels of the same names.
func TestResolveFilesOfThisMachine(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) string {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(define("3;k")), 0o666)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine, other := write("mine/x/a.py"), write("other/x/a.py")
	root := filepath.Join(top, "mine")
	r := project(root, map[string]string{"x/a.py": define("3;k")})
	r.Stat = nil
	resolve := func(path string) Place {
		return r.Resolve(Query{Symbol: "k_0", At: []Location{{Path: path, Line: 3}}})
	}
	if p := resolve(mine); p.Match != Exact {
		t.Errorf("the file itself: %s", shown(root, p))
	}
	if p := resolve(other); p.Match != None || p.Outside != other || !slices.Equal(p.Near, []string{mine}) || !strings.Contains(p.Reason, other) || !strings.Contains(p.Reason, "path-map") {
		t.Errorf("a file of another project: %s, %q", shown(root, p), p.Reason)
	}
	r.Map = []Mapping{{From: filepath.Join(top, "other"), To: root}}
	if p := resolve(other); p.Match != Exact {
		t.Errorf("another copy, mapped: %s, %q", shown(root, p), p.Reason)
	}
	if err := os.Symlink(root, filepath.Join(top, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if p := resolve(filepath.Join(top, "link", "x", "a.py")); p.Match != Exact || p.Candidates[0].Path != mine {
		t.Errorf("through a link: %s, %q", shown(root, p), p.Reason)
	}
}

// TestResolveFollows edits a file with two kernels of one name step by step.
func TestResolveFollows(t *testing.T) {
	const root, path = "/p", "/p/a.py"
	r := project(root, map[string]string{"a.py": define("3;x.k", "10;y.k")})
	q := Query{Symbol: "k_0", At: []Location{{Path: path, Line: 10}}}
	last := r.Resolve(q)
	for _, step := range []struct{ text, want string }{
		{define("5;x.k", "12;y.k"), "moved | a.py:13 y.<locals>.k"},
		{define("40;x.k", "50;y.k"), "moved | a.py:51 y.<locals>.k"},
		{define("5;y.k", "20;x.k"), "moved | a.py:6 y.<locals>.k"},
		{define("10;x.k", "17;y.k"), "moved | a.py:18 y.<locals>.k"}, // another one stands on its line now
		{define("3;x.k", "10;y.k"), "exact | a.py:11 y.<locals>.k"},
		{define("3;x.k", "20;z.k"), "moved | a.py:21 z.<locals>.k"}, // its builder was renamed
		{define("5;x.k", "12;y.k"), "moved | a.py:13 y.<locals>.k"},
		{define("10;x.k"), "none"}, // its decorator is being typed
		{define("10;x.k", "17;y.k"), "moved | a.py:18 y.<locals>.k"},
		{define("10;x.k", "17;y.other"), "none"},                    // it was renamed
		{define("3;v.k", "10;w.k"), "exact | a.py:11 w.<locals>.k"}, // nothing is left of what it was beside
	} {
		r.Index.Set(path, scan([]byte(step.text)))
		q.Last = &last
		next := r.Resolve(q)
		if got := shown(root, next); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
		if next.Match >= Moved {
			last = next
		}
	}
	// A new compile says another line: what was found before counts no more.
	exact := Place{Match: Exact, Origin: q.At[0], Candidates: last.Candidates[:1]}
	q = Query{Symbol: "k_0", At: []Location{{Path: path, Line: 99}}, Last: &exact}
	if p := r.Resolve(q); p.Match != Ambiguous {
		t.Errorf("after another compile: %s", shown(root, p))
	}
}

// FuzzMatchParts fills the holes of a pattern and expects that it fits.
func FuzzMatchParts(f *testing.F) {
	f.Add("gemm_{}x{}_k32", "64", "128")
	f.Add("ab{}ba", "", "x")
	f.Fuzz(func(t *testing.T, pattern, one, two string) {
		parts := strings.Split(pattern, "{}")
		var b strings.Builder
		for i, part := range parts {
			if i > 0 {
				b.WriteString([]string{one, two}[i%2])
			}
			b.WriteString(part)
		}
		if !matchParts(parts, b.String()) {
			t.Errorf("%q does not fit %q", b.String(), pattern)
		}
		if len(parts) > 1 && matchParts(parts, parts[0]) && len(parts[0]) < len(parts[len(parts)-1]) {
			t.Errorf("%q is shorter than the end of %q", parts[0], pattern)
		}
	})
}

// TestNear: which files a kernel may come from that was led to none.
func TestNear(t *testing.T) {
	r := project("/p", map[string]string{"x/a.py": define("3;other"), "y/a.py": "", "z/b.py": ""})
	for path, want := range map[string]string{
		"/p/x/a.py": "/p/x/a.py", "/c/x/a.py": "/p/x/a.py", "/c/a.py": "/p/x/a.py /p/y/a.py", "/c/b.py": "/p/z/b.py", "/c/none.py": "",
	} {
		if p := r.Resolve(Query{Symbol: "k_0", At: []Location{{Path: path, Line: 3}}}); p.Match != None || strings.Join(p.Near, " ") != want {
			t.Errorf("%s: match %d, near %q", path, p.Match, p.Near)
		}
	}
	if p := r.Resolve(Query{Symbol: "k_0"}); p.Near != nil {
		t.Errorf("without a location: %q", p.Near)
	}
}

// TestLeft: which file a kernel's definition is gone from, as far as that is sure.
func TestLeft(t *testing.T) {
	r := project("/p", map[string]string{"x/a.py": "", "y/a.py": "", "z/b.py": ""})
	for path, want := range map[string]string{
		"/p/x/a.py": "/p/x/a.py", "/c/x/a.py": "", "/c/a.py": "", "/c/b.py": "", "/c/z/b.py": "", "/c/none.py": "",
	} {
		if p := r.Resolve(Query{Symbol: "k_0", At: []Location{{Path: path, Line: 3}}}); p.Match != None || p.Left != want {
			t.Errorf("%s: match %d, left %q", path, p.Match, p.Left)
		}
	}
}

func TestAt(t *testing.T) {
	r := project("/p", map[string]string{"x/a.py": define("3;k", "10;l")})
	if c, ok := r.At(Location{Path: "/c/x/a.py", Line: 10}); !ok || c.Definition.Function != "l" {
		t.Errorf("got %v, %v", c, ok)
	}
	for _, at := range []Location{{Path: "/c/x/a.py", Line: 4}, {Path: "/c/b.py", Line: 3}, {}} {
		if c, ok := r.At(at); ok {
			t.Errorf("%v: got %v", at, c)
		}
	}
}

// TestRenamedKernelsSitOnOneDefinition leads the one-sided kernels of a real
// renaming to the same definitions.
func TestRenamedKernelsSitOnOneDefinition(t *testing.T) {
	r := project("/p/kernels", kernelFiles(t))
	sits := map[string]map[string]string{"before": {}, "after": {}}
	for name, text := range origins(t) {
		for side := range sits {
			if strings.HasPrefix(name, "renamed/gfx950/"+side) {
				for _, k := range ParseOrigin(text).Kernels {
					if c, ok := r.At(k.Locations[0]); ok {
						sits[side][k.Symbol] = fmt.Sprintf("%s:%d", c.Path, c.Definition.Topmost)
					}
				}
			}
		}
	}
	for old, new := range map[string]string{"column_means_0": "average_columns_0", "gelu_exact_erf": "gelu_erf_bf16", "transpose_dynamic_0": "transpose_on_demand_kernel_0", "subtract_means_1": "subtract_means_1"} {
		if b, a := sits["before"][old], sits["after"][new]; b == "" || b != a {
			t.Errorf("%s at %q, %s at %q", old, b, new, a)
		}
	}
}

func TestIndex(t *testing.T) {
	files := kernelFiles(t)
	whole := project("/p", files).Index
	names := slices.Sorted(maps.Keys(files))
	grown := NewIndex(nil)
	for _, name := range names {
		grown.Set("/p/"+name, scan([]byte(files[name])))
	}
	check := func(when string, ix *Index, want map[string]Match) {
		t.Helper()
		r := Resolver{Index: ix}
		for symbol, match := range want {
			if p := r.Resolve(Query{Symbol: symbol}); p.Match != match {
				t.Errorf("%s: %s is %d, want %d", when, symbol, p.Match, match)
			}
		}
	}
	all := map[string]Match{"softmax_rows_0": ByName, "gemm_nt_f16_k32": ByName, "gelu_exact_erf": ByName, "scale_kernel_0": Ambiguous, "transpose_0": None}
	check("at once", whole, all)
	check("one by one", grown, all)
	if whole.Len() != len(names) || grown.Len() != len(names) || whole.File("/p/./transpose.py") == nil || whole.File("/p/gone.py") != nil {
		t.Errorf("lengths %d, %d", whole.Len(), grown.Len())
	}

	whole.Set("/p/rowwise/scale.py", scan([]byte(define("3;softmax_rows"))))
	check("replaced", whole, map[string]Match{"softmax_rows_0": Ambiguous, "scale_kernel_0": ByName})
	for _, path := range []string{"/p/gemm/tiled_gemm.py", "/p/elementwise/scale.py", "/p/never.py"} {
		whole.Set(path, nil)
	}
	check("removed", whole, map[string]Match{"gemm_nt_f16_k32": None, "scale_kernel_0": None})
	if whole.Len() != len(names)-2 {
		t.Errorf("%d files, want %d", whole.Len(), len(names)-2)
	}
	if p := (&Resolver{Index: whole}).Resolve(Query{Symbol: "k", At: []Location{{Path: "/c/elementwise/scale.py", Line: 9}}}); p.Match != None {
		t.Errorf("a removed file is still found: %v", p)
	}
}

// large makes an index of many files of which one in ten holds kernels.
func large(n int) *Index {
	with := scan([]byte(define("3;k", `10;l;"named"`, `20;m;f"gemm_{x}"`)))
	without := scan([]byte("import os\n"))
	files := map[string]*pysource.File{}
	for i := range n {
		f := without
		if i%10 == 0 {
			f = with
		}
		files[fmt.Sprintf("/project/pkg%03d/sub/file%d.py", i%100, i)] = f
	}
	return NewIndex(maps.All(files))
}

func BenchmarkIndexBuild5000(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		large(5000)
	}
}

func BenchmarkIndexSet5000(b *testing.B) {
	ix := large(5000)
	file := scan([]byte(define("3;fresh", "10;fresher")))
	b.ReportAllocs()
	for b.Loop() {
		ix.Set("/project/pkg001/sub/file1.py", file)
	}
}

func BenchmarkResolve(b *testing.B) {
	r := Resolver{Index: large(5000), Stat: func(string) (os.FileInfo, error) { return nil, fs.ErrNotExist }}
	for name, q := range map[string]Query{
		"exact":  {Symbol: "k_0", At: []Location{{Path: "/project/pkg010/sub/file10.py", Line: 3}}},
		"suffix": {Symbol: "k_0", At: []Location{{Path: "/c/pkg010/sub/file10.py", Line: 3}}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p := r.Resolve(q); p.Match != Exact {
					b.Fatal(p)
				}
			}
		})
	}
}

// scan finds the kernels of a Python text.
func scan(text []byte) *pysource.File { return producer.Builtin().Scan("k.py", text) }
