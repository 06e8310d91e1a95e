package lsp

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// The codes of findings that are no problem of the contract.
const (
	codeRegression    = "regression"
	codeImproved      = "improved"
	codeConfiguration = "configuration"
	codeOverwritten   = string(problem.Overwritten)
	codeUnlaunchable  = "cannot-be-launched" // and that is no regression
)

// A finding is what a diagnostic says of the kernels of one definition.
type finding struct {
	Code     string
	Severity project.Severity
	Message  string
	Kernel   *live.Kernel // the one that it is about
}

// findings returns at most one finding a kind for the kernels of one definition
// (the worst first): what got worse, what cannot be launched, what cannot be judged, and, where that is
// wanted, what got better; and what was overwritten before it could be compared.
func findings(cfg *project.Config, ks []*live.Kernel) []finding {
	var worse, doubt, better, lost, refused, none *finding
	nWorse, nDoubt, nLost, nRefused := 0, 0, 0, 0
	var label func(*live.Kernel) string
	if len(ks) > 1 {
		label = variantLabels(ks)
	}
	for _, k := range ks {
		if other := k.OtherSource(); other != "" {
			if lost == nil {
				lost = &finding{codeOverwritten, cfg.Severity("overwritten"), oneLine(name(k) + ": " + other), k}
			}
			nLost++
		}
		if why := facts.Unlaunchable(k); why != "" && (k.Row == nil || k.Row.Unlaunchable == "") {
			if refused == nil {
				refused = &finding{codeUnlaunchable, project.Warning, name(k) + " " + why, k}
			}
			nRefused++
		}
		f := judge(cfg, k)
		if f.Code == codeRegression && doubtful(k) { // both are said
			p := problem.Gravest(k.Problems)
			if nDoubt++; doubt == nil {
				doubt = doubtOf(cfg, k, p)
			}
		}
		slot := &none
		switch f.Code {
		case "":
			continue
		case codeRegression:
			slot = &worse
			nWorse++
		case codeImproved:
			slot = &better
		default:
			slot = &doubt
			nDoubt++
		}
		if k.Place.Match == locate.Ambiguous {
			f.Severity = min(f.Severity, cfg.Severity("ambiguous"))
			f.Message += " (" + facts.PlaceNote(k) + ")"
		}
		if k.Live != nil && len(k.Edited) > 0 {
			f.Message += " (edited since)"
		} else if k.Live != nil && k.Stale {
			f.Message += " (older than this file)"
		}
		if len(ks) > 1 {
			f.Message = name(k) + " (" + label(k) + ")" + strings.TrimPrefix(f.Message, name(k))
		}
		if *slot == nil || f.Severity > (*slot).Severity {
			*slot = &f
		}
	}
	var all []finding
	add := func(f *finding, n int, word string) {
		if f == nil || f.Severity == project.Off {
			return
		}
		if n > 1 {
			f.Message += fmt.Sprintf(" · %d of %d variants %s", n, len(ks), word)
		}
		all = append(all, *f)
	}
	add(worse, nWorse, "got worse")
	add(refused, nRefused, "cannot be launched")
	add(doubt, nDoubt, "cannot be judged")
	add(better, 0, "")
	add(lost, nLost, "were overwritten")
	return all
}

// judge returns what there is to say of one kernel; its Code is "" if nothing.
func judge(cfg *project.Config, k *live.Kernel) finding {
	switch k.Status {
	case live.Compiling:
		// What the last compile did stands until this one has ended: most of them
		// change nothing, and it would go and come back.
		if k.Row != nil && k.Row.Failed() {
			return finding{codeRegression, regressionSeverity(cfg, k), regressionMessage(k), k}
		}
		if k.Row == nil && len(k.Broken) > 0 {
			return finding{codeRegression, cfg.Severity("budget"), budgetMessage(k), k}
		}
	case live.Worse:
		return finding{codeRegression, regressionSeverity(cfg, k), regressionMessage(k), k}
	case live.Better:
		return finding{codeImproved, cfg.Severity("improved"), name(k) + " got better: " + strings.Join(gains(k.Row), ", ") + " [" + processor(k) + "]", k}
	case live.Untrustworthy:
		if len(k.Problems) == 0 {
			return finding{string(problem.CountMissing), cfg.Severity("untrustworthy"), name(k) + " cannot be judged: " + unreadMetrics(k), k}
		}
		return *doubtOf(cfg, k, problem.Gravest(k.Problems))
	case live.NoBaseline:
		if len(k.Broken) > 0 {
			return finding{codeRegression, cfg.Severity("budget"), budgetMessage(k), k}
		}
	case live.OneSided:
		code := problem.OnlyInBefore
		if k.Live != nil {
			code = problem.OnlyInAfter
		}
		return *doubtOf(cfg, k, problem.New(code, ""))
	}
	return finding{}
}

// doubtOf is the finding of a problem.
func doubtOf(cfg *project.Config, k *live.Kernel, p problem.Problem) *finding {
	return &finding{string(p.Code), cfg.Severity(p.Code.SeverityKey()), doubtMessage(k, p), k}
}

// regressionSeverity is the highest severity of what got worse.
func regressionSeverity(cfg *project.Config, k *live.Kernel) project.Severity {
	level := project.Off
	if k.Row.Unlaunchable != "" {
		level = project.Warning // whatever the figures are worth
	}
	for _, c := range facts.Of(facts.Changes(k.Row), facts.Worse) {
		key := "occupancy"
		if !c.Waves {
			key = resource.Metrics[c.Metric].Severity
		}
		level = max(level, cfg.Severity(key))
	}
	if len(k.Broken) > 0 {
		level = max(level, cfg.Severity("budget"))
	}
	return level
}

// regressionMessage: "window_filter_0 spills: vgpr_spill 0 → 136, scratch 0 → 276
// B; vgpr 88 → 127 (+39) [gfx942]".
func regressionMessage(k *live.Kernel) string {
	changes := facts.Of(facts.Changes(k.Row), facts.Worse)
	if len(facts.Metrics(changes)) == 0 && k.Row.Unlaunchable == "" {
		return budgetMessage(k)
	}
	var memory, rest, waves []string
	for _, c := range changes {
		switch text := deltaText(c); {
		case c.Waves:
			waves = append(waves, text)
		case c.Spills():
			memory = append(memory, text)
		default:
			rest = append(rest, text)
		}
	}
	var groups []string
	if k.Row.Unlaunchable != "" {
		groups = append(groups, k.Row.Unlaunchable)
	}
	for _, group := range [][]string{memory, waves, rest} {
		if len(group) > 0 {
			groups = append(groups, strings.Join(group, ", "))
		}
	}
	groups = append(groups, budgets(k)...)
	message := fmt.Sprintf("%s %s: %s [%s]", name(k), verdictOf(k), strings.Join(groups, "; "), processor(k))
	if k.Remade.CompilerChanged() {
		message += " (the compiler changed, not the kernel)"
	}
	return message
}

// verdictOf says in a word what a kernel does worse: "spills", "loses waves"; "" if that
// is no figure.
func verdictOf(k *live.Kernel) string {
	changes := facts.Of(facts.Changes(k.Row), facts.Worse)
	switch {
	case k.Row.Unlaunchable != "":
		return "cannot be launched"
	case len(changes) == 0:
		return ""
	case spills(k.Row):
		return "spills"
	case changes[0].Spills():
		return "uses more scratch memory"
	case changes[0].Waves:
		return "loses waves"
	case !slices.ContainsFunc(changes, func(c facts.Change) bool { return c.Metric != resource.LDSStaticBytes }):
		return "uses more LDS"
	}
	return "uses more registers"
}

// budgetMessage: "window_filter_0 breaks a budget: 127 breaks vgpr <= 120
// (isadiff.toml:4) [gfx942]".
func budgetMessage(k *live.Kernel) string {
	var parts []string
	for _, b := range k.Broken {
		parts = append(parts, fmt.Sprintf("%d breaks %s (%s)", b.Figure, b.Budget, b.Where))
	}
	return fmt.Sprintf("%s breaks a budget: %s [%s]", name(k), strings.Join(parts, ", "), processor(k))
}

// spills reports whether more registers are spilled than before.
func spills(row *diff.Row) bool {
	v, _ := row.Delta(resource.VGPRSpill)
	s, _ := row.Delta(resource.SGPRSpill)
	return v > 0 || s > 0
}

// gains writes what got better.
func gains(row *diff.Row) (parts []string) {
	for _, c := range facts.Metrics(facts.Of(facts.Changes(row), facts.Better)) {
		parts = append(parts, deltaText(c))
	}
	return parts
}

// deltaText writes a change: "vgpr_spill 0 → 136", "scratch 0 → 276 B", "vgpr 88 → 127
// (+39)", "5 → 4 waves per SIMD". The change itself is written where it cannot be read
// off, which it can where there was nothing before or is nothing after.
func deltaText(c facts.Change) string {
	if c.Waves {
		return fmt.Sprintf("%d → %d waves per SIMD", c.Before, c.After)
	}
	text := fmt.Sprintf("%s %d → %d", c.Metric.Long(), c.Before, c.After)
	if strings.HasPrefix(resource.Metrics[c.Metric].Unit, "bytes") {
		text += " B"
	}
	if c.Before != 0 && c.After != 0 {
		text += " (" + signed(c.Delta()) + ")"
	}
	return text
}

// doubtMessage: "window_filter_0 cannot be judged: 22_final_isa.s is cut short at
// line 913; compile again".
func doubtMessage(k *live.Kernel, p problem.Problem) string {
	if p.Code.OneSided() {
		return name(k) + " is " + tersely(k, p)
	}
	if p.Code == problem.Overwritten { // a hover has the figures of each
		const end = ", and only the last is left"
		if head, _, found := strings.Cut(p.Message, end); found {
			p.Message = head + end
		}
	}
	return name(k) + " cannot be judged: " + tersely(k, p)
}

// oneSided: "only in the baseline, renamed to average_columns_0?".
func oneSided(k *live.Kernel) string {
	text, other, word := "only in the baseline", k.RenamedTo, "to"
	if k.Live != nil {
		text, other, word = "only in the new dump", k.RenamedFrom, "from"
	}
	if other != "" {
		text += ", renamed " + word + " " + bare(other) + "?"
	}
	if k.Proposed != nil {
		text += " As a pair: " + report.Proposed(k.Proposed)
	}
	return text
}

// tersely is a problem's message with its mend, where it is clear which kernel is
// meant: without the key, and without the folder in front of the file's name.
func tersely(k *live.Kernel, p problem.Problem) string {
	if p.Code.OneSided() {
		p.Message = oneSided(k)
		return withMend(p)
	}
	if rest, ok := strings.CutPrefix(p.Message, k.Key+": "); ok {
		p.Message = rest
	} else if rest, ok := strings.CutPrefix(p.Message, p.File); ok && p.File != "" {
		p.Message = path.Base(p.File) + rest
	}
	return withMend(p)
}

// withMend is a problem's message with what to do about it.
func withMend(p problem.Problem) string {
	message := strings.TrimSuffix(oneLine(p.Message), ".")
	if mend := p.Mend(); mend != "" {
		message += "; " + oneLine(mend)
	}
	return message
}

// unreadMetrics names the figures that could not be read.
func unreadMetrics(k *live.Kernel) string {
	var parts []string
	for m, c := range facts.Record(k).Cells {
		if c.State == resource.Unparsed {
			parts = append(parts, fmt.Sprintf("%s (%s)", resource.Metric(m), c.Reason))
		}
	}
	return strings.Join(parts, ", ")
}
