package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linked returns what `go list` tells of everything that isadiff is linked from,
// on the systems that it is built for.
func linked(t *testing.T, format string) (list []string) {
	t.Helper()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", format, "../isadiff")
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
	packages := linked(t, "{{.ImportPath}}")
	for _, name := range []string{"net/http", "crypto/tls", "net/rpc", "net/smtp"} {
		if slices.Contains(packages, name) {
			t.Errorf("isadiff links %s", name)
		}
	}
	if !slices.Contains(packages, "os") {
		t.Error("the list is not what it should be")
	}
}

// docs/understand/dependencies.md names every module that is linked, and in its table no
// other.
func TestDependenciesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "understand", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "/") {
			continue
		}
		for _, m := range strings.Split(cells[1], ",") {
			named = append(named, strings.TrimSpace(m))
		}
	}
	modules := slices.DeleteFunc(linked(t, "{{with .Module}}{{.Path}}{{end}}"), func(m string) bool { return m == "isadiff" })
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
