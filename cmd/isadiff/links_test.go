package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link of a document leads to a file, and every page of docs is
// linked from somewhere.
func TestLinks(t *testing.T) {
	root := repository(t)
	linked := map[string]bool{}
	pages := documents(t, root)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(found[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			path := filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			if strings.HasSuffix(target, "/") {
				path = filepath.Join(path, "README.md")
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, found[1])
			}
			linked[path] = true
		}
	}
	for _, page := range pages {
		if strings.HasPrefix(page, filepath.Join(root, "docs")) && !linked[page] {
			t.Errorf("%s is linked from nowhere", page)
		}
	}
}
