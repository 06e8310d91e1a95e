package diff

import (
	"testing"

	"isadiff/engine/resource"
)

// TestRemadeOf: what is known of two compiles of the same.
func TestRemadeOf(t *testing.T) {
	record := func(code, module, sources string, compilers ...string) *resource.Record {
		return &resource.Record{Digest: code, Origin: resource.Origin{Digest: module, Sources: sources}, Compilers: compilers}
	}
	for _, test := range []struct {
		name          string
		before, after *resource.Record
		changed       bool
		want          Remade
	}{
		{"another compiler", record("1", "m", "", "FlyDSL 0.4.2"), record("2", "m", "", "FlyDSL 0.5.0"), true, ByAnother},
		{"the figures are the same, the code is not", record("1", "m", "", "FlyDSL 0.4.2"), record("2", "m", "", "FlyDSL 0.5.0"), false, ByAnother},
		{"the code is the same, the figures are not", record("1", "m", "", "FlyDSL 0.4.2"), record("1", "m", "", "FlyDSL 0.5.0"), true, NotRemade},
		{"a snapshot without code", record("", "m", "", "FlyDSL 0.4.2"), record("2", "m", "", "FlyDSL 0.5.0"), true, ByAnother},
		{"nothing changed", record("", "m", "", "FlyDSL 0.4.2"), record("2", "m", "", "FlyDSL 0.5.0"), false, NotRemade},
		{"another module", record("1", "m", "", "FlyDSL 0.4.2"), record("2", "n", "", "FlyDSL 0.5.0"), true, NotRemade},
		{"no module", record("1", "", "", "FlyDSL 0.4.2"), record("2", "", "", "FlyDSL 0.5.0"), true, NotRemade},
		{"no compiler", record("1", "m", ""), record("2", "m", ""), true, BySomething},
		{"one compiler", record("1", "m", "", "FlyDSL 0.4.2"), record("2", "m", ""), true, BySomething},
		{"one of two", record("1", "m", "", "FlyDSL 0.4.2", "FlyDSL 0.5.0"), record("2", "m", "", "FlyDSL 0.5.0"), true, BySomething},
		{"the same version", record("1", "m", "", "Triton 3.9.0"), record("2", "m", "", "Triton 3.9.0"), true, ByOptions},
		{"the same name without a version", record("1", "m", "", "IREE"), record("2", "m", "", "IREE"), true, BySomething},
		{"the same sources", record("1", "", "s", "clang 19"), record("2", "", "s", "clang 22"), true, ByAnotherOfSource},
		{"the same sources and compiler", record("1", "", "s", "clang 19"), record("2", "", "s", "clang 19"), true, NotRemade},
		{"the same sources, no compiler", record("1", "", "s"), record("2", "", "s"), true, NotRemade},
		{"other sources", record("1", "", "s", "clang 19"), record("2", "", "r", "clang 22"), true, NotRemade},
	} {
		if got := RemadeOf(test.before, test.after, test.changed); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
