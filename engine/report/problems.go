package report

import (
	"bytes"
	"fmt"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Problems returns the list of problems for stderr: grouped by code in the
// order of the contract, each code followed by what mends it.
func Problems(ps []problem.Problem, style Style) []byte {
	if len(ps) == 0 {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s:\n", problem.Count(len(ps), "problem"))
	byCode := make(map[problem.Code][]problem.Problem)
	for _, p := range ps {
		byCode[p.Code] = append(byCode[p.Code], p)
	}
	for _, code := range codeOrder(ps) {
		alike := byCode[code]
		for i, p := range alike {
			fmt.Fprintf(&b, "  %s %s\n", style.paint(doubt, "["+string(code)+"]"), Describe(p))
			if i == len(alike)-1 || alike[i+1].Mend() != p.Mend() {
				fmt.Fprintf(&b, "    hint: %s\n", oneLine(p.Mend()))
			}
		}
	}
	return b.Bytes()
}

// codeOrder returns the codes of ps in the order of the contract.
func codeOrder(ps []problem.Problem) []problem.Code {
	codes := problem.Codes(ps)
	rank := func(c problem.Code) int {
		return slices.IndexFunc(problem.Table, func(i problem.Info) bool { return i.Code == c })
	}
	slices.SortStableFunc(codes, func(a, b problem.Code) int { return rank(a) - rank(b) })
	return codes
}

// Describe returns a problem in one line without its code.
func Describe(p problem.Problem) string {
	if p.Side != "" {
		return p.Side + ": " + oneLine(p.Message)
	}
	return oneLine(p.Message)
}

// Warnings returns warnings for stderr.
func Warnings(warnings []string, style Style) []byte {
	var b bytes.Buffer
	for _, w := range warnings {
		fmt.Fprintf(&b, "%s %s\n", style.paint(bold, "warning:"), oneLine(w))
	}
	return b.Bytes()
}

// Error returns the lines for stderr that end a run which gives no answer.
func Error(p problem.Problem, style Style) []byte {
	return fmt.Appendf(nil, "%s [%s] %s\n  hint: %s\n", style.paint(worse, "error:"), p.Code, Describe(p), oneLine(p.Mend()))
}

// SideVerdict returns the verdict of looking at one side alone, which is never a
// regression.
func SideVerdict(s *resource.Side) diff.Verdict {
	if s.Trustworthy() {
		return diff.OK
	}
	return diff.NotTrustworthy
}
