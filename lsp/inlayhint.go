package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

// inlayHint shows the figures behind a kernel's name, where that is switched on.
func (v *view) inlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	path, ok := v.localPath(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	v, err := v.opened(ctx, v.client.refreshHints)
	if err != nil {
		return nil, err
	}
	src, ok := v.source(path)
	if !ok || !src.folder.config.InlayHints {
		return nil, nil
	}
	c := lensContext{v.Server, src.folder.folder, src.folder.state}
	var all []protocol.InlayHint
	for _, d := range src.defs {
		at := v.ident(src, d.Definition)
		all = append(all, v.spillHints(src, d, p.Range)...)
		if shown(d) && overlaps(at, p.Range) {
			all = append(all, protocol.InlayHint{Position: at.End, Label: protocol.String(report.EditorLine(c.lensAt(src.path, d).Title)), PaddingLeft: new(true)})
		}
	}
	return all, nil
}

// spillHints say on the lines of a kernel how much spill code stands near them.
func (v *view) spillHints(src source, d live.Defined, shown protocol.Range) (all []protocol.InlayHint) {
	if len(d.Kernels) == 0 || src.lines == nil {
		return nil
	}
	k := d.Kernels[0] // the worst
	_, after := v.causesOf(src.folder.state, k)
	if after == nil || after.SpillStores+after.SpillLoads == 0 || k.Stale {
		return nil
	}
	for _, l := range after.Lines {
		line := l.Source.Line - 1
		if l.SpillStores+l.SpillLoads == 0 || line < int(shown.Start.Line) || line > int(shown.End.Line) || here(k, l.Source.File) != src.path {
			continue
		}
		end := src.lines.toWire(v.client.encoding, line, len(src.lines.line(line)))
		text := fmt.Sprintf("%d spill stores, %d reloads", l.SpillStores, l.SpillLoads)
		all = append(all, protocol.InlayHint{Position: end, Label: protocol.String(report.EditorLine(text)), PaddingLeft: new(true)})
	}
	return all
}

// registerHints tells the client of inlay hints once they are switched on, so that
// it does not ask for what is off by default.
func (s *Server) registerHints(ctx context.Context) {
	if !s.client.registerHints || !s.hints.CompareAndSwap(false, true) {
		return
	}
	// By the names of files: editors disagree on what the languages are called.
	pattern := "**/*{" + strings.Join(builtin.Sources(), ",") + "}"
	options, err := json.Marshal(map[string]any{"documentSelector": []map[string]any{{"scheme": "file", "pattern": pattern}}})
	if err != nil {
		s.log.Print(err)
		return
	}
	err = s.ask(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "isadiff-hints", Method: protocol.MethodTextDocumentInlayHint, RegisterOptions: options,
	}}}, nil)
	if err != nil && ctx.Err() == nil {
		s.log.Print(err)
	}
}

// hintsOn reports whether any folder has inlay hints switched on.
func (v *view) hintsOn() bool {
	return slices.ContainsFunc(v.folders, func(f folderView) bool { return f.config != nil && f.config.InlayHints })
}
