package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
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
	Stale      bool          `json:"stale"`
	Definition *definedAt    `json:"definition,omitempty"`
	Candidates []definedAt   `json:"candidates"`
	ISA        *isaPlace     `json:"isa,omitempty"`
	Cells      []cellItem    `json:"cells"`
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

// kernelsCommand answers with every kernel of a folder.
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
	for _, k := range f.state.Kernels {
		answer.Kernels = append(answer.Kernels, v.kernelItem(f, k))
	}
	return answer, nil
}

func (v *view) kernelItem(f folderView, k *live.Kernel) kernelItem {
	c := lensContext{v.Server, f.folder, f.state}
	item := kernelItem{
		Key: k.Key, Name: name(k), Target: processor(k), Status: k.Status.String(), Summary: c.kernelLens(k).Title,
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

func cellItems(k *live.Kernel) []cellItem {
	before, after := sides(k)
	items := make([]cellItem, 0, resource.NumMetrics)
	for m := range resource.Metric(resource.NumMetrics) {
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
