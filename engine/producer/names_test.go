package producer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// knowing are the folders that may decide something by the name of a producer: this
// one, the hook into FlyDSL's compiler and what examines its installation, and the
// demonstration, which plays back its dumps.
var knowing = []string{"engine/producer", "watch/capture", "cmd/isadiff/demo.go", "cmd/packaging", "cmd/performance", "scripts", "testdata", "editors"}

var names = regexp.MustCompile(`(?i)flydsl|triton|final_isa|00_origin|\.amdgcn$|__global__|\bhip\b`)

// TestNobodyElseNames: outside of the table nothing is decided by the name of a
// producer or of its files. Sentences for people may name them: a string with a
// blank is taken for one.
func TestNobodyElseNames(t *testing.T) {
	root := "../.."
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		for _, folder := range knowing {
			if rel == folder && d.IsDir() {
				return filepath.SkipDir
			} else if rel == folder {
				return nil
			}
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		read++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text := ""
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Ident:
				text = n.Name
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					text, _ = strconv.Unquote(n.Value)
				}
			}
			if text != "" && !strings.ContainsAny(text, " \n") && names.MatchString(text) {
				t.Errorf("%s: %q names a producer; ask the table of engine/producer", files.Position(n.Pos()), text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}

func TestIsLibrary(t *testing.T) {
	for dir, want := range map[string]bool{
		"/venv/lib/python3.12/site-packages/flydsl/expr": true,
		"/src/flydsl": true,
		"/venv/lib/python3.12/site-packages/triton/language": true,
		"/home/me/triton/kernels":                            false,
		"/home/me/flydsl-kernels":                            false,
		"":                                                   false,
	} {
		if Builtin().IsLibrary(dir) != want {
			t.Errorf("%s is a library: %v", dir, !want)
		}
	}
}
