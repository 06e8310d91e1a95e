package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// A kernelItem is a kernel as isadiff.kernels answers it; see docs/reference/protocol.md.
type kernelItem struct {
	Key        string        `json:"key"`
	Name       string        `json:"name"`
	Target     string        `json:"target"`
	Status     string        `json:"status"`
	Summary    string        `json:"summary"`
	Label      string        `json:"label"`             // the news in at most two figures, without the name
	Variant    string        `json:"variant,omitempty"` // what tells it from the others of its definition
	Stale      bool          `json:"stale"`
	Definition *definedAt    `json:"definition,omitempty"`
	Candidates []definedAt   `json:"candidates"`
	ISA        *isaPlace     `json:"isa,omitempty"`
	Cells      []cellItem    `json:"cells"`
	Waves      *cellItem     `json:"waves,omitempty"`
	Problems   []problemItem `json:"problems"`
	Proposed   *proposedItem `json:"proposed,omitempty"`
}

// A proposedItem is what a kernel on one side only is with its probable counterpart.
type proposedItem struct {
	Before  string `json:"before"` // their keys
	After   string `json:"after"`
	Changes string `json:"changes"`
	Pair    string `json:"pair"` // OLD=NEW, which makes the two one
}

type definedAt struct {
	URI      string         `json:"uri"`
	Range    protocol.Range `json:"range"`
	Function string         `json:"function,omitempty"`
}

type cellItem struct {
	Metric  string  `json:"metric"`
	Trigger bool    `json:"trigger"`
	Before  *string `json:"before"`
	After   *string `json:"after"`
	Delta   *int64  `json:"delta,omitempty"`
	Reason  string  `json:"reason,omitempty"`
}

type problemItem struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Mend    string       `json:"mend"`
	Command *commandItem `json:"command,omitempty"`
}

type commandItem struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// kernelsCommand answers with every kernel of a folder, the worst first.
func (v *view) kernelsCommand(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Seq     uint64       `json:"seq"`
		Folder  string       `json:"folder"`
		Kernels []kernelItem `json:"kernels"`
	}{f.state.Seq, string(f.uri), []kernelItem{}}
	variants := variantsOf(f.state)
	for _, k := range slices.SortedFunc(slices.Values(f.state.Kernels), live.WorstFirst) {
		item := v.kernelItem(f, k)
		item.Variant = variants[k]
		answer.Kernels = append(answer.Kernels, item)
	}
	return answer, nil
}

// variantsOf returns what tells the kernels of a definition apart, as its hover does.
func variantsOf(s *live.State) map[*live.Kernel]string {
	labels := map[*live.Kernel]string{}
	for _, src := range s.Sources {
		for _, d := range src.Definitions {
			if len(d.Kernels) < 2 {
				continue
			}
			label := variantLabels(d.Kernels)
			for _, k := range d.Kernels {
				labels[k] = label(k)
			}
		}
	}
	return labels
}

// rowLabel is the line of a kernel in a list that has its name beside it.
func rowLabel(k *live.Kernel) string {
	const figuresOfRow = 2
	switch k.Status {
	case live.Worse:
		return moves(k.Row, figuresOfRow, budgets(k)...)
	case live.Better:
		return moves(k.Row, figuresOfRow)
	case live.Untrustworthy:
		if len(k.Problems) == 0 {
			return "? a figure could not be read"
		}
		p := problem.Gravest(k.Problems)
		return strings.Replace(untrustworthyTitle(k, p), fmt.Sprintf(" (%s)", p.Code), "", 1)
	case live.OneSided:
		switch {
		case k.Proposed != nil && k.Live != nil:
			return "? " + proposedTitle(k.Proposed)
		case k.Live == nil:
			return "? only in the baseline"
		}
		return "? only in the new dump"
	case live.Compiling:
		return "◌ compiling …"
	case live.Edited:
		return "✎ edited since the last compile"
	case live.Pending:
		return pendingWords
	}
	if why := facts.Unlaunchable(k); why != "" {
		return "▲ " + why
	}
	if len(k.Broken) > 0 {
		return "▲ " + strings.Join(budgets(k), " · ")
	}
	return figures(k.Live, false) + acceptedNote(k)
}

// hoverCommand answers with the hover of a kernel.
func (v *view) hoverCommand(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	hover := v.hoverOf(ctx, f, []*live.Kernel{k}, protocol.Range{}).Contents.(*protocol.MarkupContent)
	return struct {
		Kernel string `json:"kernel"`
		Text   string `json:"text"`
	}{k.Key, hover.Value}, nil
}

func (v *view) kernelItem(f folderView, k *live.Kernel) kernelItem {
	c := lensContext{v.Server, f.folder, f.state}
	item := kernelItem{
		Key: k.Key, Name: name(k), Target: processor(k), Status: k.Status.String(), Summary: c.kernelLens(k).Title, Label: report.EditorLine(rowLabel(k)), Waves: wavesItem(k),
		Stale: k.Stale, Candidates: []definedAt{}, Cells: cellItems(k), Problems: []problemItem{},
	}
	for _, cand := range k.Place.Candidates {
		item.Candidates = append(item.Candidates, v.definedAt(f, cand.Path, cand.Definition))
	}
	if p := k.Proposed; p != nil {
		item.Proposed = &proposedItem{p.Before.Key, p.After.Key, report.Proposed(p), k.Pair[0] + "=" + k.Pair[1]}
	}
	if len(item.Candidates) == 1 {
		item.Definition = &item.Candidates[0]
	}
	if k.File != "" {
		item.ISA = &isaPlace{string(v.fileURI(k.File)), wholeLine(isaLine(k)).Start.Line}
	}
	ps := k.Problems
	if b := f.state.Baseline.Problem; b != nil && k.Status == live.NoBaseline {
		ps = append(ps[:len(ps):len(ps)], *b)
	}
	if len(f.state.Invalid) > 0 {
		ps = append(ps[:len(ps):len(ps)], f.state.Invalid...)
		if k.Status != live.Worse {
			item.Status = live.Untrustworthy.String()
		}
	}
	for _, p := range ps {
		cmd := v.mends(f.folder, k, p)[0]
		wire := cmd.command(cmd.Title)
		item.Problems = append(item.Problems, problemItem{
			Code: string(p.Code), Message: p.Message, Mend: p.Mend(),
			Command: &commandItem{wire.Title, wire.Command, []json.RawMessage{json.RawMessage(wire.Arguments[0])}},
		})
	}
	return item
}

// definedAt is a definition at its place in the text as it is now.
func (v *view) definedAt(f folderView, path string, d pysource.Definition) definedAt {
	src := v.sourceIn(f, path)
	if known := f.state.Sources[path]; known != nil {
		d = follow(known.Definitions, src.defs, d)
	}
	return definedAt{string(v.fileURI(path)), v.ident(src, d), d.Function}
}

// follow finds a known definition in the text as it is now: of several of its
// qualified name, as in both branches of an if, the same one.
func follow(known, now []live.Defined, d pysource.Definition) pysource.Definition {
	var wanted nth
	which := counting()
	for i := range known {
		if n := which(&known[i].Definition); known[i].Definition.Ident == d.Ident {
			wanted = n
		}
	}
	which = counting()
	for i := range now {
		if which(&now[i].Definition) == wanted {
			return now[i].Definition
		}
	}
	return d
}

// wavesItem are the waves per SIMD of both sides; nil if nothing is known of them.
func wavesItem(k *live.Kernel) *cellItem {
	before, after := sides(k)
	if before == nil && after == nil {
		return nil
	}
	x, y, _, text := waveCells(before, after, false)
	if x == "" {
		return nil
	}
	item := &cellItem{Metric: "waves per SIMD", Reason: text}
	switch {
	case before == nil:
		item.After = &x
	case after == nil:
		item.Before = &x
	default:
		item.Before, item.After = &x, &y
	}
	if k.Row != nil {
		for _, c := range facts.Changes(k.Row) {
			if c.Waves {
				item.Trigger, item.Delta = true, new(c.Delta())
			}
		}
	}
	return item
}

func cellItems(k *live.Kernel) []cellItem {
	before, after := sides(k)
	items := make([]cellItem, 0, resource.NumMetrics)
	for _, m := range resource.ByHarm {
		item := cellItem{Metric: m.String(), Trigger: m.Trigger()}
		if before != nil {
			item.Before = new(before.Cells[m].String())
		}
		if after != nil {
			item.After = new(after.Cells[m].String())
		}
		if before != nil || after != nil {
			_, _, _, item.Reason = cells(k, before, after, m)
		}
		if k.Row != nil {
			if change, ok := k.Row.Delta(m); ok {
				item.Delta = &change
			}
		}
		items = append(items, item)
	}
	return items
}
