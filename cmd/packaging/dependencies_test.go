package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linked returns what `go list` tells of everything that a program is linked from,
// on the systems that it is built for.
func linked(t *testing.T, program, format string) (list []string) {
	t.Helper()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", format, "../"+program)
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.Fields(string(out))...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// The binary promises to use no network, so it holds nothing that speaks on one
// but what the parsers of flags and the transport of messages import for types.
func TestNoNetwork(t *testing.T) {
	packages := linked(t, isadiff, "{{.ImportPath}}")
	for _, name := range []string{"net/http", "crypto/tls", "net/rpc", "net/smtp"} {
		if slices.Contains(packages, name) {
			t.Errorf("isadiff links %s", name)
		}
	}
	if !slices.Contains(packages, "os") {
		t.Error("the list is not what it should be")
	}
}

// docs/understand/dependencies.md names every module that is linked, and in its tables no
// other: in one those of isadiff, in the other what isadiff-mcp has besides.
func TestDependenciesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "understand", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	first, second, found := strings.Cut(string(page), "\n## In isadiff-mcp alone\n")
	if !found {
		t.Fatal("the page has no part of isadiff-mcp")
	}
	format := "{{with .Module}}{{.Path}}{{end}}"
	of := linked(t, isadiff, format)
	compareModules(t, first, of)
	compareModules(t, second, slices.DeleteFunc(linked(t, server, format), func(m string) bool { return slices.Contains(of, m) }))
}

// compareModules holds the table of a page against the modules that are linked.
func compareModules(t *testing.T, page string, modules []string) {
	t.Helper()
	var named []string
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "/") {
			continue
		}
		for _, m := range strings.Split(cells[1], ",") {
			named = append(named, strings.TrimSpace(m))
		}
	}
	modules = slices.DeleteFunc(modules, func(m string) bool { return m == "isadiff" })
	for _, m := range modules {
		if !slices.Contains(named, m) {
			t.Errorf("%s is not named", m)
		}
	}
	for _, m := range named {
		if !slices.Contains(modules, m) {
			t.Errorf("%s is named and not linked", m)
		}
	}
}
