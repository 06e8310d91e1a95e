package symbol

import "testing"

func TestSymbol(t *testing.T) {
	for _, test := range []struct{ symbol, readable, function string }{
		{"softmax_rows_0", "softmax_rows_0", "softmax_rows_0"},
		{"_Z4copyPfPKf", "copy", "copy"},
		{"_ZN2ns5scaleIfLi256EEEvPT_S1_", "ns::scale<float, 256>", "scale"},
		{"_ZN12_GLOBAL__N_16hiddenEv", "(anonymous namespace)::hidden", "hidden"},
		{"_Z6reduceI4plusIN2ns4halfEEEvPT_", "reduce<plus<ns::half>>", "reduce"},
		{"_ZN5Outer5Inner3runEi", "Outer::Inner::run", "run"},
		{"_Z", "_Z", "_Z"},
		{"_Znonsense", "_Znonsense", "_Znonsense"},
	} {
		if got := Readable(test.symbol); got != test.readable {
			t.Errorf("Readable(%s) = %q, want %q", test.symbol, got, test.readable)
		}
		if got := Function(test.symbol); got != test.function {
			t.Errorf("Function(%s) = %q, want %q", test.symbol, got, test.function)
		}
	}
}

// FuzzSymbol: any symbol has a name that is not empty.
func FuzzSymbol(f *testing.F) {
	for _, s := range []string{"", "_Z4copyPfPKf", "_ZN2ns5scaleIfLi256EEEvPT_S1_", "_ZTV1a", "_ZZ1fvE1g"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		if symbol != "" && (Readable(symbol) == "" || Function(symbol) == "") {
			t.Errorf("%q has no name", symbol)
		}
	})
}
