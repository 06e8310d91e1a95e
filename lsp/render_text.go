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

// verdictLine is the line that sums up a state: the same figures as `isadiff
// diff` prints.
func verdictLine(s *live.State) string {
	if s.Refused {
		return fmt.Sprintf("nothing is compared; RESULT: %s", s.Verdict)
	}
	if s.Run != nil {
		return fmt.Sprintf("%s; RESULT: %s until the run has ended", report.Counts(s), s.Verdict)
	}
	if s.Result == nil {
		return fmt.Sprintf("%s, no baseline%s; RESULT: %s", kernels(len(s.Kernels)), compiling(s), s.Verdict)
	}
	var pending string
	if s.Pending > 0 {
		pending = fmt.Sprintf(", %d pending", s.Pending)
	}
	return fmt.Sprintf("compared %d of %s%s; worsened: %d; improved: %d; RESULT: %s",
		s.Result.Compared, kernels(s.Result.Total), pending+compiling(s), s.Result.Worsened, s.Result.Improved, s.Verdict)
}

func compiling(s *live.State) string {
	if s.Compiling == 0 {
		return ""
	}
	return fmt.Sprintf(", %d compiling", s.Compiling)
}

func kernels(n int) string {
	if n == 1 {
		return "1 kernel"
	}
	return fmt.Sprintf("%d kernels", n)
}

// relativeTo writes a path relative to a root where it is inside, else whole.
func relativeTo(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
