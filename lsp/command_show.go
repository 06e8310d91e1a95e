package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

// showReport writes the comparison as a Markdown file in the project and shows it.
func (v *view) showReport(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.config.Root, ".isadiff", "report.md")
	if err := report.Replaceable(path); err != nil {
		return nil, err
	}
	if err := f.config.WriteFile(path, reportMarkdown(f.state, a.Plain || !v.client.status)); err != nil {
		return nil, err
	}
	v.show(path, protocol.Range{})
	return struct {
		URI string `json:"uri"`
	}{string(v.fileURI(path))}, nil
}

// showISA shows a kernel's assembly at the line that is asked for, its first
// spill or its label.
func (v *view) showISA(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	_, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if k.File == "" {
		return nil, fmt.Errorf("%s: %w", a.Kernel, live.ErrNoKernel)
	}
	line := a.Line
	if line <= 0 {
		line = isaLine(k)
	}
	at := wholeLine(line)
	at.End = at.Start
	v.show(k.File, at)
	return isaPlace{string(v.fileURI(k.File)), at.Start.Line}, nil
}

// An isaPlace is a 0-based line of an assembly file.
type isaPlace struct {
	URI  string `json:"uri"`
	Line uint32 `json:"line"`
}

// isaLine is the 1-based line to look at first.
func isaLine(k *live.Kernel) int {
	if k.Live == nil {
		return 0
	}
	if k.Live.Sites.FirstSpill > 0 {
		return k.Live.Sites.FirstSpill
	}
	return labelLine(k.Live)
}

// An explained is the answer of isadiff.explain.
type explained struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// explain tells what a problem code means and how it is mended, or what a metric or a word
// means; without one it lists them.
func (v *view) explain(_ context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	if a.Code == "" {
		var all topics
		for _, t := range report.TopicNames() {
			name, title, _ := strings.Cut(t, "\t")
			all.Topics = append(all.Topics, topic{name, title})
		}
		return all, nil
	}
	code := problem.Code(a.Code)
	if !problem.Known(code) {
		if text, known := report.Explain(a.Code); known {
			v.say(string(text))
			title, rest, _ := strings.Cut(string(text), "\n")
			return explained{a.Code, "# " + title + "\n" + rest}, nil
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%q is no problem code, metric or word of isadiff", a.Code)
	}
	info := problem.Lookup(code)
	if f, err := v.folderOf(a.Folder); err == nil && f.config != nil && f.config.Producer.Again != "" && (code == problem.NoDumpFiles || code == problem.NoKernels) {
		info.Mend = f.config.Producer.Again
	}
	v.say(fmt.Sprintf("%s: %s. %s\nTo mend it: %s.", code, info.Title, info.Explain, info.Mend))
	return explained{a.Code, fmt.Sprintf("# %s\n\n**%s**\n\n%s\n\nTo mend it: %s.\n", code, info.Title, info.Explain, info.Mend)}, nil
}

// topics are what isadiff.explain can explain.
type topics struct {
	Topics []topic `json:"topics"`
}

type topic struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}
