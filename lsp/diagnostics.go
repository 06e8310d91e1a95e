package lsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// diagnosticData is what a diagnostic carries for the code actions on it.
type diagnosticData struct {
	Folder string `json:"folder"`
	Kernel string `json:"kernel,omitempty"`
	Code   string `json:"code"`
	// Baseline is when the baseline was taken.
	Baseline string `json:"baseline,omitempty"`
}

// A fileReport makes the diagnostics of one file.
type fileReport []func() []protocol.Diagnostic

// diagnostics makes the file's list; it is never nil, which would encode as null.
func (r fileReport) diagnostics() []protocol.Diagnostic {
	all := []protocol.Diagnostic{}
	for _, f := range r {
		all = append(all, f()...)
	}
	return all
}

// reports returns the files that may have diagnostics, of all folders, open or
// not: all of them, or those of a set. Nothing is made yet.
func (v *view) reports(only touched) map[string]fileReport {
	all := map[string]fileReport{}
	add := func(path string, f func() []protocol.Diagnostic) {
		if only == nil || only[path] {
			all[path] = append(all[path], f)
		}
	}
	for _, f := range v.folders {
		if f.state == nil {
			continue
		}
		whole := folded(f.state)
		for path := range f.state.Sources {
			if only == nil || only[path] {
				add(path, func() []protocol.Diagnostic { return v.sourceDiagnostics(f, path, whole) })
			}
		}
		for _, k := range f.state.Kernels {
			if k.Place.Match == locate.None && noteworthy(k) {
				add(placeless(f.state, k), func() []protocol.Diagnostic { return v.kernelDiagnostics(f, k, whole) })
			}
		}
		for _, p := range folderProblems(f.state) {
			if path := f.placeOf(f.state, p); path != "" {
				add(path, func() []protocol.Diagnostic { return v.problemDiagnostics(f, p) })
			}
		}
		for _, fault := range f.state.Unread {
			add(f.config.Accepted, func() []protocol.Diagnostic {
				return v.faultDiagnostics(f, project.Fault{Origin: project.Origin{Line: fault.Line}, Message: filepath.Base(f.config.Accepted) + ": " + fault.Message})
			})
		}
		for _, fault := range f.config.Faults {
			if fault.File != "" {
				add(fault.File, func() []protocol.Diagnostic { return v.faultDiagnostics(f, fault) })
			}
		}
	}
	return all
}

// noteworthy reports whether a kernel may have a diagnostic.
func noteworthy(k *live.Kernel) bool {
	switch k.Status {
	case live.Worse, live.Untrustworthy, live.OneSided, live.Better, live.Compiling:
		return true
	}
	return len(k.Broken) > 0 || k.OtherSource() != "" || doubtful(k) || facts.Unlaunchable(k) != ""
}

// placeless is where to show a kernel that belongs to no definition: its
// assembly, or the baseline if that is all there is of it.
func placeless(s *live.State, k *live.Kernel) string {
	return cmp.Or(k.File, baselineFile(s, k), s.Baseline.Path)
}

// sourceDiagnostics are those of the definitions in a Python file, but for the code that
// is said of the whole tree.
func (v *view) sourceDiagnostics(f folderView, path, whole string) (all []protocol.Diagnostic) {
	src := v.sourceIn(f, path)
	for _, d := range src.defs {
		for _, found := range findings(f.config, d.Kernels) {
			if found.Code == whole {
				continue
			}
			all = append(all, v.diagnostic(f, found, v.ident(src, d.Definition)))
		}
	}
	return all
}

// kernelDiagnostics is that of a kernel that is shown on its label.
func (v *view) kernelDiagnostics(f folderView, k *live.Kernel, whole string) (all []protocol.Diagnostic) {
	line := 0
	if k.Live != nil {
		line = labelLine(k.Live)
	} else if f.state.Baseline.Dir && k.Baseline != nil {
		line = labelLine(k.Baseline)
	}
	for _, found := range findings(f.config, []*live.Kernel{k}) {
		if found.Code == whole {
			continue
		}
		all = append(all, v.diagnostic(f, found, wholeLine(line)))
	}
	return all
}

// labelLine is the 1-based line that stands for a kernel in its assembly: its
// label or, where that is missing, its metadata.
func labelLine(r *resource.Record) int {
	if r.Sites.Label > 0 {
		return r.Sites.Label
	}
	return r.Sites.Metadata
}

// wholeLine is the range of a 1-based line; that of the first if there is none.
func wholeLine(line int) protocol.Range {
	n := uint32(max(line-1, 0))
	return protocol.Range{Start: protocol.Position{Line: n}, End: protocol.Position{Line: n + 1}}
}

// unshown are the problems that count for the verdict and that no kernel shows.
func unshown(s *live.State) []problem.Problem {
	loose := looseProblems(s)
	if len(loose) == 0 {
		return nil
	}
	shown := map[identity]bool{}
	for _, k := range s.Kernels {
		for _, p := range k.Problems {
			shown[identityOf(p)] = true
		}
	}
	var rest []problem.Problem
	for _, p := range loose {
		if !shown[identityOf(p)] {
			rest = append(rest, p)
		}
	}
	return rest
}

// An identity is what a problem is about, however it is worded for a kernel or
// for a side.
type identity struct {
	code   problem.Code
	file   string
	text   string // of one that is in no file
	before bool
}

func identityOf(p problem.Problem) identity {
	id := identity{code: p.Code, file: p.File, before: p.Side == diff.SideBefore}
	if p.File == "" {
		id.text = p.Message
	}
	return id
}

// fileOf is the file that a problem of a side is in; "" if it is in none that an
// editor could open, but in a folder or in what is not there.
func (f folderView) fileOf(s *live.State, p problem.Problem) string {
	root := s.Dumps.Path
	if p.Code == problem.SourceEdited {
		return filepath.Join(f.config.Root, filepath.FromSlash(p.File))
	}
	if p.Side == diff.SideBefore {
		root = s.Baseline.Path
	}
	path := filepath.FromSlash(p.File)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	if f.isAssembly(path) || filepath.Ext(path) == ".json" {
		return filepath.Clean(path)
	}
	return ""
}

// placeOf is the file that shows a problem of a side: the file that it is in, else the
// file that configures the project or the first one that defines kernels; "" if there is
// none. It is "" too for what is shown in the configuration's own file, and if nothing
// was compiled yet, which is no problem.
func (f folderView) placeOf(s *live.State, p problem.Problem) string {
	if path := f.fileOf(s, p); path != "" {
		return path
	}
	if slices.Contains(s.Invalid, p) && p.File != "" || nothingDumped(s) {
		return ""
	}
	if f.config.File != "" {
		return f.config.File
	}
	first := ""
	for path := range s.Sources {
		if first == "" || path < first {
			first = path
		}
	}
	return first
}

// problemDiagnostics is that of a problem that concerns no kernel.
func (v *view) problemDiagnostics(f folderView, p problem.Problem) []protocol.Diagnostic {
	severity := f.config.Severity(p.Code.SeverityKey())
	if severity == project.Off {
		return nil
	}
	line := p.Line
	if f.fileOf(f.state, p) == "" {
		line = 0 // it is of something else
	}
	return []protocol.Diagnostic{v.linked(newDiagnostic(wholeLine(line), severity, string(p.Code), withMend(p),
		diagnosticData{Folder: string(f.uri), Code: string(p.Code)}), string(p.Code))}
}

// faultDiagnostics is that of a key of the configuration that cannot be used.
func (v *view) faultDiagnostics(f folderView, fault project.Fault) []protocol.Diagnostic {
	severity := f.config.Severity("configuration")
	if severity == project.Off {
		return nil
	}
	code, message := codeConfiguration, fault.Message
	if slices.Contains(f.config.Invalid(), fault) {
		p := f.config.Problem(fault)
		code, message = string(p.Code), fault.Message+"; "+p.Mend()
	}
	return []protocol.Diagnostic{v.linked(newDiagnostic(wholeLine(fault.Line), severity, code, message, diagnosticData{Folder: string(f.uri), Code: code}), code)}
}

// diagnostic makes the diagnostic of a finding.
func (v *view) diagnostic(f folderView, found finding, at protocol.Range) protocol.Diagnostic {
	data := diagnosticData{Folder: string(f.uri), Kernel: found.Kernel.Key, Code: found.Code}
	if t := f.state.Baseline.Written; !t.IsZero() {
		data.Baseline = t.Format(time.RFC3339Nano)
	}
	d := v.linked(newDiagnostic(at, found.Severity, found.Code, found.Message, data), found.Code)
	if v.client.related {
		d.RelatedInformation = v.related(f, found)
	}
	return d
}

// newDiagnostic makes a diagnostic with all that must not be left unset.
func newDiagnostic(at protocol.Range, severity project.Severity, code, message string, data diagnosticData) protocol.Diagnostic {
	raw, err := json.Marshal(data)
	if err != nil { // strings only
		panic(err)
	}
	return protocol.Diagnostic{
		Range: at, Severity: severities[severity], Code: protocol.String(code),
		Source: protocol.NewOptional("isadiff"), Message: protocol.String(report.EditorLine(message)), Data: raw,
	}
}

var severities = map[project.Severity]protocol.DiagnosticSeverity{
	project.Error: protocol.DiagnosticSeverityError, project.Warning: protocol.DiagnosticSeverityWarning,
	project.Information: protocol.DiagnosticSeverityInformation, project.Hint: protocol.DiagnosticSeverityHint,
}

// related leads from a diagnostic to the first spill or the label in the
// assembly, and to the baseline.
func (v *view) related(f folderView, found finding) (all []protocol.DiagnosticRelatedInformation) {
	k := found.Kernel
	add := func(path string, line int, message string) {
		all = append(all, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: v.docs.uriOf(path), Range: wholeLine(line)}, Message: report.EditorLine(message),
		})
	}
	if k.File != "" && k.Live != nil {
		sites, base := k.Live.Sites, filepath.Base(k.File)
		switch {
		case found.Code == codeRegression && sites.FirstSpill > 0 && k.Row != nil && spills(k.Row):
			message := fmt.Sprintf("first spill store · %s:%d", base, sites.FirstSpill)
			if sites.SpillLine > 0 {
				message += fmt.Sprintf(" (near %s:%d)", filepath.Base(sites.SpillPath), sites.SpillLine)
			}
			add(k.File, sites.FirstSpill, message)
		case sites.Label > 0:
			add(k.File, sites.Label, fmt.Sprintf("the kernel's assembly · %s:%d", base, sites.Label))
		default:
			add(k.File, 0, base)
		}
	}
	if k.Baseline != nil && f.state.Baseline.Exists {
		message := "baseline · " + relativeTo(f.config.Root, f.state.Baseline.Path)
		path := cmp.Or(baselineFile(f.state, k), f.state.Baseline.Path)
		if t := f.state.Baseline.Written; !t.IsZero() {
			message += ", taken " + t.Local().Format("2006-01-02 15:04") // an age would be wrong by the time that it is read
		}
		add(path, 0, message)
	}
	return all
}

// fileURI is the URI of a path as the client spells it.
func (v *view) fileURI(path string) uri.URI { return v.docs.uriOf(path) }
