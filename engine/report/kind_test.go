package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/report"
)

// Every report that is kept as an expected output is known as one; what is none is
// not, however near it comes.
func TestIs(t *testing.T) {
	for _, pattern := range []string{"allowed.*", "nasty.*", "everything.json", "trend.html", "history.html", "history.json", "bisect.json", "where.json"} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !report.Is(text) {
				t.Errorf("%s is not known as a report", file)
			}
			if strings.HasSuffix(file, ".json") && report.Is(text[:len(text)/2]) {
				t.Errorf("half of %s is known as a report", file)
			}
		}
	}
	if !report.Is(nil) || !report.Is([]byte(" \n")) {
		t.Error("a file with nothing in it is kept")
	}
	for _, text := range []string{
		"import flydsl\n", "# isadiff\n", "# isadiff: how we use it\n", "### isadiff: OK, said nobody\n", "{}", `{"tool":"isa_resource_table"}`,
		`{"tool":"isa_resource_table","schema":2,"kernels":{}}`, `{"verdict":"RESULT: OK"}`, `{"runs":[{"tool":{"driver":{"name":"CodeQL"}}}]}`,
		`{"runs":[{"tool":{"driver":{"name":"isadiff"}}},{"tool":{"driver":{"name":"CodeQL"}}}]}`, `{"kernels":{},"points":[{}],"problem_codes":[],"problems":[],"warnings":[]}`,
		"<!DOCTYPE html>\n<title>isadiff</title>", "<?xml version=\"1.0\"?>\n<testsuites name=\"pytest\">", "[]", "a: b\n", "\x00", "\tv_mov_b32 v0, v1\n",
	} {
		if report.Is([]byte(text)) {
			t.Errorf("%q is known as a report", text)
		}
	}
}
