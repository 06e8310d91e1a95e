package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// The rules besides the problem codes: one for the growth of each trigger, one
// for budgets, and one for kernels that cannot be launched.
const (
	regressionRule = "regression-"
	budgetRule     = "budget"
	launchRule     = "cannot-be-launched"
)

// sarifName is what a log is said to be of.
const sarifName = "isadiff"

// sourceRoot is the name by which viewers know the root of the repository.
const sourceRoot = "%SRCROOT%"

// SARIF returns a comparison as a SARIF 2.1.0 log: a result for each metric of a
// kernel that grew, each budget that is broken and each problem. Results are on
// the lines of kernel definitions, or where those are not known on the kernel's
// assembly. What is accepted is a suppressed result. Regressions are errors; what
// cannot be told is a warning, and the run is then not a successful one.
func SARIF(r *diff.Result, opt Options) ([]byte, error) {
	s := sarifLog{result: r, opt: opt, rules: map[string]int{}, run: &sarifRun{
		Tool: sarifTool{sarifDriver{Name: sarifName, Version: opt.Tool, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{
			Successful:  r.Verdict != diff.NotTrustworthy,
			ExitCode:    r.Verdict.ExitCode(),
			Description: VerdictText(r.Verdict),
		}},
		ColumnKind: "utf16CodeUnits",
		Properties: map[string]any{
			"before": visible(r.Before.Origin), "after": visible(r.After.Origin),
			"base": baseOf(r, opt.Context), "head": opt.Head,
			"comparedKernels": r.Compared, "totalKernels": r.Total,
			"worsenedMetrics": r.Worsened, "improvedMetrics": r.Improved,
			"acceptedMetrics": r.Accepted, "brokenBudgets": r.Broken,
		},
		Results: []*sarifResult{},
	}}
	if r.Tolerated > 0 {
		s.run.Properties["toleratedMetrics"] = r.Tolerated
	}
	if r.Unlaunchable > 0 {
		s.run.Properties["unlaunchableKernels"] = r.Unlaunchable
	}
	for _, c := range []class{failed, excused} {
		for _, row := range worstFirst(r, c) {
			s.row(row)
		}
	}
	for _, row := range worstFirst(r, doubtful) { // a budget can be broken all the same
		s.budgets(row)
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Unlaunchable == "" && row.After != nil && row.After.Occupancy.Unlaunchable != "" {
			s.unlaunchable(row, "warning")
		}
	}
	s.problems()
	data, err := json.MarshalIndent(sarifReport{Schema: sarifSchema, Version: "2.1.0", Runs: []*sarifRun{s.run}}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

type sarifLog struct {
	result *diff.Result
	opt    Options
	run    *sarifRun
	rules  map[string]int // the index of each rule in the run
}

// add adds a result of a rule, which is described the first time.
func (s *sarifLog) add(rule, level, message, key string) *sarifResult {
	driver := &s.run.Tool.Driver
	index, known := s.rules[rule]
	if !known {
		index = len(driver.Rules)
		s.rules[rule] = index
		driver.Rules = append(driver.Rules, describeRule(rule, level))
	}
	sum := sha256.Sum256([]byte(rule + "\x00" + key))
	result := &sarifResult{
		RuleID: rule, RuleIndex: index, Level: level, Message: sarifText{sarifMessage(message)},
		Fingerprints: map[string]string{"kernelAndRule/v1": hex.EncodeToString(sum[:16])},
	}
	s.run.Results = append(s.run.Results, result)
	return result
}

func describeRule(rule, level string) sarifRule {
	title, full, help := rule, "", ""
	if m, ok := resource.ParseMetric(strings.TrimPrefix(rule, regressionRule)); ok && strings.HasPrefix(rule, regressionRule) {
		info := resource.Metrics[m]
		title, full = info.Key+" grew", info.Meaning
		if a, known := facts.AdviceFor(m); known {
			help = fmt.Sprintf("Usual cause: %s. Try: %s. %s.", a.Cause, a.Try, facts.Proxy)
		}
	} else if code := problem.Code(rule); problem.Known(code) {
		info := problem.Lookup(code)
		title, full, help = info.Title, info.Explain, "To mend it: "+info.Mend+"."
	} else if rule == launchRule {
		title, full = "a kernel cannot be launched", "It asks for more than its processor has: LDS for a workgroup, registers for the waves of a workgroup, or threads."
		help = "Use a smaller tile or workgroup, or fewer registers."
	} else {
		title, full = "a budget is broken", "The project limits this quantity for these kernels in its configuration."
		help = "Bring the kernel back below its budget, or change the budget in the configuration."
	}
	return sarifRule{
		ID: rule, Name: rule, Short: sarifText{title}, Full: sarifText{full}, Help: sarifText{help},
		Configuration: sarifConfiguration{level},
	}
}

// row adds the results of a kernel that was compared.
func (s *sarifLog) row(row *diff.Row) {
	if row.Unlaunchable != "" {
		s.unlaunchable(row, "error")
	}
	for _, d := range facts.Of(facts.Metrics(facts.Changes(row)), facts.Worse, facts.Allowed) {
		message := visible(bare(row.Key)) + ": " + changeTexts([]facts.Change{d})[0]
		if lost := facts.WavesMoved(row); lost != "" && d.Metric == resource.VGPR {
			message += "; " + lost
		}
		if p := processor(row); p != "" {
			message += " [" + p + "]"
		}
		result := s.add(regressionRule+d.Metric.String(), "error", message, row.Key)
		result.Properties = map[string]any{"kernel": row.Key, "before": d.Before, "after": d.After, "change": d.Delta()}
		s.locate(result, row)
		s.relate(result, row, d.Metric)
		if d.Kind == facts.Allowed {
			result.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: justification(d.By)}}
		}
	}
	s.budgets(row)
}

// justification says why growth is no regression.
func justification(a diff.Acceptance) string {
	if a.Tolerance != "" {
		return "tolerated: " + oneLine(Accepted(a))
	}
	return oneLine(Accepted(a))
}

// unlaunchable adds that a kernel cannot be launched: an error if it could be
// before, else a warning.
func (s *sarifLog) unlaunchable(row *diff.Row, level string) {
	why := row.After.Occupancy.Unlaunchable
	result := s.add(launchRule, level, visible(bare(row.Key))+" "+facts.CannotLaunch(why), row.Key)
	result.Properties = map[string]any{"kernel": row.Key}
	s.locate(result, row)
}

func (s *sarifLog) budgets(row *diff.Row) {
	for _, x := range row.Broken {
		result := s.add(budgetRule, "error", visible(bare(row.Key))+": "+oneLine(Broken(x)), row.Key+"\x00"+x.Budget)
		result.Properties = map[string]any{"kernel": row.Key, "budget": x.Budget, "figure": x.Figure}
		s.locate(result, row)
	}
}

// problems adds a result for everything that makes the answer not trustworthy.
func (s *sarifLog) problems() {
	rows := make(map[string]*diff.Row, len(s.result.Rows))
	for i := range s.result.Rows {
		rows[s.result.Rows[i].Key] = &s.result.Rows[i]
	}
	for _, p := range s.result.Problems {
		result := s.add(string(p.Code), "warning", Describe(p), p.Side+"\x00"+p.File+"\x00"+p.Kernel)
		if row := rows[p.Kernel]; row != nil {
			s.locate(result, row)
		} else if p.File != "" {
			result.Locations = []*sarifLocation{s.dumped(p.File, p.Line, p.Side == diff.SideBefore)}
		}
	}
}

// locate puts a result on its kernel.
func (s *sarifLog) locate(result *sarifResult, row *diff.Row) {
	r, old := row.After, false
	if r == nil {
		r, old = row.Before, true
	}
	assembly := s.dumped(r.Source, r.Sites.Label, old)
	location := assembly
	if p, ok := s.opt.Places[row.Key]; ok {
		// Columns are counted in UTF-16 units, and before a name in a def there are only
		// blanks and keywords: bytes are the same.
		location = physical(p.File, p.Line, p.Column)
		assembly.ID, assembly.Message = 1, &sarifText{"its assembly"}
		result.Related = []*sarifLocation{assembly}
	}
	location.Logical = []sarifLogical{{Name: visible(r.Name), Full: row.Key, Kind: "function"}}
	result.Locations = []*sarifLocation{location}
}

// maxRelated bounds how many source lines a result names besides the peak.
const maxRelated = 5

// relate adds where the peak of live VGPRs rose and which lines gained live VGPRs or spill
// code, to growth of what these explain. Where the source is not in the project, or not known,
// it is lines of the assembly.
func (s *sarifLog) relate(result *sarifResult, row *diff.Row, m resource.Metric) {
	k := s.opt.explanation(row)
	if k == nil || m != resource.VGPR && !m.Spills() {
		return
	}
	add := func(at *sarifLocation, message string) {
		at.ID, at.Message = len(result.Related)+1, &sarifText{sarifMessage(message)}
		result.Related = append(result.Related, at)
	}
	named := map[pressure.SourceLine]bool{}
	if b, a := k.Before.VGPR, k.After.VGPR; m == resource.VGPR && b.Refused == "" && a.Refused == "" && a.Peak > b.Peak {
		at := s.source(row, a.Near)
		named[a.Near] = at != nil
		if at == nil {
			at = s.assembly(row, a.Line)
		}
		if at != nil {
			add(at, facts.PeakChange("VGPRs", b, a, "->"))
		}
	}
	gained := map[pressure.SourceLine]bool{}
	for _, l := range k.Lines {
		gained[l.Source] = l.Live.After > l.Live.Before
		if m.Spills() {
			gained[l.Source] = l.SpillStores.After > l.SpillStores.Before || l.SpillLoads.After > l.SpillLoads.Before
		}
	}
	lines := 0
	for _, mark := range WhyMarks(k) {
		if at := s.source(row, mark.Source); at != nil && gained[mark.Source] && !named[mark.Source] && lines < maxRelated {
			add(at, mark.Text)
			lines++
		}
	}
	if lines > 0 || !m.Spills() || k.After.Refused != "" {
		return
	}
	for i := range k.After.Body { // the first has to do
		if ins := &k.After.Body[i]; ins.Spill == pressure.SpillStore {
			if at := s.assembly(row, ins.Line); at != nil {
				add(at, facts.SpillCode(&k.After.Analysis)+"; the first store")
			}
			return
		}
	}
}

// source returns a place in a source of the project; nil if it is not there.
func (s *sarifLog) source(row *diff.Row, at pressure.SourceLine) *sarifLocation {
	if at.Line <= 0 {
		return nil
	}
	if p, ok := s.opt.Places[row.Key]; ok && at.File == row.After.Origin.Path {
		return physical(p.File, at.Line, 0)
	}
	rest, within := strings.CutPrefix(path.Clean(slashed(at.File)), strings.TrimSuffix(slashed(s.opt.Root), "/")+"/")
	if s.opt.Root == "" || !within {
		return nil
	}
	return physical(rest, at.Line, 0)
}

// assembly returns a line of the assembly after; nil if no file holds it alone.
func (s *sarifLog) assembly(row *diff.Row, line int) *sarifLocation {
	if line <= 0 || s.result.After.Snapshot {
		return nil
	}
	return s.dumped(row.After.Source, line, false)
}

// dumped returns a place in a file of a side. A snapshot does not say where its files
// are: then the place is the snapshot itself.
func (s *sarifLog) dumped(file string, line int, before bool) *sarifLocation {
	side := s.result.After
	if before {
		side = s.result.Before
	}
	origin := slashed(side.Origin)
	switch {
	case side.Snapshot:
		file, line = origin, 0
	case file != side.Origin && !absolute(file):
		file = path.Join(origin, file)
	}
	if !absolute(file) {
		file = path.Join(s.opt.Dir, file)
	}
	return physical(file, line, 0)
}

// absolute reports whether a path in slashes is, on whatever system.
func absolute(file string) bool { return path.IsAbs(file) || len(file) > 1 && file[1] == ':' }

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// physical returns a place in a file: relative to the repository, unless the path
// is absolute.
func physical(file string, line, column int) *sarifLocation {
	var at sarifPhysical
	switch file = slashed(file); {
	case absolute(file):
		at.Artifact.URI = "file://" + absoluteURI(file)
	case strings.HasPrefix(file, "../"):
		at.Artifact.URI = fileURI(file)
	default:
		at.Artifact = sarifArtifact{URI: fileURI(file), Base: sourceRoot}
	}
	if line > 0 {
		at.Region = &sarifRegion{StartLine: line, StartColumn: column}
	}
	return &sarifLocation{Physical: at}
}

func absoluteURI(file string) string {
	if file[0] != '/' {
		file = "/" + file
	}
	return fileURI(file)
}

// fileURI returns a path in slashes as a relative URI.
func fileURI(path string) string {
	u := url.URL{Path: path}
	return strings.TrimPrefix(u.String(), "./")
}
