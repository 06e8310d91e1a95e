package lsp

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// What a client fetched of a state that came and went between two publications is
// not left with it: it is asked to fetch again.
func TestFetchedBetweenPublications(t *testing.T) {
	for _, c := range []struct {
		name, method string
		fetch        func(v *view, u uri.URI) error
	}{
		{"lenses", protocol.MethodWorkspaceCodeLensRefresh, func(v *view, u uri.URI) error {
			_, err := v.codeLens(context.Background(), &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}})
			return err
		}},
		{"a list of diagnostics", protocol.MethodWorkspaceDiagnosticRefresh, func(v *view, u uri.URI) error {
			_, err := v.documentDiagnostic(context.Background(), &protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}})
			return err
		}},
		{"the workspace's diagnostics", protocol.MethodWorkspaceDiagnosticRefresh, func(v *view, _ uri.URI) error {
			_, err := v.workspaceDiagnostic(context.Background(), &protocol.WorkspaceDiagnosticParams{})
			return err
		}},
	} {
		for _, at := range []string{"the published state", "a state between", "none"} {
			root := t.TempDir()
			s := testServer(t, io.Discard)
			s.client.refreshLenses, s.client.refreshDiagnostics, s.client.pulls = true, true, true
			good := manyKernels(root, 2, 0)
			v := viewOf(t, s, root, good)
			path := filepath.Join(root, "module_00000.py")
			var text strings.Builder
			for n := range 40 {
				switch n {
				case 10, 30:
					text.WriteString("def kernel_0000" + string(rune('0'+n/20)) + "(x): pass\n")
				default:
					text.WriteString("@flyc.kernel\n")
				}
			}
			doc := newDocument(path, uri.File(path), 0, text.String())
			s.docs.Store(s.docs.Load().with(doc))
			v.docs = s.docs.Load()
			s.publish.publish(v)
			between := *v
			between.folders = append([]folderView(nil), v.folders...)
			between.folders[0].state = withOneChanged(good, 0)
			var err error
			switch at {
			case "the published state":
				err = c.fetch(v, doc.uri)
			case "a state between":
				err = c.fetch(&between, doc.uri)
			}
			if err != nil {
				t.Fatal(err)
			}
			again := *v
			again.folders = append([]folderView(nil), v.folders...)
			same := *good
			again.folders[0].state = &same // says what the first one said
			s.publish.publish(&again)
			s.publish.mu.Lock()
			asked := s.publish.refresh[c.method] != nil
			s.publish.mu.Unlock()
			if asked != (at == "a state between") {
				t.Errorf("%s of %s: asked to fetch again %v", c.name, at, asked)
			}
		}
	}
}
