package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

// pair says how a kernel and its probable counterpart under another name are made one:
// the line of the configuration, which is written once a person has seen it. In a
// workspace that is not trusted it is shown alone.
func (v *view) pair(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if k.Proposed == nil {
		return nil, fmt.Errorf("%s has no probable counterpart under another name", bare(k.Key))
	}
	add := f.config.AddPair(k.Pair[0], k.Pair[1])
	name := relativeTo(f.config.Root, add.Path)
	answer := struct {
		Path    string `json:"path"`
		Text    string `json:"text"`
		Written bool   `json:"written"`
		Message string `json:"message"`
	}{Path: add.Path, Text: "[" + add.Table + "]\n" + add.Line + "\n"}
	show := func(why string) (any, error) {
		answer.Message = fmt.Sprintf("say in %s that the two are one: [%s] %s", name, add.Table, add.Line)
		if why != "" {
			answer.Message += " (" + why + ")"
		}
		answer.Message = report.EditorLine(answer.Message)
		v.say("isadiff: " + answer.Message)
		if f.config.File != "" {
			v.show(add.Path, protocol.Range{})
		}
		return answer, nil
	}
	switch {
	case !f.config.Trusted:
		return show("it is not written, as the workspace is not trusted")
	case add.Err != nil:
		return show(oneLine(add.Err.Error()))
	}
	const write = "Write it"
	asked := &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeInfo,
		Message: report.EditorText(fmt.Sprintf("isadiff: %s before is %s after (%s). Write this to %s, line %d? [%s] %s",
			bare(k.Proposed.Before.Key), bare(k.Proposed.After.Key), report.Proposed(k.Proposed), name, add.At, add.Table, add.Line)),
		Actions: []protocol.MessageActionItem{{Title: write}},
	}
	var choice *protocol.MessageActionItem
	if _, err := v.conn.Call(ctx, protocol.MethodWindowShowMessageRequest, asked, &choice); err != nil {
		return nil, err
	}
	if choice == nil || choice.Title != write {
		answer.Message = report.EditorLine(name + " is as it was")
		return answer, nil
	}
	// A person may have taken their time, and the file another content.
	if add, err = f.config.WritePair(k.Pair[0], k.Pair[1]); add.Err != nil {
		return show(oneLine(add.Err.Error()))
	} else if err != nil {
		return nil, err
	}
	wake(f.configured)
	answer.Written, answer.Message = true, report.EditorLine(fmt.Sprintf("%s, line %d: %s", name, add.At, add.Line))
	v.say("isadiff: " + answer.Message)
	return answer, nil
}

// pairAction offers to make a kernel and its probable counterpart one; nothing without
// one.
func pairAction(f *folder, k *live.Kernel) []action {
	if k == nil || k.Proposed == nil {
		return nil
	}
	return []action{{"pair them", commandPair, commandArgs{Folder: string(f.uri), Kernel: k.Key}}}
}
