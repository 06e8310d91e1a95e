package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/pysource"
)

// hover shows the table of a kernel on its definition or in its assembly. It is
// null anywhere else, so that what other servers say survives.
func (v *view) hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	path, ok := v.localPath(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	if src, ok := v.source(path); ok && src.folder.config.Hover {
		for _, d := range src.defs {
			if at := v.ident(src, d.Definition); len(d.Kernels) > 0 && (touches(at, p.Position) || v.onDecorator(src, d.Definition, p.Position)) {
				return v.hoverOf(ctx, src.folder, d.Kernels, at), nil
			}
		}
		return nil, nil
	}
	if a, ok := v.assembly(path); ok && a.folder.config.Hover {
		if k := a.kernelAt(int(p.Position.Line)); k != nil {
			return v.hoverOf(ctx, a.folder, []*live.Kernel{k}, wholeLine(int(p.Position.Line)+1)), nil
		}
	}
	return nil, nil
}

// hoverOf makes a hover with contents, which must not be left unset.
func (v *view) hoverOf(ctx context.Context, f folderView, ks []*live.Kernel, at protocol.Range) *protocol.Hover {
	kind := protocol.MarkupKindPlainText
	if v.client.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	text := hoverText(f.config, f.state, ks, v.client.markdown, time.Now(), func(k *live.Kernel) looked {
		if k.Status == live.Untrustworthy || k.Status == live.Compiling {
			return looked{}
		}
		before, after := v.causesOf(f.state, k)
		marks, reason := v.marksOf(ctx, f, k)
		return looked{marks, reason, causeText(k, before, after)}
	})
	return &protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: kind, Value: text},
		Range:    &at,
	}
}

// onDecorator reports whether a position is on the kernel decorator.
func (v *view) onDecorator(src source, d pysource.Definition, p protocol.Position) bool {
	line, column := int(p.Line), int(p.Character)
	if src.lines != nil {
		line, column = src.lines.fromWire(v.client.encoding, p)
	}
	after := line > d.Decorator.Start.Line || line == d.Decorator.Start.Line && column >= d.Decorator.Start.Column
	before := line < d.Decorator.End.Line || line == d.Decorator.End.Line && column <= d.Decorator.End.Column
	return after && before
}

// touches reports whether a position is in a range or at its end.
func touches(r protocol.Range, p protocol.Position) bool {
	after := p.Line > r.Start.Line || p.Line == r.Start.Line && p.Character >= r.Start.Character
	before := p.Line < r.End.Line || p.Line == r.End.Line && p.Character <= r.End.Character
	return after && before
}
