package project

import (
	"path/filepath"
	"testing"
)

func TestFindRoot(t *testing.T) {
	const table = "[tool.isadiff]\nkernels = 'k'\n"
	tests := []struct {
		name       string
		files      []string // with the table in each .toml
		plain      []string // pyproject.toml without the table
		dir        string
		root, file string
	}{
		{"nothing", []string{"a/b/k.py"}, nil, "a/b", "a/b", ""},
		{"own file", []string{"a/isadiff.toml", "a/b/k.py"}, nil, "a/b", "a", "a/isadiff.toml"},
		{"the nearest", []string{"isadiff.toml", "a/pyproject.toml", "a/b/k.py"}, nil, "a/b", "a", "a/pyproject.toml"},
		{"a table further up", []string{"pyproject.toml", "a/b/k.py"}, []string{"a/b/pyproject.toml"}, "a/b", ".", "pyproject.toml"},
		{"git", []string{"a/.git/HEAD", "a/b/k.py"}, []string{"a/b/pyproject.toml"}, "a/b", "a", ""},
		{"a work tree's .git is a file", []string{"a/.git", "a/b/k.py"}, nil, "a/b", "a", ""},
		{"not beyond git", []string{"isadiff.toml", "a/.git/HEAD", "a/b/k.py"}, nil, "a/b", "a", ""},
		{"a project without the table", []string{"a/b/c/k.py"}, []string{"a/pyproject.toml"}, "a/b/c", "a", ""},
		{"not the home folder", []string{"home/isadiff.toml", "home/a/k.py"}, nil, "home/a", "home/a", ""},
		{"the home folder itself", []string{"home/isadiff.toml"}, nil, "home", "home", "home/isadiff.toml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range tt.files {
				files[f] = table
				if filepath.Base(f) == ownFile {
					files[f] = "kernels = 'k'\n"
				}
			}
			for _, f := range tt.plain {
				files[f] = "[project]\nname = 'isadiff-user'\n"
			}
			top := tree(t, files)
			root, file := findRoot(filepath.Join(top, tt.dir), filepath.Join(top, "home"))
			if want := filepath.Join(top, tt.root); root != want {
				t.Errorf("root %s, want %s", root, want)
			}
			want := ""
			if tt.file != "" {
				want = filepath.Join(top, tt.file)
			}
			if file != want {
				t.Errorf("file %q, want %q", file, want)
			}
		})
	}
}
