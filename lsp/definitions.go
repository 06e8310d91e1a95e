package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/pysource"
	"isadiff/engine/regular"
)

// A source is a Python file as a request sees it: the text of the editor where
// it is open, and each definition of it with the kernels it compiles to.
type source struct {
	folder folderView
	path   string
	doc    *document // nil if it is not open
	lines  lines     // nil if it is not open
	defs   []live.Defined
}

// source returns a Python file of one of the folders, and false if none knows it.
func (v *view) source(path string) (source, bool) {
	if !isSource(path) {
		return source{}, false
	}
	doc := v.docs.open[path]
	for _, f := range v.folders {
		if f.state == nil {
			continue
		}
		known := f.state.Sources[path]
		if known == nil && !(doc != nil && f.config.IsSource(path)) {
			continue
		}
		return v.sourceIn(f, path), true
	}
	return source{}, false
}

// sourceIn is a Python file as one folder knows it.
func (v *view) sourceIn(f folderView, path string) source {
	src := source{folder: f, path: path, doc: v.docs.open[path]}
	was := &pysource.File{}
	if known := f.state.Sources[path]; known != nil {
		src.defs, was = known.Definitions, known.File
	}
	if src.doc != nil {
		src.lines = src.doc.cut()
		src.defs = carry(src.defs, was, src.doc.draft.Scan(f.config.Producers))
	}
	return src
}

// A nth tells definitions of one qualified name in a text apart.
type nth struct {
	name string
	n    int
}

// numbered says of each definition which of its name it is.
func numbered(defs []pysource.Definition) []nth {
	all := make([]nth, len(defs))
	which := counting()
	for i := range defs {
		all[i] = which(&defs[i])
	}
	return all
}

// counting returns a function that says which of its name a definition is, if it
// is asked in the order of the text.
func counting() func(*pysource.Definition) nth {
	seen := map[string]int{}
	return func(d *pysource.Definition) nth {
		seen[d.Qualified]++
		return nth{d.Qualified, seen[d.Qualified]}
	}
}

// carry moves the kernels of known definitions to the definitions of a text that
// was edited since: by name, and what is left on both sides where it stands at the
// same place among as many, for a name that is being typed. A definition that took
// the place of a deleted one elsewhere gets no figures of it.
func carry(known []live.Defined, was, file *pysource.File) []live.Defined {
	byName := map[string][]int{}
	others := map[int]bool{} // by where their names stood
	for i := range known {
		d := &known[i].Definition
		byName[d.Qualified] = append(byName[d.Qualified], i)
		if d.Via == "" {
			others[d.Ident.Start.Offset] = true
		}
	}
	kernels := map[nth]bool{}
	before, after := numbered(was.Others), numbered(file.Others)
	for i, n := range before {
		kernels[n] = others[was.Others[i].Ident.Start.Offset]
	}
	for i, n := range before {
		if len(after) != len(before) || !kernels[n] || slices.Contains(after, n) {
			continue
		}
		if _, known := kernels[after[i]]; !known {
			kernels[after[i]] = true // its name is being typed
		}
	}
	which := counting()
	now := file.With(func(d *pysource.Definition) bool { return kernels[which(d)] })
	moved := make([]live.Defined, len(now))
	taken := make([]bool, len(known))
	var unnamed []int // in now
	for i := range now {
		moved[i].Definition = now[i]
		waiting := byName[now[i].Qualified]
		if len(waiting) == 0 {
			unnamed = append(unnamed, i)
			continue
		}
		moved[i].Kernels, taken[waiting[0]] = known[waiting[0]].Kernels, true
		byName[now[i].Qualified] = waiting[1:]
	}
	for _, i := range unnamed {
		if len(now) == len(known) && !taken[i] {
			moved[i].Kernels = known[i].Kernels
		}
	}
	return moved
}

// shown reports whether a definition has a line of figures. A launcher has none unless
// a kernel was led to it, nor has a definition that only a kernel could show to be a
// kernel rather than a function.
func shown(d live.Defined) bool {
	return !d.Definition.Launcher && d.Definition.Naming != pysource.Verbatim || len(d.Kernels) > 0
}

// ident is where the name of a definition stands.
func (v *view) ident(src source, d pysource.Definition) protocol.Range {
	text := src.lines
	if text == nil && !ascii(d) {
		// The columns are bytes; what other units they are only the text tells.
		if data, err := regular.ReadWithin(src.path, pysource.MaxSize); err == nil {
			text = splitLines(string(data))
		}
	}
	at := func(p pysource.Position) protocol.Position {
		if text == nil {
			return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Column)}
		}
		return text.toWire(v.client.encoding, p.Line, p.Column)
	}
	return protocol.Range{Start: at(d.Ident.Start), End: at(d.Ident.End)}
}

// ascii reports whether everything on the line up to the end of the name is
// ASCII: indentation and "def" always are.
func ascii(d pysource.Definition) bool {
	for i := range len(d.Function) {
		if d.Function[i] >= 0x80 {
			return false
		}
	}
	return d.Ident.End.Offset-d.Ident.Start.Offset == len(d.Function)
}
