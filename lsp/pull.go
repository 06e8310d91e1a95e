package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// documentDiagnostic answers with the list of one file, or that it is the one
// that the client has.
func (v *view) documentDiagnostic(ctx context.Context, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	v, err := v.opened(ctx, v.client.refreshDiagnostics)
	if err != nil {
		return nil, err
	}
	list, id := []protocol.Diagnostic{}, ""
	if path, ok := v.localPath(p.TextDocument.URI); ok {
		list, id = listOf(v.reports(touched{path: true})[path])
		v.tookList(path, id, len(list) == 0)
		v.catchUp()
	}
	if had := p.PreviousResultID; had != nil && *had == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: list},
	}, nil
}

// listOf makes a file's list and its id.
func listOf(r fileReport) ([]protocol.Diagnostic, string) {
	list := r.diagnostics()
	return list, contentID(list)
}

// workspaceDiagnostic answers with every file that has diagnostics or had any
// when the client asked before, open or not. A client that takes partial results
// waits with its request for news, as LSP has it, instead of asking again and
// again.
func (v *view) workspaceDiagnostic(ctx context.Context, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	v, err := v.opened(ctx, v.client.refreshDiagnostics)
	if err != nil {
		return nil, err
	}
	for {
		report, news := v.workspaceReport(p.PreviousResultIds)
		if err := v.root.Err(); err != nil {
			return nil, err
		}
		if news || p.PartialResultToken == nil || len(p.PreviousResultIds) == 0 {
			return report, nil
		}
		changed := v.publish.next()
		now := v.Server.view()
		report, news = now.workspaceReport(p.PreviousResultIds)
		if err := v.root.Err(); err != nil { // no news while the session ends
			return nil, err
		}
		if news { // meanwhile
			return report, nil
		}
		select {
		case <-changed:
			v = v.Server.view()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// workspaceReport reports whether anything in it differs from what the client has.
func (v *view) workspaceReport(had []protocol.PreviousResultId) (*protocol.WorkspaceDiagnosticReport, bool) {
	reports := v.reports(nil)
	before := map[string]protocol.PreviousResultId{}
	for _, h := range had {
		if path, ok := v.localPath(h.URI); ok {
			before[path] = h
		}
	}
	all := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	news := false
	add := func(path string, u uri.URI, r fileReport) {
		list, id := listOf(r)
		v.tookList(path, id, len(list) == 0)
		h, known := before[path]
		var version *int32
		if doc := v.docs.open[path]; doc != nil {
			version = &doc.version
		}
		switch {
		case known && h.Value == id:
			all.Items = append(all.Items, &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
				UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id}, URI: u, Version: version,
			})
		case known || len(list) > 0:
			news = true
			all.Items = append(all.Items, &protocol.WorkspaceFullDocumentDiagnosticReport{
				FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: list}, URI: u, Version: version,
			})
		}
	}
	for path, r := range reports {
		add(path, v.fileURI(path), r)
	}
	for path, h := range before {
		if reports[path] == nil {
			add(path, h.URI, nil)
		}
	}
	v.catchUp()
	return all, news
}
