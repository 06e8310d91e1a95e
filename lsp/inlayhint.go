package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// inlayHint shows the figures behind a kernel's name, where that is switched on.
func (v *view) inlayHint(_ context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	src, ok := v.source(path)
	if !ok || !src.folder.config.InlayHints {
		return nil, nil
	}
	c := lensContext{v.Server, src.folder.folder, src.folder.state}
	var all []protocol.InlayHint
	for _, d := range src.defs {
		at := v.ident(src, d.Definition)
		if shown(d) && overlaps(at, p.Range) {
			all = append(all, protocol.InlayHint{Position: at.End, Label: protocol.String(c.definitionLens(d.Kernels).Title), PaddingLeft: new(true)})
		}
	}
	return all, nil
}

// hintsOn reports whether any folder has inlay hints switched on.
func (v *view) hintsOn() bool {
	for _, f := range v.folders {
		if f.config != nil && f.config.InlayHints {
			return true
		}
	}
	return false
}
