package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
)

// A TestRun is what is known of the tests that compiled the after side.
type TestRun struct {
	// TestOf returns the test that compiled a kernel, and the kernel's key without the
	// test's folder; test is "" if it was none.
	TestOf func(key string) (test, kernel string)
	Report string // the path of the whole report; "" if there is none
}

// maxTests bounds how many kernels and problems the end of a test run shows.
const maxTests = 20

// Tests returns the end of a test run: the kernels that got worse with their tests, the
// problems and the counts, without the verdict.
func Tests(r *diff.Result, run TestRun, opt Options) []byte {
	var b bytes.Buffer
	rows := worstFirst(r, failed)
	for _, row := range rows[:min(len(rows), maxTests)] {
		test, kernel := run.TestOf(row.Key)
		fmt.Fprintf(&b, "%s\n", opt.paint(worse, oneLine(cmp.Or(test, "compiled outside of tests"))))
		for _, line := range GotWorse(row, kernel, opt) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if n := len(rows) - maxTests; n > 0 {
		fmt.Fprintf(&b, "and %s more that got worse\n", problem.Count(n, "kernel"))
	}
	b.Write(Warnings(r.Warnings, opt.Style))
	b.Write(Problems(r.Problems[:min(len(r.Problems), maxTests)], opt.Style))
	if n := len(r.Problems) - maxTests; n > 0 {
		fmt.Fprintf(&b, "and %s more\n", problem.Count(n, "problem"))
	}
	if s := Compilers(r); s != "" {
		fmt.Fprintf(&b, "%s\n", s)
	}
	fmt.Fprintf(&b, "%s\n", Tally(r))
	b.WriteString(allowance(r))
	if run.Report != "" {
		fmt.Fprintf(&b, "report: %s\n", oneLine(run.Report))
	}
	return b.Bytes()
}

// GotWorse says of a kernel that got worse what grew, where it is defined and why, one
// fact a line.
func GotWorse(row *diff.Row, name string, opt Options) []string {
	lines := []string{visible(name) + ": " + oneLine(Headline(row))}
	if p, ok := opt.Places[row.Key]; ok {
		lines = append(lines, fmt.Sprintf("at %s:%d", visible(p.File), p.Line))
	}
	if k := opt.explanation(row); k != nil {
		if s := WhyReason(k.Comparison); s != "" {
			return append(lines, "why: "+oneLine(s))
		}
	}
	if causes := opt.causeLines(row); len(causes) > 0 {
		lines = append(lines, "why: "+strings.TrimSuffix(causes[0], "."))
	}
	return lines
}
