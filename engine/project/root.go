package project

import (
	"errors"
	"os"
	"path/filepath"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// FindRoot returns the root of the project that a folder is in: the nearest
// folder upward with an isadiff.toml or a pyproject.toml with a table
// [tool.isadiff]; else the nearest git work tree; else the nearest folder with a
// pyproject.toml; else the folder itself. The search ends at a git work tree and
// below the home folder, so that one stray file does not make a project of
// everything.
func FindRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	home, _ := os.UserHomeDir()
	root, _ := findRoot(abs, home)
	return root, nil
}

// findRoot finds the root of an absolute folder and its configuration file, ""
// if there is none.
func findRoot(dir, home string) (root, file string) {
	root = dir
	pyproject := ""
	for at := dir; ; at = filepath.Dir(at) {
		if at != dir && (at == home || at == filepath.Dir(at)) {
			break
		}
		if file := configFile(at); file != "" {
			return at, file
		}
		if regular.Exists(filepath.Join(at, ".git")) {
			return at, ""
		}
		if pyproject == "" && regular.Exists(filepath.Join(at, sharedFile)) {
			pyproject = at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if pyproject != "" {
		root = pyproject
	}
	return root, ""
}

// configFile returns the configuration file in a folder, "" if there is none.
func configFile(dir string) string {
	if own := filepath.Join(dir, ownFile); regular.Exists(own) {
		return own
	}
	if shared := filepath.Join(dir, sharedFile); usesTable(shared) || hidden(shared) {
		return shared
	}
	return ""
}

// hidden reports whether a file is there that may be ours and cannot be read.
func hidden(path string) bool {
	if !regular.Exists(path) {
		return false
	}
	_, err := readFile(path)
	return err != nil && !errors.Is(err, problem.ErrNotRegular)
}
