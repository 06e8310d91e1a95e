package budget_test

import (
	"strings"
	"testing"

	"isadiff/engine/budget"
	"isadiff/engine/resource"
)

// kernel has 128 VGPRs, 3 and 2 spills, 4 waves.
func kernel(change func(*resource.Record)) *resource.Record {
	r := &resource.Record{Key: "d::k", Name: "k"}
	for m := range r.Cells {
		r.Cells[m] = resource.Value(0)
	}
	r.Cells[resource.VGPR] = resource.Value(128)
	r.Cells[resource.VGPRSpill], r.Cells[resource.SGPRSpill] = resource.Value(3), resource.Value(2)
	r.Cells[resource.ScratchBytes] = resource.Value(64)
	r.Target.Processor = "gfx942"
	r.Launch = resource.Launch{NextFreeVGPR: 128, WavefrontSize: 64, MaxFlatWorkgroupSize: 256}
	if change != nil {
		change(r)
	}
	return r
}

func TestCheck(t *testing.T) {
	dynamicLDS := func(r *resource.Record) { r.Launch.DynamicLDS = true }
	dynamicVGPR := func(r *resource.Record) { r.Launch.DynamicVGPR = true }
	dynamicStack := func(r *resource.Record) { r.Launch.DynamicStack = true }
	for _, c := range []struct {
		expression string
		change     func(*resource.Record)
		want       budget.State
		figure     int64
		reason     string
	}{
		{"vgpr <= 128", nil, budget.Kept, 128, ""},
		{"vgpr<128", nil, budget.Broken, 128, ""},
		{" vgpr  >=  129 ", nil, budget.Broken, 128, ""},
		{"vgpr > 127", nil, budget.Kept, 128, ""},
		{"vgpr == 128", nil, budget.Kept, 128, ""},
		{"spill == 0", nil, budget.Broken, 5, ""},
		{"spill <= 5", nil, budget.Kept, 5, ""},
		{"sgpr_spill <= 1", nil, budget.Broken, 2, ""},
		{"occupancy >= 4", nil, budget.Kept, 4, ""},
		{"occupancy >= 5", nil, budget.Broken, 4, ""},
		// What is only bounded is kept or broken where the bound decides it.
		{"occupancy >= 4", dynamicLDS, budget.Unknown, 0, "4 at most"},
		{"occupancy >= 5", dynamicLDS, budget.Broken, 4, ""},
		{"occupancy <= 4", dynamicLDS, budget.Kept, 4, ""},
		{"occupancy == 4", dynamicVGPR, budget.Unknown, 0, "allocates VGPRs"},
		{"scratch_bytes <= 64", dynamicStack, budget.Unknown, 0, "lower bound"},
		{"scratch_bytes <= 63", dynamicStack, budget.Broken, 64, ""},
		{"scratch_bytes >= 64", dynamicStack, budget.Kept, 64, ""},
		{"occupancy >= 5", func(r *resource.Record) { // registers for 5, and whole workgroups of 1,024 threads for 4
			r.Launch.NextFreeVGPR, r.Launch.ReqdWorkgroupSize = 88, [3]int64{1024, 1, 1}
			r.Cells[resource.VGPR] = resource.Value(88)
		}, budget.Broken, 4, ""},
		{"occupancy >= 1", func(r *resource.Record) {
			r.Launch.ReqdWorkgroupSize, r.Launch.NextFreeVGPR = [3]int64{1024, 1, 1}, 129
			r.Occupancy = r.Occupy()
		}, budget.Broken, 0, ""},
		// What is not known is not kept.
		{"occupancy >= 1", func(r *resource.Record) { r.Launch.WavefrontSize = 0 }, budget.Unknown, 0, "not known"},
		{"agpr == 0", func(r *resource.Record) { r.Cells[resource.AGPR] = resource.NA("no such file") }, budget.Unknown, 0, "agpr is n/a: no such file"},
		{"spill == 0", func(r *resource.Record) { r.Cells[resource.SGPRSpill] = resource.Unread("cut") }, budget.Unknown, 0, "sgpr_spill is ?: cut"},
	} {
		b, err := budget.Parse(c.expression)
		if err != nil {
			t.Errorf("%q: %v", c.expression, err)
			continue
		}
		f := b.Check(kernel(c.change))
		if f.State != c.want || f.State != budget.Unknown && f.Figure != c.figure || !strings.Contains(f.Reason, c.reason) || (f.Reason == "") != (f.State != budget.Unknown) {
			t.Errorf("%q: %+v, want %d, %d, %q", c.expression, f, c.want, c.figure, c.reason)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for expression, want := range map[string]string{
		"":                             "must be a quantity",
		"vgpr":                         "must be a quantity",
		"vgpr = 3":                     "must be a quantity",
		"vgpr != 3":                    "must be a quantity",
		"vgpr => 3":                    "one of <= < == > >=",
		"vgpr =< 3":                    "one of <= < == > >=",
		"vgpr === 3":                   "one of <= < == > >=",
		"vgprs <= 3":                   `limits "vgprs"`,
		"<= 3":                         `limits ""`,
		"vgpr <= ":                     `has the limit ""`,
		"vgpr <= -1":                   "not negative",
		"vgpr <= 1.5":                  "whole number",
		"vgpr <= 1_000":                "whole number",
		"vgpr <= 0x10":                 "whole number",
		"vgpr <= 99999999999999999999": "whole number",
	} {
		if b, err := budget.Parse(expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", expression, b, err, want)
		}
	}
}

func TestGlobs(t *testing.T) {
	m, err := resource.NewMatcher("other_*")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := budget.Parse("vgpr <= 1")
	elsewhere := b
	elsewhere.Kernels = m
	var found []budget.Finding
	for _, b := range []budget.Budget{elsewhere, b} {
		if r := kernel(nil); b.Kernels == nil || b.Kernels.Match(r) {
			found = append(found, b.Check(r))
		}
	}
	if len(found) != 1 || found[0].State != budget.Broken {
		t.Errorf("%+v", found)
	}
}

// What is read is written as it was meant.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"vgpr <= 128", "spill==0", "occupancy >= 2", "a <= b <= c", "<=>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := budget.Parse(s)
		if err != nil {
			return
		}
		again, err := budget.Parse(b.String())
		if err != nil || again != b {
			t.Errorf("%q is %q, which is %v, %v", s, b, again, err)
		}
	})
}
