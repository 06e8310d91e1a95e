package input_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"isadiff/engine/input"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

func dumps(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "..", "testdata", "dumps"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string, opt input.Options) *resource.Side {
	t.Helper()
	side, err := input.Read(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return side
}

func keys(s *resource.Side) (keys []string) {
	for _, r := range s.Records {
		keys = append(keys, r.Key)
	}
	return keys
}

func TestReadKinds(t *testing.T) {
	dir := t.TempDir()
	tree := dumps(t, "base", "gfx942")
	fromTree := read(t, tree, input.Options{IgnoreTimes: true})
	if len(fromTree.Records) != 15 || !fromTree.Trustworthy() || fromTree.Snapshot {
		t.Fatalf("%d kernels, %v", len(fromTree.Records), fromTree.Doubts())
	}
	path := filepath.Join(dir, "s.json")
	if err := snapshot.Write(path, fromTree, snapshot.Meta{}); err != nil {
		t.Fatal(err)
	}
	fromSnapshot := read(t, path, input.Options{})
	if !slices.Equal(keys(fromTree), keys(fromSnapshot)) || !fromSnapshot.Trustworthy() || !fromSnapshot.Snapshot {
		t.Errorf("%v, %v", keys(fromSnapshot), fromSnapshot.Doubts())
	}
	folder := filepath.Join(dir, "folder.json") // a directory, whatever it is called
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "note.txt")
	if err := os.WriteFile(text, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]problem.Code{
		filepath.Join(dir, "nowhere"):      problem.InputNotFound,
		filepath.Join(dir, "nowhere.json"): problem.InputNotFound,
		filepath.Join(text, "below.json"):  problem.InputNotFound,
		text:                               problem.InputKind,
		folder:                             problem.NoDumpFiles,
	} {
		side := read(t, path, input.Options{})
		if got := problem.Codes(side.Doubts()); len(got) != 1 || got[0] != want || len(side.Records) != 0 || side.Origin != path {
			t.Errorf("%s: %v, want %s", path, side.Doubts(), want)
		}
	}
}

func TestReadLimits(t *testing.T) {
	tree := dumps(t, "base", "gfx942")
	glob := func(s string) *resource.Matcher {
		m, err := resource.NewMatcher(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if got := keys(read(t, tree, input.Options{IgnoreTimes: true, Kernels: glob("gemm_*")})); !slices.Equal(got, []string{"gemm_tiled_gemm/gemm_nt_f16_k32::gemm_nt_f16_k32"}) {
		t.Errorf("%v", got)
	}
	none := input.Options{IgnoreTimes: true, Kernels: glob("nothing")}
	if side := read(t, tree, none); !side.Trustworthy() || len(side.Records) != 0 {
		t.Errorf("a side of a comparison: %v", side.Doubts())
	}
	none.NeedKernels = true
	if side := read(t, tree, none); len(side.Problems) != 1 || side.Problems[0].Code != problem.NoKernels {
		t.Errorf("a side alone: %v", side.Doubts())
	}
}

func TestReadIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tree := dumps(t, "base", "gfx942")
	if _, err := input.Read(ctx, tree, input.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, _, err := input.ReadBoth(ctx, tree, tree, input.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A comparison takes the kernels that count of whole sides, once.
func TestReadBothReadsAll(t *testing.T) {
	only, err := resource.NewMatcher("nothing_*")
	if err != nil {
		t.Fatal(err)
	}
	tree := dumps(t, "base", "gfx942")
	before, after, err := input.ReadBoth(t.Context(), tree, tree, input.Options{IgnoreTimes: true, Kernels: only})
	if err != nil || len(before.Records) != 15 || len(after.Records) != 15 {
		t.Errorf("%d and %d kernels, %v", len(before.Records), len(after.Records), err)
	}
}
