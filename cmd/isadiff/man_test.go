package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that the help lists has a page, which says all that its help
// says, and which formatters read without a complaint.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("isadiff", "man", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	p := &program{stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	root := p.root(p.commands())
	want := manPages(root)
	for _, c := range root.Commands() {
		page := want["isadiff-"+c.Name()+".1"]
		if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
			if page != "" {
				t.Errorf("%s has a page", c.Name())
			}
			continue
		}
		for _, text := range []string{c.Short, c.Example} {
			for _, line := range strings.Split(text, "\n") {
				if !strings.Contains(page, roff(line)) {
					t.Errorf("the page of %s lacks %q", c.Name(), line)
				}
			}
		}
	}
	for name := range want {
		path := filepath.Join(dir, name)
		lint(t, path, "mandoc", "-T", "lint", "-W", "error", path)
		lint(t, path, "groff", "-man", "-ww", "-z", path)
	}
	written, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(written) != len(want) {
		t.Errorf("%d pages were written of %d", len(written), len(want))
	}
}

// lint runs a formatter of manual pages, where there is one: they are no part of
// what isadiff needs, and either one is enough.
func lint(t *testing.T, page string, command ...string) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Logf("%s is not installed", command[0])
		return
	}
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", filepath.Base(page), err, out)
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"a-b":        `a\-b`,
		`C:\x`:       `C:\ex`,
		".SH\n'quot": "\\&.SH\n\\&'quot",
		"plain":      "plain",
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
