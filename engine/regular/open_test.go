package regular_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, size := range []int{0, 1, 511, 512, 513, 100_000} {
		text := strings.Repeat("x", size)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := regular.Read(path); string(got) != text {
			t.Errorf("%d of %d bytes (%v)", len(got), size, err)
		}
		if got, err := regular.ReadUpTo(path, 512); string(got) != text[:min(size, 512)] {
			t.Errorf("%d of %d bytes up to 512 (%v)", len(got), size, err)
		}
	}
	if _, err := regular.Read(dir); !errors.Is(err, problem.ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := regular.Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// blocking are the places where a file may be opened in a way that waits for the
// other end of a pipe, and why.
var blocking = map[string]string{
	"watch/capture/doctor.go":  "below /proc",
	"watch/system_linux.go":    "below /proc",
	"cmd/packaging/archive.go": "our own",
	"cmd/packaging/dist.go":    "our own",
	"cmd/packaging/sbom.go":    "our own",
}

// Every file of a tree is opened by this package, or without blocking: no other
// code calls what waits for a pipe.
func TestNothingWaitsForAPipe(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || e.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := call.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains([]string{"Open", "ReadFile"}, call.Sel.Name) {
				found[filepath.ToSlash(rel)] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file := range found {
		if blocking[file] == "" {
			t.Errorf("%s opens a file with the os package, and so waits for ever where a pipe took its place; use package regular", file)
		}
	}
	for file := range blocking {
		if !found[file] {
			t.Errorf("%s opens nothing with the os package any more", file)
		}
	}
}

func TestReadWithin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("four"), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, err := regular.ReadWithin(path, 4); string(data) != "four" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := regular.ReadWithin(path, 3); data != nil || err != problem.TooLarge(3) {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Truncate(path, regular.Most+1); err != nil {
		t.Fatal(err)
	}
	_, err := regular.Read(path)
	if p := problem.Unreadable("f", err); p.Message != "f cannot be read: it is larger than 256 MiB" || !strings.Contains(p.Mend(), "remove it") {
		t.Errorf("%+v", p)
	}
}
