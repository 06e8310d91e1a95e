package diff

import (
	"slices"
	"testing"

	"isadiff/engine/gfx"
	"isadiff/engine/resource"
)

// TestRenames pairs what is alike and alone with it.
func TestRenames(t *testing.T) {
	kernel := func(key, path string, line int, digest string) *resource.Record {
		return &resource.Record{Key: key, Digest: digest, Target: gfx.Target{Processor: "gfx942"}, Origin: resource.Origin{Path: path, Line: line}}
	}
	other := kernel("x", "/a.py", 3, "1")
	other.Target.Processor = "gfx950"
	list := func(rs ...*resource.Record) []*resource.Record { return rs }
	for _, c := range []struct {
		name        string
		lost, fresh []*resource.Record
		want        []Rename
	}{
		{"one line", list(kernel("a", "/a.py", 3, "1")), list(kernel("b", "/a.py", 3, "2")), []Rename{{"a", "b"}}},
		{"one line of two files", list(kernel("a", "/a.py", 3, "1")), list(kernel("b", "/b.py", 3, "2")), nil},
		{"the same instructions", list(kernel("a", "", 0, "1")), list(kernel("b", "/b.py", 3, "1")), []Rename{{"a", "b"}}},
		{"nothing known", list(kernel("a", "", 0, "")), list(kernel("b", "", 0, "")), nil},
		{"another processor", list(other), list(kernel("b", "/a.py", 3, "1")), nil},
		{"two that fit", list(kernel("a", "", 0, "1")), list(kernel("b", "", 0, "1"), kernel("c", "", 0, "1")), nil},
		{"two that it fits", list(kernel("a", "", 0, "1"), kernel("b", "", 0, "1")), list(kernel("c", "", 0, "1")), nil},
		{"the line before the instructions", list(kernel("a", "/a.py", 3, "1"), kernel("b", "/a.py", 9, "2")),
			list(kernel("c", "/a.py", 3, "2"), kernel("d", "/a.py", 9, "1")), []Rename{{"a", "c"}, {"b", "d"}}},
		{"one definition", list(kernel("a", "/ci/k.py", 3, "1")), list(kernel("b", "/here/k.py", 5, "2")), []Rename{{"a", "b"}}},
		{"one definition, another file's name", list(kernel("a", "/ci/old.py", 3, "1")), list(kernel("b", "/here/k.py", 5, "2")), nil},
		{"one side", list(kernel("a", "/a.py", 3, "1")), nil, nil},
	} {
		got := Renames(c.lost, c.fresh, func(r *resource.Record) (string, int) {
			if r.Origin.Path == "/ci/k.py" || r.Origin.Path == "/here/k.py" || r.Origin.Path == "/ci/old.py" {
				return "/project/k.py", 7
			}
			return "", 1
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
