package project

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// A configuration that nobody wrote by hand is refused, or read, with work that
// grows as it does.
func TestConfigurationsOfAnySize(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	strays := ""
	for i := range 26 * 26 {
		strays += fmt.Sprintf("[tool%c.isadiff%c]\n", 'a'+i/26, 'a'+i%26)
	}
	long := strings.Repeat("a.", 20_000) + "a"
	const own, shared, size = ownFile, sharedFile, maxFileSize
	for _, tt := range []struct {
		name, file, text string
		fault            string // of the whole configuration; "" if it counts
	}{
		{"a key of many parts", own, "kernels = 'k'\n" + long + " = 1\n", "isadiff.toml:2: the key is too long: it has more than 64 parts"},
		{"of as many as may be", own, strings.Repeat("a.", 63) + "a = 1\n", ""},
		{"a long part", own, "'" + strings.Repeat("a", 5000) + "' = 1\n", "isadiff.toml:1: the key is too long"},
		{"a table of many parts", own, "[" + long + "]\n" + many(50_000, "a%d=1\n"), "isadiff.toml:1: the key is too long"},
		{"a list of tables", own, "[[" + long + "]]\na = 1\n", "isadiff.toml:1: the key is too long"},
		{"inline tables", own, strings.Repeat("a={", 5000) + strings.Repeat("}", 5000) + "\n", "isadiff.toml:1: the key is too long"},
		{"of our table", shared, "[tool.isadiff]\n" + long + " = 1\n", "pyproject.toml:2: the key is too long"},
		{"of a table of another tool", shared, "[tool.isadiff]\nkernels = 'k'\n[tool.other]\n" + long + " = 1\n[tool." + long + "]\n" + many(50_000, "a%d=1\n"), ""},
		{"of a table that may be ours", shared, "[tool.isadif]\n" + long + " = 1\n", "pyproject.toml:2: the key is too long"},
		{"many keys", own, many(20_000, "k%d = 1\n"), "isadiff.toml:10001: there are more than 10000 keys"},
		{"many keys in one line", own, "x = {" + many(90_000, "k%d=1,") + "z=1}\n", "isadiff.toml:1: there are more than 10000 keys"},
		{"many producers", own, "[producers]\n" + many(9_000, "p%d = {}\n"), "producers names 9000 compilers"},
		{"many tables that may be ours", shared, "[tool.isadiff]\n" + strays, "pyproject.toml:102: there are more than 100 tables"},
		{"a list in a list", own, "kernels = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n", "kernels"},
		{"strings without end", own, many(60_000, "k%d = \"\"\"\n"), "isadiff.toml"},
		{"a large file", own, "#" + strings.Repeat("x", size) + "\n", "isadiff.toml:1: the configuration cannot be read: it is larger than 1 MiB"},
		{"a file as large as may be", own, "kernels = 'k'\n#" + strings.Repeat("x", size-16) + "\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, map[string]string{tt.file: tt.text})
			before := allocated()
			c := load(t, Options{Dir: dir})
			if took := (allocated() - before) / uint64(len(tt.text)); took > 2048 {
				t.Errorf("it takes %d bytes of memory for each of the file", took)
			}
			var said []string
			for _, f := range c.Invalid() {
				said = append(said, f.String())
				if p := c.Problem(f); p.Code != problem.ConfigurationInvalid && p.Code != problem.BudgetInvalid || p.File != filepath.Base(f.File) || p.Line != f.Line {
					t.Errorf("the problem is %+v", p)
				}
			}
			if tt.fault == "" && said != nil || tt.fault != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, tt.fault) }) {
				t.Errorf("it says %.2000q, want %q", said, tt.fault)
			}
		})
	}
}

// A fault names the column also where a line is long and where lines came before.
func TestColumnsOfFaults(t *testing.T) {
	c := load(t, Options{Dir: tree(t, map[string]string{ownFile: "hover = true\n  x1 = 1\nx2 = { y = 1, z = { w = 2 } }\n\n x3 = 1\n"})})
	var at []string
	for _, f := range c.Faults {
		at = append(at, fmt.Sprintf("%d:%d", f.Line, f.Column))
	}
	if got := strings.Join(at, " "); got != "2:3 3:8 3:21 5:2" {
		t.Errorf("the faults are at %s", got)
	}
}

// allocated is how many bytes were allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
