package lsp

import (
	"bytes"
	"fmt"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

// reportMarkdown is the whole comparison as a document.
func reportMarkdown(s *live.State) []byte {
	if s.Result != nil {
		return report.Markdown(s.Result, report.Options{})
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# isadiff: %s\n\n%s\n\n", s.Verdict, verdictLine(s))
	fmt.Fprintf(&b, "Dumps `%s`; there is no baseline at `%s` yet.\n\n```text\n", s.Dumps.Path, s.Baseline.Path)
	for _, k := range s.Kernels {
		fmt.Fprintf(&b, "%s   %s\n%s\n", k.Key, processor(k), kernelTable(k))
	}
	fmt.Fprintf(&b, "%s\n```\n", report.VerdictText(s.Verdict))
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "\n- `%s` %s\n", p.Code, escapeMarkdown(withMend(p)))
	}
	return b.Bytes()
}
