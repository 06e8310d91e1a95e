package live

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/accept"
	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/gfx"
	"isadiff/engine/resource"
)

// Whatever keys come and go, acceptances and budgets hold for the kernels for which
// they hold when all is compared at once.
func TestRulesFollowKeys(t *testing.T) {
	record := func(key string, vgpr int64) *resource.Record {
		_, name := resource.SplitKey(key)
		r := &resource.Record{Key: key, Name: name, Source: "x/22_final_isa.s"}
		r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
		for m := range r.Cells {
			r.Cells[m] = resource.Value(10)
		}
		r.Cells[resource.VGPR] = resource.Value(vgpr)
		return r
	}
	side := func(vgpr int64, keys ...string) (records []*resource.Record) {
		for _, key := range keys {
			records = append(records, record(key, vgpr))
		}
		slices.SortFunc(records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
		return records
	}
	one, _ := resource.NewMatcher("d::k")
	limit, err := budget.Parse("vgpr <= 25")
	if err != nil {
		t.Fatal(err)
	}
	limit.Kernels = one
	rules := &gate.Rules{Today: "2027-01-01", Budgets: []budget.Budget{limit}}
	rules.Accepted.Entries = []accept.Entry{{Kernels: one, Metric: resource.VGPR, Value: 30, Line: 1}}
	var c comparison
	c.judge(rules)
	for i, step := range []struct {
		before, after []*resource.Record
		accepted      int
	}{
		{side(20, "d::k"), side(30, "d::k"), 1},
		{side(20, "d::k"), side(30, "t/d::k"), 1},
		{side(20, "t/d::k"), side(30, "t/d::k"), 1},
		{side(20, "t/d::k", "u/d::k"), side(30, "t/d::k", "u/d::k"), 0},
		{side(20, "t/d::k", "d::k"), side(30, "t/d::k", "d::k"), 1},
		{side(20, "t/d::k", "e::l"), side(30, "t/d::k", "e::l"), 1},
		{side(20, "e::k"), side(30, "e::k"), 0},
	} {
		c.update(step.before, step.after)
		want := rules.Apply(diff.Compare(&resource.Side{Records: step.before}, &resource.Side{Records: step.after}, diff.Options{}))
		if want.Accepted != step.accepted || want.Broken != step.accepted {
			t.Errorf("step %d: %d accepted, %d broken, want %d", i, want.Accepted, want.Broken, step.accepted)
		}
		if !reflect.DeepEqual(c.rows, want.Rows) {
			t.Errorf("step %d: the rows are\n%+v\nwant\n%+v", i, c.rows, want.Rows)
		}
	}
}
