package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// The contract names every code and every metric, and no others.
func TestContractNamesEverything(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", "reference", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile("`([a-z]+[a-z0-9]*(?:-[a-z0-9]+)+|usage|overwritten)`")
	named := map[string]bool{}
	table := regexp.MustCompile(`(?s)\| group \| code: when \| mend \|\n.*?\n\n`).Find(text)
	for _, m := range codes.FindAllSubmatch(table, -1) {
		named[string(m[1])] = true
		if !problem.Known(problem.Code(m[1])) {
			t.Errorf("%s is no code", m[1])
		}
	}
	for _, i := range problem.Table {
		if !named[string(i.Code)] {
			t.Errorf("%s is not named", i.Code)
		}
	}
	for _, m := range resource.Metrics {
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
