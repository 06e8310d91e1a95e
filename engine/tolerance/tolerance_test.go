package tolerance_test

import (
	"fmt"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

// rule reads "glob waves" or "glob metric number".
func rule(t *testing.T, text string) tolerance.Rule {
	t.Helper()
	f := strings.Fields(text)
	m, err := resource.NewMatcher(f[0])
	if err != nil {
		t.Fatal(err)
	}
	var r tolerance.Rule
	if len(f) == 2 {
		r, err = tolerance.Whole(m, f[1], "isadiff.toml:1")
	} else {
		var n float64
		fmt.Sscan(f[2], &n)
		r, err = tolerance.Metric(m, f[1], n, "isadiff.toml:2")
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func list(t *testing.T, rules ...string) (l tolerance.List) {
	for _, text := range rules {
		l = l.With(rule(t, text))
	}
	return l
}

// The most specific glob decides alone.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		rules []string
		want  string // "glob"; "" for none
	}{
		{nil, ""},
		{[]string{"other waves"}, ""},
		{[]string{"* waves"}, "*"},
		{[]string{"* waves", "softmax_* vgpr 4"}, "softmax_*"},
		{[]string{"softmax_* vgpr 4", "* waves"}, "softmax_*"},
		{[]string{"softmax_* vgpr 4", "softmax_rows_? vgpr 4", "softmax_rows_0 waves"}, "softmax_rows_0"},
		{[]string{"softmax_rows_0 vgpr 4", "rows/**::softmax_rows_0 waves"}, "rows/**::softmax_rows_0"},
		{[]string{"softmax_{rows,columns,everything}_0 vgpr 4", "softmax_rows_* waves"}, "softmax_rows_*"},
		{[]string{"*_rows_0 vgpr 4", "softma* vgpr 8", "softm*x* waves"}, "*_rows_0"},
		{[]string{"soft* vgpr 4", "*rows vgpr 4", "*row* vgpr 8"}, "soft*"},
	} {
		r := list(t, c.rules...).For(&resource.Record{Key: "rows/a::softmax_rows_0", Name: "softmax_rows_0"})
		got := ""
		if r != nil {
			got = r.Kernels.String()
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.rules, got, c.want)
		}
	}
}

// What is said of one glob in several places adds up; waves and numbers do not.
func TestWith(t *testing.T) {
	l := list(t, "k* vgpr 4", "k* sgpr 8", "k* vgpr 6")
	if len(l) != 1 || l[0].Growth[resource.VGPR] != 6 || l[0].Growth[resource.SGPR] != 8 {
		t.Errorf("%+v", l)
	}
	if l := list(t, "k* vgpr 4", "k* waves"); len(l) != 1 || !l[0].Waves {
		t.Errorf("%+v", l)
	}
	if l := list(t, "k* waves", "k* vgpr 4"); len(l) != 1 || l[0].Waves {
		t.Errorf("%+v", l)
	}
	if a := list(t, "k vgpr 4"); !a.Equal(list(t, "k vgpr 4")) || a.Equal(list(t, "k vgpr 5")) || a.Equal(list(t, "k waves")) || a.Equal(nil) {
		t.Error("lists that are not equal are, or the other way round")
	}
	for text, repeats := range map[string]bool{"k vgpr 9": true, "k sgpr 9": false, "k waves": true, "l vgpr 9": false} {
		if got := list(t, "k vgpr 4").Repeats(rule(t, text)); got != repeats {
			t.Errorf("%s repeats: %v", text, got)
		}
	}
}

func TestFaults(t *testing.T) {
	m := &resource.Matcher{}
	for _, raw := range []any{"wave", 4.0, true, []any{}, nil, map[string]any{"x": 1.0}} {
		if _, err := tolerance.Whole(m, raw, ""); err == nil {
			t.Errorf("%v is taken", raw)
		}
	}
	for _, c := range []struct {
		name string
		raw  any
	}{{"vgprs", 4.0}, {"lds_read", 4.0}, {"waves", 1.0}, {"vgpr", -1.0}, {"vgpr", 1.5}, {"vgpr", "4"}, {"vgpr", 1e300}, {"vgpr", nil}} {
		if _, err := tolerance.Metric(m, c.name, c.raw, ""); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}

// Registers are tolerated while no wave is lost: on gfx942 8 waves need 64 VGPRs at
// most, 7 waves 72.
func TestCovers(t *testing.T) {
	record := func(vgpr int64, change func(*resource.Record)) *resource.Record {
		r := &resource.Record{Key: "d::k", Name: "k"}
		r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
		for m := range r.Cells {
			r.Cells[m] = resource.Value(0)
		}
		r.Cells[resource.VGPR], r.Cells[resource.SGPR] = resource.Value(vgpr), resource.Value(vgpr/2)
		r.Launch = resource.Launch{NextFreeVGPR: vgpr, WavefrontSize: 64, MaxFlatWorkgroupSize: 256, ReqdWorkgroupSize: [3]int64{256, 1, 1}}
		if change != nil {
			change(r)
		}
		r.Occupancy = r.Occupy()
		return r
	}
	unknown := func(r *resource.Record) { r.Target = gfx.Target{Processor: "gfx942x"} }
	spilled := func(r *resource.Record) { r.Cells[resource.VGPRSpill] = resource.Value(1) }
	large := func(r *resource.Record) {
		r.Launch.MaxFlatWorkgroupSize, r.Launch.ReqdWorkgroupSize = 1024, [3]int64{1024, 1, 1}
	}
	dynamic := func(r *resource.Record) { r.Launch.DynamicVGPR = true }
	for _, c := range []struct {
		name, rule    string
		before, after *resource.Record
		want          string // the metrics that are tolerated
	}{
		{"within", "k vgpr 4", record(60, nil), record(64, nil), "vgpr"},
		{"beyond", "k vgpr 4", record(60, nil), record(65, nil), ""},
		{"none", "k vgpr 0", record(60, nil), record(61, nil), ""},
		{"a number costs a wave as well", "k vgpr 4", record(64, nil), record(68, nil), "vgpr"},
		{"no wave lost", "k waves", record(58, nil), record(64, nil), "vgpr sgpr"},
		{"a wave lost", "k waves", record(64, nil), record(65, nil), ""},
		{"a wave that completes no workgroup", "k waves", record(88, large), record(127, large), "vgpr sgpr"},
		{"spills are no registers", "k waves", record(58, nil), record(64, spilled), "vgpr sgpr"},
		{"nobody knows", "k waves", record(58, unknown), record(64, unknown), ""},
		{"allocated while it runs", "k waves", record(58, nil), record(64, dynamic), ""},
	} {
		r := rule(t, c.rule)
		row := diff.RowOf(c.before, c.after)
		var got []string
		for _, d := range row.Deltas {
			if a, ok := r.Covers(&row, d); ok {
				got = append(got, a.Metric.String())
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q (deltas %v, %q)", c.name, got, c.want, row.Deltas, row.Blocked)
		}
	}
	var none *tolerance.Rule
	if _, ok := none.Covers(&diff.Row{}, diff.Delta{Metric: resource.VGPR, Change: 1}); ok {
		t.Error("no rule tolerates")
	}
}
