package isa

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// TestExpressions evaluates what LLVM prints and what may be written.
func TestExpressions(t *testing.T) {
	tests := []struct {
		expr  string
		value int64
		fails string // a part of the reason
	}{
		{"4", 4, ""},
		{"0x10", 16, ""},
		{"(3+4)*2-1", 13, ""},
		{"max(1, 2, b)", 7, ""},
		{"or(0, 1)", 1, ""},
		{"max(32, \"with space.num_vgpr\")", 50, ""},
		{"alignto(13, 4)", 16, ""},
		{"totalnumvgprs(8, 13)", 24, ""}, // gfx950: align4(13) + 8
		{"totalnumvgprs(0, 13)", 13, ""},
		{"extrasgprs(1, 0, 0)", 6, ""}, // gfx950 always has a flat scratch base
		// The older form: most waves, granule, registers, generation, figure, SGPRs, VGPRs.
		{"occupancy(8, 8, 512, 8, 8, 81, 13)", 8, ""},
		{"occupancy(8, 8, 512, 8, 8, 101, 13)", 7, ""},
		{"occupancy(8, 8, 512, 8, 8, 81, 97)", 4, ""},
		{"occupancy(8, 8, 512, 8, 4, 81, 13)", 4, ""},
		{"occupancy(10, 4, 256, 6, 10, 81, 13)", 5, ""},     // gfx7
		{"occupancy(16, 16, 1024, 9, 16, 101, 13)", 16, ""}, // gfx10
		// The newer: most waves, granule, registers, figure, SGPRs of a SIMD, their granule, of the trap handler, SGPRs, VGPRs.
		{"occupancy(8, 8, 512, 8, 800, 16, 16, 64, 13)", 8, ""},
		{"occupancy(8, 8, 512, 8, 800, 16, 16, 81, 13)", 7, ""},
		{"occupancy(8, 8, 512, 8, 800, 16, 16, 97, 13)", 6, ""},
		{"occupancy(10, 0, 0, 10, 800, 16, 0, 81, 0)", 8, ""},
		{"occupancy(10, 0, 0, 10, 800, 16, 16, 0, 0)", 10, ""},
		{"occupancy(10, 0, 0, 10, 512, 8, 0, 81, 0)", 5, ""},
		{"occupancy(8, 8, 512, 8, 800, 16, 16, 1, 97)", 4, ""},
		{"max(b+6, 1, 0)-6", 7, ""},
		{"(((((alignto(max(1, b), 4)/4)-1)&~65536)&63)+1)*4", 8, ""},
		{"1 << 4 | 1", 17, ""},
		{"7 % 4 == 3", -1, ""},
		{"-b", -7, ""},
		{"forward", 9, ""},
		{"nowhere", 0, "not defined"},
		{"self", 0, "refers to itself"},
		{"1/0", 0, "no value"},
		{"max(1", 0, "lacks"},
		{"1_0", 0, "no integer"},
		{"", 0, "cut short"},
		{"4 4", 0, "not understood"},
		{"unknown(1)", 0, "not understood"},
		{strings.Repeat("max(1, ", 1_000) + "b" + strings.Repeat(")", 1_000), 7, ""},
		{strings.Repeat("(", 100_000) + "1", 0, "nested"},
		{strings.Repeat("-", 100_000) + "1", 0, "nested"},
	}
	for _, test := range tests {
		text := "\t.set b, 7 ; a comment\n\t.set x, " + test.expr + "\n\t.set forward, b+2\n\t.set self, other+1\n\t.set other, self\n\t.set \"with space.num_vgpr\", 50\n"
		var p Parser
		p.start([]byte(text), nil)
		p.run()
		p.assignments.target.Processor = "gfx950"
		v, err := p.assignments.resolve([]byte("x"), 0)
		name := test.expr[:min(len(test.expr), 60)]
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s = %d, %v; want an error with %q", name, v.n, err, test.fails)
			}
		case err != nil || v.n != test.value:
			t.Errorf("%s = %d, %v; want %d", name, v.n, err, test.value)
		}
	}
}

// TestDigestWays holds the fast way of making a digest against the lexer's.
func TestDigestWays(t *testing.T) {
	bodies := 0
	check := func(name string, body []byte) {
		bodies++
		sameDigest(t, name, body)
	}
	for _, text := range []string{
		"k:\n\tv_nop ; a\n # b\n\t#c ; d\n#\n v_nop#e\n;\n\n\t\n.LBB0_1:\n\t.loc 1\n v_add ;\n", "# first\n\tv_nop\n", "\n\tv_nop\n", "k: v_nop", "k:\n\u00a0# x\n\v#y\n",
		"k:\n\t.section \"a;b\",\"ax\" ; c\n\tv_nop /* d\n e */ v_nop // f\n '\n' v_nop\rv_nop\r\n\tv_nop\n",
	} {
		check(strconv.Quote(text), []byte(text))
	}
	err := filepath.WalkDir("../../testdata", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".s" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, k := range Parse(data).Kernels {
			if k.Body.Stop > k.Body.Start {
				check(path+" "+k.Name, data[k.Body.Start:k.Body.Stop])
			}
		}
		return nil
	})
	if err != nil || bodies < 100 {
		t.Errorf("%d bodies (%v)", bodies, err)
	}
}

func sameDigest(t *testing.T, name string, body []byte) {
	t.Helper()
	got := (&Body{Stop: len(body)}).Digest(body)
	d := digest{hash: sha256.New()}
	for l := (Lexer{data: body, loneCR: true}); l.pos < len(body); {
		d.statement(bytes.TrimSpace(l.next()))
	}
	if want := d.sum(); len(body) > 0 && got != want {
		t.Errorf("%s: %s, and by the lexer %s", name, got, want)
	}
}

func FuzzDigest(f *testing.F) {
	f.Add([]byte("k:\n\t.section \"a;b\",\"ax\" ; c\n\tv_nop /* d\n e */ v_nop // f\n '\n' v_nop\rv_nop\r\n # b\n\tv_nop\n"))
	f.Fuzz(func(t *testing.T, body []byte) { sameDigest(t, "body", body) })
}

// TestManyAssignments: a long list is searched by an index, with the same
// answers.
func TestManyAssignments(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "\t.set s%d, s%d+1\n", i, i+1)
	}
	b.WriteString("\t.set s1000, 5\n\t.set twice, 1\n\t.set twice, 2\n")
	var p Parser
	p.start([]byte(b.String()), nil)
	p.run()
	if v, err := p.assignments.resolve([]byte("s900"), 0); err != nil || v.n != 105 {
		t.Errorf("s900 = %d, %v", v.n, err)
	}
	if first, second := p.assignments.conflict(p.assignments.find([]byte("twice"))); first == 0 || second != first+1 {
		t.Errorf("conflict at lines %d, %d", first, second)
	}
}

// TestScalars reads names as YAML writes them.
func TestScalars(t *testing.T) {
	for in, want := range map[string]string{
		"plain":              "plain",
		"with.dots # x":      "with.dots",
		"'apos''trophe'":     "apos'trophe",
		`'q"uote'`:           `q"uote`,
		`"utf8_\u00E9\"\\"`:  `utf8_é"\`,
		`"\x41\t\U0001F600"`: "A\t😀",
		"!str '123'":         "123",
		"!str yes":           "yes",
	} {
		if got, ok := scalar(in); !ok || got != want {
			t.Errorf("scalar(%s) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{`'open`, `"open`, `"bad \q"`, `"\u12"`, `"a" b`, `'a'b'`} {
		if got, ok := scalar(in); ok {
			t.Errorf("scalar(%s) = %q, want a refusal", in, got)
		}
	}
}

// TestDamage: what is wrong with a file is named.
func TestDamage(t *testing.T) {
	sound := module("\tds_read_b32 v0, v1\n")
	replace := func(old, new string) string {
		if !strings.Contains(sound, old) {
			t.Fatalf("the module has no %q", old)
		}
		return strings.Replace(sound, old, new, 1)
	}
	tests := []struct {
		name, text string
		code       problem.Code
	}{
		{"empty", "", problem.MetadataMissing},
		{"no end", replace("\t.end_amdgpu_metadata\n", ""), problem.MetadataCut},
		{"end in a comment only", replace("\t.end_amdgpu_metadata\n", "\t; .end_amdgpu_metadata\n"), problem.MetadataCut},
		{"no list", replace("amdhsa.kernels:\n  - .name:           k\n    .symbol:         k.kd\n", ""), problem.MetadataMalformed},
		{"lost item", replace("  - .name:           k\n", ""), problem.MetadataMalformed},
		{"key twice", replace("    .symbol:         k.kd\n", "    .symbol:         k.kd\n    .symbol:         k.kd\n"), problem.MetadataMalformed},
		{"tab", replace("    .symbol:", "\t.symbol:"), problem.MetadataMalformed},
		{"unnamed", replace("  - .name:           k\n    .symbol:         k.kd\n", "  - .vgpr_count:     1\n"), problem.KernelUnnamed},
		{"names disagree", replace("k.kd", "j.kd"), problem.KernelNameConflict},
		{"descriptor of another", replace(".amdhsa_kernel k", ".amdhsa_kernel j"), problem.DescriptorMismatch},
		{"descriptor not closed", replace("\t.end_amdhsa_kernel\n", ""), problem.DescriptorMismatch},
		{"two metadata", sound + sound, problem.MetadataMalformed},
		{"targets", replace("amdhsa.target:   amdgcn-amd-amdhsa--gfx950", "amdhsa.target:   amdgcn-amd-amdhsa--gfx942"), problem.TargetConflict},
		{"not UTF-8", replace("v0, v1", "v0, \xff"), problem.NotUTF8},
		{"no label", replace("k:\n", ""), problem.BodyUnbounded},
		{"label twice", replace("k:\n", "k:\nk:\n"), problem.BodyUnbounded},
		{"no size", replace("\t.size	k, .Lfunc_end0-k\n", ""), problem.BodyUnbounded},
		{"no terminator", replace(".Lfunc_end0:\n", ""), problem.BodyUnbounded},
		{"terminator first", replace("k:\n", ".Lfunc_end0:\nk:\n"), problem.BodyUnbounded},
		{"size in bytes", replace(".Lfunc_end0-k", "64"), problem.BodyUnbounded},
		{"comment not closed", sound + "/*", problem.MetadataCut},
		{"the assembler ends early", replace("\t.amdgpu_metadata\n", "\t.end\n\t.amdgpu_metadata\n"), problem.MetadataMissing},
	}
	for _, test := range tests {
		f := Parse([]byte(test.text))
		codes := problem.Codes(f.Problems)
		for _, k := range f.Kernels {
			codes = append(codes, problem.Codes(k.Problems)...)
		}
		found := false
		for _, code := range codes {
			found = found || code == test.code
		}
		if !found {
			t.Errorf("%s: problems %v, want %s", test.name, codes, test.code)
		}
	}
	for name, text := range map[string]string{
		"sound":                        sound,
		"size from here":               replace(".Lfunc_end0-k", ".-k"),
		"terminator of another kind":   strings.ReplaceAll(sound, ".Lfunc_end0", ".Lend"),
		"a global terminator":          strings.ReplaceAll(sound, ".Lfunc_end0", "k_end"),
		"descriptor in quotes":         replace(".amdhsa_kernel k", ".amdhsa_kernel \"k\""),
		"descriptor before a comment":  replace(".amdhsa_kernel k", ".amdhsa_kernel k ; x"),
		"end before a comment":         replace("\t.end_amdgpu_metadata", "\t.end_amdgpu_metadata ; x"),
		"byte-order mark":              "\ufeff" + sound,
		"CRLF":                         strings.ReplaceAll(sound, "\n", "\r\n"),
		"CR":                           strings.ReplaceAll(sound, "\n", "\r"),
		"no newline at the end":        strings.TrimSuffix(sound, "\n"),
		"debug sections behind it all": sound + "\t.section .debug_line\n.Lline_table_start0:\n\t.byte 1\n",
	} {
		f := Parse([]byte(text))
		if len(f.Problems) > 0 || len(f.Kernels) != 1 || len(f.Kernels[0].Problems) > 0 || f.Kernels[0].Body.Sites.LDSRead != 1 {
			t.Errorf("%s: %v, %d kernels", name, f.Problems, len(f.Kernels))
			for _, k := range f.Kernels {
				t.Logf("%v %+v", k.Problems, k.Body)
			}
		}
	}
}

// TestDigest: what assembles to nothing changes no digest.
func TestDigest(t *testing.T) {
	digest := func(body string) string {
		text := []byte(module(body))
		return Parse(text).Kernels[0].Body.Digest(text)
	}
	plain := digest("\tv_nop\n\tds_read_b32 v0, v1\n")
	for _, same := range []string{
		"\tv_nop ; x\n\t.loc 1 2 3\n.Ltmp0:\n\tds_read_b32 v0, v1\n",
		"\tv_nop\n\t/* v_nop\n\tv_nop */\n\tds_read_b32 v0, v1\n",
	} {
		if digest(same) != plain {
			t.Errorf("another digest for %q", same)
		}
	}
	for _, other := range []string{"\tv_nop\n", "\tds_read_b32 v0, v1\n\tv_nop\n", "\tv_nop\n\t/*\n\tds_read_b32 v0, v1\n\t*/\n"} {
		if digest(other) == plain {
			t.Errorf("the same digest for %q", other)
		}
	}
}

// TestLargeInputs: a file of any shape is read in time proportional to its size.
// A quadratic reader would not end within the test's time limit.
func TestLargeInputs(t *testing.T) {
	kernels := func(n int) string {
		var body, meta strings.Builder
		for i := range n {
			fmt.Fprintf(&body, "k%d:\n\tds_read_b32 v0, v1\n.Lfunc_end%d:\n\t.size k%d, .Lfunc_end%d-k%d\n\t.amdhsa_kernel k%d\n\t.end_amdhsa_kernel\n\t.set k%d.num_vgpr, 1\n", i, i, i, i, i, i, i)
			fmt.Fprintf(&meta, "  - .name: k%d\n    .symbol: k%d.kd\n", i, i)
		}
		return body.String() + "\t.amdgpu_metadata\namdhsa.kernels:\n" + meta.String() + "\t.end_amdgpu_metadata\n"
	}
	f := Parse([]byte(kernels(50_000)))
	if len(f.Kernels) != 50_000 || len(f.Problems) > 0 || f.Kernels[49_999].Body.Sites.LDSRead != 1 {
		t.Errorf("%d kernels, %v", len(f.Kernels), f.Problems)
	}
	for name, text := range map[string]string{
		"one line":         "\t" + strings.Repeat("v", 100<<20),
		"one comment":      "\t;" + strings.Repeat(" /*", 1<<20),
		"comments":         strings.Repeat("/**/", 1<<20),
		"open comments":    strings.Repeat("/*\n", 1<<20),
		"labels":           strings.Repeat("a:", 1<<19),
		"quotes":           strings.Repeat("\"\\", 1<<20),
		"quoted labels":    strings.Repeat("\"\":", 1<<19),
		"symbols":          strings.Repeat("\t.set a, a\n", 1<<18),
		"conflicts":        strings.Repeat("\t.set k.num_vgpr, x\n\t.set x, 2\n", 1<<17) + module(""),
		"chain":            "\t.set k.num_vgpr, " + strings.Repeat("max(", 1<<20) + "\n",
		"descriptors":      strings.Repeat("\t.amdhsa_kernel k\n", 1<<17),
		"metadata":         strings.Repeat("\t.amdgpu_metadata\n", 1<<18),
		"entries":          "\t.amdgpu_metadata\namdhsa.kernels:\n" + strings.Repeat("  - .name: a\n", 1<<16),
		"top-level keys":   "\t.amdgpu_metadata\n" + manyKeys(1<<16),
		"carriage returns": strings.Repeat("\r", 1<<20) + strings.Repeat("\r\n", 1<<20),
		"macros":           strings.Repeat("\t.macro a\n", 1<<18),
		"terminators":      strings.Repeat("\t.size a, .Lx-a\n", 1<<17),
		"conditionals":     strings.Repeat("\t.if 1\n", 1<<18),
		"sections":         strings.Repeat("\t.pushsection .a\n", 1<<18),
		"lone CR first":    "\r" + strings.Repeat("\tv_nop\n", 1<<18),
		"no UTF-8":         strings.Repeat("\tv_nop\n", 1<<18) + "\xff",
	} {
		f := Parse([]byte(text))
		problems := f.Problems
		for _, k := range f.Kernels {
			problems = append(problems, k.Problems...)
		}
		if len(problems) == 0 {
			t.Errorf("%s: no problem", name)
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

// FuzzParse holds what is true of any text: no crash, no claim about a damaged
// file that a closer look does not bear out.
func FuzzParse(f *testing.F) {
	f.Add([]byte(module("\tds_read_b32 v0, v1\n")))
	for _, file := range benchFiles[:1] {
		data, err := os.ReadFile(filepath.Join("../../testdata/dumps", file.path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\t.set k.num_vgpr, max(totalnumvgprs(k.num_agpr, 3), 1, 0)\n\"a b\": /* */ 1: ds_read_b32\n\t.macro m\n\t.endm\n"))
	var reused Parser
	f.Fuzz(func(t *testing.T, data []byte) {
		got := Parse(data)
		if len(got.Problems) == 0 && len(data) > 0 && !bytes.Contains(data, []byte(metadataEnd)) {
			t.Error("no problem in a file without an end of its metadata")
		}
		lines := 1 + bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r"))
		for _, k := range got.Kernels {
			b := &k.Body
			if b.Label > lines || b.End > lines || b.Start > b.Stop || b.Stop > len(data) {
				t.Errorf("body %+v of a text with %d lines and %d bytes", b, lines, len(data))
			}
			if s := b.Sites; b.Code == "" && s.LDSRead+s.LDSWrite+s.LDSOther+s.ScratchLoad+s.ScratchStore+s.Matrix > s.Instructions {
				t.Errorf("more sites than instructions: %+v", s)
			}
			b.Digest(data)
		}
		again := reused.Parse(data)
		if fmt.Sprint(again.Problems) != fmt.Sprint(got.Problems) || len(again.Kernels) != len(got.Kernels) {
			t.Error("a parser that was used before reads something else")
		}
	})
}
