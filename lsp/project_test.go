package lsp_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// dumps are the real dumps in testdata.
const dumps = "../testdata/dumps"

// A projectDir is a project folder with real kernels, a dump tree and a baseline.
type projectDir struct {
	t    testing.TB
	root string
}

// newProject copies kernels into a new folder. The dumps are in "dumps", the
// baseline in "base" unless a test says otherwise.
func newProject(t *testing.T, sources ...string) projectDir {
	t.Helper()
	p := projectDir{t, t.TempDir()}
	for _, src := range sources {
		p.copyFile(filepath.Join("../testdata/kernels", src), src)
		p.age(src, time.Hour)
	}
	return p
}

// settings of the layout that newProject makes.
func settings() object {
	return object{"dumps": "dumps", "baseline": "base"}
}

func (p projectDir) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p projectDir) uri(name string) string { return fileURI(p.path(name)) }

func (p projectDir) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// write writes a file whole.
func (p projectDir) write(name, text string) {
	p.t.Helper()
	p.put(name, text, time.Now())
}

// put writes a file whole, with its time, by renaming it into its place.
func (p projectDir) put(name, text string, at time.Time) {
	p.t.Helper()
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Chtimes(path+".new", at, at); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		p.t.Fatal(err)
	}
}

// age makes a file that much older.
func (p projectDir) age(name string, by time.Duration) {
	p.t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(p.path(name), then, then); err != nil {
		p.t.Fatal(err)
	}
}

func (p projectDir) copyFile(from, to string) {
	p.t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(to, string(data))
}

// edit changes a source of the project: what is compiled next was compiled from other
// sources than what is there.
func (p projectDir) edit() {
	p.t.Helper()
	p.write("edited.py", fmt.Sprintf("at = %d\n", time.Now().UnixNano()))
}

// dump edits a source and copies a dump tree of testdata as a compile writes it: the
// module before the assembly. Git keeps no times, so they are set.
func (p projectDir) dump(from, to string) {
	p.t.Helper()
	p.edit()
	now := time.Now()
	root := filepath.Join(dumps, filepath.FromSlash(from))
	for _, pattern := range []string{"00_origin.mlir", "*.s", "*.ttir", "*.amdgcn", "*.json"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if ok, _ := filepath.Match(pattern, d.Name()); !ok {
				return nil
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			p.put(filepath.ToSlash(filepath.Join(to, rel)), string(text), now)
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
}
