package facts

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/live"
	"isadiff/engine/problem"
)

// causes names the places of problems, or what they are.
func causes(ps []problem.Problem) string {
	var all []string
	for _, p := range ps {
		cause := problem.Lookup(p.Code).Title
		if p.File != "" {
			cause += fmt.Sprintf(" (%s:%d)", p.File, p.Line)
		}
		if !slices.Contains(all, cause) {
			all = append(all, cause)
		}
	}
	return strings.Join(all, ", ")
}

// Counts returns the line before the verdict: what was compared, and while a run is
// under way how far it has come.
func Counts(s *live.State) string {
	switch {
	case s.Refused:
		return "nothing is compared: " + causes(s.Invalid)
	case s.Run != nil && s.Result == nil:
		return UnderWay(s.Run)
	case s.Run != nil:
		return fmt.Sprintf("%s; worsened: %d; improved: %d", UnderWay(s.Run), s.Result.Worsened, s.Result.Improved)
	}
	var text string
	if s.Result == nil {
		text = problem.Count(len(s.Kernels), "kernel")
	} else {
		text = fmt.Sprintf("compared %d of %s", s.Result.Compared, problem.Count(s.Result.Total, "kernel"))
	}
	for _, apart := range []struct {
		n    int
		word string
	}{{s.Pending, "pending"}, {s.Compiling, "compiling"}, {s.Edited, "edited since"}} {
		if apart.n > 0 {
			text += fmt.Sprintf(", %d %s", apart.n, apart.word)
		}
	}
	if s.Result == nil {
		return text + "; there is no baseline yet"
	}
	return fmt.Sprintf("%s; worsened: %d; improved: %d", text, s.Result.Worsened, s.Result.Improved)
}

// UnderWay tells how far a run has come.
func UnderWay(r *live.Run) string {
	if r.Known == 0 {
		return "compiling"
	}
	return fmt.Sprintf("compiling %d/%d", r.Compiled, r.Known)
}
