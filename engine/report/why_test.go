package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/where"
	"isadiff/engine/why"
)

// listing reads a kernel called k, of lines of assembly behind the line of the
// source that each is of.
func listing(t *testing.T, spills int, code ...string) *pressure.Listing {
	t.Helper()
	var b strings.Builder
	b.WriteString("\t.amdgcn_target \"amdgcn-amd-amdhsa-unknown-gfx942\"\n\t.text\n\t.file 1 \"/home/me/<gemm>.py\"\n\t.type\tk,@function\nk:\n")
	for _, s := range code {
		if line, text, ok := strings.Cut(s, ": "); ok {
			fmt.Fprintf(&b, "\t.loc 1 %s 0\n", line)
			s = text
		}
		b.WriteString(s + "\n")
	}
	b.WriteString(".Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t\t.amdhsa_user_sgpr_count 4\n\t.end_amdhsa_kernel\n")
	fmt.Fprintf(&b, "\t.amdgpu_metadata\n---\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .vgpr_spill_count: %d\namdhsa.target: amdgcn-amd-amdhsa--gfx942\namdhsa.version:\n  - 1\n  - 2\n...\n\t.end_amdgpu_metadata\n", spills)
	return pressure.Index([]byte(b.String())).List("k")
}

// whyResult is a result with a kernel of each kind.
func whyResult(t *testing.T) *trace.Why {
	before := listing(t, 0,
		"10: v_mov_b32_e32 v1, v0", ".LBB0_1:",
		"12: v_add_f32_e32 v1, v1, v0", "s_waitcnt vmcnt(0)", "s_cbranch_scc1 .LBB0_1",
		"13: v_mul_f32_e32 v2, v1, v0", "14: v_xor_b32_e32 v2, 1, v2", "15: global_store_dword v1, v2, s[0:1]", "s_endpgm")
	after := listing(t, 1,
		"10: v_mov_b32_e32 v3, v0", "scratch_store_dword off, v3, off", ".LBB0_2:",
		"13: v_add_f32_e32 v3, v3, v0", "s_waitcnt vmcnt(1)", "scratch_load_dword v4, off, off", "20: v_fma_f32 v3, v3, v4, v0", "s_cbranch_scc1 .LBB0_2",
		"16: v_xor_b32_e32 v2, 1, v3", "14: v_mul_f32_e32 v2, v2, v0", "16: global_store_dword v3, v2, s[0:1]", "s_endpgm")
	unlocated := listing(t, 0, "v_mov_b32_e32 v1, v0", "s_endpgm")
	jump := listing(t, 0, "v_mov_b32_e32 v1, v0", "s_setpc_b64 s[0:1]")
	unread := listing(t, 0, "v_mov_b32_e32 v1, v0", "foo_bar v1", "s_endpgm")
	row := func(key string, grown int64) *diff.Row {
		r := diff.RowOf(kernel(key, figures{resource.VGPR: 8}), kernel(key, figures{resource.VGPR: 8 + grown}))
		return &r
	}
	return &trace.Why{
		Before: "old <dumps>", After: "new dumps", Verdict: diff.NotTrustworthy,
		Kernels: []trace.WhyKernel{
			{Row: row("gemm::k", 4), Comparison: why.Compare(before, after)},
			{Row: row("jump::k", 0), Comparison: why.Compare(unlocated, jump)},
			{Row: row("same::k", 0), Comparison: why.Compare(before, before)},
			{Row: row("unread::k", 0), Comparison: why.Compare(unread, unlocated)},
		},
		Problems: []problem.Problem{problem.New(problem.BodyUnbounded, "unread/22_final_isa.s: k: an instruction that is not known").In("unread/22_final_isa.s").Of("unread::k").On(diff.SideBefore)},
		Warnings: []string{"a <warning>"},
	}
}

func TestWhyGolden(t *testing.T) {
	golden(t, "why.txt", report.Why(whyResult(t), report.Options{}))
	golden(t, "why-isa.txt", report.Why(whyResult(t), report.Options{Assembly: true}))
	data, err := report.WhyJSON(whyResult(t))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "why.json", data)
	if !report.Is(data) {
		t.Error("the JSON is no report that can be replaced")
	}
	page, err := report.WhyHTML(whyResult(t), "1.0")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "why.html", page)
	if !report.Is(page) || bytes.Contains(page, []byte("<gemm>")) || bytes.Contains(page, []byte("<warning>")) {
		t.Error("the page is no report that can be replaced, or names are not escaped")
	}
	again, _ := report.WhyJSON(whyResult(t))
	if !bytes.Equal(data, again) {
		t.Error("the same result is written differently")
	}
}

// Where one side alone has debug locations, nothing of a line is called new or gone.
func TestWhyOneSideLocated(t *testing.T) {
	located := []string{"10: v_mov_b32_e32 v1, v0", "scratch_store_dword off, v1, off", "11: v_add_f32_e32 v2, v1, v0", "global_store_dword v1, v2, s[0:1]", "s_endpgm"}
	bare := []string{"v_mov_b32_e32 v1, v0", "global_store_dword v0, v1, s[0:1]", "s_endpgm"}
	row := diff.RowOf(kernel("one::k", figures{resource.VGPR: 8}), kernel("one::k", figures{resource.VGPR: 9}))
	show := func(before, after *pressure.Listing) *trace.Why {
		return &trace.Why{Kernels: []trace.WhyKernel{{Row: &row, Comparison: why.Compare(before, after)}}}
	}
	later, earlier := show(listing(t, 0, bare...), listing(t, 1, located...)), show(listing(t, 1, located...), listing(t, 0, bare...))
	golden(t, "why-one-side.txt", append(report.Why(later, report.Options{}), report.Why(earlier, report.Options{})...))
	for _, shown := range []*trace.Why{later, earlier} {
		data, err := report.WhyJSON(shown)
		if err != nil || !bytes.Contains(data, []byte(`"before": null`)) && !bytes.Contains(data, []byte(`"after": null`)) {
			t.Errorf("how many registers live at the lines of the other side is known: %v\n%s", err, data)
		}
		// The instructions sum up, on the side without lines too.
		var doc struct {
			Kernels []struct {
				Instructions struct{ Before, After int }
				Lines        []struct {
					Instructions struct{ Before, After int }
				}
			}
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		for _, k := range doc.Kernels {
			for _, l := range k.Lines {
				k.Instructions.Before -= l.Instructions.Before
				k.Instructions.After -= l.Instructions.After
			}
			if k.Instructions.Before != 0 || k.Instructions.After != 0 {
				t.Errorf("the lines do not sum up: %d and %d are missing", k.Instructions.Before, k.Instructions.After)
			}
		}
	}
	if marks := report.WhyMarks(&later.Kernels[0]); len(marks) != 2 || marks[0].Text != "live VGPRs 2 · 1 spill store" || marks[1].Text != "live VGPRs 2" {
		t.Errorf("marks %+v", marks)
	}
	if marks := report.WhyMarks(&earlier.Kernels[0]); marks != nil {
		t.Errorf("marks %+v", marks)
	}
}

// A page of many kernels shows the worst whole and counts the others, of which each has
// a row.
func TestWhyOfMany(t *testing.T) {
	c := whyResult(t).Kernels[0].Comparison
	w := &trace.Why{}
	var r where.Result
	for i := range 300 {
		row := diff.RowOf(kernel(fmt.Sprintf("d%03d::k", i), figures{resource.VGPR: 8}), kernel(fmt.Sprintf("d%03d::k", i), figures{resource.VGPR: 8 + int64(i)}))
		w.Kernels = append(w.Kernels, trace.WhyKernel{Row: &row, Comparison: c})
		r.Kernels = append(r.Kernels, where.Kernel{Analysis: c.After.Analysis, Key: row.Key, File: "f.s", Record: row.After, Listing: c.After})
	}
	for command, make := range map[string]func() ([]byte, error){
		"why":   func() ([]byte, error) { return report.WhyHTML(w, "1.0") },
		"where": func() ([]byte, error) { return report.WhereHTML(&r, "1.0") },
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		whole, rows := bytes.Count(page, []byte("<section ")), bytes.Count(page, []byte(`<td class="words">`))
		if whole != 50 || rows != 2*250 || !bytes.Contains(page, []byte("50 kernels shown whole above, the worst; 250 in a row each. isadiff "+command+" --kernels NAME --html")) {
			t.Errorf("%s: %d whole, %d cells", command, whole, rows)
		}
		if first := bytes.Index(page, []byte("d299")); command == "why" && (first < 0 || first > bytes.Index(page, []byte("d298"))) {
			t.Error("the worst is not the first")
		}
	}
}

// An editor's page has the lines that the terminal has, and leads to the sources.
func TestWhySheet(t *testing.T) {
	w := whyResult(t)
	w.Code = map[pressure.SourceLine]string{{File: "/home/me/<gemm>.py", Line: 13}: "a[i] |= `b` # <c> @d"}
	var sheets, marks bytes.Buffer
	for _, l := range report.WhySheet(w) {
		if l.Source.Line > 0 {
			fmt.Fprintf(&sheets, "%d: ", l.Source.Line)
		}
		sheets.WriteString(l.Text + "\n")
	}
	pages := report.WhyMarkdown(w, func(s pressure.SourceLine) string {
		if s.Line == 0 {
			return ""
		}
		return fmt.Sprintf("file:///gemm.py#L%d", s.Line)
	})
	for i := range w.Kernels {
		k := &w.Kernels[i]
		for _, m := range report.WhyMarks(k) {
			fmt.Fprintf(&marks, "%s %d: %s\n", k.Row.Key, m.Source.Line, m.Text)
		}
	}
	golden(t, "why-sheet.txt", sheets.Bytes())
	golden(t, "why-sheet.md", pages)
	golden(t, "why-marks.txt", marks.Bytes())
}

func TestWhereListed(t *testing.T) {
	k := whyResult(t).Kernels[0]
	alone := why.Compare(&pressure.Listing{}, k.After)
	r := &where.Result{Origin: "dumps", Kernels: []where.Kernel{{
		Analysis: k.After.Analysis, Key: "gemm::k", File: "gemm/22_final_isa.s", Record: k.Row.After,
		Classes: alone.Classes, Mnemonics: alone.Mnemonics, Loops: alone.Loops, Listing: k.After,
	}}}
	golden(t, "where-isa.txt", report.Where(r, report.Options{Assembly: true}))
	data, err := report.WhereJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "where-laid.json", data)
	page, err := report.WhereHTML(r, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "where.html", page)
}

// The reason says what the difference is, and nothing of time.
func TestWhyReason(t *testing.T) {
	base := []string{"1: v_mov_b32_e32 v1, v0", "v_add_f32_e32 v1, v1, v0", "v_mul_f32_e32 v1, 2.0, v0", "global_store_dword v0, v1, s[0:1]", "s_endpgm"}
	change := func(at int, with ...string) []string {
		code := append([]string{}, base[:at]...)
		return append(append(code, with...), base[at+1:]...)
	}
	tests := []struct {
		code []string
		want string
	}{
		{base, "the instructions are the same"},
		{change(1, "v_add_f32_e32 v2, v1, v0"), "only register numbers differ"},
		{[]string{base[0], base[2], base[1], base[3], base[4]}, "only the order differs"},
		{change(1), "1 instruction gone and none new"},
		{change(1, "v_add_f32_e32 v1, 1.0, v0"), "1 instruction changed in place"},
		{change(1, base[1], "s_waitcnt vmcnt(0)", "s_nop 0"), "2 new instructions (1 wait)"},
		{change(1, base[1], "s_waitcnt vmcnt(0)"), "1 new wait instruction"},
	}
	for _, test := range tests {
		got := report.WhyReason(why.Compare(listing(t, 0, base...), listing(t, 0, test.code...)))
		if got = strings.ReplaceAll(got, "<gemm>", "gemm"); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
