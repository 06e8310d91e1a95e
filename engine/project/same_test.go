package project

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// A session goes on over an edit of the configuration only if it would say the
// same from the start.
func TestSameInputs(t *testing.T) {
	load := func(text string) *Config {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "isadiff.toml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Options{Dir: dir, Root: dir, Home: dir, Env: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		for path, rel := range map[*string]string{&c.Dumps: "dumps", &c.Baseline: "baseline", &c.Accepted: "accepted", &c.Root: ""} {
			*path = rel // the folder is another one each time
		}
		c.Sources = nil
		return c
	}
	for _, tt := range []struct {
		name, before, after string
		same                bool
	}{
		{"a comment", "hover = true\n", "hover = true\n# more\n", true},
		{"what only an editor shows", "hover = true\n", "hover = false\n", true},
		{"kernels", "", "kernels = 'softmax_*'\n", false},
		{"a mapping", "", "path-map = { '/workspace' = 'here' }\n", false},
		{"a limit", "budgets = { '*' = ['vgpr <= 3'] }\n", "budgets = { '*' = ['vgpr <= 4'] }\n", false},
		{"the kernels of a limit", "budgets = { 'a' = ['vgpr <= 3'] }\n", "budgets = { '*' = ['vgpr <= 3'] }\n", false},
		{"a limit that cannot be read", "", "budgets = { '*' = ['vgprs <= 3'] }\n", false},
		{"the producer", "", "producer = 'triton'\n", false},
		{"a producer of its own", "", "producers = { mine = { files = '*.asm' } }\n", false},
		{"its files", "producers = { mine = { files = '*.s' } }\n", "producers = { mine = { files = '*.asm' } }\n", false},
		{"its decorators", "producers = { mine = { files = '*.s' } }\n", "producers = { mine = { files = '*.s', decorators = ['mine.kernel'] } }\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := load(tt.before), load(tt.after)
			if got := before.SameInputs(after); got != tt.same {
				t.Errorf("same inputs: %v, want %v; faults %v, %v", got, tt.same, before.Faults, after.Faults)
			}
			if !before.SameInputs(load(tt.before)) {
				t.Error("one differs from itself")
			}
		})
	}
}

func TestFiles(t *testing.T) {
	root := filepath.Join(string(filepath.Separator), "p")
	got := Files(filepath.Join(root, "a"), root)
	want := []string{
		filepath.Join(root, "a", "isadiff.toml"), filepath.Join(root, "a", "pyproject.toml"),
		filepath.Join(root, "isadiff.toml"), filepath.Join(root, "pyproject.toml"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
