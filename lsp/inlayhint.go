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

// inlayHint shows at the ends of lines what they cost kernels that got worse, and where
// that is switched on the figures behind a kernel's name.
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
	if !ok {
		return nil, nil
	}
	marks := v.lineHints(ctx, src, p.Range)
	if !src.folder.config.InlayHints {
		return marks, nil
	}
	marked := map[uint32]bool{} // these say more than a count
	for _, h := range marks {
		marked[h.Position.Line] = true
	}
	c := lensContext{v.Server, src.folder.folder, src.folder.state}
	var all []protocol.InlayHint
	for _, d := range src.defs {
		at := v.ident(src, d.Definition)
		for _, h := range v.spillHints(src, d, p.Range) {
			if !marked[h.Position.Line] {
				all = append(all, h)
			}
		}
		if shown(d) && overlaps(at, p.Range) {
			all = append(all, protocol.InlayHint{Position: at.End, Label: protocol.String(report.EditorLine(c.lensAt(src.path, d).Title)), PaddingLeft: new(true)})
		}
	}
	return append(all, marks...), nil
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
	move := v.moves(src.folder, k, src.path)
	if move == nil {
		return nil
	}
	for _, l := range after.Lines {
		if l.SpillStores+l.SpillLoads == 0 || here(k, l.Source.File) != src.path {
			continue
		}
		line, ok := move(l.Source.Line - 1)
		if !ok || line < int(shown.Start.Line) || line > int(shown.End.Line) {
			continue
		}
		end := src.lines.toWire(v.client.encoding, line, len(src.lines.line(line)))
		text := fmt.Sprintf("%d spill stores, %d reloads", l.SpillStores, l.SpillLoads)
		all = append(all, protocol.InlayHint{Position: end, Label: protocol.String(report.EditorLine(text)), PaddingLeft: new(true)})
	}
	return all
}

// registerHints tells the client of inlay hints once there are any, so that it does not
// ask for what is not there.
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

// hintsOn reports whether any folder has hints to show: where they are switched on, and
// where a kernel got worse.
func (v *view) hintsOn() bool {
	return slices.ContainsFunc(v.folders, func(f folderView) bool {
		worse := f.config != nil && f.config.LineHints && f.state != nil && f.state.Result != nil && f.state.Result.Worsened > 0
		return worse || f.config != nil && f.config.InlayHints
	})
}
