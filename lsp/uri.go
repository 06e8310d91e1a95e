package lsp

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// pathOf returns the file that a URI names, and false if it names none. Clients
// spell one file in many ways (%3A or :, %2B or +, localhost or nothing), so
// files are told apart by path and never by URI.
func pathOf(u uri.URI) (string, bool) {
	if !u.IsFile() {
		return "", false
	}
	path := u.FsPath()
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "//localhost/"); ok {
		path = "/" + rest
	}
	if path == "" {
		return "", false
	}
	return filepath.Clean(path), true
}

// localPath returns the file that a URI names as the folders spell it: a folder, or
// a file of it, may be reached through a link as well, and both are one file.
func (s *Server) localPath(u uri.URI) (string, bool) {
	path, ok := pathOf(u)
	if !ok {
		return "", false
	}
	roots := s.folders.roots()
	for _, root := range roots {
		if contains(root, path) {
			return path, true
		}
	}
	if len(roots) == 0 {
		return path, true
	}
	// The file itself may not be there yet, or no more.
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path, true
	}
	for _, root := range roots {
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(real, filepath.Join(dir, filepath.Base(path))); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(root, rel), true
		}
	}
	return path, true
}

// uriOf returns the URI of a file as the client spelled it first.
func (d *documents) uriOf(path string) uri.URI {
	if spelled, ok := d.spelled[path]; ok {
		return spelled
	}
	return uri.File(path)
}
