package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// mostFiles is how many files an addition may touch: its row, where it is found or
// made, and a test.
const mostFiles = 4

// TestWhatToTouch holds the table "Where to change what" of docs/understand/architecture.md: a
// metric, a problem code, a report format, a processor and a feature of the language
// server are each added by a patch of few files to a copy of the sources, in which the
// tests then pass that the patches bring.
func TestWhatToTouch(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds everything anew")
	}
	root := repository(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	list := exec.CommandContext(ctx, "git", "ls-files", "-z")
	list.Dir = root
	tracked, err := list.Output()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("the sources are in no git repository: %v", err)
	}
	module := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(string(tracked), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		to := filepath.Join(module, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o777)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(module)) // no repository around it has a say
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	patches, err := filepath.Glob("testdata/touch/*.patch")
	if err != nil || len(patches) != 5 {
		t.Fatal(err, patches)
	}
	packages := map[string]bool{}
	for _, patch := range patches {
		text, err := os.ReadFile(patch)
		if err != nil {
			t.Fatal(err)
		}
		files := regexp.MustCompile(`(?m)^\+\+\+ b/(.*)$`).FindAllSubmatch(text, -1)
		if n := len(files); n == 0 || n > mostFiles {
			t.Errorf("%s touches %d files, more than %d", patch, n, mostFiles)
		}
		for _, f := range files {
			if name := string(f[1]); strings.HasSuffix(name, "_test.go") {
				packages["./"+filepath.ToSlash(filepath.Dir(name))] = true
			}
		}
		absolute, err := filepath.Abs(patch)
		if err != nil {
			t.Fatal(err)
		}
		run("git", "apply", "--recount", absolute)
	}
	args := []string{"test", "-trimpath", "-v", "-run", "^TestToy"} // trimmed, what another copy built is in the cache
	for p := range packages {
		args = append(args, p)
	}
	if passed := strings.Count(run("go", args...), "--- PASS: TestToy"); passed != len(patches) {
		t.Errorf("%d tests passed, want one of each of %v", passed, patches)
	}
}
