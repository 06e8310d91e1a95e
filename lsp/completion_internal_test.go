package lsp

import (
	"slices"
	"testing"
)

// What is offered at the end of a text: some of the labels, and what is typed already.
func TestOffers(t *testing.T) {
	const shared = "tool.isadiff"
	for _, tt := range []struct {
		name, root, text string
		want             []string // labels that are offered; nil for none at all
		not              string   // a label that is not
		typed            string
	}{
		{"keys", "", "", []string{"dumps", "baseline", "severity.spills", "tolerance"}, "server.path", ""},
		{"a key that is begun", "", "dumps = 'd'\nbas", []string{"baseline"}, "spills", "bas"},
		{"keys of a table", "", "[severity]\n", []string{"spills", "lds"}, "dumps", ""},
		{"keys of a table behind a comment", "", "[ severity ] # levels\r\nsp", []string{"spills"}, "dumps", "sp"},
		{"names in a table of names", "", "[budgets]\n", nil, "", ""},
		{"levels", "", "[severity]\nspills = ", []string{`"error"`, `"off"`}, "true", ""},
		{"a level that is begun", "", "severity.spills = \"er", []string{`"error"`}, "", `"er`},
		{"truth", "", "hover = t", []string{"true", "false"}, "", "t"},
		{"compilers", "", "producer = \"", []string{`"flydsl"`, `"triton"`, `"iree"`}, "", `"`},
		{"a value of any text", "", "baseline = ", nil, "", ""},
		{"a value of no key", "", "nothing = ", nil, "", ""},
		{"behind a value", "", "hover = true ", nil, "", ""},
		{"in a comment", "", "# hov", nil, "", ""},
		{"tables", "", "[", []string{"severity", "budgets", "pairs"}, "dumps", ""},
		{"in a list of tables", "", "[[x]]\n", nil, "", ""},
		{"in a list over lines", "", "sources = [\n", nil, "", ""},
		{"behind a list over lines", "", "sources = [\n 'a', # [\n]\ndu", []string{"dumps"}, "", "du"},
		{"in a text over lines", "", "x = \"\"\"\n", nil, "", ""},
		{"behind a text over lines", "", "x = '''\n[severity]\n'''\ndu", []string{"dumps"}, "", "du"},
		{"behind a quote that is escaped", "", "x = \"a\\\"['''\"\ndu", []string{"dumps"}, "", "du"},
		{"behind a string without end", "", "x = \"a\ndu", []string{"dumps"}, "", "du"},
		{"in a table whose name has quotes", "", "[severity]\n[tolerance.\"k[12]\"]\n", nil, "", ""},

		{"elsewhere in a shared file", shared, "[project]\nna", nil, "", ""},
		{"at the top of a shared file", shared, "du", nil, "", ""},
		{"a table that stands in a text", shared, "[tool.other]\nx = \"\"\"\n[tool.isadiff]\n\"\"\"\n", nil, "", ""},
		{"a table of another tool whose name has quotes", shared, "[tool.isadiff]\n[tool.other.\"a#b\"]\n", nil, "", ""},
		{"a table of a like name", shared, "[tool.isadiffer]\n", nil, "", ""},
		{"the table of a shared file", shared, "[project]\n[tool.isadiff]\ndu", []string{"dumps"}, "spills", "du"},
		{"a table below it", shared, "[tool.isadiff.severity]\nspills = ", []string{`"hint"`}, "", ""},
		{"tables of a shared file", shared, "[tool.isad", []string{"tool.isadiff", "tool.isadiff.severity", "tool.isadiff.pairs"}, "severity", "tool.isad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			offers, typed := offersAt(tt.text, tt.root)
			var labels []string
			for _, o := range offers {
				labels = append(labels, o.label)
			}
			if tt.want == nil && labels != nil || typed != tt.typed && labels != nil || tt.not != "" && slices.Contains(labels, tt.not) {
				t.Errorf("%q, of which %q is typed", labels, typed)
			}
			for _, want := range tt.want {
				if !slices.Contains(labels, want) {
					t.Errorf("%q is not among %q", want, labels)
				}
			}
		})
	}
}
