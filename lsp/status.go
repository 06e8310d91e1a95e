package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

// methodStatus is the notification of docs/reference/protocol.md.
const methodStatus = "isadiff/status"

// A status is the state of one workspace folder in the figures and words of a
// status bar.
type status struct {
	Folder    string         `json:"folder"`
	Name      string         `json:"name,omitempty"`      // of the folder, where several are open
	Elsewhere string         `json:"elsewhere,omitempty"` // the other folders in which kernels are worse: "two ▲ 1"
	Seq       uint64         `json:"seq"`
	Verdict   string         `json:"verdict"`
	ExitCode  int            `json:"exitCode"`
	State     string         `json:"state"`
	Text      string         `json:"text"`
	Tooltip   string         `json:"tooltip"`
	Counts    statusCounts   `json:"counts"`
	Problems  map[string]int `json:"problems"`
	Run       *statusRun     `json:"run,omitempty"`
	Root      string         `json:"root"`
	Config    string         `json:"configuration,omitempty"`
	Version   string         `json:"version"`
	Baseline  statusBaseline `json:"baseline"`
	Dumps     statusDumps    `json:"dumps"`
}

type statusCounts struct {
	Total         int `json:"total"`
	Compared      int `json:"compared"`
	Unchanged     int `json:"unchanged"`
	Changed       int `json:"changed"`
	Worse         int `json:"worse"` // kernels; Worsened counts their figures, also the accepted
	Worsened      int `json:"worsened"`
	Improved      int `json:"improved"`
	Pending       int `json:"pending"`
	Edited        int `json:"edited"` // kernels with sources that were saved since their compile
	Untrustworthy int `json:"untrustworthy"`
}

// A statusRun is a run that is under way.
type statusRun struct {
	Began    string `json:"began"`
	Compiled int    `json:"compiled"`
	Known    int    `json:"known"`
}

type statusBaseline struct {
	Path    string `json:"path"`
	Exists  bool   `json:"exists"`
	Written string `json:"written,omitempty"`
	Undo    bool   `json:"undo"`
}

type statusDumps struct {
	Path    string `json:"path"`
	Exists  bool   `json:"exists"`
	Polling bool   `json:"polling"`
	Reason  string `json:"reason,omitempty"`
}

// statusOf sums up a folder.
func statusOf(f folderView) status {
	s := f.state
	st := status{
		Folder: string(f.uri), Seq: s.Seq,
		Verdict: s.Verdict.String(), ExitCode: s.Verdict.ExitCode(),
		Counts: statusCounts{Total: len(s.Kernels), Pending: s.Pending, Edited: s.Edited},
		Root:   f.config.Root, Config: f.config.File, Version: f.server.version,
		Problems: map[string]int{},
		Baseline: statusBaseline{Path: s.Baseline.Path, Exists: s.Baseline.Exists, Undo: s.Baseline.Undo},
		Dumps:    statusDumps{Path: s.Dumps.Path, Exists: s.Dumps.Exists, Polling: s.Dumps.Polling, Reason: s.Dumps.Reason},
	}
	if !s.Baseline.Written.IsZero() {
		st.Baseline.Written = s.Baseline.Written.Format(time.RFC3339)
	}
	if r := s.Run; r != nil {
		st.Run = &statusRun{r.Began.Format(time.RFC3339), r.Compiled, r.Known}
	}
	if r := s.Result; r != nil {
		st.Counts.Total, st.Counts.Compared, st.Counts.Unchanged, st.Counts.Changed = r.Total, r.Compared, r.Unchanged, r.Changed
		st.Counts.Worsened, st.Counts.Improved = r.Worsened, r.Improved
	}
	for _, p := range s.Problems {
		st.Problems[string(p.Code)]++
	}
	st.Counts.Worse = worseIn(s)
	for _, k := range s.Kernels {
		if k.Status == live.Untrustworthy || k.Status == live.OneSided {
			st.Counts.Untrustworthy++
		}
	}
	st.State, st.Text = barOf(s, st.Counts)
	st.Tooltip = report.EditorText(tooltip(s))
	return st
}

// worseIn counts the kernels that are worse.
func worseIn(s *live.State) (n int) {
	for _, k := range s.Kernels {
		if k.Status == live.Worse || k.Status == live.NoBaseline && len(k.Broken) > 0 {
			n++
		}
	}
	return n
}

// barOf is the short text of a status bar, and the name of its state. All that it counts
// are kernels.
func barOf(s *live.State, c statusCounts) (state, text string) {
	worse := ""
	if c.Worse > 0 {
		worse = fmt.Sprintf(" ▲ %d", c.Worse)
	}
	if len(s.Invalid) > 0 {
		return "untrustworthy", "isadiff ⚠ " + invalidTitle(s.Invalid) + worse
	}
	loose := slices.ContainsFunc(looseProblems(s), func(p problem.Problem) bool { return p.Code != problem.SourceEdited })
	doubt := ""
	if c.Untrustworthy > 0 {
		doubt = fmt.Sprintf(" ? %d%s", c.Untrustworthy, because(s))
	} else if loose {
		doubt = " ?" + strings.TrimPrefix(because(s), ":")
	}
	if s.Run != nil {
		underWay := " ◌ " + facts.UnderWay(s.Run)
		if s.Run.Known > 0 {
			underWay = fmt.Sprintf(" ◌ %d/%d", s.Run.Compiled, s.Run.Known)
		}
		state = "compiling"
		switch {
		case doubt != "":
			state = "untrustworthy"
		case worse != "":
			state = "regression"
		}
		return state, "isadiff" + worse + doubt + underWay
	}
	if c.Untrustworthy == 0 && nothingDumped(s) {
		if len(s.Kernels) == 0 {
			return "no-dumps", "isadiff no dumps"
		}
		return "no-dumps", fmt.Sprintf("isadiff … 0/%d", c.Total)
	}
	switch {
	case doubt != "":
		return "untrustworthy", "isadiff" + worse + doubt
	case worse != "":
		if why := because(s); why == ": "+string(problem.SourceEdited) {
			worse += " ?" // which follows
		} else if s.Verdict == diff.NotTrustworthy {
			worse += " ?" + strings.TrimPrefix(why, ":")
		}
		switch {
		case s.Edited > 0:
			worse += fmt.Sprintf(" ✎ %d", s.Edited)
		case s.Pending+s.Compiling > 0:
			worse += fmt.Sprintf(" … %d/%d", c.Total-s.Pending-s.Compiling, c.Total)
		}
		return "regression", "isadiff" + worse
	case s.Pending+s.Compiling > 0:
		return "pending", fmt.Sprintf("isadiff … %d/%d", c.Total-s.Pending-s.Compiling, c.Total)
	case s.Edited > 0:
		return "edited", fmt.Sprintf("isadiff ✎ %d", s.Edited)
	case s.Result == nil:
		return "no-baseline", "isadiff –"
	case s.Verdict.ExitCode() != 0:
		return "untrustworthy", "isadiff ?" + strings.TrimPrefix(because(s), ":")
	}
	return "ok", fmt.Sprintf("isadiff ✓ %d", c.Total)
}

// because names the gravest cause of a state that is not OK, and counts the other
// codes.
func because(s *live.State) string {
	causes := unshown(s)
	for _, k := range s.Kernels {
		if doubtful(k) {
			causes = append(causes, problem.Gravest(k.Problems))
		}
	}
	if len(causes) == 0 {
		return ""
	}
	text := ": " + string(problem.Gravest(causes).Code)
	if more := len(problem.Codes(causes)) - 1; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// doubtful reports whether a kernel has reasons to show why it cannot be judged, or
// not in all that it is judged by.
func doubtful(k *live.Kernel) bool {
	switch k.Status {
	case live.Pending, live.Compiling:
		return false
	}
	return len(k.Problems) > 0
}

// invalidTitle names the first place of a configuration that cannot be used.
func invalidTitle(ps []problem.Problem) string {
	p := ps[0]
	title := "configuration"
	if p.File != "" {
		title = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s (%s)", title, p.Code)
}

// nothingDumped reports whether nothing was compiled yet, as in a fresh checkout,
// and that is all there is to say: a state, and no fault of anything.
func nothingDumped(s *live.State) bool {
	for _, p := range looseProblems(s) {
		if p.Side == diff.SideBefore || p.Code != problem.InputNotFound && p.Code != problem.NoDumpFiles {
			return false
		}
	}
	return len(s.Invalid) == 0 && s.Compiling == 0 && len(s.Live.Records) == 0 && s.Baseline.Problem == nil
}

// looseProblems are the problems that no kernel shows: of files, of a side, of the
// baseline. A baseline that cannot be used adds the problems of its kernels, which are
// compared with nothing. Left out are that a pending kernel is only in the baseline,
// and the run under way, which the status shows.
func looseProblems(s *live.State) (ps []problem.Problem) {
	var stale map[identity]bool // failed compiles that kernels show
	for _, p := range s.Problems {
		refused := s.Baseline.Problem != nil && p.Side == diff.SideBefore
		switch {
		case s.Run != nil && (p.Code == problem.RunUnderWay || p.Code == problem.SourceEdited): // which it answers
		case p.Code == problem.DumpStale:
			if stale == nil {
				stale = staleOf(s)
			}
			if !stale[identityOf(p)] {
				ps = append(ps, p)
			}
		case p.Kernel == "" || refused || !shownBy(s, p):
			ps = append(ps, p)
		}
	}
	return ps
}

// staleOf returns the failed compiles that kernels show.
func staleOf(s *live.State) map[identity]bool {
	stale := map[identity]bool{}
	for _, k := range s.Kernels {
		for _, p := range k.Problems {
			if p.Code == problem.DumpStale {
				stale[identityOf(p)] = true
			}
		}
	}
	return stale
}

// shownBy reports whether the kernel of a problem shows it. Those that are on one
// side only do.
func shownBy(s *live.State, p problem.Problem) bool {
	if p.Code.OneSided() || p.Kernel == "" {
		return true
	}
	k := s.Kernel(p.Kernel)
	return k != nil && slices.ContainsFunc(k.Problems, func(q problem.Problem) bool { return q.Code == p.Code })
}

// tooltipProblems is how many problems a tooltip names.
const tooltipProblems = 3

// tooltip is the first problems with their mend, what the kernels are, the verdict, and
// what else there is to know.
func tooltip(s *live.State) string {
	var lines []string
	shown := 0
	add := func(p problem.Problem) {
		if shown < tooltipProblems {
			lines = append(lines, string(p.Code)+": "+p.Message)
		}
		shown++
	}
	for _, p := range s.Invalid {
		p.Message = withMend(p)
		add(p)
	}
	for _, p := range folderProblems(s) {
		if !slices.Contains(s.Invalid, p) {
			p.Message = withMend(p)
			add(p)
		}
	}
	whole := folded(s)
	for _, k := range s.Kernels {
		if doubtful(k) && string(problem.Gravest(k.Problems).Code) != whole {
			p := problem.Gravest(k.Problems)
			p.Message = doubtMessage(k, p)
			add(p)
		}
	}
	if shown > tooltipProblems {
		lines = append(lines, fmt.Sprintf("and %d more problems", shown-tooltipProblems))
	}
	lines = append(lines, verdictLines(s)...)
	if s.Compiling > 0 && s.Run == nil {
		lines = append(lines, compilingLine(s))
	}
	for i, w := range s.Warnings {
		if i == tooltipProblems {
			lines = append(lines, fmt.Sprintf("and %d more warnings", len(s.Warnings)-i))
			break
		}
		lines = append(lines, "warning: "+oneLine(w))
	}
	if s.Dumps.Polling && s.Dumps.Reason != "" {
		lines = append(lines, "the dumps are polled: "+oneLine(s.Dumps.Reason))
	}
	return strings.Join(lines, "\n")
}

// verdictLines count the kernels by what is known of them, and give the verdict.
func verdictLines(s *live.State) []string {
	verdict := "RESULT: " + s.Verdict.String()
	if s.Run != nil {
		verdict += " until the run has ended"
	}
	if s.Refused {
		return []string{facts.Counts(s), verdict}
	}
	counts := kernelCounts(s)
	if s.Result == nil && s.Baseline.Problem == nil {
		counts += "; there is no baseline yet"
	}
	return []string{counts, verdict}
}

// kernelCounts: "15 kernels: 2 worse, 1 cannot be judged, 12 unchanged".
func kernelCounts(s *live.State) string {
	var n [8]int
	for _, k := range s.Kernels {
		switch k.Status {
		case live.Worse:
			n[0]++
		case live.NoBaseline:
			if len(k.Broken) > 0 {
				n[0]++
			} else if s.Baseline.Problem != nil {
				n[7]++ // else that is said of all
			}
		case live.Untrustworthy, live.OneSided:
			n[1]++
		case live.Better:
			n[2]++
		case live.Compiling:
			n[3]++
		case live.Pending:
			n[4]++
		case live.Edited:
			n[5]++
		default:
			n[6]++
		}
	}
	var parts []string
	for i, word := range [...]string{"worse", "cannot be judged", "better", "compiling", "pending", "edited since", "not worse", "without a baseline"} {
		if n[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[i], word))
		}
	}
	return strings.TrimSuffix(problem.Count(len(s.Kernels), "kernel")+": "+strings.Join(parts, ", "), ": ")
}

// compilingLine names what a compile is under way of.
func compilingLine(s *live.State) string {
	var names []string
	for _, k := range s.Kernels {
		if k.Status == live.Compiling && len(names) < tooltipProblems {
			names = append(names, name(k))
		}
	}
	text := strings.Join(names, ", ")
	if more := s.Compiling - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "a compile is under way, and the figures are those of the last one: " + text
}

// statusCommand answers isadiff.status.
func (v *view) statusCommand(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	return v.statusIn(f), nil
}

// statusIn is the status of a folder among the others.
func (v *view) statusIn(f folderView) status {
	st := statusOf(f)
	if len(v.folders) < 2 {
		return st
	}
	st.Name = report.EditorLine(f.name)
	var others []string
	for _, other := range v.folders {
		if other.folder == f.folder || other.state == nil {
			continue
		}
		if n := worseIn(other.state); n > 0 {
			others = append(others, report.EditorLine(fmt.Sprintf("%s ▲ %d", oneLine(other.name), n)))
		}
	}
	st.Elsewhere = strings.Join(others, " · ")
	return st
}
