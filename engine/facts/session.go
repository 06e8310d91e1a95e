package facts

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/diff"
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
		return UnderWay(s.Run) + "; " + Moved(s.Result)
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
	return text + "; " + Moved(s.Result)
}

// Moved counts what got worse and better with its units: "5 figures of 2 kernels worsened,
// 1 figure of 1 kernel improved".
func Moved(r *diff.Result) string {
	var parts []string
	for _, way := range []struct {
		word  string
		count func(*diff.Row) int
	}{{"worsened", (*diff.Row).Worsened}, {"improved", (*diff.Row).Improved}} {
		figures, kernels := 0, 0
		for i := range r.Rows {
			row := &r.Rows[i]
			if n := way.count(row); row.Comparable() && n > 0 {
				figures, kernels = figures+n, kernels+1
			}
		}
		if figures > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s %s", problem.Count(figures, "figure"), problem.Count(kernels, "kernel"), way.word))
		}
	}
	if len(parts) == 0 {
		return "none worsened or improved"
	}
	return strings.Join(parts, ", ")
}

// UnderWay tells how far a run has come.
func UnderWay(r *live.Run) string {
	if r.Known == 0 {
		return "compiling"
	}
	return fmt.Sprintf("compiling %d/%d", r.Compiled, r.Known)
}
