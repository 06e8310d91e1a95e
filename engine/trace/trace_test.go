package trace_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

var testdata = filepath.Join("..", "..", "testdata")

// compare reads a real pair of dumps.
func compare(t *testing.T, pair string) *diff.Result {
	t.Helper()
	read := func(side string) *resource.Side {
		return dump.Read(context.Background(), filepath.Join(testdata, "dumps", pair, side), dump.Options{IgnoreTimes: true, Digest: true})
	}
	return diff.Compare(read("before"), read("after"), diff.Options{})
}

// sources makes a project that holds copies of the kernels' files.
func sources(t *testing.T, copies map[string]string) *project.Config {
	t.Helper()
	root := t.TempDir()
	for name, from := range copies {
		text, err := os.ReadFile(filepath.Join(testdata, "kernels", from))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := project.Load(project.Options{Dir: root, Root: root, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlaces(t *testing.T) {
	r := compare(t, "tile-up-spills/gfx942")
	const key = "window_filter/window_filter_0::window_filter_0"
	for name, c := range map[string]struct {
		copies map[string]string
		want   map[string]trace.Position
	}{
		"one":     {map[string]string{"lib/window_filter.py": "window_filter.py"}, map[string]trace.Position{key: {File: "lib/window_filter.py", Line: 19, Column: 5}}},
		"none":    {map[string]string{"transpose.py": "transpose.py"}, map[string]trace.Position{}},
		"several": {map[string]string{"a/window_filter.py": "window_filter.py", "b/window_filter.py": "window_filter.py"}, map[string]trace.Position{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := trace.Positions(context.Background(), sources(t, c.copies), r.Rows)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := trace.Positions(ctx, sources(t, nil), r.Rows); err == nil {
		t.Error("it goes on after it was cancelled")
	}
}

func TestCauses(t *testing.T) {
	r := compare(t, "tile-up-spills/gfx942")
	causes, err := trace.Causes(context.Background(), r)
	if err != nil || len(causes) != 1 {
		t.Fatalf("%d causes, %v", len(causes), err)
	}
	for _, c := range causes {
		// The peaks stay within what the compiler allocated: 88 and 127.
		if c.Before.VGPR.Peak != 82 || c.After.VGPR.Peak != 122 || c.Before.SpillStores != 0 || c.After.SpillStores == 0 {
			t.Errorf("%+v, %+v", c.Before.VGPR, c.After.VGPR)
		}
	}
	// A side without assembly has no cause, and neither has what did not grow.
	r.Before.Snapshot = true
	r.After.Origin = "nowhere"
	if causes, err = trace.Causes(context.Background(), r); err != nil || len(causes) != 0 {
		t.Errorf("%v, %v", causes, err)
	}
	if causes, err = trace.Causes(context.Background(), compare(t, "refactor-identical/gfx950")); err != nil || len(causes) != 0 {
		t.Errorf("%v, %v", causes, err)
	}
}

// Of some rows is told what is told of all, and nothing that is found is part of the result.
func TestWhysOfSome(t *testing.T) {
	r := compare(t, "tile-up-spills/gfx942")
	all, err := trace.Whys(context.Background(), r, trace.WhyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := []*diff.Row{&r.Rows[0]}
	some, err := trace.Whys(context.Background(), r.Only(rows), trace.WhyOptions{})
	if err != nil || len(some.Kernels) != 1 || some.Kernels[0].Counts != all.Kernels[0].Counts || len(some.Problems) > 0 {
		t.Errorf("%+v, %v; want %+v", some, err, all)
	}
	r.After.Origin = "nowhere"
	if some, err = trace.Whys(context.Background(), r.Only(rows), trace.WhyOptions{}); err != nil || len(some.Kernels) != 0 || len(some.Problems) != 1 || some.Problems[0].Code != problem.InputUnreadable {
		t.Errorf("%+v, %v", some, err)
	}
	if len(r.Problems) > 0 || r.Verdict != diff.Regression {
		t.Errorf("the result says %v, %v", r.Verdict, r.Problems)
	}
}
