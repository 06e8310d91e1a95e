package report

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/problem"
)

// keyHelp names the keys, as far as there is room.
var keyHelp = []string{"  [q]uit [r]e-read [p]ause [b]aseline [n]ewest [c]lear [?]", "  [q]uit [?]", "  [?]", ""}

// withKeys appends help that fits to a line; the line itself is cut only where
// it does not fit without any.
func withKeys(text string, columns int) string {
	for _, keys := range keyHelp {
		if columns <= 0 || width(text)+width(keys) < columns {
			return text + keys
		}
	}
	return head(text, columns-1)
}

// StatusLine returns the line that stands below the blocks on a terminal, cut to
// its width.
func StatusLine(s *live.State, paused bool, style Style) string {
	var text string
	p := plain
	switch {
	case !s.Ready:
		text = "reading ..."
	default:
		p = map[diff.Verdict]paint{diff.OK: good, diff.Regression: worse, diff.NotTrustworthy: doubt}[s.Verdict]
		text = s.Verdict.String() + because(s) + "  " + facts.Counts(s)
		if s.Run != nil {
			text = facts.Counts(s)
		}
		if s.Dumps.Polling {
			text += "; polling: " + oneLine(s.Dumps.Reason)
		}
	}
	if paused {
		text = "PAUSED  " + text
	}
	return style.paint(p, withKeys(text, style.Width))
}

// because names the codes for which nothing is known to be OK, but for those that
// the counts tell: what is pending or being compiled.
func because(s *live.State) string {
	var codes []string
	for _, c := range problem.Codes(s.Problems) {
		if c == problem.OnlyInBefore && s.Pending > 0 || c == problem.DumpStale && s.Compiling > 0 {
			continue
		}
		codes = append(codes, string(c))
	}
	if more := len(codes) - 2; more > 0 {
		codes = append(codes[:2], fmt.Sprintf("%d more", more))
	}
	if len(codes) == 0 {
		return ""
	}
	return " (" + strings.Join(codes, ", ") + ")"
}

// WatchHelp explains the keys.
const WatchHelp = `q quit; the exit code is the verdict   r read everything again
p pause or go on                       b take a baseline of what is there now
n let the newest dump count            c clear the screen
? list the keys
`

// Reconfigured says why a session begins anew.
const Reconfigured = "the configuration has changed: everything is read again"

// ReadAgain says what became of reading everything again.
func ReadAgain(err error) string {
	if err != nil {
		return fmt.Sprintf("not read again: %v", err)
	}
	return "read again"
}

// BaselineTaken says what became of taking a baseline. now is the State after it.
func BaselineTaken(project Project, w live.Written, now *live.State, err error) string {
	switch {
	case errors.Is(err, live.ErrUntrusted):
		return fmt.Sprintf("no baseline taken: %v; `%s --force` takes it all the same", err, project.snapshot())
	case err != nil:
		return fmt.Sprintf("no baseline taken: %v", err)
	}
	text := fmt.Sprintf("%s in %s", problem.Count(w.Kernels, "kernel"), w.Path)
	if len(w.Lost) > 0 {
		text += fmt.Sprintf("; %s of the old baseline had not been compiled and left it", problem.Count(len(w.Lost), "kernel"))
	}
	return text + LackingAssembly(w) + TakenBeforeSave(now)
}

// LackingAssembly says after the answer to taking a baseline that assembly is not kept;
// "" if all is.
func LackingAssembly(w live.Written) string {
	if len(w.Lacking) == 0 {
		return ""
	}
	return fmt.Sprintf("; the assembly of %s is not kept, as it changed meanwhile or cannot be read", problem.Count(len(w.Lacking), "kernel"))
}

// TakenBeforeSave says after the answer to taking a baseline that it holds figures of
// code which was saved since; "" if it holds none.
func TakenBeforeSave(now *live.State) string {
	if now == nil || now.Edited == 0 {
		return ""
	}
	return fmt.Sprintf("; %s edited since the compile: the figures are those of the code before the last save", problem.Count(now.Edited, "kernel"))
}

// NewestCounted says what became of the order that the newest dumps count.
func NewestCounted(err error) string {
	if err != nil {
		return fmt.Sprintf("nothing changed: %v", err)
	}
	return "the newest dump of each kernel counts"
}

// Said returns a line of its own in a running watch.
func Said(at time.Time, format string, args ...any) []byte {
	return fmt.Appendf(nil, "%s  %s\n", at.Format(time.TimeOnly), oneLine(fmt.Sprintf(format, args...)))
}
