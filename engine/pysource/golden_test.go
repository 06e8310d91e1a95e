package pysource

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestCorpus compares what is found in the nasty sources with what was recorded.
// The recorded answers were compared with CPython's where it can parse the source
// (TestOracleKernels), else checked by hand.
func TestCorpus(t *testing.T) {
	var out strings.Builder
	for _, path := range pythonFiles(t, "testdata/corpus") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %s\n%s", filepath.Base(path), describe(Scan(text)))
	}
	const golden = "testdata/corpus.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("corpus (-recorded +found); -update writes it anew:\n%s", diff)
	}
}

// describe writes a file as lines: what is defined, where, and by which
// decorator. Lines are 1-based there, columns 0-based, as CPython counts.
func describe(f *File) string {
	var out strings.Builder
	if f.Doubtful {
		out.WriteString("doubtful\n")
	}
	at := func(r Range) string {
		return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line+1, r.Start.Column, r.End.Line+1, r.End.Column)
	}
	for _, d := range f.Definitions {
		kind := "kernel"
		if d.Launcher {
			kind = "launcher"
		}
		fmt.Fprintf(&out, "%s %s at %s, def %s, to %d:%d\n\t%s at %s, topmost %d", kind, d.Qualified, at(d.Ident), at(d.Def),
			d.Body.End.Line+1, d.Body.End.Column, d.Via, at(d.Decorator), d.Topmost+1)
		if d.Name.Kind != NameNone {
			fmt.Fprintf(&out, ", name %q", starred(d.Name))
		}
		out.WriteByte('\n')
	}
	return out.String()
}
