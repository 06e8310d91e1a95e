package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// codeAction offers on a definition or a label all that its lens offers, for
// editors that show no lenses, and the report.
func (v *view) codeAction(_ context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	path, ok := v.localPath(p.TextDocument.URI)
	if !ok || !wantsQuickFix(p.Context.Only) {
		return nil, nil
	}
	var all []protocol.CommandOrCodeAction
	seen := map[string]bool{}
	for _, l := range append(v.lensesOf(path), v.guests(path)...) {
		if !overlaps(l.at, p.Range) {
			continue
		}
		for _, a := range slices.Concat(l.lens.Actions, v.moreLines(l.lens.Actions), l.more, []action{l.first}) {
			c := a.command("isadiff: " + cmp.Or(whole[a.Command], a.Title))
			if id := c.Command + string(c.Arguments[0]); seen[id] {
				continue
			} else {
				seen[id] = true
			}
			all = append(all, v.actionOf(c, ours(p.Context.Diagnostics)))
		}
	}
	return all, nil
}

// whole are the titles of actions that are shorter in a line.
var whole = map[string]string{
	commandAcceptRegression: "accept its growth, with a reason",
	commandAcceptKernel:     "update the baseline for this kernel",
	commandShowBudget:       "open the budget's line",
}

// guests are what mends the problems that a file shows and that are not in it; they
// have no lens.
func (v *view) guests(path string) (all []placedLens) {
	for _, f := range v.folders {
		if f.state == nil {
			continue
		}
		for _, p := range folderProblems(f.state) {
			if f.fileOf(f.state, p) == "" && f.placeOf(f.state, p) == path {
				c := lensContext{v.Server, f.folder, f.state}
				all = append(all, placedLens{at: wholeLine(0), lens: lens{Actions: v.mends(f.folder, nil, p)}, first: c.report()})
			}
		}
		for _, fault := range f.config.Invalid() {
			if fault.File == path {
				c := lensContext{v.Server, f.folder, f.state}
				all = append(all, placedLens{at: wholeLine(fault.Line), lens: lens{Actions: v.mends(f.folder, nil, f.config.Problem(fault))}, first: c.report()})
			}
		}
	}
	return all
}

// actionOf makes a code action, or the bare command for clients without them.
func (v *view) actionOf(c protocol.Command, diagnostics []protocol.Diagnostic) protocol.CommandOrCodeAction {
	if !v.client.codeActionLiterals {
		return &c
	}
	return &protocol.CodeAction{Title: c.Title, Kind: new(protocol.CodeActionKindQuickFix), Diagnostics: diagnostics, Command: c}
}

// wantsQuickFix reports whether a filter of kinds lets quick fixes through.
func wantsQuickFix(only []protocol.CodeActionKind) bool {
	for _, kind := range only {
		if kind == "" || kind == protocol.CodeActionKindQuickFix || strings.HasPrefix(string(protocol.CodeActionKindQuickFix), string(kind)+".") {
			return true
		}
	}
	return len(only) == 0
}

// ours keeps the diagnostics that this server made.
func ours(all []protocol.Diagnostic) (kept []protocol.Diagnostic) {
	for _, d := range all {
		var data diagnosticData
		if source, _ := d.Source.Get(); source == "isadiff" || json.Unmarshal(d.Data, &data) == nil && data.Folder != "" {
			kept = append(kept, d)
		}
	}
	return kept
}

// overlaps reports whether a selection touches the lines of a range.
func overlaps(r, selection protocol.Range) bool {
	end := r.End.Line
	if r.End.Character == 0 && end > r.Start.Line {
		end--
	}
	return selection.Start.Line <= end && selection.End.Line >= r.Start.Line
}
