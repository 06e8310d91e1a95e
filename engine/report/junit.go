package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/problem"
)

// JUnit returns a comparison as a JUnit report: a test case for each kernel. A
// failure is a regression; an error is a kernel that cannot be judged, and so is
// the case of the problems that concern no kernel. There are errors just if the
// answer is not trustworthy, and without errors there are failures just if it is a
// regression.
func JUnit(r *diff.Result, opt Options) ([]byte, error) {
	byKey, others := kernelProblems(r)
	suite := junit.Testsuite{Name: "isadiff", Time: "0", File: ""}
	suite.AddProperty("before", visible(r.Before.Origin))
	suite.AddProperty("after", visible(r.After.Origin))
	for _, p := range [][2]string{{"base", baseOf(r, opt.Context)}, {"head", opt.Head}, {"kernels", r.Kernels}, {"compiler", strings.TrimPrefix(Compilers(r), "compiler: ")}, {"version", opt.Tool}} {
		if p[1] != "" {
			suite.AddProperty(p[0], visible(p[1]))
		}
	}
	suite.AddProperty("verdict", r.Verdict.String())
	for i := range r.Rows {
		row := &r.Rows[i]
		problems := byKey[row.Key]
		if row.Before != nil && row.Before.Key != row.Key {
			problems = append(problems, byKey[row.Before.Key]...)
		}
		suite.AddTestcase(testcase(row, problems, opt))
	}
	if len(others) > 0 {
		c := junit.Testcase{Name: "the comparison as a whole", Classname: "isadiff", Time: "0"}
		c.Error = unjudged(others)
		suite.AddTestcase(c)
	}
	var all junit.Testsuites
	all.Name = "isadiff"
	all.AddSuite(suite)
	b := bytes.NewBufferString(xml.Header)
	if err := all.WriteXML(b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// testcase returns the case of one kernel.
func testcase(row *diff.Row, problems []problem.Problem, opt Options) junit.Testcase {
	dir := strings.TrimSuffix(row.Key, "::"+bare(row.Key))
	if dir == "" {
		dir = "isadiff"
	}
	c := junit.Testcase{Name: visible(bare(row.Key)), Classname: visible(dir), Time: "0"}
	if !row.Comparable() && len(problems) == 0 {
		problems = row.Blocked // they name the kernel in another way
	}
	switch {
	case len(problems) > 0:
		c.Error = unjudged(problems)
	case row.Failed():
		c.Failure = &junit.Result{Type: diff.Regression.String(), Message: oneLine(Headline(row)), Data: failure(row, opt)}
	default:
		if text := aside(row); text != "" {
			c.SystemOut = &junit.Output{Data: text}
		}
	}
	return c
}

// unjudged returns the error of a case: why it cannot be judged, and what mends it.
func unjudged(problems []problem.Problem) *junit.Result {
	var lines []string
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("[%s] %s\n  hint: %s", p.Code, Describe(p), oneLine(p.Mend())))
	}
	return &junit.Result{Type: string(problems[0].Code), Message: Describe(problems[0]), Data: strings.Join(lines, "\n")}
}

// failure says where the kernel is, all that moved, and what to try.
func failure(row *diff.Row, opt Options) string {
	lines := []string{}
	if p, ok := opt.Places[row.Key]; ok {
		lines = append(lines, fmt.Sprintf("%s:%d", visible(p.File), p.Line))
	}
	if s := aside(row); s != "" {
		lines = append(lines, s)
	}
	lines = append(lines, opt.causeLines(row)...)
	for _, a := range facts.AdviceOn(row) {
		lines = append(lines, fmt.Sprintf("%s: %s. %s.", a.Metric, a.Cause, a.Try))
	}
	return strings.Join(lines, "\n")
}

// aside returns all that moved of a kernel, and what is accepted of it.
func aside(row *diff.Row) string {
	var lines []string
	if row.After != nil && row.After.Occupancy.Unlaunchable != "" {
		lines = append(lines, facts.CannotLaunch(row.After.Occupancy.Unlaunchable))
	}
	for _, c := range facts.Metrics(facts.Changes(row)) {
		lines = append(lines, fmt.Sprintf("%s %s", c.Metric, Change(row, diff.Delta{Metric: c.Metric, Change: c.Delta()})))
	}
	if s := facts.WavesMoved(row); s != "" {
		lines = append(lines, s)
	}
	if s := Remade(row.Remade, row.Before, row.After); s != "" {
		lines = append(lines, s)
	}
	for _, a := range row.Accepted {
		lines = append(lines, Allowed(a)+": "+oneLine(Accepted(a)))
	}
	return strings.Join(lines, "\n")
}
