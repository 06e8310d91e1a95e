package live

import (
	"path/filepath"
	"strings"
)

// split divides an absolute path into its directory, relative to the root in
// slashes, and its name.
func (t *tree) split(path string) (dir, name string, ok bool) {
	rel, ok := t.relative(path)
	if !ok || rel == "" {
		return "", "", false
	}
	dir, name = cutName(rel)
	return dir, name, true
}

// cutName divides a path in slashes into its directory, "" for none, and its name.
func cutName(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// relative returns a path below the root, in slashes; "" is the root.
func (t *tree) relative(path string) (string, bool) {
	rel, err := filepath.Rel(t.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
