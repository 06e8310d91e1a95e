package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// corpus unpacks testdata/isa.zip, real assembly of LLVM 14 to 22 with the right
// value of every cell, and returns its directory.
func corpus(t *testing.T) string {
	t.Helper()
	archive, err := zip.OpenReader(filepath.Join(repository(t), "testdata", "isa.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	dir := t.TempDir()
	for _, f := range archive.File {
		unpack(t, dir, f)
	}
	return filepath.Join(dir, "isa-corpus")
}

func unpack(t *testing.T, dir string, f *zip.File) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	if f.FileInfo().IsDir() {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	from, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, f.Modified, f.Modified); err != nil {
		t.Fatal(err)
	}
}

// need skips a test whose tool is missing; where CI is set it fails.
func need(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is needed here", tool)
	}
	t.Skipf("%s is not installed", tool)
}

// The judge holds every cell, code, verdict, exit code and row of the corpus
// against what the assembler and the disassembler said, from outside.
func TestJudge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the whole corpus takes a while")
	}
	need(t, "python3")
	root, dir := repository(t), corpus(t)
	binary := filepath.Join(t.TempDir(), "isadiff")
	build := exec.Command("go", "build", "-o", binary, "./cmd/isadiff")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("python3", filepath.Join(root, "testdata", "judge_cli.py"), binary, dir, "--max", "20").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Snapshots that FlyDSL's Python helper wrote give the verdict, counts and rows
// against the dump trees that the helper gave.
func TestHelperSnapshots(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(corpus(t), "interop")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(string(readme)) {
		cell := strings.Split(line, "|")
		if len(cell) < 5 || !strings.Contains(cell[1], ".snapshot.json") {
			continue
		}
		name := strings.TrimSpace(cell[1])
		after := filepath.Join(repository(t), "testdata", filepath.FromSlash(strings.TrimPrefix(strings.TrimSpace(cell[3]), "../../")))
		if _, err := os.Stat(after); err != nil {
			continue // only some of the trees are kept
		}
		compared++
		want := comparison(t, readFile(t, filepath.Join(dir, strings.Replace(name, ".snapshot.", ".comparison.", 1))))
		out, err := exec.Command("isadiff", "diff", "--ignore-times", filepath.Join(dir, name), after, "--json", "-").Output()
		got := comparison(t, out)
		if exit := exitOf(t, err); exit != want.Exit {
			t.Errorf("%s: exit code %d, want %d", name, exit, want.Exit)
		}
		if g, w := got.String(), want.String(); g != w {
			t.Errorf("%s:\n got %s\nwant %s", name, g, w)
		}
	}
	if compared < 6 {
		t.Errorf("only %d snapshots have their dumps here", compared)
	}
}

// A helperComparison holds the keys that both tools write.
type helperComparison struct {
	Verdict  string `json:"verdict"`
	Exit     int    `json:"exit_code"`
	Compared int    `json:"compared_kernels"`
	Total    int    `json:"total_kernels"`
	Worsened int    `json:"worsened_metrics"`
	Improved int    `json:"improved_metrics"`
	Rows     []struct {
		Kernel  string           `json:"kernel"`
		Side    *string          `json:"side"`
		Deltas  map[string]int64 `json:"deltas"`
		Blocked []string         `json:"blocked"`
	} `json:"rows"`
}

func comparison(t *testing.T, data []byte) *helperComparison {
	t.Helper()
	c := new(helperComparison)
	if err := json.Unmarshal(data, c); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	for i := range c.Rows { // the words differ, but not whether there are any
		c.Rows[i].Blocked = c.Rows[i].Blocked[:min(1, len(c.Rows[i].Blocked))]
		for j := range c.Rows[i].Blocked {
			c.Rows[i].Blocked[j] = "blocked"
		}
	}
	return c
}

func (c *helperComparison) String() string {
	data, _ := json.Marshal(c)
	return string(data)
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
