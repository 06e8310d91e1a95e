package locate

import (
	"testing"

	"isadiff/engine/symbol"
)

// A function whose parameters are other types of the language cannot be the one
// that a symbol names. What a name of a header may stand for contradicts nothing.
func TestContradicts(t *testing.T) {
	for _, c := range []struct {
		symbol, parameters string
		want               bool
	}{
		{"_Z4copyPfPKf", "float *to, const float *from", false},
		{"_Z4copyPfPKf", "float *to, float const *__restrict__ from", false},
		{"_Z4copyPfPKf", "int *to, const int *from", true},
		{"_Z4copyPfPKf", "float *to, const float *from, int n", true},
		{"_Z4copyPfPKf", "float *to", true},
		{"_Z4copyPfPKf", "", true},
		{"_Z4copyPfPKf", "float to, const float *from", true},
		{"_Z4copyPfPKf", "real *to, const real *from", false},
		{"_Z4copyPfPKf", "T *to, const T *from", false},
		{"_Z4copyPfPKf", "std::array<int, 2> to, int from", true},
		{"_Z4copyPfPKf", "ARGUMENTS", false},
		{"_Z4copyPfPKf", "Args... args", false},
		{"_Z4copyPfPKf", "float *to, /* the source */ int *from", false},
		{"_Z4copyPfPKf", "float *to, float (&from)[4]", false},
		{"_Z4copyPfPKf", "\n#ifdef WIDE\nint *a,\n#endif\nfloat *b, float *c", false},
		{"_Z3runjmxtahs", "unsigned n, unsigned long int m, long long int l, unsigned short s, signed char a, unsigned char h, short int z", false},
		{"_Z3runjmxtahs", "int n, unsigned long m, long long l, unsigned short s, signed char a, unsigned char h, short z", true},
		{"_Z3rund", "double x = f(1, 2)", false},
		{"_Z3rund", "float x = 1", true},
		{"_Z3runv", "void", false},
		{"_Z3runv", "", false},
		{"_Z3runv", "int", true},
		{"_Z3runR6Window", "Window &w", false},
		{"_ZN4math5scaleIfLi256EEEvPT_S1_", "T *values, T factor", false},
		{"_ZN4math5scaleIfLi256EEEvPT_S1_", "T *values, T factor, int n", true},
		{"_ZN12_GLOBAL__N_13runEi", "int n", false},
		{"_ZN12_GLOBAL__N_13runEi", "float n", true},
	} {
		types, ok := symbol.Parameters(c.symbol)
		if !ok {
			t.Fatalf("%s tells no parameters", c.symbol)
		}
		if got := contradicts(c.parameters, types); got != c.want {
			t.Errorf("%s (%q) and %q: %v, want %v", c.symbol, types, c.parameters, got, c.want)
		}
	}
	for _, name := range []string{"smooth", "softmax_rows_0", "_Znonsense", "_Z1k"} {
		if types, ok := symbol.Parameters(name); ok {
			t.Errorf("%s has the parameters %q", name, types)
		}
	}
}

// FuzzOverloads: nothing that a source or a symbol says makes it crash.
func FuzzOverloads(f *testing.F) {
	f.Add("_Z4copyPfPKf", "float *to, const float *from")
	f.Add("_Z3runv", ")(>,<")
	f.Fuzz(func(t *testing.T, name, parameters string) {
		if types, ok := symbol.Parameters(name); ok {
			contradicts(parameters, types)
		}
		contradicts(parameters, []string{parameters})
	})
}
