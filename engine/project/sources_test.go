package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sources lists the files of a configuration relative to its root, in slashes.
func sources(t testing.TB, c *Config) []string {
	t.Helper()
	found, err := c.FindSources(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, f := range found.Files {
		rel, err := filepath.Rel(c.Root, f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, filepath.ToSlash(rel))
		if !c.IsSource(f) {
			t.Errorf("%s is listed, but IsSource says no", rel)
		}
	}
	return list
}

func TestFindSources(t *testing.T) {
	root := tree(t, map[string]string{
		".git/HEAD":                  "",
		".gitignore":                 "build/\n*.gen.py\n",
		"k.py":                       "",
		"readme.md":                  "",
		"a/b/k.py":                   "",
		"a/x.gen.py":                 "",
		"a/.gitignore":               "!keep.gen.py\n/only_here.py\n",
		"a/keep.gen.py":              "",
		"a/only_here.py":             "",
		"a/b/only_here.py":           "",
		"build/out.py":               "",
		".venv/lib/m.py":             "",
		"env/pyvenv.cfg":             "",
		"env/lib/m.py":               "",
		"node_modules/x/m.py":        "",
		"a/__pycache__/m.py":         "",
		".hidden/m.py":               "",
		"folder.py/inner.py":         "",
		"größe/ü.py":                 "",
		"with space/[k].py":          "",
		".git/hooks/x.py":            "",
		"a/deep/er/and/deeper/k2.py": "",
	})
	c := load(t, Options{Dir: root})
	want := []string{"a/b/k.py", "a/b/only_here.py", "a/deep/er/and/deeper/k2.py", "a/keep.gen.py", "folder.py/inner.py", "größe/ü.py", "k.py", "with space/[k].py"}
	slices.Sort(want)
	if d := cmp.Diff(want, sources(t, c)); d != "" {
		t.Errorf("sources (-want +got):\n%s", d)
	}
	for _, not := range []string{"build/out.py", "a/x.gen.py", ".venv/lib/m.py", "env/lib/m.py", "node_modules/x/m.py", "readme.md", "a/only_here.py", "../k.py", "build/new.py"} {
		if c.IsSource(filepath.Join(root, filepath.FromSlash(not))) {
			t.Errorf("IsSource(%s)", not)
		}
	}
	if !c.IsSource(filepath.Join(root, "a", "new", "file.py")) {
		t.Error("a file that is not there yet is no source")
	}

	c = load(t, Options{Dir: root, Client: map[string]any{"sources": []any{"a/b", "a", "build", "k.py", "gone"}}})
	want = []string{"a/b/k.py", "a/b/only_here.py", "a/deep/er/and/deeper/k2.py", "a/keep.gen.py", "build/out.py", "k.py"}
	if d := cmp.Diff(want, sources(t, c)); d != "" {
		t.Errorf("named sources (-want +got):\n%s", d)
	}
	found, _ := c.FindSources(context.Background())
	if len(found.Faults) != 1 || !strings.Contains(found.Faults[0].Message, filepath.Join(root, "gone")) {
		t.Errorf("faults: %v", found.Faults)
	}
}

func TestFindSourcesFollowsNoFolderLinks(t *testing.T) {
	root := tree(t, map[string]string{"a/k.py": "", "other/o.py": ""})
	for name, target := range map[string]string{"a/up": "..", "a/self": "self", "a/link.py": "k.py", "a/broken.py": "gone.py", "b": "other"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	c := load(t, Options{Dir: root})
	if d := cmp.Diff([]string{"a/k.py", "a/link.py", "other/o.py"}, sources(t, c)); d != "" {
		t.Errorf("sources (-want +got):\n%s", d)
	}
	c = load(t, Options{Dir: root, Client: map[string]any{"sources": "b"}})
	if d := cmp.Diff([]string{"b/o.py"}, sources(t, c)); d != "" {
		t.Errorf("a link that is named (-want +got):\n%s", d)
	}
}

func TestFindSourcesStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := load(t, Options{Dir: tree(t, map[string]string{"k.py": ""})})
	if _, err := c.FindSources(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestIgnoreIsGits holds what is ignored against git itself.
func TestIgnoreIsGits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("git is missing")
		}
		t.Skip("git is missing")
	}
	patterns := []string{
		"a.py", "/a.py", "d/", "/d/", "d/a.py", "d/*", "!d/a.py", "*.py", "!a.py", "**/e/a.py", "d/**", "d/**/a.py", "**/a.py", "**",
		"[ab].py", "[!a].py", "?.py", `\!x.py`, `\#x.py`, "#x.py", "a.py  ", `a.py\ `, "{a,b}.py", "*.{py,pyc}", "d/e", "e", "/d/e/", "*", "!*/", "!*.py",
		"d**e/a.py", "  a.py", "a*/", "\r", "/", "//", "!", "a[", `\`, `a\.py`, "d//a.py", "D", "*.PY", "[[:alpha:]].py", "[^[:digit:][:upper:]].py", "[[:punct:]]x.py", `\*.py`, "foo/../a.py", "/**", "/*", "!/d", "d/e/**",
	}
	files := map[string]string{}
	for _, f := range []string{"a.py", "b.py", "d/a.py", "d/b.py", "d/e/a.py", "d/e/c.py", "e/a.py", "e/f/a.py", "!x.py", "#x.py", "{a,b}.py", "a.py x/a.py", "*.py", "dxe/a.py", " a.py", "a/a.py", `a.py `} {
		files[f] = ""
	}
	root := tree(t, files)
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "core.quotepath=off"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "XDG_CONFIG_HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	git("init", "-q")
	var sets [][]string
	for i, p := range patterns {
		sets = append(sets, []string{p})
		for _, q := range []string{"!a.py", "!d/", "*.py", "d/", patterns[(i+7)%len(patterns)]} {
			sets = append(sets, []string{p, q}, []string{q, p})
		}
	}
	c := load(t, Options{Dir: root})
	for i, set := range sets {
		where := []string{".gitignore", "d/.gitignore", ".git/info/exclude"}[i%3]
		path := filepath.Join(root, filepath.FromSlash(where))
		if err := os.WriteFile(path, []byte(strings.Join(set, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		var want []string
		for f := range strings.SplitSeq(git("ls-files", "-co", "--exclude-standard", "-z"), "\x00") {
			if strings.HasSuffix(f, ".py") {
				want = append(want, f)
			}
		}
		slices.Sort(want)
		if d := cmp.Diff(want, sources(t, c), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s with %q (-git +ours):\n%s", where, set, d)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkFindSources(b *testing.B) {
	files := map[string]string{".git/HEAD": "", ".gitignore": "build/\n__pycache__/\n*.pyc\n*.egg-info/\n/dist\n.cache/\n**/generated/*.py\n"}
	for i := range 5000 {
		files[fmt.Sprintf("pkg%02d/sub%02d/kernel_%04d.py", i%25, i%100, i)] = ""
	}
	c := load(b, Options{Dir: tree(b, files)})
	b.ReportAllocs()
	for b.Loop() {
		found, err := c.FindSources(context.Background())
		if err != nil || len(found.Files) != 5000 {
			b.Fatalf("%d files, %v", len(found.Files), err)
		}
	}
}
