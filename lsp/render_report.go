package lsp

import (
	"fmt"
	"strings"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

// reportMarkdown is the whole comparison as a document; plain without HTML.
func reportMarkdown(s *live.State, plain bool) []byte {
	if s.Result != nil {
		return report.Markdown(s.Result, report.Options{Plain: plain})
	}
	p := page{markdown: true}
	fmt.Fprintf(&p.b, "# isadiff: %s\n", s.Verdict)
	p.text(verdictLine(s))
	p.gap()
	fmt.Fprintf(&p.b, "Dumps %s; there is no baseline at %s yet.\n", report.CodeSpan(s.Dumps.Path), report.CodeSpan(s.Baseline.Path))
	var kernels strings.Builder
	for _, k := range s.Kernels {
		fmt.Fprintf(&kernels, "%s   %s\n%s\n", oneLine(k.Key), processor(k), kernelTable(k))
	}
	p.block(kernels.String() + report.VerdictText(s.Verdict))
	for _, pr := range s.Problems {
		p.gap()
		fmt.Fprintf(&p.b, "- %s %s\n", report.CodeSpan(string(pr.Code)), report.HoverText(withMend(pr)))
	}
	return []byte(p.b.String())
}
