package pysource

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// CPython's ast module is the oracle: testdata/oracle.py says which functions a
// file has, how they are decorated, and where exactly they are.

// An oracleFile is what CPython says about one file.
type oracleFile struct {
	Path      string
	Error     string // why the file does not parse
	Functions []oracleFunction
}

type oracleFunction struct {
	Qualified  string
	Ident      [2]int // 0-based line and byte column
	IdentEnd   [2]int
	Def        [2]int
	DefEnd     [2]int
	BodyEnd    [2]int
	Decorators []oracleDecorator
}

type oracleDecorator struct {
	Path       string // as written; "" if it is no dotted name
	Start, End [2]int
	Role       string  // "kernel", "launcher" or ""
	Name       *string // the name= argument, "*" for what is not constant
}

// python returns the newest of the given Pythons that runs here.
func python(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import ast").Run() == nil {
			return path
		}
	}
	message := "no Python on PATH to compare with: tried " + strings.Join(names, ", ")
	if os.Getenv("CI") != "" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

// askOracle returns what a Python says about files.
func askOracle(t *testing.T, python string, paths []string) []oracleFile {
	t.Helper()
	cmd := exec.Command(python, "-W", "ignore", "testdata/oracle.py")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("oracle.py: %v", err)
	}
	var files []oracleFile
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var f oracleFile
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			t.Fatalf("oracle.py: %v in %s", err, lines.Bytes())
		}
		files = append(files, f)
	}
	if len(files) != len(paths) {
		t.Fatalf("oracle.py answered for %d of %d files", len(files), len(paths))
	}
	return files
}

// functionsIn is what the scanner says about the functions of a text, in
// the oracle's form, without what their decorators mean.
func functionsIn(text []byte) []oracleFunction {
	s := FlyDSL.read(text, 0, true)
	lines := LineStarts(text)
	at := func(offset int) [2]int {
		p := lines.Position(offset)
		return [2]int{p.Line, p.Column}
	}
	var functions []oracleFunction
	for _, f := range s.found {
		g := oracleFunction{
			Qualified: f.scope.qualify(s.identifier(f.function)),
			Ident:     at(int(f.function.start)), IdentEnd: at(int(f.function.end)),
			Def: at(f.start), DefEnd: at(f.end), BodyEnd: at(f.bodyEnd),
		}
		for _, d := range f.decorators {
			o := oracleDecorator{Start: at(d.start), End: at(d.end)}
			if d.callee != nil {
				o.Path = d.callee.path
			}
			g.Decorators = append(g.Decorators, o)
		}
		functions = append(functions, g)
	}
	return functions
}

// compareFunctions compares all functions of a text with the oracle's.
func compareFunctions(t *testing.T, text []byte, want oracleFile) {
	t.Helper()
	got := functionsIn(text)
	for i := range want.Functions {
		for j := range want.Functions[i].Decorators {
			d := &want.Functions[i].Decorators[j]
			d.Role, d.Name = "", nil
		}
	}
	if diff := cmp.Diff(want.Functions, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: functions (-CPython +ours):\n%s", want.Path, diff)
	}
}

// compareKernels compares the definitions of a text with the oracle's.
func compareKernels(t *testing.T, text []byte, want oracleFile) {
	t.Helper()
	got := map[[2]int]Definition{}
	for _, d := range Scan(text).Definitions {
		got[[2]int{d.Ident.Start.Line, d.Ident.Start.Column}] = d
	}
	for _, f := range want.Functions {
		role, i := "", -1
		for j, d := range f.Decorators {
			if d.Role == "kernel" && role != "kernel" || d.Role == "launcher" && role == "" {
				role, i = d.Role, j
			}
		}
		d, found := got[f.Ident]
		delete(got, f.Ident)
		if found != (role != "") {
			t.Errorf("%s: %s is %q for CPython; found: %v", want.Path, f.Qualified, role, found)
			continue
		}
		if !found {
			continue
		}
		want := f.Decorators[i]
		if d.Qualified != f.Qualified || d.Launcher != (role == "launcher") || d.Topmost != f.Decorators[0].Start[0] ||
			d.Decorator.Start.Line != want.Start[0] || d.Decorator.Start.Column != want.Start[1] {
			t.Errorf("%s: got %+v, CPython says %+v", f.Qualified, d, f)
		}
		if got := starred(d.Name); want.Name != nil && got != *want.Name || want.Name == nil && d.Name.Kind == NameConstant {
			t.Errorf("%s: name= is %q", f.Qualified, got)
		}
	}
	for _, d := range got {
		t.Errorf("%s: %s is no decorated function for CPython", want.Path, d.Qualified)
	}
}

// starred writes a name as the oracle does.
func starred(n Name) string {
	if n.Kind == NameUnknown {
		return "*"
	}
	return strings.Join(n.Parts, "*")
}

// pythonFiles returns the Python files below a folder.
func pythonFiles(t testing.TB, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "site-packages" || d.Name() == "__pycache__") {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".py") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

// TestOracleKernels compares with CPython over the nasty sources that it can
// parse and over real kernels.
func TestOracleKernels(t *testing.T) {
	python := python(t, "python3.14", "python3.13", "python3.12", "python3")
	paths := append(pythonFiles(t, "testdata/corpus"), pythonFiles(t, "../../testdata/kernels")...)
	parsed := 0
	for _, want := range askOracle(t, python, paths) {
		if want.Error != "" {
			continue // broken on purpose, or newer than this Python: corpus.golden tells
		}
		parsed++
		text, err := os.ReadFile(want.Path)
		if err != nil {
			t.Fatal(err)
		}
		compareKernels(t, text, want)
		compareFunctions(t, text, want)
	}
	if parsed < 25 {
		t.Errorf("CPython parsed only %d of %d files", parsed, len(paths))
	}
}

// TestOracleStandardLibrary compares every function of the standard
// library: names, ranges and decorators.
func TestOracleStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole standard library; left out with -short")
	}
	python := python(t, "python3")
	root, err := exec.Command(python, "-c", "import os; print(os.path.dirname(os.__file__), end='')").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, functions := 0, 0
	for _, want := range askOracle(t, python, pythonFiles(t, string(root))) {
		if want.Error != "" {
			continue // of the tests of Python's own parser
		}
		text, err := os.ReadFile(want.Path)
		if err != nil {
			t.Fatal(err)
		}
		files++
		functions += len(want.Functions)
		compareFunctions(t, text, want)
	}
	t.Logf("%d functions in %d files", functions, files)
	if functions < 10000 {
		t.Errorf("only %d functions in %s", functions, root)
	}
}
