package project

import (
	"slices"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// What the tables of metrics and problems name as a severity is a key.
func TestSeveritiesOfTheTables(t *testing.T) {
	known := func(of, name string) {
		if !slices.ContainsFunc(Keys, func(k Key) bool { return k.Name == "severity."+name }) {
			t.Errorf("%s: severity.%s is no key", of, name)
		}
	}
	for _, m := range resource.Metrics {
		if m.Trigger {
			known(m.Key, m.Severity)
		}
	}
	for _, i := range problem.Table {
		known(string(i.Code), i.Code.SeverityKey())
	}
}
