package lsp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/where"
	"isadiff/engine/why"
)

// A beside is the assembly of one kernel as it stands beside its source, and what
// became of the baseline's.
type beside struct {
	text     []byte // of the file
	was      []byte // of the baseline's; nil if there is none
	listing  *pressure.Listing
	doubts   []string
	believed bool            // what is live can be told
	against  *why.Comparison // with the baseline; nil if there is nothing to compare with
	alone    string          // why there is not, and what can be done
}

// A besideKey is the two sides of a kernel, and which state of its file was read.
type besideKey struct {
	path          string
	file          regular.Stamp
	after, before *resource.Record
}

// besidesKept bounds how many are kept: an editor asks for the last one at every edit.
const besidesKept = 2

// kernelWithAssembly returns the kernel that a command names, of the dumps.
func (v *view) kernelWithAssembly(ctx context.Context, a commandArgs) (folderView, *live.Kernel, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return f, nil, err
	}
	if a.Kernel == "" {
		return f, nil, errNoKernelNamed
	}
	k := f.state.Kernel(a.Kernel)
	if k == nil || k.File == "" || k.Live == nil {
		return f, nil, fmt.Errorf("%s: %w", a.Kernel, live.ErrNoKernel)
	}
	return f, k, nil
}

// besideOf looks at the assembly of a kernel, and at the baseline's.
func (v *view) besideOf(ctx context.Context, f folderView, k *live.Kernel) (*beside, error) {
	stamp, err := regular.Stat(k.File)
	if err != nil {
		return nil, problem.Unreadable(k.File, err)
	}
	if stamp.Size > causesMaxSize {
		return nil, fmt.Errorf("%s has %d MB, and no more than %d are read to stand beside a source; isadiff.showIsa opens the file", f.config.Relative(k.File), stamp.Size>>20, causesMaxSize>>20)
	}
	key := besideKey{k.File, stamp, k.Live, k.Baseline}
	if b, ok := v.besides.get(key); ok {
		return b, nil
	}
	text, err := trace.Text(f.state.Live, k.Live)
	if err != nil {
		return nil, mended(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &beside{text: text, listing: pressure.Index(text).List(k.Live.Name)}
	b.doubts, b.believed = doubts(b.listing, k.Live)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := b.compare(f.state, k); err != nil {
		b.alone = mended(err).Error()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.alone == "" { // what is lacking may come
		v.besides.put(key, b)
	}
	return b, nil
}

// doubts returns why the figures of a kernel are not to be trusted, and whether those
// of live registers are all the same.
func doubts(l *pressure.Listing, r *resource.Record) (said []string, believed bool) {
	k := where.Kernel{Analysis: l.Analysis, Key: r.Key, File: r.Source, Record: r}
	for _, p := range k.Doubts() {
		said = append(said, p.Message)
	}
	return said, l.VGPR.Refused == "" && len(k.Contradictions(&r.Cells)) == 0
}

// compare pairs the instructions with the baseline's. The error says why it has none.
func (b *beside) compare(s *live.State, k *live.Kernel) error {
	switch {
	case s.Baseline.Problem != nil:
		return *s.Baseline.Problem
	case s.Result == nil || s.Result.Before == nil:
		return errors.New("there is no baseline to compare with; isadiff.snapshotBaseline takes one")
	case k.Baseline == nil:
		return errors.New("the kernel is not in the baseline; isadiff.snapshotBaseline takes a new one")
	}
	text, err := trace.Text(s.Result.Before, k.Baseline)
	if err != nil {
		return err
	}
	if len(text) > causesMaxSize {
		return fmt.Errorf("the baseline's assembly has %d MB, and no more than %d are compared; `isadiff why` compares all", len(text)>>20, causesMaxSize>>20)
	}
	b.was = text
	b.against = why.Compare(pressure.Index(text).List(k.Baseline.Name), b.listing)
	return nil
}

// mended adds to a problem what can be done about it.
func mended(err error) error {
	var p problem.Problem
	if errors.As(err, &p) {
		return fmt.Errorf("%s; %s", p.Message, p.Mend())
	}
	return err
}

// An assemblyItem is the answer of isadiff.assembly; see docs/reference/protocol.md.
type assemblyItem struct {
	Seq       uint64         `json:"seq"`
	Kernel    string         `json:"kernel"`
	Name      string         `json:"name"`
	Target    string         `json:"target"`
	URI       string         `json:"uri"`
	FirstLine int            `json:"firstLine"`
	Text      string         `json:"text"`
	Rows      []assemblyRow  `json:"rows"`
	Sources   []besideSource `json:"sources"`
	Peak      *int           `json:"peak,omitempty"`
	Compared  bool           `json:"compared"`
	Notes     []string       `json:"notes"`
}

// An assemblyRow is an instruction. Lines are 0-based.
type assemblyRow struct {
	Line   int    `json:"line"`             // of the text
	Source *int   `json:"source,omitempty"` // index of its source
	At     *int   `json:"at,omitempty"`     // its line in the source as it is now
	Live   int    `json:"live,omitempty"`   // VGPRs
	Spill  string `json:"spill,omitempty"`
	Loop   int    `json:"loop,omitempty"` // how many loops it is in
	Change string `json:"change,omitempty"`
	Gone   int    `json:"gone,omitempty"` // instructions of the baseline that stood before it
}

type besideSource struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"` // of the document that At is of; null if it is not open
}

// assemblyBeside answers with the assembly of a kernel and what stands beside it.
func (v *view) assemblyBeside(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelWithAssembly(ctx, a)
	if err != nil {
		return nil, err
	}
	b, err := v.besideOf(ctx, f, k)
	if err != nil {
		return nil, err
	}
	text, first := body(b.text, b.listing)
	item := assemblyItem{
		Seq: f.state.Seq, Kernel: k.Key, Name: name(k), Target: processor(k), URI: string(v.fileURI(k.File)),
		FirstLine: first, Text: text, Rows: make([]assemblyRow, len(b.listing.Body)), Sources: []besideSource{}, Notes: slices.Clone(b.doubts),
	}
	for i := range b.listing.Body {
		ins, row := &b.listing.Body[i], &item.Rows[i]
		row.Line = ins.Line - 1 - first
		if b.believed {
			row.Live = ins.Live
		}
		row.Spill = [...]string{pressure.NoSpill: "", pressure.SpillStore: "store", pressure.SpillLoad: "load"}[ins.Spill]
	}
	for _, l := range b.listing.Loops {
		for _, i := range l.Body {
			item.Rows[i].Loop++
		}
	}
	if b.believed {
		item.Peak = new(b.listing.VGPR.Peak)
	}
	if why := b.listing.LoopsRefused; why != "" && b.listing.VGPR.Refused == "" {
		item.Notes = append(item.Notes, "loops cannot be told: "+why)
	}
	item.mark(b.against)
	if b.alone != "" {
		item.Notes = append(item.Notes, "what changed cannot be told: "+b.alone)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.link(&item, f, k, b.listing)
	if item.Notes == nil {
		item.Notes = []string{}
	}
	return item, nil
}

// body returns the text of a kernel, from its label to its last instruction, and the
// 0-based line at which it begins.
func body(text []byte, l *pressure.Listing) (string, int) {
	if l.Line == 0 {
		return "", 0
	}
	first, last := l.Line, l.Line
	for i := range l.Body {
		last = max(last, l.Body[i].Line)
	}
	var b strings.Builder
	n := 0
	for line := range bytes.Lines(text) {
		if n++; n > last {
			break
		}
		if n >= first {
			line = bytes.TrimRight(line, "\r\n")
			b.Write(bytes.ReplaceAll(line, []byte("\r"), []byte(" "))) // which some editors take for the end of a line
			b.WriteByte('\n')
		}
	}
	return b.String(), first - 1
}

// mark tells what changed against the baseline. What is only in other registers or
// elsewhere did not.
func (item *assemblyItem) mark(c *why.Comparison) {
	if c == nil {
		return
	}
	item.Compared = true
	gone := 0
	for _, s := range c.Steps {
		if s.Op == why.Removed {
			gone++
			continue
		}
		row := &item.Rows[s.After]
		if row.Gone, gone = gone, 0; s.Op == why.Added || s.Op == why.Changed {
			row.Change = string(s.Op)
		}
	}
	if n := len(item.Rows); gone > 0 && n > 0 {
		item.Rows[n-1].Gone += gone
	}
}

// link leads the instructions to the lines of their sources as these are now.
func (v *view) link(item *assemblyItem, f folderView, k *live.Kernel, l *pressure.Listing) {
	if !l.Located() {
		lines := "compile with debug locations"
		if p, _ := f.config.Producers.Role(path.Base(filepath.ToSlash(k.File))); p != nil && p.Lines != "" {
			lines = p.Lines
		}
		item.Notes = append(item.Notes, fmt.Sprintf("no debug locations: %s for the source lines", lines))
		return
	}
	type source struct {
		index *int                       // in the answer; nil if it is not here
		move  func(line int) (int, bool) // where its lines are now; nil if they cannot be told
		lost  int                        // instructions whose line is not there any more
	}
	known := map[string]*source{}
	var order []string
	for i := range l.Body {
		at := l.Body[i].Source
		if at.Line <= 0 {
			continue
		}
		s := known[at.File]
		if s == nil {
			s = &source{}
			known[at.File] = s
			order = append(order, at.File)
			local := here(k, at.File)
			switch rel, err := filepath.Rel(f.config.Root, local); {
			case local == "":
				item.Notes = append(item.Notes, fmt.Sprintf("%s is not on this machine, so its lines are not linked; `path-map` in the configuration says where it is", oneLine(at.File)))
			case err != nil || !filepath.IsLocal(rel):
				item.Notes = append(item.Notes, fmt.Sprintf("%s is outside of the project, so its lines are not linked", oneLine(at.File)))
			default:
				s.index = new(len(item.Sources))
				wire := besideSource{URI: string(v.fileURI(local))}
				if doc := v.docs.open[local]; doc != nil {
					wire.Version = new(doc.version)
				}
				item.Sources = append(item.Sources, wire)
				if s.move = v.moves(f, k, local); s.move == nil {
					item.Notes = append(item.Notes, fmt.Sprintf("%s was edited since the compile, and what it held then is not known, so its lines are not linked; compile again", f.config.Relative(local)))
				}
			}
		}
		if s.index == nil || s.move == nil {
			continue
		}
		row := &item.Rows[i]
		row.Source = s.index
		now, ok := s.move(at.Line - 1)
		if !ok {
			s.lost++
			continue
		}
		row.At = new(now)
	}
	for _, file := range order {
		if n := known[file].lost; n > 0 {
			item.Notes = append(item.Notes, fmt.Sprintf("%s of lines of %s that were edited since the compile have no link", problem.Count(n, "instruction"), path.Base(filepath.ToSlash(file))))
		}
	}
}

// defines tells how a text defines a kernel where its compile says that it does; None
// if its compile does not say, or names another source.
func defines(f folderView, k *live.Kernel, path string, text []byte) locate.Match {
	if k.Place.Origin.Line <= 0 || len(k.Place.Candidates) != 1 || k.Place.Candidates[0].Path != path {
		return locate.None
	}
	file := f.config.Producers.Scan(path, text)
	resolver := locate.Resolver{Map: f.config.PathMap, Index: locate.NewIndex(func(yield func(string, *pysource.File) bool) { yield(path, file) })}
	return resolver.Resolve(locate.Query{Symbol: k.Live.Name, At: []locate.Location{k.Place.Origin}}).Match
}

// A comparedItem is the answer of isadiff.compareAssembly.
type comparedItem struct {
	Seq          uint64      `json:"seq"`
	Kernel       string      `json:"kernel"`
	Name         string      `json:"name"`
	Plain        bool        `json:"plain"`
	Before       string      `json:"before"`
	After        string      `json:"after"`
	Instructions countedItem `json:"instructions"`
	Notes        []string    `json:"notes"`
}

type countedItem struct {
	Before  int `json:"before"`
	After   int `json:"after"`
	Same    int `json:"same"`
	Renamed int `json:"renamed"`
	Changed int `json:"changed"`
	Moved   int `json:"moved"`
	Removed int `json:"removed"`
	Added   int `json:"added"`
}

// compareAssembly answers with the texts of both sides of a kernel: with the names of
// one of them, or as they stand.
func (v *view) compareAssembly(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelWithAssembly(ctx, a)
	if err != nil {
		return nil, err
	}
	b, err := v.besideOf(ctx, f, k)
	if err != nil {
		return nil, err
	}
	if b.against == nil {
		return nil, errors.New(cmp.Or(b.alone, "there is nothing to compare with"))
	}
	n := b.against.Counts
	item := comparedItem{
		Seq: f.state.Seq, Kernel: k.Key, Name: name(k), Plain: a.Plain, Notes: []string{},
		Instructions: countedItem{n.Before, n.After, n.Same, n.Renamed, n.Changed, n.Moved, n.Removed, n.Added},
	}
	for side, l := range []*pressure.Listing{b.against.Before, b.against.After} {
		if l.Refused != "" {
			item.Notes = append(item.Notes, fmt.Sprintf("%s: %s", [...]string{"before", "after"}[side], l.Refused))
		}
	}
	if a.Plain {
		item.After, _ = body(b.text, b.listing)
		item.Before, _ = body(b.was, b.against.Before)
		return item, ctx.Err()
	}
	before, after := b.against.Texts()
	item.Before, item.After = joined(before), joined(after)
	return item, ctx.Err()
}

func joined(lines []why.TextLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}
