package report

import (
	"fmt"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/problem"
	"isadiff/engine/trace"
)

// maxExplained bounds of how many kernels reports tell which instructions did it: to pair
// those of the largest takes half a second.
const maxExplained = 20

// maxLoops bounds how many loops of a kernel reports name.
const maxLoops = 8

// Explained returns the kernels whose change reports explain by instructions: the worst
// of those that got worse, then of those that got better or changed. others are the rest.
func Explained(r *diff.Result) (rows, others []*diff.Row) {
	for _, c := range []class{failed, excused, improved, moved} {
		rows = append(rows, worstFirst(r, c)...)
	}
	n := min(len(rows), maxExplained)
	return rows[:n:n], rows[n:]
}

// explanation returns how the instructions of a kernel changed; nil if that is not known,
// or if the assembly of a side contradicts its figures.
func (c Context) explanation(row *diff.Row) *trace.WhyKernel {
	if c.Why == nil {
		return nil
	}
	for i := range c.Why.Kernels {
		k := &c.Why.Kernels[i]
		if k.Row.Key == row.Key && len(k.Before.Contradictions(&row.Before.Cells)) == 0 && len(k.After.Contradictions(&row.After.Cells)) == 0 {
			return k
		}
	}
	return nil
}

// explain says what became of a kernel's instructions besides its figures, one fact a line.
func explain(k *trace.WhyKernel) []string {
	lines := whyFacts(k)
	if Changes(k.Row) != "" {
		lines = lines[1:]
	}
	loops := loopLines(k.Comparison)
	lines = append(lines, loops[:min(len(loops), maxLoops)]...)
	if n := len(loops) - maxLoops; n > 0 {
		lines = append(lines, fmt.Sprintf("%s more of loops: isadiff why", problem.Count(n, "line")))
	}
	if s := WhyPlaceless(k); s != "" {
		lines = append(lines, oneLine(s))
	}
	return lines
}

// unexplained says how many kernels have no explanation, why, and how to get one; "" if
// all have one.
func (c Context) unexplained(r *diff.Result) string {
	rows, others := Explained(r)
	if c.Why == nil || len(rows) == 0 {
		return ""
	}
	told := map[string]bool{}
	for _, row := range rows {
		if c.explanation(row) != nil {
			told[row.Key] = true
		}
	}
	var parts []string
	if n := len(rows) - len(told); n > 0 {
		s := "no explanation of " + problem.Count(n, "kernel")
		for _, p := range c.Why.Problems {
			if !told[p.Kernel] {
				s += fmt.Sprintf(": %s; to mend it: %s", Describe(p), oneLine(p.Mend()))
				break
			}
		}
		parts = append(parts, s)
	}
	if len(others) > 0 {
		parts = append(parts, fmt.Sprintf("%s that changed less are left out; isadiff why explains all", problem.Count(len(others), "kernel")))
	}
	return facts.Capital(strings.Join(parts, "; "))
}
