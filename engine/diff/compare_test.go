package diff_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// kernel returns a record of a gfx942 kernel whose figures are all 10, changed
// by the options.
func kernel(key string, options ...func(*resource.Record)) *resource.Record {
	_, name := resource.SplitKey(key)
	r := &resource.Record{Key: key, Name: name, Source: strings.Split(key, "::")[0] + "/21_final_isa.s", Target: gfx.Target{ID: "amdgcn-amd-amdhsa--gfx942", Processor: "gfx942"}}
	for m := range r.Cells {
		r.Cells[m] = resource.Value(10)
	}
	for _, o := range options {
		o(r)
	}
	return r
}

func set(m resource.Metric, c resource.Cell) func(*resource.Record) {
	return func(r *resource.Record) { r.Cells[m] = c }
}

func value(m resource.Metric, n int64) func(*resource.Record) { return set(m, resource.Value(n)) }

func target(id string) func(*resource.Record) {
	return func(r *resource.Record) { r.Target, _ = gfx.ParseTarget(id) }
}

func bad(r *resource.Record) {
	r.Problems = append(r.Problems, problem.New(problem.CountInvalid, "%s: bad", r.Key).Of(r.Key))
}

func side(origin string, records ...*resource.Record) *resource.Side {
	slices.SortFunc(records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
	return &resource.Side{Origin: origin, Records: records}
}

func matcher(t *testing.T, glob string) *resource.Matcher {
	m, err := resource.NewMatcher(glob)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// row is what a test says about a row: its state and what moved.
func row(r *diff.Row) string {
	switch {
	case r.Side() != "":
		return r.Key + " " + r.Side()
	case !r.Comparable():
		return fmt.Sprintf("%s %v", r.Key, problem.Codes(r.Blocked))
	}
	s := r.Key
	for _, d := range r.Deltas {
		s += fmt.Sprintf(" %s%+d", d.Metric, d.Change)
	}
	return s
}

func rows(r *diff.Result) (list []string) {
	for i := range r.Rows {
		list = append(list, row(&r.Rows[i]))
	}
	return list
}

func TestCompare(t *testing.T) {
	type records = []*resource.Record
	one := func(options ...func(*resource.Record)) records { return records{kernel("k::a", options...)} }
	tests := []struct {
		name              string
		before, after     records
		rows              []string
		worsened, improve int
		verdict           diff.Verdict
		codes             []problem.Code
	}{
		{"unchanged", one(), one(), []string{"k::a"}, 0, 0, diff.OK, nil},
		{"worse", one(), one(value(resource.VGPR, 12)), []string{"k::a vgpr+2"}, 1, 0, diff.Regression, nil},
		{"better", one(), one(value(resource.VGPR, 8)), []string{"k::a vgpr-2"}, 0, 1, diff.OK, nil},
		{"worse here and better there", one(), one(value(resource.VGPR, 8), value(resource.SGPR, 11)), []string{"k::a vgpr-2 sgpr+1"}, 1, 1, diff.Regression, nil},
		{"context alone", one(), one(value(resource.LDSRead, 20)), []string{"k::a lds_read+10"}, 0, 0, diff.OK, nil},
		{"accumulators moved", one(value(resource.ArchVGPR, 64), value(resource.AGPR, 0)), one(value(resource.ArchVGPR, 32), value(resource.AGPR, 32)),
			[]string{"k::a arch_vgpr-32 agpr+32"}, 0, 0, diff.OK, nil},

		{"only before", records{kernel("k::a"), kernel("k::b")}, one(), []string{"k::a", "k::b ONLY IN BEFORE"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.OnlyInBefore}},
		{"only after", one(), records{kernel("k::a"), kernel("k::b")}, []string{"k::a", "k::b ONLY IN AFTER"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.OnlyInAfter}},
		{"moved to another folder", records{kernel("old::a")}, records{kernel("new::a", value(resource.VGPR, 11))}, []string{"new::a vgpr+1"}, 1, 0, diff.Regression, nil},
		{"a name twice after", records{kernel("old::a")}, records{kernel("x::a"), kernel("y::a")},
			[]string{"old::a ONLY IN BEFORE", "x::a ONLY IN AFTER", "y::a ONLY IN AFTER"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.OnlyInAfter, problem.OnlyInBefore}},
		{"a name twice before", records{kernel("x::a"), kernel("y::a")}, records{kernel("new::a")},
			[]string{"new::a ONLY IN AFTER", "x::a ONLY IN BEFORE", "y::a ONLY IN BEFORE"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.OnlyInAfter, problem.OnlyInBefore}},
		{"exact keys first", records{kernel("x::a"), kernel("y::a")}, records{kernel("x::a"), kernel("z::a")}, []string{"x::a", "z::a"}, 0, 0, diff.OK, nil},

		{"a bad kernel", one(), one(bad), []string{"k::a [count-invalid]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.CountInvalid}},
		{"a bad kernel beside a worse one", records{kernel("k::a"), kernel("k::b")}, records{kernel("k::a", bad), kernel("k::b", value(resource.VGPR, 12))},
			[]string{"k::a [count-invalid]", "k::b vgpr+2"}, 1, 0, diff.NotTrustworthy, []problem.Code{problem.CountInvalid}},
		{"a cell nobody gave a problem for", one(), one(set(resource.LDSRead, resource.Unread("odd"))), []string{"k::a [count-missing]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.CountMissing}},
		{"a cell read on neither side", one(set(resource.VGPR, resource.Cell{})), one(set(resource.VGPR, resource.Cell{})), []string{"k::a [count-missing]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.CountMissing}},
		{"a bad kernel on one side only", one(), records{kernel("k::a"), kernel("k::b", bad)}, []string{"k::a", "k::b ONLY IN AFTER"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.CountInvalid, problem.OnlyInAfter}},

		{"n/a on both sides", one(set(resource.ScratchLoad, resource.NA("buffer"))), one(set(resource.ScratchLoad, resource.NA("buffer"))), []string{"k::a"}, 0, 0, diff.OK, nil},
		{"n/a before", one(set(resource.AGPR, resource.NA("old LLVM"))), one(), []string{"k::a [applicability-differs]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.ApplicabilityDiffers}},
		{"n/a after is not 0", one(value(resource.AGPR, 0)), one(set(resource.AGPR, resource.NA("old LLVM"))), []string{"k::a [applicability-differs]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.ApplicabilityDiffers}},

		{"the arch word", one(), one(target("amdgpu-amd-amdhsa--gfx942")), []string{"k::a"}, 0, 0, diff.OK, nil},
		{"the environment", one(), one(target("amdgcn-amd-amdhsa-unknown-gfx942")), []string{"k::a"}, 0, 0, diff.OK, nil},
		{"another processor", one(), one(target("amdgcn-amd-amdhsa--gfx950"), set(resource.AGPR, resource.NA("x"))), []string{"k::a [target-differs]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetDiffers}},
		{"a generic processor", one(), one(target("amdgcn-amd-amdhsa--gfx9-4-generic")), []string{"k::a [target-differs]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetDiffers}},
		{"the order of features", one(target("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-")), one(target("amdgcn-amd-amdhsa--gfx942:xnack-:sramecc+")), []string{"k::a"}, 0, 0, diff.OK, nil},
		{"a feature on and off", one(target("amdgcn-amd-amdhsa--gfx942:xnack+")), one(target("amdgcn-amd-amdhsa--gfx942:xnack-")), []string{"k::a [target-features-differ]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetFeaturesDiffer}},
		{"a feature on and unset", one(target("amdgcn-amd-amdhsa--gfx942:xnack+")), one(), []string{"k::a [target-features-differ]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetFeaturesDiffer}},
		{"a feature off and unset", one(), one(target("amdgcn-amd-amdhsa--gfx942:sramecc-")), []string{"k::a [target-features-differ]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetFeaturesDiffer}},
		{"no target before", one(target("")), one(), []string{"k::a [target-unknown]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetUnknown}},
		{"no target after", one(), one(target("amdgcn-amd-amdhsa--fancy")), []string{"k::a [target-unknown]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetUnknown}},
		{"the same unknown target twice", one(target("amdgcn-amd-amdhsa--fancy")), one(target("amdgcn-amd-amdhsa--fancy")), []string{"k::a [target-unknown]"}, 0, 0, diff.NotTrustworthy, []problem.Code{problem.TargetUnknown}},

		{"nothing at all", nil, nil, nil, 0, 0, diff.NotTrustworthy, []problem.Code{problem.NoKernels}},
	}
	for _, tt := range tests {
		r := diff.Compare(side("x", tt.before...), side("y", tt.after...), diff.Options{})
		if got := rows(r); !slices.Equal(got, tt.rows) {
			t.Errorf("%s: rows %q, want %q", tt.name, got, tt.rows)
		}
		if r.Worsened != tt.worsened || r.Improved != tt.improve || r.Verdict != tt.verdict {
			t.Errorf("%s: worsened %d, improved %d, %v; want %d, %d, %v", tt.name, r.Worsened, r.Improved, r.Verdict, tt.worsened, tt.improve, tt.verdict)
		}
		if got := problem.Codes(r.Problems); !slices.Equal(got, tt.codes) {
			t.Errorf("%s: codes %v, want %v", tt.name, got, tt.codes)
		}
		if r.Total != len(r.Rows) || r.Compared != r.Changed+r.Unchanged || (r.Verdict == diff.NotTrustworthy) != (len(r.Problems) > 0) {
			t.Errorf("%s: the counts contradict each other: %+v", tt.name, r)
		}
	}
}

// A side that could not be read says nothing about what is in it.
func TestCompareUnreadSide(t *testing.T) {
	missing := &resource.Side{Origin: "nowhere", Problems: []problem.Problem{problem.New(problem.InputNotFound, "nowhere does not exist")}}
	good := side("good", kernel("k::a"), kernel("k::b"))
	for _, r := range []*diff.Result{diff.Compare(missing, good, diff.Options{}), diff.Compare(good, missing, diff.Options{})} {
		if got := problem.Codes(r.Problems); !slices.Equal(got, []problem.Code{problem.InputNotFound}) {
			t.Errorf("codes %v", got)
		}
		if r.Total != 2 || r.Compared != 0 || len(r.Rows) != 0 || r.Verdict != diff.NotTrustworthy {
			t.Errorf("%+v", r)
		}
	}
	if r := diff.Compare(missing, missing, diff.Options{}); r.Verdict != diff.NotTrustworthy || len(r.Problems) != 2 {
		t.Errorf("nothing read on either side: %v %v", r.Verdict, r.Problems)
	}
}

func TestCompareProblemsOfFilesNameTheirSide(t *testing.T) {
	cut := problem.New(problem.MetadataCut, "x/21_final_isa.s is cut").In("x/21_final_isa.s")
	before, after := side("b", kernel("k::a")), side("a", kernel("k::a"))
	before.Problems, after.Problems = []problem.Problem{cut}, []problem.Problem{cut}
	r := diff.Compare(before, after, diff.Options{})
	if want := []problem.Problem{cut.On("before"), cut.On("after")}; !slices.Equal(r.Problems, want) {
		t.Errorf("got %v, want %v", r.Problems, want)
	}
	if r.Compared != 1 || r.Verdict != diff.NotTrustworthy {
		t.Errorf("compared %d, %v", r.Compared, r.Verdict)
	}
}

func TestCompareKernelsLimitBothSides(t *testing.T) {
	before := side("b", kernel("x::softmax_1"), kernel("x::gelu", value(resource.VGPR, 1)), kernel("x::gone", bad))
	after := side("a", kernel("x::softmax_1"), kernel("x::gelu"), kernel("x::new"))
	r := diff.Compare(before, after, diff.Options{Kernels: matcher(t, "softmax_*")})
	if got := rows(r); !slices.Equal(got, []string{"x::softmax_1"}) || r.Verdict != diff.OK || r.Kernels != "softmax_*" || r.Total != 1 {
		t.Errorf("%q, %v, %q, %d", got, r.Verdict, r.Kernels, r.Total)
	}
	r = diff.Compare(before, after, diff.Options{Kernels: matcher(t, "nothing_*")})
	if r.Verdict != diff.NotTrustworthy || len(r.Problems) != 1 || r.Problems[0].Code != problem.NoKernels || !strings.Contains(r.Problems[0].Message, `"nothing_*"`) {
		t.Errorf("a glob that matches nothing: %v %v", r.Verdict, r.Problems)
	}
	if r = diff.Compare(before, after, diff.Options{Kernels: matcher(t, "*")}); r.Kernels != "" || r.Total != 4 {
		t.Errorf("a glob that matches everything: %q, %d", r.Kernels, r.Total)
	}
	if len(before.Records) != 3 {
		t.Error("a side was changed")
	}
}

func TestCompareWarnings(t *testing.T) {
	before, after := side("b", kernel("k::a")), side("a", kernel("k::a"))
	before.Warnings, after.Warnings = []string{"both", "mine"}, []string{"yours", "both"}
	r := diff.Compare(before, after, diff.Options{})
	if want := []string{"both", "before: mine", "after: yours"}; !slices.Equal(r.Warnings, want) || r.Verdict != diff.OK {
		t.Errorf("%q, %v; want %q", r.Warnings, r.Verdict, want)
	}
}

// A live session compares one kernel again and keeps the other rows.
// TestUncounted compares code objects of hand-written assembly, whose metadata leave
// out the AGPRs that the kernel descriptor allocates.
func TestUncounted(t *testing.T) {
	object := func(vgprs, allocated int64, agpr resource.Cell) *resource.Side {
		return side("s", kernel("k.co::k", value(resource.VGPR, vgprs), set(resource.AGPR, agpr), func(r *resource.Record) { r.Launch.NextFreeVGPR = allocated }))
	}
	unstated := resource.NA("a code object does not state it")
	for _, c := range []struct {
		name          string
		before, after *resource.Side
		want          []string
	}{
		{"grown", object(152, 161, unstated), object(152, 289, unstated), []string{"k.co::k: the kernel descriptor allocates at least 289 VGPRs, before 161: its metadata count no AGPRs, so vgpr does not show this"}},
		{"as it was", object(152, 161, unstated), object(152, 161, unstated), nil},
		{"shown by vgpr", object(152, 161, unstated), object(160, 289, unstated), nil},
		{"counted", object(152, 161, resource.Value(8)), object(152, 289, resource.Value(8)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := diff.Compare(c.before, c.after, diff.Options{}).Warnings; !slices.Equal(got, c.want) {
				t.Errorf("warnings %q, want %q", got, c.want)
			}
		})
	}
}

func TestAssembleFromRows(t *testing.T) {
	before := side("b", kernel("k::a"), kernel("k::b"), kernel("k::c"))
	after := side("a", kernel("k::a"), kernel("k::b"), kernel("k::c"))
	first := diff.Compare(before, after, diff.Options{})

	worse := kernel("k::b", value(resource.VGPR, 99))
	now := side("a", after.Records[0], worse, after.Records[2])
	again := slices.Clone(first.Rows)
	again[1] = diff.RowOf(before.Records[1], worse)
	got, want := diff.Assemble(before, now, again, diff.Options{}), diff.Compare(before, now, diff.Options{})
	if !reflect.DeepEqual(got, want) || got.Verdict != diff.Regression {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if first.Verdict != diff.OK {
		t.Error("the first result changed")
	}
}

func TestReason(t *testing.T) {
	tests := []struct {
		row  diff.Row
		want string
	}{
		{diff.RowOf(kernel("k::a"), kernel("k::a")), ""},
		{diff.RowOf(kernel("k::a"), nil), "ONLY IN BEFORE"},
		{diff.RowOf(kernel("k::a", bad), kernel("k::a", bad)), "bad (and 1 more)"},
		{diff.RowOf(kernel("k::a"), kernel("k::a", target("amdgcn-amd-amdhsa--gfx950"))), "built for gfx942 before and for gfx950 after"},
		{diff.RowOf(kernel("k::a"), kernel("k::a", target("amdgcn-amd-amdhsa--gfx942:xnack+"))), "built for gfx942 with no features set before and with xnack+ after"},
		{diff.RowOf(kernel("k::a", target("odd")), kernel("k::a", target("odd"))), `the target cannot be named on either side ("odd")`},
		{diff.RowOf(kernel("k::a", target("")), kernel("k::a")), "the target cannot be named before; gfx942 after"},
		{diff.RowOf(kernel("k::a"), kernel("k::a", target("odd"))), `the target cannot be named after ("odd"); gfx942 before`},
		{diff.RowOf(kernel("k::a", set(resource.AGPR, resource.NA("old LLVM"))), kernel("k::a", set(resource.ScratchLoad, resource.NA("buffer")))),
			"agpr n/a before and a value after; scratch_load a value before and n/a after (buffer)"},
	}
	for _, tt := range tests {
		if got := tt.row.Reason(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestPairingByNameIsNoted(t *testing.T) {
	r := diff.RowOf(kernel("old::a"), kernel("new::a"))
	if want := []string{"paired by kernel name: old::a before is new::a after"}; !slices.Equal(r.Notes, want) {
		t.Errorf("%q", r.Notes)
	}
}

func many(n int) (before, after *resource.Side) {
	var b, a []*resource.Record
	for i := range n {
		key := fmt.Sprintf("tree/kernel_%06d::kernel", i)
		b, a = append(b, kernel(key)), append(a, kernel(key))
	}
	return side("b", b...), side("a", a...)
}

func BenchmarkCompare(b *testing.B) {
	before, after := many(10_000)
	b.ReportAllocs()
	for b.Loop() {
		diff.Compare(before, after, diff.Options{})
	}
}

func BenchmarkAssemble(b *testing.B) {
	before, after := many(10_000)
	rows := diff.Compare(before, after, diff.Options{}).Rows
	b.ReportAllocs()
	for b.Loop() {
		diff.Assemble(before, after, rows, diff.Options{})
	}
}
