package gate_test

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
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

func kernel(key string, vgpr, lds int64) *resource.Record {
	_, name := resource.SplitKey(key)
	r := &resource.Record{Key: key, Name: name, Source: "x/22_final_isa.s"}
	r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
	for m := range r.Cells {
		r.Cells[m] = resource.Value(10)
	}
	r.Cells[resource.VGPR], r.Cells[resource.LDSStaticBytes] = resource.Value(vgpr), resource.Value(lds)
	return r
}

func side(records ...*resource.Record) *resource.Side {
	slices.SortFunc(records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
	return &resource.Side{Origin: "s", Records: records}
}

// rules reads entries "glob metric value until" and budgets "glob: expression".
func rules(t *testing.T, lines ...string) *gate.Rules {
	t.Helper()
	g := &gate.Rules{Today: "2027-01-01", Accepted: accept.List{Path: "accepted.toml"}}
	for i, line := range lines {
		if glob, expression, isBudget := strings.Cut(line, ": "); isBudget {
			b, err := budget.Parse(expression)
			if err != nil {
				t.Fatal(err)
			}
			b.Kernels, _ = resource.NewMatcher(glob)
			b.Where = "isadiff.toml:1"
			g.Budgets = append(g.Budgets, b)
			continue
		}
		f := strings.Fields(line)
		k, _ := resource.NewMatcher(f[0])
		m, _ := resource.ParseMetric(f[1])
		e := accept.Entry{Kernels: k, Metric: m, Line: i + 1}
		for _, d := range f[2] {
			e.Value = e.Value*10 + int64(d-'0')
		}
		if len(f) > 3 {
			e.Until = accept.Date(f[3])
		}
		g.Accepted.Entries = append(g.Accepted.Entries, e)
	}
	return g
}

func TestApply(t *testing.T) {
	worse := func() *diff.Result { // vgpr 20 -> 30, lds 64 -> 128
		return diff.Compare(side(kernel("d::k", 20, 64), kernel("d::still", 5, 0)), side(kernel("d::k", 30, 128), kernel("d::still", 5, 0)), diff.Options{})
	}
	doubtful := func() *diff.Result {
		broken := kernel("d::k", 30, 128)
		broken.Problems = []problem.Problem{problem.New(problem.CountInvalid, "bad").Of("d::k")}
		return diff.Compare(side(kernel("d::k", 20, 64)), side(broken), diff.Options{})
	}
	unread := func() *diff.Result {
		missing := &resource.Side{Problems: []problem.Problem{problem.New(problem.InputNotFound, "no dumps")}}
		return diff.Compare(side(kernel("d::k", 20, 64)), missing, diff.Options{})
	}
	for name, c := range map[string]struct {
		result           *diff.Result
		rules            []string
		want             diff.Verdict
		accepted, broken int
		warnings         []string // each is part of one, in order
	}{
		"all accepted":       {worse(), []string{"k vgpr 30", "d::* lds_static_bytes 128"}, diff.OK, 2, 0, nil},
		"one accepted":       {worse(), []string{"k vgpr 30"}, diff.Regression, 1, 0, nil},
		"grown further":      {worse(), []string{"k vgpr 29", "k lds_static_bytes 128"}, diff.Regression, 1, 0, []string{"accepted up to 29, but d::k has 30 now"}},
		"tightest counts":    {worse(), []string{"k vgpr 99", "k vgpr 30", "k lds_static_bytes 128"}, diff.OK, 2, 0, []string{"30 would do now"}},
		"last day":           {worse(), []string{"k vgpr 30 2027-01-01", "k lds_static_bytes 128"}, diff.OK, 2, 0, nil},
		"expired":            {worse(), []string{"k vgpr 30 2026-12-31", "k lds_static_bytes 128"}, diff.Regression, 1, 0, []string{"until 2026-12-31, which has passed"}},
		"expired, unneeded":  {worse(), []string{"still vgpr 30 2026-12-31"}, diff.Regression, 0, 0, []string{"which has passed"}},
		"expired, in doubt":  {doubtful(), []string{"k vgpr 30 2026-12-31", "k lds_static_bytes 128 2026-12-31"}, diff.NotTrustworthy, 0, 0, nil},
		"expired, unread":    {unread(), []string{"k vgpr 30 2026-12-31"}, diff.NotTrustworthy, 0, 0, nil},
		"another metric":     {worse(), []string{"k sgpr 30"}, diff.Regression, 0, 0, []string{"no longer needed"}},
		"no such kernel":     {worse(), []string{"j vgpr 30"}, diff.Regression, 0, 0, []string{"no kernel matches; remove the entry"}},
		"not needed":         {worse(), []string{"still vgpr 30"}, diff.Regression, 0, 0, []string{"still\": it is not worse"}},
		"doubt stays":        {doubtful(), []string{"k vgpr 30", "k lds_static_bytes 128", "*: vgpr <= 10"}, diff.NotTrustworthy, 0, 0, nil},
		"budget kept":        {worse(), []string{"k vgpr 30", "k lds_static_bytes 128", "*: vgpr <= 30"}, diff.OK, 2, 0, nil},
		"budget broken":      {worse(), []string{"k vgpr 30", "k lds_static_bytes 128", "k: vgpr <= 29"}, diff.Regression, 2, 1, nil},
		"budget for nobody":  {worse(), []string{"k vgpr 30", "k lds_static_bytes 128", "j: vgpr <= 29"}, diff.OK, 2, 0, []string{"isadiff.toml:1: the budget vgpr <= 29"}},
		"budget not checked": {worse(), []string{"k vgpr 30", "k lds_static_bytes 128", "k: occupancy >= 2"}, diff.NotTrustworthy, 2, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := *c.result
			rows := slices.Clone(c.result.Rows)
			got := rules(t, c.rules...).Apply(c.result)
			if got.Verdict != c.want || got.Accepted != c.accepted || got.Broken != c.broken {
				t.Errorf("%s, %d accepted, %d broken; want %s, %d, %d", got.Verdict, got.Accepted, got.Broken, c.want, c.accepted, c.broken)
			}
			if got.Worsened != before.Worsened || got.Improved != before.Improved || got.Compared != before.Compared {
				t.Error("the counts of the contract changed")
			}
			if !reflect.DeepEqual(before, *c.result) || !reflect.DeepEqual(rows, c.result.Rows) {
				t.Error("the result given was changed")
			}
			if len(got.Warnings) != len(c.warnings) {
				t.Fatalf("warnings %q, want %q", got.Warnings, c.warnings)
			}
			for i, w := range c.warnings {
				if !strings.Contains(got.Warnings[i], w) {
					t.Errorf("warning %q, want %q", got.Warnings[i], w)
				}
			}
		})
	}
}

// An entry holds for the kernel of its key under another one, where the comparison
// pairs the two by name, or where nothing but the folders in front differs.
func TestApplyByName(t *testing.T) {
	grown := func(before, after string, more ...string) *diff.Result {
		b, a := []*resource.Record{kernel(before, 20, 64)}, []*resource.Record{kernel(after, 30, 64)}
		for _, key := range more {
			b, a = append(b, kernel(key, 5, 0)), append(a, kernel(key, 5, 0))
		}
		return diff.Compare(side(b...), side(a...), diff.Options{})
	}
	const capture = "tests/t.py/x[1]/d::k"
	for name, c := range map[string]struct {
		result *diff.Result
		rules  []string
		want   diff.Verdict
		warn   string
	}{
		"paired by name":            {grown("d::k", capture), []string{"d::k vgpr 30"}, diff.OK, ""},
		"paired by name, the other": {grown("d::k", capture), []string{accept.Exactly(capture) + " vgpr 30"}, diff.OK, ""},
		"paired by name, a glob":    {grown("d::k", capture), []string{"d*::k vgpr 30"}, diff.OK, ""},
		"paired, grown further":     {grown("d::k", capture), []string{"d::k vgpr 29"}, diff.Regression, "tests/t.py/x[1]/d::k has 30 now"},
		"paired, no longer worse":   {grown("d::k", capture, "e::l"), []string{"e::l vgpr 30"}, diff.Regression, "it is not worse"},
		"both under the capture's":  {grown(capture, capture), []string{"d::k vgpr 30"}, diff.OK, ""},
		"neither under it":          {grown("d::k", "d::k"), []string{accept.Exactly(capture) + " vgpr 30"}, diff.OK, ""},
		"the root's":                {grown("d::k", "d::k"), []string{"::k vgpr 30"}, diff.OK, ""},
		"another folder":            {grown("e::k", "e::k"), []string{"d::k vgpr 30"}, diff.Regression, `no kernel has this key, but e::k has the name; if it is the same kernel accept it anew`},
		"the end of a folder":       {grown("xd::k", "xd::k"), []string{"d::k vgpr 30"}, diff.Regression, "xd::k has the name"},
		"two kernels":               {grown(capture, capture, "tests/t.py/x[2]/d::k"), []string{"d::k vgpr 30"}, diff.Regression, "x[1]/d::k has the name"},
		"two entries":               {grown("d::k", "d::k"), []string{`a/d::k vgpr 30`, `b/d::k vgpr 30`}, diff.Regression, "d::k has the name"},
		"an entry of elsewhere":     {grown(capture, capture), []string{`d::k vgpr 30`, `e::k vgpr 30`}, diff.OK, `x[1]/d::k has the name; if`},
		"its own is there":          {grown("e/d::k", "e/d::k", "d::k"), []string{"d::k vgpr 30"}, diff.Regression, "it is not worse"},
		"a budget":                  {grown("d::k", capture), []string{"**::k lds_static_bytes 99", "**::k vgpr 30", "d::k: vgpr <= 29"}, diff.Regression, "lds_static_bytes"},
		"a budget, both":            {grown(capture, capture), []string{"**::k vgpr 30", "d::k: vgpr <= 29"}, diff.Regression, ""},
		"a budget, neither":         {grown("d::k", "d::k"), []string{"**::k vgpr 30", accept.Exactly(capture) + ": vgpr <= 29"}, diff.Regression, ""},
		"a budget, another folder":  {grown("e::k", "e::k"), []string{"**::k vgpr 30", "d::k: vgpr <= 29"}, diff.OK, `"d::k", and there is none, but e::k has the name; write its key`},
		"a budget and an entry":     {grown(capture, capture), []string{accept.Exactly(capture) + " vgpr 30", "d::k: vgpr <= 29"}, diff.Regression, ""},
		"another name":              {grown("d::l", "d::l"), []string{"d::k vgpr 30"}, diff.Regression, "no kernel matches; remove the entry"},
	} {
		t.Run(name, func(t *testing.T) {
			got := rules(t, c.rules...).Apply(c.result)
			if warnings := strings.Join(got.Warnings, "\n"); got.Verdict != c.want || (warnings == "") != (c.warn == "") || !strings.Contains(warnings, c.warn) {
				t.Errorf("%s, warnings %q; want %s, %q", got.Verdict, warnings, c.want, c.warn)
			}
		})
	}
}

// With no rule in use a result is the same value.
func TestIdle(t *testing.T) {
	r := diff.Compare(side(kernel("d::k", 20, 64)), side(kernel("d::k", 30, 64)), diff.Options{})
	if (&gate.Rules{Today: "2027-01-01"}).Apply(r) != r || (*gate.Rules)(nil).Apply(r) != r {
		t.Error("another result")
	}
}

func TestSide(t *testing.T) {
	s := side(kernel("d::k", 20, 64), kernel("d::l", 5, 0))
	if st := rules(t, "*: vgpr <= 10").Side(s); st.Verdict != diff.Regression || st.Checked != 2 || st.Breaches != 1 || len(st.Broken["d::k"]) != 1 {
		t.Errorf("%+v", st)
	}
	if st := rules(t, "*: occupancy >= 1").Side(s); st.Verdict != diff.NotTrustworthy || len(st.Problems) != 2 || st.Problems[0].Code != problem.BudgetUnknown {
		t.Errorf("%+v", st)
	}
	if st := new(gate.Rules).Side(s); st.Verdict != diff.OK || st.Checked != 0 {
		t.Errorf("%+v", st)
	}
	if st := rules(t, "d::k: vgpr <= 10").Side(side(kernel("tests/t.py/d::k", 20, 64))); st.Verdict != diff.Regression || st.Checked != 1 || len(st.Warnings) > 0 {
		t.Errorf("under the key of a capture: %+v", st)
	}
	invalid := &gate.Rules{Invalid: []problem.Problem{problem.New(problem.BudgetInvalid, "x")}}
	if st := invalid.Side(s); st.Verdict != diff.NotTrustworthy {
		t.Errorf("%+v", st)
	}
}

// A comparison that was limited says nothing about kernels that it left out.
func TestLimited(t *testing.T) {
	only, _ := resource.NewMatcher("still")
	r := diff.Compare(side(kernel("d::k", 20, 64), kernel("d::still", 5, 0)), side(kernel("d::k", 30, 64), kernel("d::still", 5, 0)), diff.Options{Kernels: only})
	if got := rules(t, "k vgpr 30", "k: vgpr <= 1").Apply(r); len(got.Warnings) > 0 || got.Verdict != diff.OK {
		t.Errorf("%s %q", got.Verdict, got.Warnings)
	}
}

func BenchmarkApply(b *testing.B) {
	var before, after []*resource.Record
	for i := range 10_000 {
		key := "folder/" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "/" + resource.Value(int64(i)).String() + "::kernel_" + resource.Value(int64(i)).String()
		before, after = append(before, kernel(key, 20, 64)), append(after, kernel(key, 20+int64(i%10/9), 64))
	}
	r := diff.Compare(side(before...), side(after...), diff.Options{})
	limit, _ := budget.Parse("vgpr <= 128")
	limit.Kernels, _ = resource.NewMatcher("kernel_*")
	g := &gate.Rules{Budgets: []budget.Budget{limit}, Today: "2027-01-01"}
	b.ReportAllocs()
	for b.Loop() {
		g.Apply(r)
	}
}

// What is tolerated is counted apart from what is accepted, and takes nothing from a
// reason for NOT TRUSTWORTHY.
func TestTolerance(t *testing.T) {
	all, _ := resource.NewMatcher("*")
	vgpr, err := tolerance.Metric(all, "vgpr", 10.0, "isadiff.toml:3")
	if err != nil {
		t.Fatal(err)
	}
	g := rules(t, "k lds_static_bytes 200 ")
	g.Tolerated = tolerance.List{}.With(vgpr)
	before := side(kernel("d::k", 20, 64), kernel("d::l", 20, 64))
	for i, c := range []struct {
		after               *resource.Side
		verdict             diff.Verdict
		accepted, tolerated int
		allowedOf           string
	}{
		{side(kernel("d::k", 30, 64), kernel("d::l", 20, 64)), diff.OK, 0, 1, "vgpr = 10"},
		{side(kernel("d::k", 31, 64), kernel("d::l", 20, 64)), diff.Regression, 0, 0, ""},
		{side(kernel("d::k", 30, 128), kernel("d::l", 20, 64)), diff.OK, 1, 1, "vgpr = 10"},
		{side(kernel("d::k", 30, 64), kernel("d::l", 20, 65)), diff.Regression, 0, 1, "vgpr = 10"},
		{side(kernel("d::k", 30, 64)), diff.NotTrustworthy, 0, 1, "vgpr = 10"},
		{side(kernel("d::k", 20, 64), kernel("d::l", 20, 64)), diff.OK, 0, 0, ""},
	} {
		r := g.Apply(diff.Compare(before, c.after, diff.Options{}))
		if r.Verdict != c.verdict || r.Accepted != c.accepted || r.Tolerated != c.tolerated {
			t.Errorf("%d: %v, %d accepted, %d tolerated", i, r.Verdict, r.Accepted, r.Tolerated)
		}
		a, _ := r.Rows[0].Acceptance(resource.VGPR)
		if a.Tolerance != c.allowedOf || a.Tolerance != "" && (a.Value != 30 || a.Where != "isadiff.toml:3") {
			t.Errorf("%d: %+v", i, a)
		}
		for i := range r.Rows { // as a live session makes it
			if row := g.Row(r.Rows[i]); !reflect.DeepEqual(row, r.Rows[i]) {
				t.Errorf("a row by itself is %+v, want %+v", row, r.Rows[i])
			}
		}
	}
	// What is accepted as well is accepted, and its entry is in use.
	g.Accepted.Entries = append(g.Accepted.Entries, rules(t, "k vgpr 30 ").Accepted.Entries...)
	r := g.Apply(diff.Compare(before, side(kernel("d::k", 30, 65), kernel("d::l", 20, 64)), diff.Options{}))
	if r.Accepted != 2 || r.Tolerated != 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "65 would do") {
		t.Errorf("%d accepted, %d tolerated, %q", r.Accepted, r.Tolerated, r.Warnings)
	}
	// What is tolerated needs no entry.
	g.Accepted.Entries = nil
	entries, err := gate.Propose(g.Apply(diff.Compare(before, side(kernel("d::k", 25, 65), kernel("d::l", 20, 64)), diff.Options{})), gate.Choice{Kernels: all, Reason: "x"})
	if err != nil || len(entries) != 1 || entries[0].Metric != resource.LDSStaticBytes {
		t.Errorf("%+v, %v", entries, err)
	}
}
