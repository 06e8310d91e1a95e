package project

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isadiff/engine/regular"
)

func TestCommandNeedsTrust(t *testing.T) {
	const file = "compile = ['make', 'kernels']\ncompile-on-save = true\n"
	client := map[string]any{"compile": "make all"}
	tests := []struct {
		name     string
		o        Options
		explicit bool
		want     []string
	}{
		{"file", Options{}, false, nil},
		{"file, trusted", Options{Trusted: true}, false, []string{"make", "kernels"}},
		{"file, explicit order", Options{}, true, []string{"make", "kernels"}},
		{"editor", Options{Client: client}, false, nil},
		{"editor, trusted", Options{Client: client, Trusted: true}, false, []string{"make all"}},
		{"flag", Options{Flags: map[string]any{"compile": []any{"sh", "c.sh"}}}, false, []string{"sh", "c.sh"}},
	}
	for _, tt := range tests {
		tt.o.Dir = tree(t, map[string]string{"isadiff.toml": file})
		c := load(t, tt.o)
		got, err := c.Command(tt.explicit)
		if !slices.Equal(got.Args, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got.Args, tt.want)
		}
		if (tt.want == nil) != errors.Is(err, ErrUntrusted) || tt.want != nil && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.Origin("compile").String()) {
			t.Errorf("%s: %v does not say where the command comes from", tt.name, err)
		}
		if c.CompileText() == "" || !c.CompileOnSave {
			t.Errorf("%s: text %q, on save %v", tt.name, c.CompileText(), c.CompileOnSave)
		}
	}
}

// hostile makes a project beside a folder that nothing may be written to.
func hostile(t *testing.T, toml string) (c *Config, outside string) {
	t.Helper()
	top := tree(t, map[string]string{"outside/victim": "precious", "project/isadiff.toml": toml, "project/in/k.py": "", "project/.git/config": "", "project/locked/": ""})
	root := filepath.Join(top, "project")
	outside = filepath.Join(top, "outside")
	for name, target := range map[string]string{
		"out": outside, "relative": "../outside", "loop": "loop", "file.json": filepath.Join(outside, "victim"),
		"dangling.json": filepath.Join(outside, "new"), "inner": "in", "history": ".git", "nowhere": "in/gone",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	return load(t, Options{Dir: root}), outside
}

func TestNothingIsWrittenOutsideTheRoot(t *testing.T) {
	c, outside := hostile(t, "")
	before, err := os.ReadDir(outside)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path string // below the root, or absolute
		ok   bool
	}{
		{".isadiff/baseline.json", true},
		{"in/report.md", true},
		{"inner/report.md", true},
		{"a/b/c/new.json", true},
		{"..data/new.json", true},
		{"../outside/victim", false},
		{"in/../../outside/new", false},
		{"out/new", false},
		{"out/deeper/new", false},
		{"relative/victim", false},
		{"file.json", false},
		{"dangling.json", false},
		{"nowhere/x", false},
		{"loop/new", false},
		{".", false},
		{"in/k.py/new", false},
		{".git/hooks/post-checkout", false},
		{".git/new/deep", false},
		{".GIT/config", false},
		{"in/.git", false},
		{"history/config", false},
		{".github/report.md", true},
		{outside + "/new", false},
		{"/", false},
	}
	for _, tt := range tests {
		path := tt.path
		if !filepath.IsAbs(path) {
			path = c.Root + "/" + path
		}
		check := c.CheckWrite(path)
		write := c.WriteFile(path, []byte("data"))
		if (check == nil) != tt.ok || (write == nil) != tt.ok {
			t.Errorf("%s: check %v, write %v; want ok %v", tt.path, check, write, tt.ok)
		}
		if tt.ok {
			if got, err := os.ReadFile(path); string(got) != "data" {
				t.Errorf("%s: %q, %v", tt.path, got, err)
			}
		}
	}
	after, err := os.ReadDir(outside)
	if err != nil || len(after) != len(before) {
		t.Errorf("files outside of the root: %v, want %v", after, before)
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "victim")); string(got) != "precious" {
		t.Errorf("a file outside of the root was overwritten: %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(c.Root, "*", "*.tmp")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestWriteReplacesWhole(t *testing.T) {
	root := tree(t, map[string]string{".isadiff/baseline.json": "old", ".isadiff/.gitignore": "mine"})
	c := load(t, Options{Dir: root})
	path := filepath.Join(root, ".isadiff", "baseline.json")
	if err := c.WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if got, _ := os.ReadFile(path); string(got) != "new" || len(entries) != 2 {
		t.Errorf("%q, %d files", got, len(entries))
	}
	if got, _ := os.ReadFile(filepath.Join(root, ".isadiff", ".gitignore")); string(got) != "mine" {
		t.Errorf("the user's .gitignore is %q", got)
	}
	if err := c.WriteFile(filepath.Join(root, ".isadiff"), []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
}

func TestRootReachedThroughALink(t *testing.T) {
	top := tree(t, map[string]string{"real/k.py": ""})
	link := filepath.Join(top, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	c := load(t, Options{Dir: link})
	for _, path := range []string{filepath.Join(link, "b.json"), filepath.Join(top, "real", "c.json")} {
		if err := c.WriteFile(path, nil); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWritableBaseline(t *testing.T) {
	for _, baseline := range []string{"../outside/victim", "out/b.json", "file.json"} {
		c, outside := hostile(t, "baseline = '"+baseline+"'\n")
		if path, err := c.WritableBaseline(); !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "isadiff.toml:1") {
			t.Errorf("%s: %s, %v", baseline, path, err)
		}
		// It may be read all the same, and a person may name it.
		victim := filepath.Join(outside, "victim")
		flagged := load(t, Options{Dir: c.Root, Flags: map[string]any{"baseline": victim}})
		if path, err := flagged.WritableBaseline(); err != nil || path != victim {
			t.Errorf("flag: %s, %v", path, err)
		}
		client := load(t, Options{Dir: c.Root, Client: map[string]any{"baseline": victim}})
		if _, err := client.WritableBaseline(); !errors.Is(err, ErrOutside) {
			t.Errorf("editor: %v", err)
		}
	}
	c, _ := hostile(t, "")
	if path, err := c.WritableBaseline(); err != nil || path != c.Baseline {
		t.Errorf("default: %s, %v", path, err)
	}
}

// Whoever writes a file at the same time as somebody else writes it whole, too.
func TestWritersAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows refuses to replace a file that is being replaced")
	}
	c := load(t, Options{Dir: t.TempDir()})
	path := filepath.Join(c.Root, ".isadiff", "report.md")
	var writers sync.WaitGroup
	for n := range 50 {
		writers.Go(func() {
			if err := c.WriteFile(path, bytes.Repeat([]byte{byte('a' + n%26)}, 100_000)); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	data, err := os.ReadFile(path)
	if err != nil || len(data) != 100_000 || bytes.Count(data, data[:1]) != len(data) {
		t.Errorf("%d bytes were written: %v", len(data), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 2 { // and .gitignore
		t.Errorf("left are %v: %v", left, err)
	}
}

// What a killed writer left beside the file goes with the next one, once it is old.
func TestWriteClearsWhatWasLeft(t *testing.T) {
	const number = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	root := tree(t, map[string]string{"r/a.md." + number + ".tmp": "", "r/a.md." + number[1:] + "2.tmp": "", "r/a.md.tmp": "", "r/b.md." + number + ".tmp": ""})
	c := load(t, Options{Dir: root})
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{"a.md." + number + ".tmp", "a.md.tmp", "b.md." + number + ".tmp"} {
		if err := os.Chtimes(filepath.Join(root, "r", name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.WriteFile(filepath.Join(root, "r", "a.md"), nil); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(root, "r"))
	if len(left) != 4 || err != nil || regular.Exists(filepath.Join(root, "r", "a.md."+number+".tmp")) {
		t.Errorf("left are %v, %v", left, err)
	}
}
