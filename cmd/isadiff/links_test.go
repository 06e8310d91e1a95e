package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link of a document leads to a file, and to a heading in it, and every page of docs is
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
			target, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if strings.HasSuffix(target, "/") {
				path = filepath.Join(path, "README.md")
			}
			to, err := os.ReadFile(path)
			if err != nil || heading != "" && !slices.Contains(headings(string(to)), heading) {
				t.Errorf("%s: the link %s leads nowhere", page, found[1])
			}
			if path == page {
				continue
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

// headings returns the anchors of a page's headings, as GitHub makes them.
func headings(text string) (anchors []string) {
	for line := range strings.Lines(text) {
		if title, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); found && strings.HasPrefix(line, "#") {
			title = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			anchors = append(anchors, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return anchors
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
