package live

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/resource"
)

// Whatever kernels come and go, and whatever they take, the user's orders pair what
// they pair when all is compared at once.
func TestOrdersFollowKernels(t *testing.T) {
	side := func(vgpr int64, keys ...string) (records []*resource.Record) {
		for _, key := range keys {
			_, name := resource.SplitKey(key)
			r := &resource.Record{Key: key, Name: name, Source: "x/22_final_isa.s"}
			r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
			for m := range r.Cells {
				r.Cells[m] = resource.Value(10)
			}
			r.Cells[resource.VGPR] = resource.Value(vgpr)
			records = append(records, r)
		}
		slices.SortFunc(records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
		return records
	}
	order, err := diff.NewOrder("k_*_u2", "k_*_u8", "isadiff.toml:2")
	if err != nil {
		t.Fatal(err)
	}
	pairs := []*diff.Order{order}
	c := comparison{orders: pairs}
	for i, step := range []struct {
		before, after []*resource.Record
		compared      int
	}{
		{side(20, "d::k_a_u2"), side(20), 0},
		{side(20, "d::k_a_u2"), side(30, "d::k_a_u8"), 1},
		{side(20, "d::k_a_u2"), side(31, "d::k_a_u8"), 1},
		{side(20, "d::k_a_u2"), side(31, "d::k_a_u8", "e::k_a_u8"), 1},
		{side(20, "d::k_a_u2"), side(31, "f::k_a_u8", "e::k_a_u8"), 0},
		{side(20, "d::k_a_u2"), side(32, "f::k_a_u8", "e::k_a_u8"), 0},
		{side(20, "d::k_a_u2"), side(32, "d::k_a_u2", "e::k_a_u8"), 1},
		{side(20, "d::k_a_u8"), side(32, "d::k_a_u8"), 1},
		{side(20, "d::k_a_u2", "d::k_b_u2"), side(32, "d::k_a_u8", "d::k_b_u8"), 2},
	} {
		c.update(step.before, step.after)
		before, after := &resource.Side{Records: step.before}, &resource.Side{Records: step.after}
		opt := diff.Options{Pairs: pairs}
		want := diff.Compare(before, after, opt)
		if got := diff.Assemble(before, after, c.rows, opt); got.Compared != step.compared || !reflect.DeepEqual(got, want) {
			t.Errorf("step %d: %d compared, want %d\n%+v\nwant\n%+v", i, got.Compared, step.compared, got, want)
		}
	}
}
