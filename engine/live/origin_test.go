package live

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestOriginDigest(t *testing.T) {
	const text = `#loc = loc("/a/k.py":1:0)
module {
  gpu.func @k(%arg0: i32 loc("/a/k.py":1:0), %arg1: i32 loc(#loc1)) {
    %0 = arith.constant 1 : i32 loc(callsite(#loc7 at #loc6))
    %1 = "op"() {s = " loc(x) \" loc(y)"} : () -> i32 loc("name(" (#loc2))
    gpu.return loc(#loc)
  } loc(#loc1)
}
#loc1 = loc("/a/k.py":1:0)
`
	tests := []struct {
		name, old, new string
		same           bool
	}{
		{"the same", "x", "x", true},
		{"another path", "/a/k.py", "/container/b.py", true},
		{"another line", ":1:0", ":120:4", true},
		{"other aliases", "#loc7 at #loc6", "#loc70 at #loc60", true},
		{"carriage returns", "\n", "\r\n", true},
		{"another constant", "constant 1", "constant 2", false},
		{"another string that looks like a location", "loc(x)", "loc(z)", false},
		{"another argument", "%arg1: i32", "%arg1: i64", false},
		{"another operation", "gpu.return", "gpu.barrier", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := bytes.ReplaceAll([]byte(text), []byte(tt.old), []byte(tt.new))
			if got := OriginDigest(changed) == OriginDigest([]byte(text)); got != tt.same {
				t.Errorf("digests equal: %v, want %v", got, tt.same)
			}
		})
	}
}

// TestOriginDigestReal: debug information changes locations alone, and a
// refactoring that moves operations changes the module although the compiler
// makes the same instructions of it.
func TestOriginDigestReal(t *testing.T) {
	digest := func(path string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "dumps", filepath.FromSlash(path), "00_origin.mlir"))
		if err != nil {
			t.Fatal(err)
		}
		return OriginDigest(text)
	}
	plain := digest("base/gfx950/rowwise_softmax/softmax_rows_0")
	if debug := digest("debug/gfx950/rowwise_softmax/softmax_rows_0"); debug != plain {
		t.Errorf("with debug information %s, without %s", debug, plain)
	}
	if after := digest("refactor-identical/gfx950/after/rowwise_softmax/softmax_rows_0"); after == plain {
		t.Errorf("another order of operations has the same digest %s", after)
	}
}

func FuzzOriginDigest(f *testing.F) {
	f.Add([]byte(`%0 = "op"() : () -> i32 loc("a\"b":1:2)`))
	f.Add([]byte("#loc = loc(\"\nloc(\"\\"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if OriginDigest(text) != OriginDigest(bytes.Clone(text)) {
			t.Error("not a function of the text")
		}
	})
}
