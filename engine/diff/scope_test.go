package diff_test

import (
	"slices"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/resource"
)

func sideOf(keys ...string) *resource.Side {
	s := &resource.Side{}
	for _, k := range keys {
		_, name := resource.SplitKey(k)
		s.Records = append(s.Records, &resource.Record{Key: k, Name: name})
	}
	return s
}

// What a part of a run left out is not missing; what it was to compile is.
func TestScope(t *testing.T) {
	before := sideOf("a.py/test_x/k::k", "a.py/test_x[1]/k::k", "a.py/test_x[1]::m", "a.py/test_xy/k::k", "b.py/test/lone::lone", "kernels/k.py/k::k")
	order, err := diff.NewOrder("b.py/test/lone::lone", "c.py/test/other::other", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		scope  diff.Scope
		after  []string
		orders []*diff.Order
		stay   []string
	}{
		{"everything", diff.Scope{""}, nil, nil, []string{"a.py/test_x/k::k", "a.py/test_x[1]/k::k", "a.py/test_x[1]::m", "a.py/test_xy/k::k", "b.py/test/lone::lone", "kernels/k.py/k::k"}},
		{"one test", diff.Scope{"a.py/test_x"}, nil, nil, []string{"a.py/test_x/k::k"}},
		{"a parameter", diff.Scope{"a.py/test_x[1]"}, nil, nil, []string{"a.py/test_x[1]/k::k", "a.py/test_x[1]::m"}},
		{"a file", diff.Scope{"a.py"}, nil, nil, []string{"a.py/test_x/k::k", "a.py/test_x[1]/k::k", "a.py/test_x[1]::m", "a.py/test_xy/k::k"}},
		{"compiled all the same", nil, []string{"kernels/k.py/k::k"}, nil, []string{"kernels/k.py/k::k"}},
		{"not by a name that is alone here", diff.Scope{"c.py/test"}, []string{"c.py/test/lone::lone"}, nil, nil},
		{"by the user's word", diff.Scope{"c.py/test"}, []string{"c.py/test/other::other"}, []*diff.Order{order}, []string{"b.py/test/lone::lone"}},
	} {
		limited, left := c.scope.Limit(before, sideOf(c.after...), c.orders...)
		var got []string
		for _, r := range limited.Records {
			got = append(got, r.Key)
		}
		if !slices.Equal(got, c.stay) || len(got)+len(left) != len(before.Records) {
			t.Errorf("%s: %q stay and %d are left, want %q", c.name, got, len(left), c.stay)
		}
	}
}
