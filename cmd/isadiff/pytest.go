package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/gate"
	"isadiff/engine/gitignore"
	"isadiff/engine/input"
	"isadiff/engine/judge"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
	"isadiff/watch/capture"
)

// maxExplained bounds of how many tests it is told where their kernels are defined and why
// they got worse: that takes up to a second each.
const maxExplained = 20

func (p *program) pytest() *cobra.Command {
	var baseline string
	s := &testSession{program: p}
	c := &cobra.Command{
		Use:    "pytest [flags] -- ARGS...",
		Hidden: true, // for the plugin
		Short:  "Serve pytest's plugin, which runs it: capture its tests, judge each, and end with a verdict",
		Long: `The plugin of pytest (pytest --isadiff) runs this beside the tests, and exchanges
one JSON object a line with it on stdin and stdout. ARGS is the command line of pytest, which
names the run. The reports and the dumps are in .isadiff/pytest.

Exit codes: those of "isadiff diff".`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			p.document, p.color = true, "never" // the plugin shows what it says
			s.args = args
			if baseline != "" {
				if baseline, err = filepath.Abs(baseline); err != nil {
					return err
				}
			}
			ctx, stop := hangup(c.Context())
			defer stop()
			return s.run(ctx, flagged("baseline", baseline))
		},
	}
	pathVar(c, &baseline, "baseline", "", "compare with the baseline at `PATH`")
	c.Flags().BoolVar(&s.update, "update", false, "take the baseline of this run")
	c.Flags().BoolVar(&s.why, "why", false, "also show which code made each kernel worse")
	return c
}

// A testSession is a run of pytest, of which the plugin tells.
type testSession struct {
	*program
	args        []string
	update, why bool

	judge.Opened
	rules  *gate.Rules    // by which each test is judged
	before *resource.Side // nil if it is to be taken
	dumps  string
	said   bytes.Buffer // what has no place on stdout yet

	explained int      // tests of which it was looked for why
	ended     *testEnd // nil until the tests have ended
}

// A testRequest is a line of the plugin: one of its fields.
type testRequest struct {
	Test *string  // the folder of a test that ran, from the dumps on in slashes
	End  *testEnd // all tests have run
}

// A testEnd tells how the tests ended.
type testEnd struct {
	Exit    int                // pytest's status, apart from tests that it failed on our word
	Tests   map[string]ranTest // by folder
	Limits  []string           // what left tests out, such as "-k"; then only those of Tests were to run
	Folders []string           // what was asked for, as folders of the dumps: "" is everything
	// Uncollected are the folders of modules that were skipped as a whole: nobody knows
	// which tests they have.
	Uncollected diff.Scope
}

// A ranTest is a test that ran.
type ranTest struct{ ID, Outcome string }

// A testHello is the first answer: what the plugin has to do.
type testHello struct {
	Protocol    int               `json:"protocol"`
	Version     string            `json:"version"`
	Environment map[string]string `json:"environment"`
	Unset       []string          `json:"unset"`
	Hook        string            `json:"hook"`
	Root        string            `json:"root"`
	Dumps       string            `json:"dumps"`
	Heading     string            `json:"heading"` // what is compared
}

// A testJudgement is the answer to a test.
type testJudgement struct {
	Kernels int      `json:"kernels"` // that it compiled
	Worse   []string `json:"worse"`   // the keys of those that got worse
	Brief   string   `json:"brief"`   // the first of them in one line; "" if there is none
	File    string   `json:"file"`    // where that is defined; "" if it is not known
	Line    int      `json:"line"`
	Text    string   `json:"text"` // all of them
}

// A testVerdict is the last answer.
type testVerdict struct {
	Verdict    string      `json:"verdict"`
	ExitCode   int         `json:"exit_code"`
	Text       string      `json:"text"`  // of the section
	Brief      string      `json:"brief"` // why it is not OK, in one line
	Worse      []worseTest `json:"worse"`
	Properties [][2]string `json:"properties"`
}

type worseTest struct {
	Kernel string `json:"kernel"`
	Test   string `json:"test"` // the folder of the test that compiled it; "" if it was none
	Text   string `json:"text"`
}

// run captures the tests, answers the plugin and ends with the verdict.
func (s *testSession) run(ctx context.Context, flags map[string]any) (err error) {
	stderr := s.stderr
	s.stderr = &s.said // until the section has it
	defer func() {
		s.stderr = stderr
		if err != nil && s.ended == nil {
			_, _ = stderr.Write(s.said.Bytes())
		}
	}()
	if err := s.begin(ctx, flags); err != nil {
		return err
	}
	r, err := capture.Run(ctx, capture.Options{
		Command: project.Command{Args: append([]string{"pytest"}, s.args...)}, Root: s.Config.Root, Out: s.dumps,
		Producer: s.Config.Producer, Attend: s.attend, AllowFailures: true, Stdout: io.Discard, Stderr: io.Discard,
	})
	switch {
	case err != nil:
		return err
	case s.ended == nil:
		return problem.New(problem.CaptureInterrupted, "pytest ended without a word")
	case s.update:
		return s.take(ctx, r)
	}
	return s.conclude(ctx, r)
}

// begin reads what the tests are compared with.
func (s *testSession) begin(ctx context.Context, flags map[string]any) (err error) {
	n := judge.Needs{Keys: []string{"baseline", "producer", "producers"}, Judged: gate.Keys}
	if s.Opened, err = s.open(&inputFlags{}, flags, n); err != nil {
		return err
	}
	if q := s.Config.Producer; q != nil && q != producer.Builtin().Default() {
		return usage("tests of %s are not captured one by one", q.Title).Mended("capture them as a whole: isadiff capture -- pytest")
	}
	s.dumps = s.place("dumps")
	gitignore.Beside(s.dumps, os.OpenFile)
	if s.update {
		_, err := s.Config.WritableBaseline()
		return err
	}
	// Those of an earlier run would be taken for this one's, should it be killed.
	for _, old := range []string{s.place("report.html"), s.place("report.json")} {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return problem.New(problem.OutputUnwritable, "%s cannot be removed: %v", old, problem.Cause(err))
		}
	}
	s.rules = judge.Rules(s.Config)
	s.Read.Digest = true
	if s.before, err = input.Read(ctx, s.Config.Baseline, s.Read); err != nil {
		return err
	}
	for i := range s.before.Problems {
		if q := &s.before.Problems[i]; q.Code == problem.InputNotFound {
			*q = q.Mended("take it before the change: pytest --isadiff --isadiff-update")
		}
	}
	whence(s.before, s.Config, "baseline")
	return nil
}

// place returns the path of what is written for a run.
func (s *testSession) place(name string) string {
	return filepath.Join(s.Config.Root, ".isadiff", "pytest", name)
}

// attend answers the plugin until all tests have run.
func (s *testSession) attend(ctx context.Context, a capture.Attendance) capture.Ended {
	hello := testHello{
		Protocol: capture.PytestProtocol, Version: build().Version, Environment: a.Set, Unset: a.Unset, Hook: a.Hook,
		Root: s.Config.Root, Dumps: s.dumps, Heading: s.heading(),
	}
	gone := capture.Ended{Exit: -1, State: "an unknown status", Cause: "it ended without a word"}
	if s.answer(hello) != nil {
		return gone
	}
	requests := make(chan testRequest)
	go s.listen(ctx, requests)
	for {
		select {
		case <-ctx.Done():
			return gone
		case q, open := <-requests:
			switch {
			case !open:
				return gone
			case q.End != nil:
				s.ended = q.End
				return capture.Ended{Exit: q.End.Exit, State: fmt.Sprintf("exit status %d", q.End.Exit)}
			case q.Test != nil:
				j, err := s.judgeTest(ctx, a, *q.Test)
				if err != nil || s.answer(j) != nil {
					return gone
				}
			}
		}
	}
}

// listen reads what the plugin asks until that ends.
func (s *testSession) listen(ctx context.Context, to chan<- testRequest) {
	defer close(to)
	lines := bufio.NewReader(s.stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q testRequest
		if json.Unmarshal(line, &q) != nil || q.End == nil && q.Test == nil {
			return
		}
		select {
		case to <- q:
		case <-ctx.Done():
			return
		}
		if q.End != nil {
			return
		}
	}
}

func (s *testSession) answer(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.stdout.Write(append(text, '\n'))
	return err
}

// heading says what the run is compared with.
func (s *testSession) heading() string {
	name := s.Config.Relative(s.Config.Baseline)
	switch {
	case s.update:
		return "the baseline " + name + " will be taken"
	case len(s.before.Problems) > 0:
		return "no baseline to compare with: " + report.Describe(s.before.Problems[0])
	}
	return fmt.Sprintf("compared with %s (%s)", name, problem.Count(len(s.before.Records), "kernel"))
}

// judgeTest compares what one test has compiled. Only kernels that bear the key of one of
// the baseline are compared: which others belong together is seen at the end.
func (s *testSession) judgeTest(ctx context.Context, a capture.Attendance, test string) (j testJudgement, err error) {
	j.Worse = []string{}
	if s.update || !filepath.IsLocal(filepath.FromSlash(test)) {
		return j, nil
	}
	after := &resource.Side{Origin: s.dumps}
	if after.Records, err = s.compiledBelow(ctx, test); err != nil {
		return j, err
	}
	if j.Kernels = len(after.Records); j.Kernels == 0 {
		return j, nil
	}
	before := *s.before
	before.Records, before.Problems, before.Warnings = nil, nil, nil
	for _, r := range after.Records {
		if i, found := slices.BinarySearchFunc(s.before.Records, r.Key, keyed); found {
			before.Records = append(before.Records, s.before.Records[i])
		}
	}
	r := s.rules.Apply(diff.Compare(&before, after, diff.Options{Kernels: s.Read.Kernels}))
	var rows []*diff.Row
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Failed() && !a.Doubtful(filepath.Join(s.dumps, filepath.FromSlash(path.Dir(row.After.Source)))) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return j, nil
	}
	var shown report.Options
	if s.explained++; s.explained <= maxExplained {
		some := r.Only(rows)
		if shown.Places, err = trace.Positions(ctx, s.Config, some.Rows); err != nil {
			return j, err
		}
		if shown.Why, err = trace.Whys(ctx, some, trace.WhyOptions{}); err != nil {
			return j, err
		}
		if shown.Causes, err = trace.Causes(ctx, some); err != nil {
			return j, err
		}
	}
	for i, row := range rows {
		lines := report.GotWorse(row, kernelOf(row.Key, test), shown)
		if i == 0 {
			j.Brief = lines[0]
			j.File, j.Line = shown.Places[row.Key].File, shown.Places[row.Key].Line
		}
		j.Worse = append(j.Worse, row.Key)
		j.Text += strings.Join(lines, "\n  ") + "\n"
	}
	return j, nil
}

func keyed(r *resource.Record, key string) int { return strings.Compare(r.Key, key) }

// compiledBelow reads the dumps in a folder of the tree. They are at rest as the test has
// ended; where a compile has not, [capture.Attendance.Doubtful] tells.
func (s *testSession) compiledBelow(ctx context.Context, folder string) ([]*resource.Record, error) {
	var folders []*dump.Folder
	err := filepath.WalkDir(filepath.Join(s.dumps, filepath.FromSlash(folder)), func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // what cannot be read is told at the end
		}
		rel, err := filepath.Rel(s.dumps, at)
		if err != nil {
			return err
		}
		if f := dump.ReadFolder(ctx, s.dumps, filepath.ToSlash(rel), dump.Options{Producers: s.Read.Producers, Digest: true, Settled: true}); f != nil {
			folders = append(folders, f)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return dump.Assemble(s.dumps, folders).Narrow(s.Read.Kernels).Records, nil
}

// testOf returns the test whose folder a kernel is in; ok is false if there is none.
func (s *testSession) testOf(key string) (folder string, test ranTest, ok bool) {
	at, _ := resource.SplitKey(key)
	for ; at != "" && at != "." && at != "/"; at = path.Dir(at) {
		if test, ok := s.ended.Tests[at]; ok {
			return at, test, true
		}
	}
	return "", ranTest{}, false
}

// kernelOf returns the key of a kernel without the folder of its test.
func kernelOf(key, folder string) string {
	if rest, ok := strings.CutPrefix(key, folder+"/"); ok {
		return rest
	}
	return key
}

// scope returns what the run was to compile.
func (s *testSession) scope() diff.Scope {
	var scope diff.Scope
	for folder := range s.ended.Tests {
		scope = append(scope, folder)
	}
	if len(s.ended.Limits) == 0 {
		scope = append(scope, s.ended.Folders...)
	}
	slices.Sort(scope)
	return slices.Compact(scope)
}

// after reads what the tests compiled; the problems of the capture are its own.
func (s *testSession) after(ctx context.Context, r *capture.Result) (*resource.Side, error) {
	side, err := input.Read(ctx, s.dumps, s.Read)
	if err != nil {
		return nil, err
	}
	if !r.Whole() {
		side.Problems = slices.DeleteFunc(side.Problems, func(q problem.Problem) bool { return q.Code == problem.CaptureIncomplete })
		side.Problems = append(side.Problems, r.Problems...)
	}
	side.Warnings = append(side.Warnings, r.Warnings...)
	edited, err := trace.Edited(ctx, s.Config.Producers, side)
	s.caution(edited...)
	return side, err
}

// conclude compares what the tests compiled with the baseline and answers with the
// verdict.
func (s *testSession) conclude(ctx context.Context, captured *capture.Result) error {
	after, err := s.after(ctx, captured)
	if err != nil {
		return err
	}
	scope := s.scope()
	before, left := scope.Limit(s.before, after, s.Config.Pairs...)
	var to destinations
	page := s.place("report.html")
	for format, path := range map[string]string{"html": page, "json": s.place("report.json")} {
		if err := to.add(format, path); err != nil {
			return err
		}
	}
	r, about, err := judge.Judge(ctx, s.Opened, before, after, judge.Tell{Places: true, Reasons: true})
	if err != nil {
		return err
	}
	about.Tool = build().Version
	shown := report.Options{Context: about}
	if len(left) > 0 {
		limits := "only a part of the project"
		if len(s.ended.Limits) > 0 {
			limits = strings.Join(s.ended.Limits, ", ")
		}
		r.Warnings = append([]string{fmt.Sprintf("a partial run (%s): %d of %s of the baseline were not to be compiled, and are not compared",
			limits, len(left), problem.Count(len(s.before.Records), "kernel"))}, r.Warnings...)
	}
	for i, q := range r.Problems {
		if own := q.On(""); slices.Contains(captured.Problems, own) {
			r.Problems[i] = own // it is the run's
		}
		if q.Code == problem.OnlyInAfter {
			r.Problems[i] = q.Mended("if it is new, take it into the baseline: pytest --isadiff --isadiff-update; with -k the other kernels stay")
		}
	}
	reports, err := s.render(r, &to, shown)
	if err != nil {
		return err
	}
	for _, d := range reports {
		if err := s.save(d.path, d.data); err != nil {
			r = unfinished(r, err)
			page = ""
		}
	}
	v := testVerdict{Verdict: r.Verdict.String(), ExitCode: r.Verdict.ExitCode(), Worse: []worseTest{}}
	run := report.TestRun{Report: page, TestOf: func(key string) (string, string) {
		folder, test, _ := s.testOf(key)
		return test.ID, kernelOf(key, folder)
	}}
	if page != "" {
		run.Report = s.Config.Relative(page)
	}
	text := slices.Concat(s.said.Bytes(), report.Tests(r, run, shown))
	var failed []*diff.Row
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Failed() {
			failed = append(failed, row)
			folder, _, _ := s.testOf(row.Key)
			v.Worse = append(v.Worse, worseTest{row.Key, folder, strings.Join(report.GotWorse(row, row.Key, shown), "\n  ") + "\n"})
		}
	}
	if s.why && len(failed) > 0 {
		w, err := trace.Whys(ctx, r.Only(failed), trace.WhyOptions{Root: s.Config.Root})
		if err != nil {
			return err
		}
		text = append(report.Why(w, report.Options{}), text...)
	}
	v.Text = string(text)
	switch {
	case len(r.Problems) > 0:
		v.Brief = fmt.Sprintf("[%s] %s", r.Problems[0].Code, report.Describe(r.Problems[0]))
	case len(failed) > 0:
		v.Brief = failed[0].Key + ": " + report.Headline(failed[0])
	}
	v.Properties = [][2]string{
		{"isadiff-verdict", v.Verdict}, {"isadiff-baseline", s.Config.Relative(s.Config.Baseline)}, {"isadiff-report", run.Report},
		{"isadiff-compared", fmt.Sprint(r.Compared)}, {"isadiff-left-out", fmt.Sprint(len(left))},
	}
	if v.Brief != "" {
		v.Properties = append(v.Properties, [2]string{"isadiff-reason", v.Brief})
	}
	return s.finish(v)
}

// take takes the baseline of what the tests compiled. What they were not to compile, and
// the kernels of tests that did not pass or were not collected, stay.
func (s *testSession) take(ctx context.Context, captured *capture.Result) error {
	s.Read.NeedKernels, s.Read.Digest = true, true
	after, err := s.after(ctx, captured)
	if err != nil {
		return err
	}
	path, err := s.Config.WritableBaseline()
	if err != nil {
		return err
	}
	scope := s.scope()
	part := !slices.Contains(scope, "") || len(s.ended.Uncollected) > 0
	for _, t := range s.ended.Tests {
		part = part || t.Outcome != "passed"
	}
	meta := snapshot.Meta{Written: time.Now()}
	var taken *snapshot.Taken
	stayed := 0
	if part {
		taken, stayed, err = snapshot.TakePart(path, after, meta, kept.Tree(s.dumps), func(r *resource.Record) bool {
			_, test, ran := s.testOf(r.Key)
			return !scope.Covers(r) || s.ended.Uncollected.Covers(r) || ran && test.Outcome != "passed"
		})
	} else {
		taken, err = snapshot.Take(path, after, meta, false, kept.All(kept.Tree(s.dumps)))
	}
	s.caution(after.Warnings...)
	v := testVerdict{Verdict: diff.OK.String(), Worse: []worseTest{}}
	var why problem.Problem
	switch {
	case errors.As(err, &why):
		v.Verdict, v.ExitCode = diff.NotTrustworthy.String(), diff.NotTrustworthy.ExitCode()
		problems := append([]problem.Problem{why}, after.Doubts()...)
		if len(problems) > 1 {
			problems = slices.Delete(problems, 1, 2) // it is the reason
		}
		s.doubt(problems)
		v.Brief = fmt.Sprintf("[%s] %s", why.Code, report.Describe(why))
	case err != nil:
		return err
	default:
		s.caution(report.Unkept(taken.Lacking)...)
		s.warn(report.Taken(taken, report.Options{}))
		if stayed > 0 {
			s.warn(fmt.Appendf(nil, "%s of it stayed as they were: this run did not compile them\n", problem.Count(stayed, "kernel")))
		}
	}
	v.Text = s.said.String()
	v.Properties = [][2]string{{"isadiff-verdict", v.Verdict}, {"isadiff-baseline", s.Config.Relative(path)}}
	return s.finish(v)
}

// finish gives the last answer, which the exit code repeats.
func (s *testSession) finish(v testVerdict) error {
	if err := s.answer(v); err != nil {
		return unwritten(err)
	}
	if v.ExitCode == 0 {
		return nil
	}
	return verdict(v.ExitCode)
}
