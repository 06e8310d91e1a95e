package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"go.lsp.dev/protocol"

	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

// A whyKey is the two sides of a kernel, and which state of their files was read.
type whyKey struct {
	before, after   *resource.Record
	sum             [32]byte // of the snapshot that before is of
	written, dumped regular.Stamp
}

// A seenWhy is what is kept of a comparison of instructions.
type seenWhy struct {
	marks  []report.LineMark // the worst first
	reason string            // where no line can be told
	bare   bool              // the dump has no debug locations
}

// whysKept bounds how many comparisons are kept.
const whysKept = 256

// whyOf compares the instructions of a kernel on both sides, in files of at most
// causesMaxSize bytes; nil if they are missing or cannot be trusted, or if ctx ends.
func (v *view) whyOf(ctx context.Context, s *live.State, k *live.Kernel) *seenWhy {
	key, ok := whyKeyOf(s, k)
	if !ok {
		return nil
	}
	if seen, ok := v.whys.get(key); ok {
		return seen
	}
	select {
	case v.comparing <- struct{}{}:
		defer func() { <-v.comparing }()
	case <-ctx.Done():
		return nil
	}
	if seen, ok := v.whys.get(key); ok {
		return seen
	}
	told, err := trace.WhyOf(ctx, s.Result, k.Row, trace.WhyOptions{})
	if err != nil || len(told.Kernels) == 0 || len(told.Problems) > 0 {
		return nil // what is missing today may be there tomorrow
	}
	seen := &seenWhy{marks: report.WhyMarks(&told.Kernels[0]), bare: lackingLines(told)}
	if report.WhyPlaceless(&told.Kernels[0]) != "" {
		seen.reason = report.WhyReason(told.Kernels[0].Comparison)
	}
	v.whys.put(key, seen)
	return seen
}

// whyKeyOf returns what a comparison of a kernel's instructions would be of; ok is false
// if there is nothing to compare, or too much.
func whyKeyOf(s *live.State, k *live.Kernel) (key whyKey, ok bool) {
	if !changedKernel(k) || s.Result == nil || s.Result.Before == nil || s.Result.After == nil {
		return key, false
	}
	before, err := regular.Stat(trace.AssemblyFile(s.Result.Before, k.Row.Before))
	if err != nil || !s.Result.Before.Snapshot && before.Size > causesMaxSize {
		return key, false
	}
	after, err := regular.Stat(trace.AssemblyFile(s.Result.After, k.Row.After))
	if err != nil || after.Size > causesMaxSize {
		return key, false
	}
	return whyKey{k.Row.Before, k.Row.After, s.Result.Before.Sum, before, after}, true
}

// changedKernel reports whether figures of a kernel differ from the baseline's, so that
// there is a reason to be told.
func changedKernel(k *live.Kernel) bool {
	return k.Row != nil && k.Row.Comparable() && len(k.Row.Deltas) > 0
}

// whyAction offers the reason of a change; nothing without one.
func whyAction(f *folder, k *live.Kernel) []action {
	if !changedKernel(k) {
		return nil
	}
	return []action{{"why", commandWhy, commandArgs{Folder: string(f.uri), Kernel: k.Key}}}
}

// A whySheet is the answer of isadiff.why.
type whySheet struct {
	Kernel string    `json:"kernel"`
	Title  string    `json:"title"`
	Lines  []whyLine `json:"lines"`
	URI    string    `json:"uri,omitempty"` // of the Markdown page, where the client does not show the lines
}

// A whyLine is a line of text, and the 0-based line of a source that it is about.
type whyLine struct {
	Text    string       `json:"text"`
	URI     string       `json:"uri,omitempty"`
	Line    *uint32      `json:"line,omitempty"`
	Command *commandItem `json:"command,omitempty"` // what the line offers to do
}

// why shows what became of a kernel's instructions: a client that shows answers gets the
// lines, any other one a Markdown page in the project.
func (v *view) why(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	if a.Kernel == "" {
		return nil, errNoKernelNamed
	}
	k := f.state.Kernel(a.Kernel)
	switch {
	case k == nil:
		return nil, fmt.Errorf("%s: %w", a.Kernel, live.ErrNoKernel)
	case f.state.Result == nil:
		return nil, fmt.Errorf("%s: there is no baseline to compare with; take one, change the kernel and compile again", bare(k.Key))
	case k.Row == nil || k.Row.Before == nil || k.Row.After == nil:
		return nil, fmt.Errorf("%s is not both in the baseline and in the dumps, so there is nothing to compare", bare(k.Key))
	}
	for _, r := range []*resource.Record{k.Row.Before, k.Row.After} {
		side := f.state.Result.Before
		if r == k.Row.After {
			side = f.state.Result.After
		}
		if info, err := os.Stat(trace.AssemblyFile(side, r)); err == nil && !side.Snapshot && info.Size() > causesMaxSize {
			return nil, fmt.Errorf("%s is too large to be compared in an editor; compare in a terminal: isadiff why %s %s", r.Source,
				problem.Quoted(f.state.Result.Before.Origin), problem.Quoted(f.state.Result.After.Origin))
		}
	}
	w, err := v.compareInstructions(ctx, f, k)
	if err != nil {
		return nil, err
	}
	placed := k // whose sources the lines are of
	var offers []action
	switch {
	case !lackingLines(w):
	case a.Lines:
		if w, placed, err = v.recompiled(ctx, f, k, token); err != nil {
			return nil, err
		}
	default:
		offers = linesAction(f, k)
	}
	place := v.placer(f, placed)
	sheet := whySheet{Kernel: k.Key, Title: report.EditorLine("why " + name(k))}
	for _, l := range report.WhySheet(w) {
		line := whyLine{Text: l.Text}
		if path, at := place(l.Source); path != "" {
			line.URI, line.Line = string(v.fileURI(path)), &at
		}
		sheet.Lines = append(sheet.Lines, line)
	}
	for _, o := range offers {
		c := o.command(o.Title)
		sheet.Lines = append(sheet.Lines, whyLine{Text: "  " + o.Title, Command: &commandItem{c.Title, c.Command, []json.RawMessage{json.RawMessage(c.Arguments[0])}}})
	}
	if v.client.status {
		return sheet, nil
	}
	page := report.WhyMarkdown(w, func(s pressure.SourceLine) string {
		path, at := place(s)
		if path == "" {
			return ""
		}
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: fmt.Sprintf("L%d", at+1)}
		return u.String()
	})
	path := filepath.Join(f.config.Root, ".isadiff", "why.md")
	if err := report.Replaceable(path); err != nil {
		return nil, err
	}
	if err := f.config.WriteFile(path, page); err != nil {
		return nil, err
	}
	v.show(path, protocol.Range{})
	sheet.URI = string(v.fileURI(path))
	return sheet, nil
}

// compareInstructions compares the instructions of a kernel that a person asks about. An
// error says what is missing and how to get it.
func (v *view) compareInstructions(ctx context.Context, f folderView, k *live.Kernel) (*trace.Why, error) {
	select {
	case v.comparing <- struct{}{}:
		defer func() { <-v.comparing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w, err := trace.WhyOf(ctx, f.state.Result, k.Row, trace.WhyOptions{Root: f.config.Root})
	if err != nil {
		return nil, err
	}
	if len(w.Kernels) == 0 && len(w.Problems) > 0 {
		return nil, fmt.Errorf("%s", report.EditorLine(withMend(w.Problems[0])))
	}
	return w, nil
}

// placer returns a function that says where a line that a kernel was compiled from is
// now, as a file and a 0-based line; "" if it is not on this machine, or gone. If what
// was compiled is not known, the line is the one that the compiler wrote.
func (v *view) placer(f folderView, k *live.Kernel) func(pressure.SourceLine) (path string, line uint32) {
	type source struct {
		path string
		line func(n int) (int, bool)
	}
	sources := map[string]source{}
	return func(s pressure.SourceLine) (string, uint32) {
		if s.Line <= 0 {
			return "", 0
		}
		src, known := sources[s.File]
		if !known {
			if src.path = here(k, s.File); src.path != "" {
				src.line = v.moves(f, k, src.path)
			}
			sources[s.File] = src
		}
		if src.path == "" {
			return "", 0
		}
		n := s.Line - 1
		if src.line != nil {
			var ok bool
			if n, ok = src.line(n); !ok {
				return "", 0
			}
		}
		return src.path, uint32(n)
	}
}

// A placedMark is a line that matters, as a hover shows it.
type placedMark struct {
	title, path string // "" if it is not here
	line        int    // 1-based
	text        string
}

// worstMarks is how many lines a hover names.
const worstMarks = 3

// marksOf returns the lines of a kernel that matter most; where no line can be told, what
// the change is.
func (v *view) marksOf(ctx context.Context, f folderView, k *live.Kernel) (marks []placedMark, reason string) {
	seen := v.whyOf(ctx, f.state, k)
	if seen == nil {
		return nil, ""
	}
	place := v.placer(f, k)
	for _, m := range seen.marks[:min(len(seen.marks), worstMarks)] {
		mark := placedMark{title: facts.Place(m.Source), text: m.Text}
		if path, line := place(m.Source); path != "" {
			mark.title, mark.path, mark.line = filepath.Base(path), path, int(line)+1
		}
		marks = append(marks, mark)
	}
	if len(marks) == 0 && seen.reason != "" {
		reason = facts.Capital(seen.reason) + "."
	}
	return marks, reason
}
