package trace_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

// TestRenames: a comparison that read no instructions finds what was renamed by
// reading those few kernels again; of another machine's dump by its definition.
func TestRenames(t *testing.T) {
	want := []diff.Rename{
		{Before: "column_stats/centre_columns::column_means_0", After: "column_stats/centre_columns::average_columns_0"},
		{Before: "elementwise_gelu/gelu_exact_erf::gelu_exact_erf", After: "elementwise_gelu/gelu_erf_bf16::gelu_erf_bf16"},
		{Before: "transpose/transpose_dynamic_0::transpose_dynamic_0", After: "transpose/transpose_on_demand_kernel_0::transpose_on_demand_kernel_0"},
	}
	pair := filepath.Join(testdata, "dumps", "renamed", "gfx950")
	elsewhere := moved(t, filepath.Join(pair, "before"))
	for _, c := range []struct {
		name, before string
		sources      map[string]string
		want         []diff.Rename
	}{
		{"here", filepath.Join(pair, "before"), nil, want},
		{"elsewhere", elsewhere, map[string]string{"kernels/column_stats.py": "column_stats.py"}, want[:1]},
		{"elsewhere, without the source", elsewhere, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := func(dir string) *resource.Side {
				return dump.Read(context.Background(), dir, dump.Options{IgnoreTimes: true})
			}
			r := diff.Compare(read(c.before), read(filepath.Join(pair, "after")), diff.Options{})
			got, err := trace.Renames(context.Background(), sources(t, c.sources), r)
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
	if _, err := trace.Renames(ctx, sources(t, nil), compare(t, "renamed/gfx950")); err == nil {
		t.Error("it goes on after it was cancelled")
	}
}

// moved copies a dump tree as another machine would have made it of kernels with
// other instructions.
func moved(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed := strings.ReplaceAll(string(text), "/home/user/kernels/", "/ci/checkout/kernels/")
		changed = strings.ReplaceAll(changed, "\ts_endpgm", "\ts_nop 0\n\ts_endpgm")
		return os.WriteFile(path, []byte(changed), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}
