package pressure

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// straight returns a kernel of at least the given size: real code, repeated.
func straight(tb testing.TB, size int) []byte {
	tb.Helper()
	data, err := os.ReadFile("testdata/vectors/llvm19_gfx942_spill_sgpr.s")
	if err != nil {
		tb.Fatal(err)
	}
	start := bytes.Index(data, []byte("\ts_load_dword"))
	end := bytes.Index(data, []byte("\ts_endpgm"))
	if start < 0 || end < start {
		tb.Fatal("the vector has changed")
	}
	return wrapKernel(bytes.Repeat(withoutBranches(data[start:end]), size/(end-start)+1))
}

// withoutBranches drops labels and branches, so that code can be repeated.
func withoutBranches(code []byte) []byte {
	var out []byte
	for line := range bytes.Lines(code) {
		if line[0] != '.' && !bytes.Contains(line, []byte("branch")) {
			out = append(out, line...)
		}
	}
	return out
}

func wrapKernel(code []byte) []byte {
	var b bytes.Buffer
	b.WriteString("\t.amdgcn_target \"amdgcn-amd-amdhsa-unknown-gfx942\"\n\t.text\n\t.type\tk,@function\nk:\n")
	b.Write(code)
	b.WriteString("\ts_endpgm\n.Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t\t.amdhsa_user_sgpr_count 8\n\t.end_amdhsa_kernel\n")
	return b.Bytes()
}

// branchy returns a kernel with n branches in nested and sequential loops.
func branchy(n int) []byte {
	var b bytes.Buffer
	const depth = 8
	for i := 0; i < n; i += 2 * depth {
		for d := range depth {
			fmt.Fprintf(&b, ".LBB%d_%d:\n\tv_add_f32_e32 v%d, v%d, v%d\n\ts_cbranch_scc1 .LSKIP%d_%d\n\tv_mul_f32_e32 v%d, v%d, v0\n", i, d, d, d+1, (i+d)%250, i, d, (i+d)%250, d)
		}
		for d := depth - 1; d >= 0; d-- {
			fmt.Fprintf(&b, ".LSKIP%d_%d:\n\ts_cmp_lt_i32 s%d, s1\n\ts_cbranch_scc0 .LBB%d_%d\n", i, d, d+2, i, d)
		}
	}
	return wrapKernel(b.Bytes())
}

func BenchmarkAnalyzeStraight(b *testing.B)    { benchmarkAnalyze(b, straight(b, 1_500_000)) }
func BenchmarkAnalyzeBranches10k(b *testing.B) { benchmarkAnalyze(b, branchy(10_000)) }
func BenchmarkAnalyzeBranches20k(b *testing.B) { benchmarkAnalyze(b, branchy(20_000)) }

func benchmarkAnalyze(b *testing.B, data []byte) {
	a := Index(data).Analyze("k")
	if a.VGPR.Refused != "" {
		b.Fatal(a.VGPR.Refused)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	b.ReportMetric(float64(a.Instructions), "instructions")
	for b.Loop() {
		Index(data).Analyze("k")
	}
}

// nested returns a kernel of n loops, each within the one before, with values
// that live across them.
func nested(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, ".LBB%d:\n\tv_add_f32_e32 v%d, v%d, v0\n", i, i%250, (i+1)%250)
	}
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "\tv_mul_f32_e32 v%d, v%d, v0\n\ts_cbranch_scc0 .LBB%d\n", (i*7)%250, (i*11)%250, i)
	}
	return wrapKernel(b.Bytes())
}

// ladder returns a kernel whose every branch goes one block further back than
// the one before it has gone forward: no order of the blocks suits it.
func ladder(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, ".LBB%d:\n\tv_add_f32_e32 v%d, v%d, v0\n\ts_cbranch_scc0 .LBB%d\n", i, i%250, (i*13)%250, max(0, i-2))
	}
	return wrapKernel(b.Bytes())
}

func BenchmarkAnalyzeNested10k(b *testing.B) { benchmarkAnalyze(b, nested(10_000)) }
func BenchmarkAnalyzeNested20k(b *testing.B) { benchmarkAnalyze(b, nested(20_000)) }
func BenchmarkAnalyzeLadder10k(b *testing.B) { benchmarkAnalyze(b, ladder(10_000)) }
func BenchmarkAnalyzeLadder20k(b *testing.B) { benchmarkAnalyze(b, ladder(20_000)) }
