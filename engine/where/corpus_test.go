package where

import (
	"archive/zip"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/isa"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// TestDumps looks at everything that FlyDSL dumped: no peak is above its count,
// nothing is refused, and the spill stores are those that the metadata counts.
func TestDumps(t *testing.T) {
	result, err := Read(context.Background(), "../../testdata/dumps", Options{IgnoreTimes: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Kernels) < 100 {
		t.Fatalf("only %d kernels", len(result.Kernels))
	}
	c := census{t: t}
	for i := range result.Kernels {
		c.look(&result.Kernels[i])
	}
	if c.spilling < 5 || c.located < 5 || c.equal < 20 {
		t.Errorf("%d kernels spill, %d have source lines, %d peak at their count: too few to tell anything", c.spilling, c.located, c.equal)
	}
	for _, k := range result.Kernels {
		if k.SpillBound != pressure.Exact {
			t.Errorf("%s: spill sites are %s", k.Key, k.SpillBound)
		}
	}
}

// TestCorpus looks at files of LLVM 14 to 22.
func TestCorpus(t *testing.T) {
	corpus, err := zip.OpenReader("../../testdata/isa.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	c := census{t: t}
	for _, f := range corpus.File {
		name := strings.TrimPrefix(f.Name, "isa-corpus/")
		if !strings.HasSuffix(name, ".s") || !strings.HasPrefix(name, "llvm") || strings.Contains(name, "/triple_") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		records, problems := resource.FromFile(isa.Parse(data), "", name)
		kernels, more := analyze(data, records, "", name, Options{})
		for _, p := range append(problems, more...) {
			t.Errorf("%s: %v", name, p)
		}
		if len(kernels) != len(records) {
			t.Errorf("%s: %d kernels, %d records", name, len(kernels), len(records))
		}
		for i := range kernels {
			c.look(&kernels[i])
		}
	}
	if c.kernels < 700 || c.spilling < 50 || c.calling < 20 {
		t.Errorf("%d kernels, %d spill, %d call functions: too few to tell anything", c.kernels, c.spilling, c.calling)
	}
}

// A census holds what must be true of every kernel of a sound file, and counts
// the kinds that were seen.
type census struct {
	t                                          *testing.T
	kernels, spilling, located, calling, equal int
}

func (c *census) look(k *Kernel) {
	c.kernels++
	if k.VGPR.Refused != "" || k.AGPR.Refused != "" {
		c.t.Errorf("%s %s: refused: %s", k.File, k.Key, k.VGPR.Refused)
	}
	if k.SGPR.Refused != "" {
		c.calling++
		if k.VGPR.Bound == pressure.Exact {
			c.t.Errorf("%s %s calls functions, yet its VGPR peak is exact", k.File, k.Key)
		}
	}
	for _, p := range k.Allocations(&k.Record.Cells) {
		if p.Known && int64(p.Peak.Peak) > p.Allocated {
			c.t.Errorf("%s %s: %d %s are live, %d allocated", k.File, k.Key, p.Peak.Peak, p.Registers, p.Allocated)
		}
		if p.Registers == "VGPRs" && int64(p.Peak.Peak) == p.Allocated {
			c.equal++
		}
	}
	if n := k.Record.Cells[resource.VGPRSpill]; n.Value > 0 {
		c.spilling++
	} else if k.SpillStores > 0 {
		c.t.Errorf("%s %s: %d spill stores, and the metadata counts none", k.File, k.Key, k.SpillStores)
	}
	var stores, loads, ldsReads, ldsWrites int
	for _, l := range k.Lines {
		stores += l.ScratchStores
		loads += l.ScratchLoads
		ldsReads += l.LDSReads
		ldsWrites += l.LDSWrites
		if l.Source.Line > 0 {
			c.located++
		}
	}
	for metric, n := range map[resource.Metric]int{
		resource.ScratchStore: stores, resource.ScratchLoad: loads, resource.LDSRead: ldsReads, resource.LDSWrite: ldsWrites,
	} {
		if cell := k.Record.Cells[metric]; cell.State == resource.Known && cell.Value != int64(n) {
			c.t.Errorf("%s %s: %d %s on the lines, %s in all", k.File, k.Key, n, metric, cell)
		}
	}
}

func TestContradiction(t *testing.T) {
	text := "\t.text\n\t.type k,@function\nk:\n\tv_mov_b32 v1, v0\n\tglobal_store_dword v0, v1, s[0:1]\n\ts_endpgm\n.Lfunc_end0:\n\t.size k, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t\t.amdhsa_user_sgpr_count 2\n\t.end_amdhsa_kernel\n"
	record := &resource.Record{Key: "::k", Name: "k"}
	for m := range record.Cells {
		record.Cells[m] = resource.Value(8)
	}
	tests := []struct {
		name string
		set  func(*resource.Cells)
		want string
	}{
		{"enough", func(*resource.Cells) {}, ""},
		{"too few", func(c *resource.Cells) { c[resource.ArchVGPR] = resource.Value(1) }, "k.s: k: 2 VGPRs are live at line 4, but arch_vgpr is 1"},
		{"the total where the parts are not known", func(c *resource.Cells) {
			c[resource.ArchVGPR], c[resource.VGPR] = resource.NA("old"), resource.Value(1)
		}, "k.s: k: 2 VGPRs are live at line 4, but vgpr is 1"},
		{"scalar registers", func(c *resource.Cells) { c[resource.NumberedSGPR] = resource.Value(0) }, "k.s: k: 2 SGPRs are live at line 4, but numbered_sgpr is 0"},
		{"unread", func(c *resource.Cells) {
			c[resource.ArchVGPR], c[resource.VGPR] = resource.Unread("lost"), resource.Unread("lost")
		}, ""},
	}
	for _, test := range tests {
		r := *record
		test.set(&r.Cells)
		_, problems := analyze([]byte(text), []*resource.Record{&r}, "", "k.s", Options{})
		got := ""
		if len(problems) > 0 {
			got = problems[0].Message
			if p := problems[0]; p.Code != problem.CountsContradict || p.File != "k.s" || p.Line != 4 || p.Kernel != "::k" {
				t.Errorf("%s: %+v", test.name, p)
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestFrameworkLines looks at a kernel whose dump has debug locations: all lines
// are those of its author.
func TestFrameworkLines(t *testing.T) {
	result, err := Read(context.Background(), "../../testdata/dumps/debug", Options{IgnoreTimes: true})
	if err != nil || len(result.Kernels) == 0 {
		t.Fatal(err, result.Problems)
	}
	for _, k := range result.Kernels {
		for _, l := range k.Lines {
			if l.Source.Line == 0 || !strings.HasPrefix(l.Source.File, "/home/user/kernels/") {
				t.Errorf("%s: %d instructions on %+v", k.Key, l.Instructions, l.Source)
			}
		}
		if k.VGPR.Near.Line == 0 {
			t.Errorf("%s: the peak is near no line: %+v", k.Key, k.VGPR)
		}
	}
}

func TestReadKinds(t *testing.T) {
	tests := []struct {
		name string
		opt  string // glob
		want []problem.Code
	}{
		{"../../testdata/dumps/nothing", "", []problem.Code{problem.InputNotFound}},
		{"../../testdata/dumps/MANIFEST.md", "", []problem.Code{problem.InputKind}},
		{"../../testdata/dumps/debug", "no such kernel", []problem.Code{problem.NoKernels}},
		{"../../testdata/kernels", "", []problem.Code{problem.NoDumpFiles}},
		{"../pressure/testdata/vectors/edge_gfx942.s", "", nil},
		{"../pressure/testdata/vectors", "", nil},
	}
	for _, test := range tests {
		m, err := resource.NewMatcher(test.opt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(context.Background(), filepath.FromSlash(test.name), Options{Kernels: m})
		if err != nil || !slices.Equal(problem.Codes(r.Problems), test.want) {
			t.Errorf("%s: %v, want %v (%v)", test.name, r.Problems, test.want, err)
		}
		if len(test.want) == 0 && len(r.Kernels) == 0 {
			t.Errorf("%s: no kernels", test.name)
		}
	}
}
