package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// No kernel of a file that breaks off is compared, also not one whose entry is
// whole: nobody knows of which compile it is.
func TestCutFileComparesNothing(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	tree(t, "base/gfx942/column_stats", before)
	tree(t, "base/gfx942/column_stats", after)
	file := filepath.Join(after, "centre_columns", "22_final_isa.s")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.LastIndex(text, []byte("\n  - .agpr_count"))
	if second < 0 || bytes.Count(text, []byte("\n  - .agpr_count")) != 2 {
		t.Fatalf("no two entries in %s", file)
	}
	if err := os.WriteFile(file, text[:second+1], 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("isadiff", "diff", before, after, "--json", "-").Output()
	if code := exitOf(t, err); code != 2 {
		t.Errorf("exit code %d", code)
	}
	var c struct {
		Compared int `json:"compared_kernels"`
		Total    int `json:"total_kernels"`
		Problems []struct {
			Code string
		} `json:"problem_codes"`
		Rows []struct {
			Kernel string
			Codes  []string `json:"blocked_codes"`
		}
	}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	if c.Compared != 0 || c.Total != 2 {
		t.Errorf("compared %d of %d", c.Compared, c.Total)
	}
	blocked := map[string]bool{}
	for _, r := range c.Rows {
		for _, code := range r.Codes {
			blocked[r.Kernel+" "+code] = true
		}
	}
	if !blocked["centre_columns::column_means_0 metadata-cut"] {
		t.Errorf("blocked: %v", blocked)
	}
	cuts := 0
	for _, p := range c.Problems {
		if p.Code == "metadata-cut" {
			cuts++
		}
	}
	if cuts != 1 {
		t.Errorf("the cut is told %d times", cuts)
	}
}
