package project

import (
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// What may be meant to be our table is never passed over in silence, and a limit
// that may be in it is never taken for kept.
func TestNothingOfOursIsLostInSilence(t *testing.T) {
	const limit = "\nbudgets = { \"*\" = \"vgpr <= 60\" }\n"
	tests := []struct {
		name, file, text string
		fault            string // part of it; "" if there is none
		lost             bool
	}{
		{"bracket missing", sharedFile, "[tool.isadiff" + limit, "pyproject.toml:1: is not valid TOML here", true},
		{"bracket missing, no limit", sharedFile, "[tool.isadiff\nkernels = \"k\"\n", "pyproject.toml:1: is not valid TOML here", false},
		{"bracket missing, budget", sharedFile, "[tool.isadif\nbudget = 1", "is not valid TOML here", true},
		{"quoted", sharedFile, "[\"tool\".'isadiff\n" + limit, "is not valid TOML here", true},
		{"inline and cut", sharedFile, "tool.isadiff = { budgets = { \"*\" = \"vgpr <= 60\" \n", "is not valid TOML here", true},
		{"broken elsewhere", sharedFile, "[project\nname = \"x\"\n", "", false},
		{"broken, commented", sharedFile, "[project\n# [tool.isadiff]\n", "", false},
		{"letter missing", sharedFile, "[tool.isadif.budgets]\n\"*\" = \"vgpr <= 60\"\n", "pyproject.toml:1: [tool.isadif] is ignored; did you mean [tool.isadiff]?", true},
		{"letters swapped", sharedFile, "[tool.isadfif]\nkernels = \"k\"\n", "did you mean [tool.isadiff]?", false},
		{"capital", sharedFile, "[tool.IsaDiff]" + limit, "did you mean [tool.isadiff]?", true},
		{"tool missing", sharedFile, "[isadiff]" + limit, "[isadiff] is ignored; did you mean [tool.isadiff]?", true},
		{"tools", sharedFile, "[tools.isadiff]" + limit, "did you mean [tool.isadiff]?", true},
		{"list of tables", sharedFile, "[[tool.isadiff]]" + limit, "unknown key", true},
		{"another tool", sharedFile, "[tool.icdiff]" + limit, "", false},
		{"budget", sharedFile, "[tool.isadiff.budget]\n\"*\" = \"vgpr <= 60\"\n", `pyproject.toml:2: unknown key "budget.*", did you mean "budgets"?`, true},
		{"inline budget", ownFile, "budget = { \"*\" = \"vgpr <= 60\" }\n", `unknown key "budget.*", did you mean "budgets"?`, true},
		{"budget of a string", ownFile, "Budgets = \"vgpr <= 60\"\n", `did you mean "budgets"?`, true},
		{"table in our file", ownFile, "[tool.isadiff]\nkernels = \"k\"\n", "isadiff.toml:1: in isadiff.toml keys stand at the top level: remove [tool.isadiff]", false},
		{"limit in it", ownFile, "[tool.isadiff.budgets]\n\"*\" = \"vgpr <= 60\"\n", "remove [tool.isadiff]", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, Options{Dir: tree(t, map[string]string{tt.file: tt.text})})
			got := faults(c)
			if tt.fault == "" && got != nil || tt.fault != "" && (len(got) == 0 || !strings.Contains(got[0], tt.fault)) {
				t.Errorf("faults %q, want %q", got, tt.fault)
			}
			lost := slices.ContainsFunc(c.Lost(budgetsKey), func(f Fault) bool { return c.Problem(f).Code == problem.BudgetInvalid })
			if lost != tt.lost {
				t.Errorf("lost %v, want %v: %q", lost, tt.lost, got)
			}
		})
	}
}
