package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// orders reads "OLD=NEW" as --pair does.
func orders(t *testing.T, texts ...string) (all []*diff.Order) {
	t.Helper()
	for _, text := range texts {
		before, after, err := diff.SplitOrder(text)
		if err != nil {
			t.Fatal(err)
		}
		o, err := diff.NewOrder(before, after, "--pair")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

func records(keys string) (all []*resource.Record) {
	for _, key := range strings.Fields(keys) {
		all = append(all, kernel(key))
	}
	return side("", all...).Records
}

// TestOrders pairs what the user says is one, after exact keys and before bare names.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		orders              []string
		want                string // "before>after", "?" where an order fits several
		warnings            int
	}{
		{"a name", "d::a_u2", "d::a_u8", []string{"a_u2=a_u8"}, "d::a_u2>d::a_u8", 0},
		{"the same text", "d::axpy_f16_u2 d::axpy_f32_u2", "d::axpy_f16_u8 d::axpy_f32_u8", []string{"axpy_*_u2=axpy_*_u8"}, "d::axpy_f16_u2>d::axpy_f16_u8 d::axpy_f32_u2>d::axpy_f32_u8", 0},
		{"another text", "d::axpy_f16_u2", "d::axpy_f32_u8", []string{"axpy_*_u2=axpy_*_u8"}, "d::axpy_f16_u2> >d::axpy_f32_u8", 1},
		{"two stars", "d::a_f32_u2_t4", "d::a_f32_u8_t4 d::a_f32_u8_t8", []string{"a_*_u2_t*=a_*_u8_t*"}, "d::a_f32_u2_t4>d::a_f32_u8_t4 >d::a_f32_u8_t8", 0},
		{"stars that can be read twice", "d::a_b_c", "d::axb_c d::a_bxc", []string{"*_*=*x*"}, "?d::a_b_c> ?>d::a_bxc ?>d::axb_c", 0},
		{"stars that can be read twice, once to the point", "d::a_b_c", "d::a_bxc", []string{"*_*=*x*"}, "d::a_b_c>d::a_bxc", 0},
		{"exact keys first", "d::a_u2", "d::a_u2 d::a_u8", []string{"a_u2=a_u8"}, "d::a_u2>d::a_u2 >d::a_u8", 1},
		{"before bare names", "x::a_u2", "y::a_u2 y::a_u8", []string{"a_u2=a_u8"}, "x::a_u2>y::a_u8 >y::a_u2", 0},
		{"bare names after that", "x::a_u2 x::b", "y::a_u8 y::b", []string{"a_u2=a_u8"}, "x::a_u2>y::a_u8 x::b>y::b", 0},
		{"keys", "x/a::k y/a::k", "x/b::k y/b::k", []string{"**/a::k=**/b::k"}, "x/a::k>x/b::k y/a::k>y/b::k", 0},
		{"a star stays in a folder", "x/y/a::k z/a::l", "x/y/b::k z/b::l", []string{"*/a::*=*/b::*"}, "x/y/a::k>x/y/b::k z/a::l>z/b::l", 0},
		{"a key and a name", "x::k_u2", "y::k_u8", []string{"x::k_u2=k_u8"}, "x::k_u2>y::k_u8", 0},
		{"the root", "::k_u2", "::k_u8", []string{"::k_u2=::k_u8"}, "::k_u2>::k_u8", 0},
		{"of several those of one folder", "x::a_u2 y::a_u2", "x::a_u8 y::a_u8", []string{"a_u2=a_u8"}, "x::a_u2>x::a_u8 y::a_u2>y::a_u8", 0},
		{"folders that differ as names do", "x/a_u2::a_u2 y/a_u2::a_u2", "x/a_u8::a_u8 y/a_u8::a_u8", []string{"a_u2=a_u8"}, "x/a_u2::a_u2>x/a_u8::a_u8 y/a_u2::a_u2>y/a_u8::a_u8", 0},
		{"folders without the number of a kernel", "x/a_u2::a_u2_0 y/a_u2::a_u2_0", "x/a_u8::a_u8_0 y/a_u8::a_u8_0", []string{"a_u2_0=a_u8_0"}, "x/a_u2::a_u2_0>x/a_u8::a_u8_0 y/a_u2::a_u2_0>y/a_u8::a_u8_0", 0},
		{"one has no counterpart in its folder", "x::a_u2 y::a_u2", "x::a_u8", []string{"a_u2=a_u8"}, "x::a_u2>x::a_u8 y::a_u2>", 0},
		{"two candidates", "d::a_u2", "x::a_u8 y::a_u8", []string{"a_u2=a_u8"}, "?d::a_u2> ?>x::a_u8 ?>y::a_u8", 0},
		{"two that it may be", "x::a_u2 y::a_u2", "z::a_u8", []string{"a_u2=a_u8"}, "?x::a_u2> ?y::a_u2> ?>z::a_u8", 0},
		{"two orders", "d::a", "d::b d::c", []string{"a=b", "a=c"}, "?d::a> ?>d::b ?>d::c", 0},
		{"two orders for one", "d::a d::b", "d::c", []string{"a=c", "b=c"}, "?d::a> ?d::b> ?>d::c", 0},
		{"an ambiguous order is no bare name either", "x::a x::b", "y::a y::c z::c", []string{"a=c"}, "?x::a> x::b> >y::a ?>y::c ?>z::c", 0},
		{"two orders that say the same", "d::a_u2", "d::a_u8", []string{"a_u2=a_u8", "*_u2=*_u8"}, "d::a_u2>d::a_u8", 1},
		{"an order for nothing", "d::a", "d::a", []string{"x=y"}, "d::a>d::a", 1},
		{"a plain star", "d::a*b", "d::c", []string{`a\*b=c`}, "d::a*b>d::c", 0},
		{"a plain sign", "d::a=b", "d::c", []string{`a\=b=c`}, "d::a=b>d::c", 0},
		{"too many readings", "d::" + strings.Repeat("a", 200), "d::b", []string{"*a*a*a*a*b=*a*a*a*a*c"}, "?d::" + strings.Repeat("a", 200) + "> >d::b", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := side("before", records(c.before)...), side("after", records(c.after)...)
			r := diff.Compare(before, after, diff.Options{Pairs: orders(t, c.orders...)})
			var got []string
			for _, row := range r.Rows {
				s := ">"
				if row.Before != nil {
					s = row.Before.Key + s
				}
				if row.After != nil {
					s += row.After.Key
				}
				if slices.ContainsFunc(row.Blocked, func(p problem.Problem) bool { return p.Code == problem.PairAmbiguous }) {
					s = "?" + s
				}
				got = append(got, s)
			}
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || len(r.Warnings) != c.warnings {
				t.Errorf("got %q, warnings %q\nwant %q, %d", got, r.Warnings, want, c.warnings)
			}
			if alone := strings.Contains(c.want+" ", "> ") || strings.Contains(" "+c.want, " >"); alone != (r.Verdict == diff.NotTrustworthy) {
				t.Errorf("the verdict is %v", r.Verdict)
			}
		})
	}
}

// What is paired by an order is compared like any pair, and says by what.
func TestOrderedRow(t *testing.T) {
	r := diff.Compare(side("b", kernel("d::k_u2")), side("a", kernel("d::k_u8", value(resource.VGPR, 12))), diff.Options{Pairs: orders(t, "k_u2=k_u8")})
	if r.Verdict != diff.Regression || r.Worsened != 1 || r.Rows[0].Key != "d::k_u8" {
		t.Errorf("%+v", r.Rows)
	}
	if want := `paired as ordered: d::k_u2 before is d::k_u8 after, by "k_u2" = "k_u8" (--pair)`; !slices.Equal(r.Rows[0].Notes, []string{want}) {
		t.Errorf("notes %q", r.Rows[0].Notes)
	}
	// Limited to some kernels, or with a side that was not read, an order says nothing.
	for _, r := range []*diff.Result{
		diff.Compare(side("b", kernel("d::k")), side("a", kernel("d::k")), diff.Options{Kernels: matcher(t, "k"), Pairs: orders(t, "x=y")}),
		diff.Compare(side("b", kernel("d::k")), side("a"), diff.Options{Pairs: orders(t, "x=y")}),
	} {
		if len(r.Warnings) > 0 {
			t.Errorf("warnings %q", r.Warnings)
		}
	}
}

func TestOrderFaults(t *testing.T) {
	for _, c := range [][2]string{{"a?", "b?"}, {"a[1]", "b"}, {"a{b,c}", "b"}, {"a*", "b"}, {"a", "b*"}, {"", "b"}, {"a", ""}, {`a\`, "b"}} {
		if _, err := diff.NewOrder(c[0], c[1], ""); err == nil {
			t.Errorf("%q is an order", c)
		}
	}
	for _, text := range []string{"", "a", "=b", "a=", `a\=b`} {
		if _, _, err := diff.SplitOrder(text); err == nil {
			t.Errorf("%q is an order", text)
		}
	}
}

// The order that is proposed for a rename pairs just the two.
func TestProposal(t *testing.T) {
	for i, c := range []struct{ before, after, old, now, want string }{
		{"d::a_u2 d::x", "d::a_u8 d::x", "d::a_u2", "d::a_u8", "a_u2=a_u8"},
		{"x::a_u2 y::a_u2", "x::a_u8", "x::a_u2", "x::a_u8", "x::a_u2=x::a_u8"},
		{"d::a*", "d::b", "d::a*", "d::b", `a\*=b`},
		{"x::a y::a", "z::a", "x::a", "z::a", "x::a=z::a"},
	} {
		before, after := side("b", records(c.before)...), side("a", records(c.after)...)
		r := diff.Compare(before, after, diff.Options{})
		pair := diff.Rename{Before: c.old, After: c.now}
		row, ok := r.Proposal(pair)
		if !ok || row.Before.Key != c.old || row.After.Key != c.now {
			t.Errorf("%d: %+v", i, row)
		}
		old, now := r.Ordered(pair)
		if got := old + "=" + now; got != c.want {
			t.Errorf("%d: got %s, want %s", i, got, c.want)
		}
		again := diff.Compare(before, after, diff.Options{Pairs: orders(t, old+"="+now)})
		if _, alone := again.Proposal(pair); alone || !slices.ContainsFunc(again.Rows, func(row diff.Row) bool {
			return row.Order != nil && row.Before.Key == c.old && row.After.Key == c.now
		}) {
			t.Errorf("%d: the order does not pair them: %q", i, again.Problems)
		}
	}
	r := diff.Compare(side("b", kernel("d::k")), side("a", kernel("d::k")), diff.Options{})
	if _, ok := r.Proposal(diff.Rename{Before: "d::k", After: "d::k"}); ok {
		t.Error("a pair is proposed")
	}
}

// Orders of a project are held against all that is left over, in little time.
func BenchmarkOrders(b *testing.B) {
	var before, after []*resource.Record
	for i := range 2000 {
		before, after = append(before, kernel(fmt.Sprintf("d%04d::k%04d_u2", i, i))), append(after, kernel(fmt.Sprintf("d%04d::k%04d_u8", i, i)))
	}
	o, err := diff.NewOrder("k*_u2", "k*_u8", "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if n := len(diff.Match(before, after, o)); n != 2000 {
			b.Fatal(n)
		}
	}
}
