package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

// A placedLens is the line of a definition or label at its place.
type placedLens struct {
	key   string // what it is of, wherever it moves
	at    protocol.Range
	lens  lens
	first action   // what the figures themselves lead to
	more  []action // what code actions offer besides
}

// codeLens answers with every line of a document, resolved: the figures first,
// then the commands that fit. A definition has a line as long as it exists, so that
// no line jumps.
func (v *view) codeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	path, ok := v.localPath(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	v, err := v.opened(ctx, v.client.refreshLenses)
	if err != nil {
		return nil, err
	}
	lines := v.lensesOf(path)
	v.tookLenses(path, lines)
	var all []protocol.CodeLens
	for _, l := range lines {
		all = append(all, protocol.CodeLens{Range: l.at, Command: l.first.command(l.lens.fitted())})
		for _, a := range l.lens.Actions {
			all = append(all, protocol.CodeLens{Range: l.at, Command: a.command(a.Title)})
		}
	}
	return all, nil
}

// lensWidth is how many characters a line has with its commands, so that these are in
// sight in a window of 1,280 pixels.
const lensWidth = 100

// fitted is the title of a line cut to leave room for its commands, between its parts or words.
func (l lens) fitted() string {
	room := lensWidth
	for _, a := range l.Actions {
		room -= columns(" | " + a.Title)
	}
	if columns(l.Title) <= room {
		return l.Title
	}
	const between, end = " · ", " …"
	runes := []rune(l.Title)
	cut := string(runes[:max(room-columns(end), 0)])
	// A part that just fits stays, so what follows it is looked for as well.
	if at := strings.LastIndex(string(runes[:min(max(room-columns(end)+columns(between), 0), len(runes))]), between); at > len(cut)/2 {
		cut = l.Title[:at]
	} else {
		cut = cut[:max(strings.LastIndexByte(cut, ' '), 0)]
	}
	return strings.TrimRight(cut, " ·:,") + end
}

// lensesOf returns the lines of a Python or assembly file.
func (v *view) lensesOf(path string) (all []placedLens) {
	if src, ok := v.source(path); ok && src.folder.config.CodeLens {
		c := lensContext{v.Server, src.folder.folder, src.folder.state}
		for _, d := range src.defs {
			if shown(d) {
				all = append(all, placedLens{d.Definition.Qualified, v.ident(src, d.Definition), c.lensAt(path, d), c.report(), moreActions(c.folder, d.Kernels)})
			}
		}
		return all
	}
	if a, ok := v.assembly(path); ok && a.folder.config.CodeLens {
		c := lensContext{v.Server, a.folder.folder, a.folder.state}
		for _, k := range a.kernels {
			all = append(all, placedLens{k.Key, wholeLine(labelLine(k.record)), c.kernelLens(k.Kernel), c.report(), moreActions(c.folder, []*live.Kernel{k.Kernel})})
		}
	}
	return append(all, v.problemLenses(path)...)
}

// problemLenses are the lines of what is wrong with a file, whether it holds a
// kernel that can be read or not.
func (v *view) problemLenses(path string) (all []placedLens) {
	for _, f := range v.folders {
		if f.state == nil || !f.config.CodeLens || !f.isAssembly(path) && filepath.Ext(path) != ".json" {
			continue
		}
		c := lensContext{v.Server, f.folder, f.state}
		for _, p := range unshown(f.state) {
			if f.fileOf(f.state, p) == path {
				l := lens{problemTitle(p), v.mends(f.folder, nil, p)}
				all = append(all, placedLens{fmt.Sprint(p.Code, p.Line), wholeLine(p.Line), l, c.report(), nil})
			}
		}
	}
	return all
}

// report is what the figures of a line lead to.
func (c lensContext) report() action {
	return action{"show report", commandShowReport, commandArgs{Folder: string(c.folder.uri)}}
}

// command makes the protocol's command of an action.
func (a action) command(title string) protocol.Command {
	raw, err := json.Marshal(a.Args)
	if err != nil { // strings, numbers and booleans only
		panic(err)
	}
	return protocol.Command{Title: report.EditorLine(title), Command: a.Command, Arguments: []protocol.LSPAny{raw}}
}
