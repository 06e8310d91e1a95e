package resource_test

import (
	"strings"
	"testing"

	"isadiff/engine/resource"
)

func record(key string) *resource.Record {
	_, name := resource.SplitKey(key)
	return &resource.Record{Key: key, Name: name}
}

func TestNameIn(t *testing.T) {
	for _, tt := range []struct{ key, source, want string }{
		{"a::k", "a/21_final_isa.s", "k"},
		{"a::ns1::k", "a/21_final_isa.s", "ns1::k"},
		{"::ns1::k", "21_final_isa.s", "ns1::k"},
		{"a::b::k", "a::b/21_final_isa.s", "k"},
		{"a::b::ns::k", "a::b/21_final_isa.s", "ns::k"},
		{"a/b::k", "a/b/c/21_final_isa.s", "k"}, // a source of another directory tells nothing
		{"a::ns1::k", "", "ns1::k"},
		{"k", "", "k"},
	} {
		if got := resource.NameIn(tt.key, tt.source); got != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.key, tt.source, got, tt.want)
		}
	}
}

// TestMatcherKnowsRecords holds that a "::" in a folder or a name is told by the
// record, so that a budget or an acceptance selects the kernel that it means.
func TestMatcherKnowsRecords(t *testing.T) {
	inFolder := &resource.Record{Key: "x::y::k", Name: "k"}
	inNamespace := &resource.Record{Key: "x::y::k", Name: "y::k"}
	for _, tt := range []struct {
		glob                string
		folder, inNamespace bool
	}{
		{"k", true, false},
		{"y::k", false, false}, // the folder y
		{"x::y::k", true, true},
		{"x::*", false, true},
		{"x::y::*", true, true},
		{"x*::k", true, false},
		{"**::y::k", true, true},
		{"**::k", true, false},
	} {
		m, err := resource.NewMatcher(tt.glob)
		if err != nil {
			t.Fatal(err)
		}
		if f, n := m.Match(inFolder), m.Match(inNamespace); f != tt.folder || n != tt.inNamespace {
			t.Errorf("%s: in the folder %v, in the namespace %v", tt.glob, f, n)
		}
	}
}

func TestMatcher(t *testing.T) {
	tests := []struct {
		glob, key string
		want      bool
	}{
		{"", "a/b::k_0", true},
		{"*", "::k_0", true},
		{"*", "a/b/c::k_0", true},
		{"*", "k_0", true},
		{"*", "a::odd/name", true},
		{"softmax_*", "rowwise/softmax_rows_0::softmax_rows_0", true},
		{"softmax_rows_0", "rowwise/softmax_rows_0::softmax_rows_0", true},
		{"softmax_*", "softmax_rows_0::other", true}, // the whole key, its folder is one level deep
		{"softmax_rows", "x::softmax_rows_0", false},
		{"Softmax_*", "x::softmax_rows_0", false},
		{"rows", "x::softmax_rows_0", false},
		{"*rows*", "x::softmax_rows_0", true},
		{"{gelu,softmax}_*", "x::gelu_pair", true},
		{"{gelu,softmax}_*", "x::scale_0", false},
		{"k_[0-3]", "x::k_2", true},
		{"k_[0-3]", "x::k_4", false},
		{"k_?", "x::k_12", false},
		{"a/b::k_0", "a/b::k_0", true},
		{"a/b::k_0", "c/a/b::k_0", false},
		{"::k_0", "::k_0", true},
		{"::k_0", "a::k_0", false},
		{"a/*::k_0", "a/b::k_0", true},
		{"a/*::k_0", "a/b/c::k_0", false},
		{"a/**::k_0", "a/b/c::k_0", true},
		{"a/**::k_0", "a::k_0", true},
		{"**::k_0", "::k_0", true},
		{"**::k_0", "a/b::k_0", true},
		{"**::k_1", "a/b::k_0", false},
		{"a::*", "a::odd/name", true},
		{"gfx950/**", "gfx950/gemm/k::k", true},
		{"gfx950/**", "gfx942/gemm/k::k", false},
		{"**/softmax*", "base/gfx950/softmax_rows_0::softmax_rows_0", true},
		{"{a::x,b::y}", "b::y", true},
		{"{a::x,b::y}", "a::y", false},
		{"{a/**::x,b::y}", "b::y", true},
		{`k\*`, "x::k*", true},
		{`k\*`, "x::kk", false},
		{"größe_*", "x::größe_0", true},
	}
	for _, tt := range tests {
		m, err := resource.NewMatcher(tt.glob)
		if err != nil {
			t.Errorf("NewMatcher(%q): %v", tt.glob, err)
			continue
		}
		if got := m.Match(record(tt.key)); got != tt.want {
			t.Errorf("glob %q, key %q: got %v, want %v", tt.glob, tt.key, got, tt.want)
		}
		if m.All() && !m.Match(record(tt.key)) {
			t.Errorf("glob %q claims to match all keys but not %q", tt.glob, tt.key)
		}
		if m.String() != tt.glob {
			t.Errorf("String() = %q, want %q", m.String(), tt.glob)
		}
	}
}

func TestMatcherRefusesBrokenGlobs(t *testing.T) {
	for _, glob := range []string{strings.Repeat("{a,a}", 18), strings.Repeat("{a,", 5000) + strings.Repeat("}", 5000), "[", "a[b", "{a,b", `a\`, "a::[", "**/{"} {
		m, err := resource.NewMatcher(glob)
		if err == nil {
			t.Errorf("NewMatcher(%q) = %v, want an error", glob, m)
			continue
		}
		if !strings.Contains(err.Error(), "kernel glob") {
			t.Errorf("NewMatcher(%q): %v does not say what it is about", glob, err)
		}
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("a/**::k_*", "a/b::k_0")
	f.Add("{a,[b-", "::x")
	f.Fuzz(func(t *testing.T, glob, key string) {
		m, err := resource.NewMatcher(glob)
		if err != nil {
			return
		}
		if got := m.Match(record(key)); m.All() && !got {
			t.Errorf("glob %q claims to match all keys but not %q", glob, key)
		}
	})
}

func BenchmarkMatcher(b *testing.B) {
	m, err := resource.NewMatcher("softmax_*")
	if err != nil {
		b.Fatal(err)
	}
	r := record("base/gfx950/rowwise_softmax/softmax_rows_0::softmax_rows_0")
	b.ReportAllocs()
	for b.Loop() {
		m.Match(r)
	}
}
