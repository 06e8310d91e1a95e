package why

import (
	"strings"
	"testing"

	"isadiff/engine/pressure"
)

// What a label is called says nothing; where a branch leads does.
func TestRedirected(t *testing.T) {
	const text = "\t.amdgcn_target \"amdgcn-amd-amdhsa-unknown-gfx942\"\n\t.text\n\t.type\tk,@function\nk:\n" +
		"\ts_cmp_lt_i32 s3, 1\n.LBB0_1:\n\tv_mov_b32_e32 v1, 0\n.LBB0_2:\n\tv_mov_b32_e32 v2, 0\n\ts_cbranch_scc1 .LBB0_1\n\ts_endpgm\n" +
		".Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t.end_amdhsa_kernel\n"
	for name, tt := range map[string]struct {
		after string
		want  int
	}{
		"itself":     {text, 0},
		"renumbered": {strings.NewReplacer("LBB0_1", "LBB7_8", "LBB0_2", "LBB7_9").Replace(text), 0},
		"swapped":    {strings.NewReplacer("LBB0_1", "LBB0_2", "LBB0_2", "LBB0_1").Replace(text), 0},
		"elsewhere":  {strings.Replace(text, "s_cbranch_scc1 .LBB0_1", "s_cbranch_scc1 .LBB0_2", 1), 1},
	} {
		c := Compare(pressure.Index([]byte(text)).List("k"), pressure.Index([]byte(tt.after)).List("k"))
		if c.Redirected != tt.want || !c.Counts.Equal() {
			t.Errorf("%s: %d, want %d; %+v", name, c.Redirected, tt.want, c.Counts)
		}
	}
}
