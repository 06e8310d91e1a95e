package mcp

import (
	"context"
	"io/fs"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/docs"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

// Where resources are.
const (
	referenceURI = "isadiff://reference/"
	problemURI   = "isadiff://problem/"
)

// resources adds the reference pages, the contract and the problem codes among them, and
// what a single code means.
func (s *server) resources() {
	pages, err := fs.Glob(docs.Reference, "reference/*.md")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, name := range pages {
		text, err := fs.ReadFile(docs.Reference, name)
		if err != nil {
			panic(err) // it is a part of this program
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		page := strings.TrimSuffix(path.Base(name), ".md")
		s.AddResource(&sdk.Resource{Name: page, Title: title, URI: referenceURI + page, MIMEType: "text/markdown", Size: int64(len(text))},
			func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return textOf(req.Params.URI, "text/markdown", string(text)), nil
			})
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "problem", Title: "What a problem code means and what mends it", URITemplate: problemURI + "{code}", MIMEType: "text/plain"},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			code := strings.TrimPrefix(req.Params.URI, problemURI)
			if !problem.Known(problem.Code(code)) {
				return nil, sdk.ResourceNotFoundError(req.Params.URI)
			}
			text, _ := report.Explain(code)
			return textOf(req.Params.URI, "text/plain", string(text)), nil
		})
}

func textOf(uri, kind, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}
