package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/pysource"
)

// definition leads from the assembly to Python: from a .loc or an instruction
// under one to its line, from a label or any line that names a kernel to the
// definition; to each, if several fit.
func (v *view) definition(_ context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	path, ok := v.localPath(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	a, ok := v.assembly(path)
	if !ok {
		return nil, nil
	}
	line := int(p.Position.Line)
	if k := a.kernelAt(line); k != nil {
		return v.definitionsOf(k), nil
	}
	k := a.bodyAt(line + 1)
	if k == nil {
		return nil, nil
	}
	at := locate.Near([]byte(a.text), line+1)
	if at.Line > 0 {
		if file := here(k, at.Path); file != "" {
			return protocol.LocationSlice{{URI: v.fileURI(file), Range: wholeLine(at.Line + shift(k, file, at.Line))}}, nil
		}
	}
	return v.definitionsOf(k), nil
}

// shift is how far a line of a kernel's own file moved since the compile, as far as
// its definition tells.
func shift(k *live.Kernel, file string, line int) int {
	p := k.Place
	if p.Match != locate.Moved || p.Candidates[0].Path != file || p.Candidates[0].Definition.Naming != pysource.Numbered || line < p.Origin.Line {
		return 0
	}
	return p.Candidates[0].Definition.Topmost + 1 - p.Origin.Line
}

// definitionsOf returns the definitions that a kernel may come from.
func (v *view) definitionsOf(k *live.Kernel) protocol.LocationSlice {
	var all protocol.LocationSlice
	for _, c := range k.Place.Candidates {
		src := source{path: c.Path, doc: v.docs.open[c.Path]}
		if src.doc != nil {
			src.lines = src.doc.cut()
		}
		all = append(all, protocol.Location{URI: v.fileURI(c.Path), Range: v.ident(src, c.Definition)})
	}
	return all
}
