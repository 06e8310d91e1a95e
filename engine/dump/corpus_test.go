package dump

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// corpusFile is what testdata/isa.zip says about one assembly file.
type corpusFile struct {
	Target    string
	Processor string
	Gen       int
	Features  []string
	Codes     []problem.Code
	CodesMay  []problem.Code `json:"codes_may"`
	Kernels   map[string]map[string]any
}

// TestCorpus holds every cell of real files of LLVM 14 to 22 against its
// independent truth: the assembled object and its disassembly.
func TestCorpus(t *testing.T) {
	corpus := openCorpus(t)
	var expected struct{ Files map[string]corpusFile }
	if err := json.Unmarshal(corpus.read(t, "expected.json"), &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected.Files) < 200 {
		t.Fatalf("the corpus has %d files only", len(expected.Files))
	}
	for name, want := range expected.Files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, filepath.Join(root, "k", "21_final_isa.s"), corpus.read(t, name))
			side := Read(context.Background(), root, Options{Settled: true})
			want.check(t, side)
		})
	}
}

func (want corpusFile) check(t *testing.T, side *resource.Side) {
	t.Helper()
	got := side.Problems
	for _, r := range side.Records {
		got = append(got, r.Problems...)
	}
	codes := problem.Codes(got)
	for _, code := range want.Codes {
		if !slices.Contains(codes, code) {
			t.Errorf("problem %s is missing", code)
		}
	}
	for _, p := range got {
		if !slices.Contains(want.Codes, p.Code) && !slices.Contains(want.CodesMay, p.Code) {
			t.Errorf("unexpected problem %v", p)
		}
	}
	if len(side.Records) != len(want.Kernels) {
		t.Errorf("%d kernels, want %d", len(side.Records), len(want.Kernels))
	}
	for _, r := range side.Records {
		cells := want.Kernels[r.Name]
		for m, cell := range r.Cells {
			if got, want := cell.String(), fmt.Sprint(cells[resource.Metric(m).String()]); got != want {
				t.Errorf("%s %v is %s (%s), want %s", r.Name, resource.Metric(m), got, cell.Reason, want)
			}
		}
		if direct, ok := cells["_lds_direct"]; ok && fmt.Sprint(direct) != fmt.Sprint(r.Sites.LDSDirect) {
			t.Errorf("%s has %d loads directly to LDS, want %v", r.Name, r.Sites.LDSDirect, direct)
		}
		if r.Target.ID != want.Target || r.Target.Processor != want.Processor || r.Target.Gen() != want.Gen || !slices.Equal(r.Target.Features, want.Features) {
			t.Errorf("%s: target %+v", r.Name, r.Target)
		}
	}
}

// A corpus is the archive of assembly files.
type corpus map[string]*zip.File

func openCorpus(t testing.TB) corpus {
	t.Helper()
	r, err := zip.OpenReader("../../testdata/isa.zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	c := corpus{}
	for _, f := range r.File {
		c[strings.TrimPrefix(f.Name, "isa-corpus/")] = f
	}
	return c
}

func (c corpus) read(t testing.TB, name string) []byte {
	t.Helper()
	f := c[name]
	if f == nil {
		t.Fatalf("the corpus has no %s", name)
	}
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
