package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"isadiff/engine/accept"
	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/why"
)

// at is what the reports of the tests tell besides the comparison.
var at = report.Options{Context: report.Context{
	Base: "4f1c2a9", Head: "feature", Tool: "1.2.3", Dir: "build",
	Places: map[string]trace.Position{
		"window_filter/window_filter_0::window_filter_0": {File: "kernels/window filter.py", Line: 19, Column: 5},
		"softmax/softmax_rows_0::softmax_rows_0":         {File: "/elsewhere/softmax.py", Line: 7, Column: 5},
	},
	Causes: map[string]trace.Cause{"window_filter/window_filter_0::window_filter_0": {
		Before: &pressure.Analysis{VGPR: pressure.Peak{Peak: 82, Line: 246, Source: pressure.SourceLine{File: "a/window_filter.py", Line: 27}}},
		After: &pressure.Analysis{VGPR: pressure.Peak{Peak: 122, Line: 265, Source: pressure.SourceLine{File: "a/window_filter.py", Line: 31}}, SpillStores: 105, SpillLoads: 10, Lines: []pressure.Line{
			{Source: pressure.SourceLine{File: "a/window_filter.py", Line: 27}, SpillStores: 3, SpillLoads: 1},
			{SpillStores: 90}, // no line to point at
			{Source: pressure.SourceLine{File: "a/window_filter.py", Line: 31}, SpillStores: 12, SpillLoads: 9},
			{Source: pressure.SourceLine{File: "a/window_filter.py", Line: 40}},
		}},
	}},
}}

// rules accept a part and limit a part of everything.
func rules(t *testing.T) *gate.Rules {
	t.Helper()
	list := accept.Parse("accepted.toml", []byte(`
[[accepted]]
kernel = "softmax_*"
metric = "lds_static_bytes"
value = 128
reason = "double buffering | 20 % fewer barriers"
until = 2027-03-31
`))
	limit, err := budget.Parse("vgpr <= 120")
	if err != nil {
		t.Fatal(err)
	}
	limit.Kernels, _ = resource.NewMatcher("window_*")
	limit.Where = "isadiff.toml:4"
	return &gate.Rules{Accepted: *list, Budgets: []budget.Budget{limit}, Today: "2027-01-01"}
}

// comparable is everything without what cannot be judged.
func trusted() *diff.Result {
	r := everything()
	keep := func(records []*resource.Record) (kept []*resource.Record) {
		for _, k := range records {
			if k.Name == "gelu" || k.Name == "window_filter_0" || k.Name == "softmax_rows_0" || k.Name == "scale_0" {
				kept = append(kept, k)
			}
		}
		return kept
	}
	return diff.Compare(side("baseline.json", keep(r.Before.Records)...), side("dumps", keep(r.After.Records)...), diff.Options{})
}

// nasty is a regression of kernels whose names mean something everywhere.
func nasty() *diff.Result {
	names := []string{
		"a|b`c::k", "::error file=x::boom", "<script>alert(1)</script>::x", "%0A::warning::y", "]]>::cdata", "@team::*bold*", "dir\nwith\nlines::z", "\x1b[31m::red", "\xff::bytes", "é::e\u0301",
	}
	var before, after []*resource.Record
	for i, n := range names {
		n = resource.ValidText(n)
		before = append(before, kernel(n, figures{resource.VGPR: 10}))
		after = append(after, kernel(n, figures{resource.VGPR: int64(11 + i)}))
	}
	return diff.Compare(side("be|fore`", before...), side("<after>", after...), diff.Options{})
}

// cases are the comparisons that every format is held against.
func cases(t *testing.T) map[string]*diff.Result {
	t.Helper()
	r := everything()
	unread := side("gone.json")
	unread.Problems = []problem.Problem{problem.New(problem.InputNotFound, "gone.json does not exist").In("gone.json")}
	return map[string]*diff.Result{
		"everything": r,
		"allowed":    rules(t).Apply(r),
		"trusted":    trusted(),
		"excused":    rules(t).Apply(diff.Compare(side("b", pick(r.Before, "softmax_rows_0")), side("a", pick(r.After, "softmax_rows_0")), diff.Options{})),
		"unchanged":  diff.Compare(r.Before, r.Before, diff.Options{}),
		"unread":     diff.Compare(unread, r.After, diff.Options{}),
		"nasty":      nasty(),
	}
}

func pick(s *resource.Side, name string) *resource.Record {
	return s.Records[slices.IndexFunc(s.Records, func(r *resource.Record) bool { return r.Name == name })]
}

// render renders a result in a format by its name.
func render(t *testing.T, format string, r *diff.Result) []byte {
	t.Helper()
	i := slices.IndexFunc(report.Formats, func(f report.Format) bool { return f.Name == format })
	opt := at
	opt.Root, opt.Why = "/home/me", windowWhy(t, r)
	data, err := report.Formats[i].Render(r, opt)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return data
}

// windowWhy is what became of the instructions of the one kernel whose assembly is at hand.
func windowWhy(t *testing.T, r *diff.Result) *trace.Why {
	t.Helper()
	w := &trace.Why{
		Problems: []problem.Problem{problem.New(problem.AssemblyMissing, "the assembly of <baseline>.json is not kept").Mended("take the snapshot again")},
		Code:     map[pressure.SourceLine]string{{File: "/home/me/<gemm>.py", Line: 13}: "a[i] |= `b` # <c> @d"},
	}
	gemm := whyResult(t).Kernels[0].Comparison
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Key == "window_filter/window_filter_0::window_filter_0" {
			w.Kernels = []trace.WhyKernel{{Row: row, Comparison: gemm}}
		}
	}
	return w
}

func TestFormatsGolden(t *testing.T) {
	all := cases(t)
	for format, suffix := range map[string]string{"markdown": "md", "github": "github", "sarif": "sarif", "junit": "xml", "html": "html", "json": "json"} {
		golden(t, "allowed."+suffix, render(t, format, all["allowed"]))
	}
	golden(t, "nasty.md", render(t, "markdown", all["nasty"]))
	golden(t, "nasty.github", render(t, "github", all["nasty"]))
	golden(t, "allowed.txt", text(all["allowed"], report.Options{}))
}

// Whatever a format shows equals the result: the verdict and every count.
func TestFormatsAgree(t *testing.T) {
	for name, r := range cases(t) {
		t.Run(name, func(t *testing.T) {
			checkMarkdown(t, r, string(render(t, "markdown", r)))
			checkGitHub(t, r, string(render(t, "github", r)))
			checkSARIF(t, r, render(t, "sarif", r))
			checkJUnit(t, r, render(t, "junit", r))
			checkHTML(t, r, string(render(t, "html", r)))
			checkJSON(t, r, render(t, "json", r))
			checkBrief(t, r, string(render(t, "brief", r)))
		})
	}
}

func failing(r *diff.Result) (n int) {
	for i := range r.Rows {
		if r.Rows[i].Comparable() && r.Rows[i].Failed() {
			n++
		}
	}
	return n
}

func checkMarkdown(t *testing.T, r *diff.Result, got string) {
	t.Helper()
	head, _, _ := strings.Cut(got, "\n")
	if !strings.HasSuffix(head, " isadiff: "+r.Verdict.String()) {
		t.Errorf("markdown begins %q, want %s", head, r.Verdict)
	}
	want := fmt.Sprintf("| %d of %d | %d | %d | %d | %d |", r.Compared, r.Total, r.Unchanged, r.Changed, r.Worsened, r.Improved)
	if r.Accepted > 0 {
		want += fmt.Sprintf(" %d of %d |", r.Accepted, r.Worsened)
	}
	if r.Budgets > 0 {
		want += fmt.Sprintf(" %d of %d |", r.Broken, r.Budgets)
	}
	if !strings.Contains(got, want+"\n") {
		t.Errorf("markdown lacks %q:\n%s", want, got)
	}
	if n := failing(r); n > 0 && !strings.Contains(got, fmt.Sprintf("#### Worse (%d)\n", n)) {
		t.Errorf("markdown lacks the %d kernels that fail:\n%s", n, got)
	}
	if n := len(r.Problems); n > 0 && !strings.Contains(got, fmt.Sprintf("#### Not trustworthy because (%d)\n", n)) {
		t.Errorf("markdown lacks the %d problems", n)
	}
	for line := range strings.Lines(got) { // every row of a table has as many cells as its head
		if strings.HasPrefix(line, "| kernel |") {
			columns := bars(line)
			for row := range strings.Lines(got[strings.Index(got, line):]) {
				if !strings.HasPrefix(row, "|") {
					break
				}
				if n := bars(row); n != columns {
					t.Errorf("%d bars, want %d: %s", n, columns, row)
				}
			}
		}
	}
	plain := regexp.MustCompile("``[^\n]*?``|`[^`\n]*`").ReplaceAllString(got, "CODE") // in code everything means itself
	if strings.Contains(plain, "<script") || strings.Contains(plain, "@team") || strings.Contains(plain, "*bold") {
		t.Errorf("markdown is not escaped:\n%s", plain)
	}
}

// bars counts the bars of a table's row that are not escaped.
func bars(row string) int { return strings.Count(row, "|") - strings.Count(row, `\|`) }

func checkGitHub(t *testing.T, r *diff.Result, got string) {
	t.Helper()
	commands, rest, found := strings.Cut(got, "::stop-commands::")
	token, rest, _ := strings.Cut(rest, "\n")
	if text, end, closed := strings.Cut(rest, "::"+token+"::\n"); !found || !closed || end != "" || text != string(report.Text(r, report.Options{})) {
		t.Errorf("the text is not kept from being read as commands:\n%s", got)
	}
	counts := map[string]int{}
	command := regexp.MustCompile(`^::(error|warning|notice) (?:file=[^,:]*,(?:line=\d+,)?)?title=isadiff%3A [A-Za-z ]+(?: \[[a-z-]+\])?::[^\r\n]+$`)
	for line := range strings.Lines(commands) {
		m := command.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("no command: %q", line)
			continue
		}
		counts[m[1]]++
	}
	for level, want := range map[string]int{"error": failing(r), "warning": len(r.Problems)} {
		if counts[level] != min(want, 10) {
			t.Errorf("%d of level %s, want %d", counts[level], level, want)
		}
	}
}

func checkSARIF(t *testing.T, r *diff.Result, got []byte) {
	t.Helper()
	known := json.NewDecoder(bytes.NewReader(got))
	known.DisallowUnknownFields()
	if err := known.Decode(&sarif.Report{}); err != nil {
		t.Errorf("a key that the standard does not know: %v", err)
	}
	log, err := sarif.FromBytes(got) // with the defaults of what is left out, which the schema then sees too
	if err != nil {
		t.Fatal(err)
	}
	// What the library leaves empty instead of absent.
	log.Runs[0].Language, log.Runs[0].Tool.Driver.Language = "en-US", "en-US"
	log.Runs[0].NewlineSequences = []string{"\n"}
	if err := log.Validate(); err != nil {
		t.Errorf("the public schema: %v", err)
	}
	run := log.Runs[0]
	if code := *run.Invocations[0].ExitCode; code != r.Verdict.ExitCode() || *run.Invocations[0].ExecutionSuccessful != (r.Verdict != diff.NotTrustworthy) {
		t.Errorf("exit code %d, want %d", code, r.Verdict.ExitCode())
	}
	regressions, suppressed, budgets, doubts := 0, 0, 0, 0
	seen := map[string]bool{}
	for _, result := range run.Results {
		switch rule := *result.RuleID; {
		case strings.HasPrefix(rule, "regression-"):
			regressions++
			suppressed += len(result.Suppressions)
			if !seen[rule+result.PartialFingerprints["kernelAndRule/v1"]] {
				seen[rule+result.PartialFingerprints["kernelAndRule/v1"]] = true
			} else {
				t.Errorf("two results have the fingerprint of %s", *result.Message.Text)
			}
		case rule == "budget":
			budgets++
		case problem.Known(problem.Code(rule)):
			doubts++
		default:
			t.Errorf("unknown rule %q", rule)
		}
		if rules := run.Tool.Driver.Rules; *rules[result.RuleIndex].ID != *result.RuleID {
			t.Errorf("the rule's index %d is of %s, want %s", result.RuleIndex, *rules[result.RuleIndex].ID, *result.RuleID)
		}
	}
	if regressions != r.Worsened || suppressed != r.Accepted || budgets != r.Broken || doubts != len(r.Problems) {
		t.Errorf("%d regressions (%d suppressed), %d budgets, %d problems; want %d (%d), %d, %d",
			regressions, suppressed, budgets, doubts, r.Worsened, r.Accepted, r.Broken, len(r.Problems))
	}
}

// A line of a kernel's own source is one of the file where the kernel is defined now, one of
// another file is in the project or not named, and without source lines it is the assembly.
func TestSARIFRelated(t *testing.T) {
	for name, tt := range map[string]struct {
		root, origin string
		snapshot     bool
		want         []string
	}{
		"in the project":  {root: "/home/me", want: []string{"%3Cgemm%3E.py:13", "%3Cgemm%3E.py:20", "%3Cgemm%3E.py:16", "%3Cgemm%3E.py:14"}},
		"moved":           {origin: "/home/me/<gemm>.py", want: []string{"kernels/window%20filter.py:13", "kernels/window%20filter.py:20", "kernels/window%20filter.py:16", "kernels/window%20filter.py:14"}},
		"elsewhere":       {root: "/home/m", want: []string{"build/dumps/window_filter/window_filter_0/22_final_isa.s:13"}},
		"of two archives": {snapshot: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := everything()
			opt := at
			opt.Root, opt.Why = tt.root, windowWhy(t, r)
			opt.Why.Kernels[0].Row.After.Origin.Path = tt.origin
			r.After.Snapshot = tt.snapshot
			data, err := report.SARIF(r, opt)
			if err != nil {
				t.Fatal(err)
			}
			log, err := sarif.FromBytes(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, result := range log.Runs[0].Results {
				if *result.RuleID != "regression-vgpr" {
					continue
				}
				var got []string
				for _, l := range result.RelatedLocations[1:] { // the first is its assembly
					got = append(got, fmt.Sprintf("%s:%d", *l.PhysicalLocation.ArtifactLocation.URI, *l.PhysicalLocation.Region.StartLine))
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("%q, want %q", got, tt.want)
				}
			}
		})
	}
}

func checkJUnit(t *testing.T, r *diff.Result, got []byte) {
	t.Helper()
	var suites junit.Testsuites
	if err := xml.Unmarshal(got, &suites); err != nil {
		t.Fatal(err)
	}
	suite := suites.Suites[0]
	errors, failures := 0, 0
	for _, c := range suite.Testcases {
		if c.Error != nil {
			errors++
		}
		if c.Failure != nil {
			failures++
		}
	}
	if errors != suite.Errors || failures != suite.Failures || len(suite.Testcases) != suite.Tests || suites.Errors != errors || suites.Failures != failures {
		t.Errorf("the counts of the suite are not those of its cases")
	}
	verdict := diff.OK
	switch {
	case errors > 0:
		verdict = diff.NotTrustworthy
	case failures > 0:
		verdict = diff.Regression
	}
	if verdict != r.Verdict {
		t.Errorf("the cases say %s, want %s", verdict, r.Verdict)
	}
	if n := suite.Tests; n != len(r.Rows) && n != len(r.Rows)+1 {
		t.Errorf("%d cases, want one for each of %d kernels", n, len(r.Rows))
	}
}

func checkHTML(t *testing.T, r *diff.Result, got string) {
	t.Helper()
	if !strings.Contains(got, `id="verdict">`+r.Verdict.String()+"<") || !strings.Contains(got, `<p id="tally">`+report.Tally(r)+"</p>") {
		t.Errorf("the page lacks the verdict or the counts")
	}
	if n := strings.Count(got, "<tr data-class="); n != len(r.Rows) {
		t.Errorf("%d rows, want %d", n, len(r.Rows))
	}
	if n := strings.Count(got, `<tr data-class="failed"`); n != failing(r) {
		t.Errorf("%d rows fail, want %d", n, failing(r))
	}
	for _, word := range []string{"http:", "https:", "<script>alert", "@import", "url("} {
		if strings.Contains(got, word) {
			t.Errorf("the page holds %q", word)
		}
	}
}

func checkJSON(t *testing.T, r *diff.Result, got []byte) {
	t.Helper()
	var doc struct {
		ExitCode int `json:"exit_code"`
		Worsened int `json:"worsened_metrics"`
		Accepted int `json:"accepted_metrics"`
		Broken   int `json:"broken_budgets"`
		Rows     []struct {
			Accepted map[string]any `json:"accepted"`
			Broken   []any          `json:"broken_budgets"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	accepted, broken := 0, 0
	for _, row := range doc.Rows {
		accepted, broken = accepted+len(row.Accepted), broken+len(row.Broken)
	}
	if doc.ExitCode != r.Verdict.ExitCode() || doc.Worsened != r.Worsened || doc.Accepted != r.Accepted || accepted != r.Accepted || doc.Broken != r.Broken || broken != r.Broken {
		t.Errorf("JSON says %+v", doc)
	}
}

// What is not told is said once, with how to have it; nothing of it is part of the verdict.
func TestUnexplained(t *testing.T) {
	var before, after []*resource.Record
	allocated := func(i int, vgprs int64) *resource.Record {
		return kernel(fmt.Sprintf("d::k%02d", i), figures{resource.VGPR: vgprs, resource.ArchVGPR: vgprs, resource.SGPR: 18, resource.NumberedSGPR: 12})
	}
	for i := range 30 {
		before, after = append(before, allocated(i, 10)), append(after, allocated(i, int64(12+i)))
	}
	r := diff.Compare(side("b", before...), side("a", after...), diff.Options{})
	rows, others := report.Explained(r)
	if len(rows) != 20 || len(others) != 10 || rows[0].Key != "d::k29" || others[0].Key != "d::k09" {
		t.Fatalf("%d and %d, from %s and %s", len(rows), len(others), rows[0].Key, others[0].Key)
	}
	missing := &trace.Why{Problems: []problem.Problem{problem.New(problem.AssemblyMissing, "the assembly of b.json is not kept").Mended("take it again")}}
	told := &trace.Why{}
	for _, row := range rows {
		told.Kernels = append(told.Kernels, trace.WhyKernel{Row: row, Comparison: whyResult(t).Kernels[0].Comparison})
	}
	contradicted := &trace.Why{Kernels: told.Kernels, Problems: []problem.Problem{problem.New(problem.CountsContradict, "3 VGPRs are live, but arch_vgpr is 1").Of("d::k28").Mended("compile again")}}
	for _, tt := range []struct {
		why          *trace.Why
		says, silent string
		whys         int
	}{
		{nil, "All figures", "o explanation of", 0},
		{missing, "No explanation of 20 kernels: the assembly of b.json is not kept; to mend it: take it again; " +
			"10 kernels that changed less are left out; isadiff why explains all.", "Why: ", 0},
		{told, "\n10 kernels that changed less are left out; isadiff why explains all.", "o explanation of", 10},
		{contradicted, "\nNo explanation of 1 kernel: 3 VGPRs are live, but arch\\_vgpr is 1; to mend it: compile again; 10 kernels", "<code>k28 ", 10},
	} {
		if tt.why == contradicted {
			rows[1].After.Cells[resource.ArchVGPR] = resource.Value(1) // fewer than the text needs
		}
		got := string(report.Markdown(r, report.Options{Context: report.Context{Why: tt.why}}))
		if strings.Count(got, tt.says) != 1 || strings.Contains(got, tt.silent) || strings.Count(got, "<summary>Why: ") != tt.whys {
			t.Errorf("want %q once, no %q and %d kernels told:\n%.6000s", tt.says, tt.silent, tt.whys, got)
		}
	}
}

// Variants of a kernel, which share its name, are told apart where it is said why.
func TestMarkdownVariants(t *testing.T) {
	sides := [2][]*resource.Record{}
	for i := range sides {
		for _, key := range []string{"softmax/f32::softmax_0", "softmax/f16::softmax_0", "gemm::gemm_0"} {
			sides[i] = append(sides[i], kernel(key, figures{resource.VGPR: int64(8 + i), resource.ArchVGPR: 8, resource.VGPRSpill: int64(i), resource.SGPR: 8, resource.NumberedSGPR: 4}))
		}
	}
	r := diff.Compare(side("b", sides[0]...), side("a", sides[1]...), diff.Options{})
	w := &trace.Why{}
	for i := range r.Rows {
		w.Kernels = append(w.Kernels, trace.WhyKernel{Row: &r.Rows[i], Comparison: whyResult(t).Kernels[0].Comparison})
	}
	got := string(report.Markdown(r, report.Options{Context: report.Context{Why: w}}))
	for _, name := range []string{"softmax/f32::softmax_0", "softmax/f16::softmax_0", "gemm_0"} {
		if strings.Count(got, "<summary>Why: <code>"+name+" gfx") != 1 {
			t.Errorf("no title of %s", name)
		}
	}
}

// A comment holds 65,536 characters, whatever is in it.
func TestMarkdownFits(t *testing.T) {
	var before, after []*resource.Record
	for i := range 400 {
		key := strings.Repeat("long/folder/", 12) + "n" + strconv.Itoa(i) + "::" + strings.Repeat("kernel_", 30)
		before = append(before, kernel(key, figures{resource.VGPR: 10}))
		after = append(after, kernel(key, figures{resource.VGPR: 12, resource.VGPRSpill: 4}))
	}
	r := diff.Compare(side("b", before...), side("a", after...), diff.Options{})
	got := string(report.Markdown(r, report.Options{}))
	if len(got) > 65_000 || !strings.Contains(got, "#### Worse (400)") || !strings.Contains(got, "… and 350 more.") {
		t.Errorf("%d bytes:\n%.2000s", len(got), got)
	}
	checkMarkdown(t, r, got)
	short := diff.Compare(side("b", kernel("k::k", figures{resource.VGPR: 10})), side("a", kernel("k::k", figures{resource.VGPR: 12})), diff.Options{})
	long := why.Compare(&pressure.Listing{}, &pressure.Listing{Analysis: pressure.Analysis{Refused: strings.Repeat("long ", 20_000)}})
	got = string(report.Markdown(short, report.Options{Context: report.Context{Why: &trace.Why{Kernels: []trace.WhyKernel{{Row: &short.Rows[0], Comparison: long}}}}}))
	if len(got) > 10_000 || !strings.Contains(got, "\n… and why of 1 more: `isadiff why`.\n") || !strings.Contains(got, "All figures") {
		t.Errorf("%d bytes:\n%.2000s", len(got), got)
	}
	if n := strings.Count(string(report.GitHub(r, report.Options{})), "\n::error") + 1; n != 10 {
		t.Errorf("%d annotations, want 10", n)
	}
}

// Every report tells what mends this very problem.
func TestReportsTellTheMendOfAProblem(t *testing.T) {
	side := &resource.Side{Origin: "a", Problems: []problem.Problem{problem.New(problem.NoKernels, "none").Mended("check the globe")}}
	r := diff.Compare(side, side, diff.Options{})
	for _, f := range report.Formats {
		data, err := f.Render(r, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains([]string{"markdown", "github", "junit", "html"}, f.Name) && !strings.Contains(string(data), "check the globe") {
			t.Errorf("%s: no mend in %s", f.Name, data)
		}
	}
	if got := string(report.Problems(r.Problems, report.Style{})); !strings.Contains(got, "hint: check the globe") {
		t.Errorf("no mend in %s", got)
	}
}
