package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/resource"
)

// The pairs of real dumps, with the triggers that moved as the dumps'
// MANIFEST.md says.
func TestDumpPairs(t *testing.T) {
	tests := []struct {
		pair  string
		exit  int
		moved map[string]string // by bare name
	}{
		{"unroll-up/gfx1201", 1, map[string]string{"rmsnorm_kernel_0": "vgpr 26->38"}},
		{"unroll-up/gfx1250", 1, map[string]string{"rmsnorm_kernel_0": "vgpr 30->53"}},
		{"tile-up-spills/gfx942", 1, map[string]string{"window_filter_0": "vgpr 88->127, vgpr_spill 0->136, scratch_bytes 0->276"}},
		{"tile-up-spills/gfx1250", 1, map[string]string{"window_filter_0": "vgpr 67->128, vgpr_spill 0->557, scratch_bytes 0->232"}},
		{"tile-up-spills-wmma/gfx1201", 1, map[string]string{"gemm_nt_f16_k32": "vgpr 129->256, sgpr 16->17, vgpr_spill 0->549, scratch_bytes 0->1048, lds_static_bytes 10240->46080"}},
		{"double-buffer/gfx942", 1, map[string]string{"gemm_nt_f16_k32": "vgpr 76->74, sgpr 26->34, lds_static_bytes 10240->20480"}},
		{"double-buffer/gfx950", 1, map[string]string{"gemm_nt_f16_k32": "vgpr 78->74, lds_static_bytes 10240->20480"}},
		{"double-buffer/gfx1250", 1, map[string]string{"gemm_nt_f16_k32": "vgpr 114->80, lds_static_bytes 10240->20480"}},
		{"refactor-identical/gfx950", 0, nil},
		{"improvement/gfx942", 1, map[string]string{"window_filter_0": "vgpr 127->128, vgpr_spill 136->38, scratch_bytes 276->116"}},
		{"mixed/gfx1201", 1, map[string]string{
			"rmsnorm_kernel_0":   "vgpr 26->38",
			"softmax_rows_0":     "vgpr 35->24, sgpr 16->13, lds_static_bytes 64->128",
			"transpose_static_0": "lds_static_bytes 4224->4096",
		}},
		{"renamed/gfx950", 2, nil},
	}
	dumps := filepath.Join(repository(t), "testdata", "dumps")
	for _, tt := range tests {
		dir := filepath.Join(dumps, filepath.FromSlash(tt.pair))
		out, err := exec.Command("isadiff", "diff", "--ignore-times", filepath.Join(dir, "before"), filepath.Join(dir, "after"), "--json", "-").Output()
		if exit := exitOf(t, err); exit != tt.exit {
			t.Errorf("%s: exit code %d, want %d", tt.pair, exit, tt.exit)
		}
		moved := triggersMoved(t, out)
		for name, want := range tt.moved {
			if moved[name] != want {
				t.Errorf("%s: %s: %s, want %s", tt.pair, name, moved[name], want)
			}
			delete(moved, name)
		}
		if len(moved) > 0 {
			t.Errorf("%s: moved as well: %v", tt.pair, moved)
		}
	}
	// No pair is forgotten.
	pairs, err := filepath.Glob(filepath.Join(dumps, "*", "*", "before"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		rel, _ := filepath.Rel(dumps, filepath.Dir(p))
		if !slices.ContainsFunc(tests, func(tt struct {
			pair  string
			exit  int
			moved map[string]string
		}) bool {
			return tt.pair == filepath.ToSlash(rel)
		}) {
			t.Errorf("%s is not tested", rel)
		}
	}
}

// triggersMoved returns the changed triggers of a JSON report by the bare names
// of kernels.
func triggersMoved(t *testing.T, report []byte) map[string]string {
	t.Helper()
	type side struct {
		Metrics map[string]struct{ Value int64 } `json:"metrics"`
	}
	var doc struct {
		Rows []struct {
			Kernel        string
			Before, After *side
			Deltas        map[string]int64
		}
	}
	if err := json.Unmarshal(report, &doc); err != nil {
		t.Fatalf("%v in %s", err, report)
	}
	moved := map[string]string{}
	for _, r := range doc.Rows {
		var parts []string
		for _, m := range resource.Metrics {
			if change, ok := r.Deltas[m.Key]; ok && m.Trigger {
				b, a := r.Before.Metrics[m.Key].Value, r.After.Metrics[m.Key].Value
				if a-b != change {
					t.Errorf("%s: %s changes from %d to %d by %d", r.Kernel, m.Key, b, a, change)
				}
				parts = append(parts, fmt.Sprintf("%s %d->%d", m.Key, b, a))
			}
		}
		if _, name := resource.SplitKey(r.Kernel); len(parts) > 0 {
			moved[name] = strings.Join(parts, ", ")
		}
	}
	return moved
}
