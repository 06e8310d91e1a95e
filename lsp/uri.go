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

// uriOf returns the URI of a file in the spelling of whoever made it first known.
func (d *documents) uriOf(path string) uri.URI {
	if spelled, ok := d.spelled[path]; ok {
		return spelled
	}
	return uri.File(path)
}
