package lsp

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

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

// mapping proposes what to map and to which folder of the project: that of a
// candidate, or of the only source of the same name, without what both paths end
// with; else, with found false, the root.
func mapping(root string, s *live.State, k *live.Kernel) (from, to string, found bool) {
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
		return from, ".", false
	}
	to = path.Dir(relativeTo(root, here))
	for path.Base(from) == path.Base(to) && path.Dir(from) != "/" && to != "." && path.Base(to) != "/" {
		from, to = path.Dir(from), path.Dir(to)
	}
	return from, to, true
}
