package lsp

import (
	"bytes"
	"fmt"

	"isadiff/engine/gate"
	"isadiff/engine/live"
	"isadiff/engine/report"
)

// reportMarkdown is the whole comparison as a document.
func reportMarkdown(s *live.State) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# isadiff: %s\n\n%s\n\n", s.Verdict, verdictLine(s))
	fmt.Fprintf(&b, "Baseline `%s`, dumps `%s`.\n\n```text\n", s.Baseline.Path, s.Dumps.Path)
	if s.Result != nil {
		b.Write(report.Text(s.Result, report.Options{}))
	} else {
		b.Write(report.Summary(s.Live, new(gate.Rules).Side(s.Live), report.Options{}))
	}
	fmt.Fprintf(&b, "%s\n```\n", report.VerdictText(s.Verdict))
	if len(s.Problems) > 0 {
		fmt.Fprintf(&b, "\n## Not trustworthy because\n\n")
		for _, p := range s.Problems {
			fmt.Fprintf(&b, "- `%s` %s\n", p.Code, escapeMarkdown(withMend(p)))
		}
	}
	if len(s.Warnings) > 0 {
		fmt.Fprintf(&b, "\n## Warnings\n\n")
		for _, w := range s.Warnings {
			fmt.Fprintf(&b, "- %s\n", escapeMarkdown(w))
		}
	}
	return b.Bytes()
}
