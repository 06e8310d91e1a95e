package lsp

import (
	"fmt"
	"path/filepath"
	"time"

	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/report"
	"isadiff/engine/symbol"
)

// The words of all surfaces. The worst stands first: spills, scratch, lost waves,
// then registers, then LDS.

// name is a kernel's symbol as a person would write it.
func name(k *live.Kernel) string {
	if r := facts.Record(k); r != nil {
		return oneLine(symbol.Readable(r.Name))
	}
	return bare(k.Key)
}

// oneLine escapes what would break a line or the layout of a table.
func oneLine(s string) string { return report.OneLine(s) }

func processor(k *live.Kernel) string {
	if r := facts.Record(k); r != nil && r.Target.Processor != "" {
		return oneLine(r.Target.Processor)
	}
	return "unknown target"
}

// signed writes a change with its sign.
func signed(n int64) string { return fmt.Sprintf("%+d", n) }

// ago writes how long ago t was, in the largest unit that fits.
func ago(now, t time.Time) string {
	d := max(now.Sub(t), 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours())/24)
}

// verdictLine is the line that sums up a state: the counts that `isadiff watch` shows,
// and the verdict.
func verdictLine(s *live.State) string {
	line := fmt.Sprintf("%s; RESULT: %s", facts.Counts(s), s.Verdict)
	if s.Run != nil {
		line += " until the run has ended"
	}
	return line
}

// relativeTo writes a path relative to a root where it is inside, else whole.
func relativeTo(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
