package why

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/pressure"
)

// assembled is a file with one kernel of the given instructions.
func assembled(body string) []byte {
	return []byte("\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.text\n\t.type\tk,@function\nk:\n" + body +
		"\ts_endpgm\n.Lfunc_end0:\n\t.amdhsa_kernel k\n\t.end_amdhsa_kernel\n")
}

func textsOf(before, after []byte) (string, string) {
	c := Compare(pressure.Index(before).List("k"), pressure.Index(after).List("k"))
	b, a := c.Texts()
	return plain(b), plain(a)
}

func plain(lines []TextLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), "k:\n"), "\ts_endpgm\n")
}

func TestNamesOfTheOtherSide(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		shown, beside       string
	}{
		{
			"registers, blanks and comments",
			"\tv_add_f32_e32 v1,  v2 , v3 ; note\n\t.loc 1 2 3\n\tglobal_store_dwordx2 v[4:5], v[6:7], s[0:1] offset:8\n",
			"\tv_add_f32_e32 v7, v8, v9\n\tglobal_store_dwordx2 v[0:1], v[2:3], s[4:5] offset:8\n",
			"\tv_add_f32_e32 v7, v8, v9\n\tglobal_store_dwordx2 v[0:1], v[2:3], s[4:5] offset:8\n",
			"\tv_add_f32_e32 v7, v8, v9\n\tglobal_store_dwordx2 v[0:1], v[2:3], s[4:5] offset:8\n",
		},
		{
			"an operand that changed is what differs",
			"\tv_add_u32_e32 v1, 4, v2\n",
			"\tv_add_u32_e32 v5, 8, v6\n",
			"\tv_add_u32_e32 v5, 4, v6\n",
			"\tv_add_u32_e32 v5, 8, v6\n",
		},
		{
			"one that is gone keeps its registers",
			"\tv_mov_b32_e32 v1, v2\n\tv_exp_f32_e32 v3, v1\n",
			"\tv_mov_b32_e32 v5, v6\n",
			"\tv_mov_b32_e32 v5, v6\n\tv_exp_f32_e32 v3, v1\n",
			"\tv_mov_b32_e32 v5, v6\n",
		},
		{
			"one register read twice is not two",
			"\tv_mul_f32_e32 v1, v2, v2\n\tv_mul_f32_e32 v1, v3, v4\n",
			"\tv_mul_f32_e32 v5, v6, v7\n\tv_mul_f32_e32 v5, v6, v6\n",
			"\tv_mul_f32_e32 v1, v2, v2\n\tv_mul_f32_e32 v1, v3, v4\n",
			"\tv_mul_f32_e32 v5, v6, v7\n\tv_mul_f32_e32 v5, v6, v6\n",
		},
		{
			"nor is one stored where it is, and two",
			"\tds_write_b32 v2, v2\n",
			"\tds_write_b32 v6, v7\n",
			"\tds_write_b32 v2, v2\n",
			"\tds_write_b32 v6, v7\n",
		},
		{
			"the results of a dual-issue pair are two",
			"\tv_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, v2, v3\n",
			"\tv_dual_mov_b32 v4, v5 :: v_dual_add_f32 v6, v7, v8\n",
			"\tv_dual_mov_b32 v4, v5 :: v_dual_add_f32 v6, v7, v8\n",
			"\tv_dual_mov_b32 v4, v5 :: v_dual_add_f32 v6, v7, v8\n",
		},
		{
			"a result in the place of an operand is only elsewhere",
			"\tv_add_f32_e32 v1, v1, v2\n",
			"\tv_add_f32_e32 v5, v6, v7\n",
			"\tv_add_f32_e32 v5, v6, v7\n",
			"\tv_add_f32_e32 v5, v6, v7\n",
		},
		{
			"labels by what stands behind them",
			".LBB0_1:\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_1\n",
			".LBB0_7:\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_7\n",
			".LBB0_7:\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_7\n",
			".LBB0_7:\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_7\n",
		},
		{
			"a branch to elsewhere differs",
			".LBB0_1:\n\tv_mov_b32_e32 v1, v2\n.LBB0_2:\n\tv_exp_f32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_1\n",
			".LBB0_1:\n\tv_mov_b32_e32 v1, v2\n.LBB0_2:\n\tv_exp_f32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_2\n",
			".LBB0_1:\n\tv_mov_b32_e32 v1, v2\n.LBB0_2:\n\tv_exp_f32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_1\n",
			".LBB0_1:\n\tv_mov_b32_e32 v1, v2\n.LBB0_2:\n\tv_exp_f32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_2\n",
		},
		{
			"labels before what is new, by their branches",
			".LBB0_1:\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_1\n",
			".LBB0_3:\n\ts_waitcnt vmcnt(0)\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_3\n",
			".LBB0_3:\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_3\n",
			".LBB0_3:\n\ts_waitcnt vmcnt(0)\n\tv_mov_b32_e32 v1, v2\n\ts_cbranch_scc1 .LBB0_3\n",
		},
		{
			"a register behind a printed one goes with it",
			"\tv_mov_b32_e32 v0 /*v256*/, v1\n",
			"\tv_mov_b32_e32 v3 /*v259*/, v2\n",
			"\tv_mov_b32_e32 v3 /*v259*/, v2\n",
			"\tv_mov_b32_e32 v3 /*v259*/, v2\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := textsOf(assembled(test.before), assembled(test.after))
			if d := cmp.Diff(test.shown, before); d != "" {
				t.Errorf("before (-want +got):\n%s", d)
			}
			if d := cmp.Diff(test.beside, after); d != "" {
				t.Errorf("after (-want +got):\n%s", d)
			}
		})
	}
}

// Every instruction and label of both sides is one line of its text, in the order of
// its assembly; a file beside itself differs nowhere, and the lines of real pairs that
// differ are no more than the steps say.
func TestTextsOfRealPairs(t *testing.T) {
	each(t, func(t *testing.T, text, kernel string) {
		l := pressure.Index([]byte(text)).List(kernel)
		before, after := Compare(l, l).Texts()
		if !slices.Equal(before, after) || len(after) != len(l.Body)+len(l.Labels) {
			t.Errorf("%d and %d lines of %d instructions and %d labels", len(before), len(after), len(l.Body), len(l.Labels))
		}
	})
	for _, p := range realPairs(t) {
		c := compare(p.before, p.after, p.kernel)
		before, after := c.Texts()
		for side, lines := range [][]TextLine{before, after} {
			if !slices.IsSortedFunc(lines, func(a, b TextLine) int { return a.Line - b.Line }) {
				t.Errorf("%s %s: side %d is out of order", p.name, p.kernel, side)
			}
		}
		number := map[string]int32{}
		symbols := func(lines []TextLine) []int32 {
			ids := make([]int32, len(lines))
			for i, l := range lines {
				if _, known := number[l.Text]; !known {
					number[l.Text] = int32(len(number))
				}
				ids[i] = number[l.Text]
			}
			return ids
		}
		b, a := symbols(before), symbols(after)
		equal := 0
		newMatcher(len(number)).pair(b, a, func(i, j int) { equal++ })
		n := c.Counts
		if most := n.Same + n.Renamed + len(c.After.Labels); equal > most+n.Moved {
			t.Errorf("%s %s: %d lines are equal, and %d of %+v can be", p.name, p.kernel, equal, most, n)
		}
		t.Logf("%s %s: %d of %d lines are equal, %d paired in order", p.name, p.kernel, equal, len(after), n.Paired())
	}
}
