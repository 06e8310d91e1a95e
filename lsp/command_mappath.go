package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/locate"
)

// unmapped reports whether a mapping of its path would lead a kernel to its source.
func unmapped(k *live.Kernel) bool {
	switch k.Place.Match {
	case locate.None:
		return k.Place.Origin.Path != "" && k.Place.Left == ""
	case locate.Ambiguous:
		other := func(c locate.Candidate) bool { return c.Path != k.Place.Candidates[0].Path }
		return k.Place.Origin.Path != "" && slices.ContainsFunc(k.Place.Candidates, other)
	}
	return false
}

// mapPath tells which lines of the configuration lead a kernel's path to its source,
// and shows the file that they belong in. It writes nothing: which folder is meant
// only a person knows.
func (v *view) mapPath(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if !unmapped(k) {
		return nil, errors.New(bare(k.Key) + " needs no mapping: its dump names no path, or one that is known here")
	}
	from, to := mapping(f.config.Root, f.state, k)
	file, table := f.config.File, "path-map"
	if file == "" {
		file = filepath.Join(f.config.Root, "isadiff.toml")
	}
	if filepath.Base(file) == "pyproject.toml" {
		table = "tool.isadiff.path-map"
	}
	text := fmt.Sprintf("[%s]\n%q = %q\n", table, from, to)
	message := fmt.Sprintf("%s was compiled from %s; say in %s where that is: [%s] %q = %q",
		bare(k.Key), oneLine(k.Place.Origin.Path), relativeTo(f.config.Root, file), table, from, to)
	v.say("isadiff: " + message)
	if f.config.File != "" {
		v.show(file, protocol.Range{})
	}
	return struct {
		Path    string `json:"path"`
		Text    string `json:"text"`
		Message string `json:"message"`
	}{file, text, message}, nil
}

// mapping proposes what to map and to which folder of the project: that of a
// candidate, or of the only source of the same name, without what both paths end
// with; else the root.
func mapping(root string, s *live.State, k *live.Kernel) (from, to string) {
	origin := strings.ReplaceAll(k.Place.Origin.Path, `\`, "/")
	var here string
	if len(k.Place.Candidates) > 0 {
		here = k.Place.Candidates[0].Path
	} else {
		for p := range s.Sources {
			if filepath.Base(p) != path.Base(origin) {
				continue
			}
			if here != "" {
				here = "" // several
				break
			}
			here = p
		}
	}
	from = path.Dir(origin)
	if here == "" {
		return from, "."
	}
	to = path.Dir(relativeTo(root, here))
	for path.Base(from) == path.Base(to) && path.Dir(from) != "/" && to != "." && path.Base(to) != "/" {
		from, to = path.Dir(from), path.Dir(to)
	}
	return from, to
}
