package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// The contract names the metrics of the first edition and no code that there is not; the
// pages that are made from the tables have all.
func TestContract(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", "reference", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile("`([a-z]+[a-z0-9]*(?:-[a-z0-9]+)+|usage|overwritten)`")
	table := regexp.MustCompile(`(?s)\| group \| code: when \| mend \|\n.*?\n\n`).Find(text)
	for _, m := range codes.FindAllSubmatch(table, -1) {
		if !problem.Known(problem.Code(m[1])) {
			t.Errorf("%s is no code", m[1])
		}
	}
	for _, m := range resource.Metrics {
		if m.Since > 0 {
			continue
		}
		role := "no"
		if m.Trigger {
			role = "yes"
		}
		row := regexp.MustCompile(`(?m)^\| (?:[a-z_]+, )?` + m.Key + `(?:, [a-z_]+)? \| ` + role + ` \|`)
		if !row.Match(text) {
			t.Errorf("%s (trigger: %s) has no row", m.Key, role)
		}
	}
}
