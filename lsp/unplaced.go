package lsp

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
)

// pendingWords say that a kernel was not compiled. They hold only if all compiled
// kernels of its source could be placed.
const pendingWords = "not compiled since the baseline"

// lensAt is the line of a definition of a source. Compiled kernels of the source that
// could not be placed may belong to the definition: then the line says so instead of
// "not compiled".
func (c lensContext) lensAt(path string, d live.Defined) lens {
	l := c.definitionLens(d.Kernels)
	pending := strings.Contains(l.Title, pendingWords)
	if len(d.Kernels) > 0 && !pending {
		return l
	}
	lost := unplaced(c.state, path, &d.Definition)
	if len(lost) == 0 {
		return l
	}
	title := "? " + unplacedTitle(lost)
	if pending {
		title += " · " + strings.ReplaceAll(l.Title, pendingWords, "in the baseline")
	}
	l.Title = title
	l.Actions = nil
	k := lost[0]
	if unmapped(k) {
		l.Actions = append(l.Actions, action{"map its path", commandMapPath, commandArgs{Folder: string(c.folder.uri), Kernel: k.Key}})
	} else {
		l.Actions = append(l.Actions, c.capture()...)
	}
	l.Actions = append(l.Actions, showIfThere(k, action{"show ISA", commandShowISA, commandArgs{Folder: string(c.folder.uri), Kernel: k.Key}})...)
	return l
}

// unplaced returns the kernels that were compiled, that no definition is known of, and
// that may come from a definition of a source: those whose debug location may mean the
// source and, where it leads to no source at all, those of any symbol if the
// definition's is computed.
func unplaced(s *live.State, path string, d *pysource.Definition) (ks []*live.Kernel) {
	for _, k := range s.Kernels {
		if k.Live == nil || k.Place.Match != locate.None {
			continue
		}
		anywhere := len(k.Place.Near) == 0 && k.Place.Outside == "" && d.Name.Kind == pysource.NameUnknown
		if anywhere || slices.Contains(k.Place.Near, path) {
			ks = append(ks, k)
		}
	}
	return ks
}

// unplacedTitle: "2 unplaced kernels here: nothing here is known to define
// gemm_nt_64".
func unplacedTitle(ks []*live.Kernel) string {
	k := ks[0]
	which := problem.Count(len(ks), "unplaced kernel")
	if p := k.Place; len(p.Near) > 0 {
		which += " here"
	}
	var why string
	switch p := k.Place; {
	case p.Left != "":
		why = "nothing here is known to define " + name(k)
	case p.Origin.Path != "":
		why = "compiled from " + oneLine(pathEnd(p.Origin.Path))
	default:
		why = "no debug location, so " + name(k) + " can be of any source"
	}
	return fmt.Sprintf("%s: %s", which, why)
}

// pathEnd is a path, of which only the end is shown where it is long.
func pathEnd(p string) string {
	const width = 30
	rest := p
	for columns(rest) > width {
		_, after, ok := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		if !ok {
			break
		}
		rest = after
	}
	if rest != p {
		rest = "…/" + rest
	}
	return rest
}
