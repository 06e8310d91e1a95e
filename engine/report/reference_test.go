package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/facts"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// TestReferencePages holds docs/reference/problem-codes.md and docs/reference/metrics.md against the
// tables that they are made from. `-update` writes them anew.
func TestReferencePages(t *testing.T) {
	for name, want := range map[string]string{"problem-codes.md": problemPage(), "metrics.md": metricPage()} {
		if strings.Contains(want, "## \n") {
			t.Errorf("%s: a group without a heading", name)
		}
		path := filepath.Join("..", "..", "docs", "reference", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); d != "" {
			t.Errorf("%s is not what the table says; run go test ./engine/report -update (-want +got):\n%s", name, d)
		}
	}
}

// problemGroups are the headings of docs/reference/problem-codes.md, by the groups of the
// contract.
var problemGroups = map[int]string{
	1: "Inputs", 2: "Empty trees", 3: "Dumps that are not whole", 4: "Damaged text", 5: "Names", 6: "Two of one kind", 7: "Counts",
	8: "Contradictions", 9: "Instructions", 10: "Targets", 11: "Kernels on one side", 12: "Metrics on one side", 13: "Snapshots",
	14: "The tool itself", 15: "Configuration and budgets", 16: "Capture, compare and merge", 17: "Sessions over time",
}

func problemPage() string {
	var b strings.Builder
	b.WriteString(`# Problem codes

What makes an answer NOT TRUSTWORTHY (exit 2). A code is never renamed and never used for something else. ` + "`isadiff explain CODE`" + ` shows the same.
`)
	group := 0
	for _, i := range problem.Table {
		if i.Group != group {
			group = i.Group
			fmt.Fprintf(&b, "\n## %s\n", problemGroups[group])
		}
		fmt.Fprintf(&b, "\n### `%s`\n%s. %s\n\n**To mend it:** %s.\n", i.Code, capital(i.Title), i.Explain, i.Mend)
	}
	return b.String()
}

func metricPage() string {
	var b strings.Builder
	b.WriteString(`# Metrics

In the order of every table. The growth of one that is marked * is a regression; the others are context. A cell is a number, ` + "`n/a`" + ` (the
quantity does not exist on this target or was not written by this compiler, with the reason) or ` + "`?`" + ` (it could not be read: the answer is then
not trustworthy). ` + "`n/a`" + ` is not 0. ` + "`isadiff explain METRIC`" + ` shows the same.

| metric | unit | meaning | read from |
|---|---|---|---|
`)
	for _, m := range resource.Metrics {
		mark := ""
		if m.Trigger {
			mark = " *"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s |\n", m.Key, mark, m.Unit, m.Meaning, m.From)
	}
	b.WriteString("\n## When one grew\n\n" + facts.Proxy + ".\n\n| metric | usual cause | try |\n|---|---|---|\n")
	for m := range resource.Metrics {
		if a, ok := facts.AdviceFor(resource.Metric(m)); ok {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", resource.Metrics[m].Key, a.Cause, a.Try)
		}
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
