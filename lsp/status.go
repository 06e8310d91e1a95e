package lsp

import (
	"cmp"
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
	Folder   string         `json:"folder"`
	Seq      uint64         `json:"seq"`
	Verdict  string         `json:"verdict"`
	ExitCode int            `json:"exitCode"`
	State    string         `json:"state"`
	Text     string         `json:"text"`
	Tooltip  string         `json:"tooltip"`
	Counts   statusCounts   `json:"counts"`
	Problems map[string]int `json:"problems"`
	Run      *statusRun     `json:"run,omitempty"`
	Root     string         `json:"root"`
	Config   string         `json:"configuration,omitempty"`
	Version  string         `json:"version"`
	Baseline statusBaseline `json:"baseline"`
	Dumps    statusDumps    `json:"dumps"`
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
	for _, k := range s.Kernels {
		switch k.Status {
		case live.Worse:
			st.Counts.Worse++
		case live.NoBaseline:
			if len(k.Broken) > 0 {
				st.Counts.Worse++
			}
		case live.Untrustworthy, live.OneSided:
			st.Counts.Untrustworthy++
		}
	}
	st.State, st.Text = barOf(s, st.Counts)
	st.Tooltip = report.EditorText(tooltip(s))
	return st
}

// barOf is the short text of a status bar, and the name of its state.
func barOf(s *live.State, c statusCounts) (state, text string) {
	if len(s.Invalid) > 0 {
		text = "isadiff ? " + invalidTitle(s.Invalid)
		if c.Worse > 0 {
			text += fmt.Sprintf(" ▲ %d", c.Worse)
		}
		return "untrustworthy", text
	}
	loose := 0
	for _, p := range looseProblems(s) {
		if p.Code != problem.SourceEdited {
			loose++
		}
	}
	if s.Run != nil {
		return barOfRun(s, c, loose)
	}
	if c.Untrustworthy == 0 && nothingDumped(s) {
		if len(s.Kernels) == 0 {
			return "no-dumps", "isadiff no dumps"
		}
		return "no-dumps", fmt.Sprintf("isadiff … 0/%d", c.Total)
	}
	switch {
	case c.Untrustworthy > 0:
		text = fmt.Sprintf("isadiff ? %d untrustworthy", c.Untrustworthy) + because(s)
		if c.Worse > 0 {
			text += fmt.Sprintf(" ▲ %d", c.Worse)
		}
		return "untrustworthy", text
	case loose > 0:
		return "untrustworthy", fmt.Sprintf("isadiff ? %d untrustworthy", loose) + because(s)
	case c.Worse > 0:
		text = fmt.Sprintf("isadiff ▲ %d of %d", c.Worse, c.Total)
		if s.Edited > 0 {
			text += " · edited since"
		} else if why := because(s); why != "" {
			text += " ?" + strings.TrimPrefix(why, ":")
		}
		return "regression", text
	case s.Pending+s.Compiling > 0:
		return "pending", fmt.Sprintf("isadiff … %d/%d", c.Total-s.Pending-s.Compiling, c.Total)
	case s.Edited > 0:
		return "edited", fmt.Sprintf("isadiff … %d edited since", s.Edited)
	case s.Result == nil:
		return "no-baseline", fmt.Sprintf("isadiff %d, no baseline", len(s.Kernels))
	case s.Verdict.ExitCode() != 0:
		return "untrustworthy", fmt.Sprintf("isadiff ? %d untrustworthy", max(len(s.Problems), 1)) + because(s)
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

// barOfRun is barOf while a run is under way: what is certain already comes before how
// far it has come.
func barOfRun(s *live.State, c statusCounts, loose int) (state, text string) {
	underWay := facts.UnderWay(s.Run)
	switch n := cmp.Or(c.Untrustworthy, loose); {
	case n > 0 && c.Worse > 0:
		return "untrustworthy", fmt.Sprintf("isadiff ? %d untrustworthy%s ▲ %d, %s", n, because(s), c.Worse, underWay)
	case n > 0:
		return "untrustworthy", fmt.Sprintf("isadiff ? %d untrustworthy%s, %s", n, because(s), underWay)
	case c.Worse > 0:
		return "regression", fmt.Sprintf("isadiff ▲ %d, %s", c.Worse, underWay)
	}
	return "compiling", "isadiff … " + underWay
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

// tooltip is the verdict line and the first problems with their mend.
func tooltip(s *live.State) string {
	lines := []string{verdictLine(s)}
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
	for _, p := range unshown(s) {
		if !slices.Contains(s.Invalid, p) {
			p.Message = withMend(p)
			add(p)
		}
	}
	for _, k := range s.Kernels {
		if doubtful(k) {
			p := problem.Gravest(k.Problems)
			p.Message = doubtMessage(k, p)
			add(p)
		}
	}
	if shown > tooltipProblems {
		lines = append(lines, fmt.Sprintf("and %d more", shown-tooltipProblems))
	}
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
	return statusOf(f), nil
}
