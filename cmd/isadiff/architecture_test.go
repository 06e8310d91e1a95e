package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every step of the ways through the code, on the page of the architecture, is a
// function or method of the file that it names. No step is shown twice.
func TestArchitecture(t *testing.T) {
	root := repository(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "understand", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, ways, _ := strings.Cut(string(page), "\n## Three ways")
	ways, _, _ = strings.Cut(ways, "\n## ")
	seen := map[string]bool{}
	for _, way := range strings.Split(ways, "\n### ")[1:] {
		title, steps, _ := strings.Cut(way, "\n")
		for line := range strings.Lines(steps) {
			if !numbered.MatchString(line) {
				continue
			}
			step := codeStep.FindStringSubmatch(line)
			if step == nil {
				t.Errorf("%s: a step without file and function: %s", title, line)
				continue
			}
			if seen[step[0]] {
				t.Errorf("%s: %s is a step already", title, step[0])
			}
			seen[step[0]] = true
			if known := functions(t, filepath.Join(root, filepath.FromSlash(step[1]))); !slices.Contains(known, step[2]) {
				t.Errorf("%s: %s has no function %s", title, step[1], step[2])
			}
		}
	}
	if n := strings.Count(ways, "\n### "); n != 3 || len(seen) == 0 {
		t.Errorf("%d ways with %d steps", n, len(seen))
	}
}

var (
	numbered = regexp.MustCompile(`^\d+\. `)
	codeStep = regexp.MustCompile("`([\\w/]+\\.go): ([\\w.]+)`")
)

// functions returns the functions and methods ("Type.method") of a Go file.
func functions(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			of := f.Recv.List[0].Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			if of, ok := of.(*ast.Ident); ok {
				name = of.Name + "." + name
			}
		}
		names = append(names, name)
	}
	return names
}
