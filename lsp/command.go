package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

// The commands of docs/reference/protocol.md.
const (
	commandSnapshotBaseline = "isadiff.snapshotBaseline"
	commandUndoBaseline     = "isadiff.undoBaseline"
	commandAcceptKernel     = "isadiff.acceptKernel"
	commandShowReport       = "isadiff.showReport"
	commandShowISA          = "isadiff.showIsa"
	commandExplain          = "isadiff.explain"
	commandWhy              = "isadiff.why"
	commandRescan           = "isadiff.rescan"
	commandRemoveLeftover   = "isadiff.removeLeftover"
	commandNewestCounts     = "isadiff.newestCounts"
	commandMapPath          = "isadiff.mapPath"
	commandPair             = "isadiff.pair"
	commandTolerate         = "isadiff.tolerate"
	commandSetCompile       = "isadiff.setCompile"
	commandShowBudget       = "isadiff.showBudget"
	commandAcceptRegression = "isadiff.acceptRegression"
	commandKernels          = "isadiff.kernels"
	commandHover            = "isadiff.hover"
	commandStatus           = "isadiff.status"
	commandCapture          = "isadiff.capture"
	commandCompare          = "isadiff.compare"
	commandAssembly         = "isadiff.assembly"
	commandCompareAssembly  = "isadiff.compareAssembly"
)

// A command is one row of the table of what a client may execute. What is not in
// the table is not offered by any lens either.
type command func(v *view, ctx context.Context, args commandArgs, token protocol.ProgressToken) (any, error)

func commands() map[string]command {
	return map[string]command{
		commandSnapshotBaseline: (*view).snapshotBaseline,
		commandUndoBaseline:     (*view).undoBaseline,
		commandAcceptKernel:     (*view).acceptKernel,
		commandShowReport:       (*view).showReport,
		commandShowISA:          (*view).showISA,
		commandExplain:          (*view).explain,
		commandWhy:              (*view).why,
		commandRescan:           (*view).rescan,
		commandRemoveLeftover:   (*view).removeLeftover,
		commandNewestCounts:     (*view).newestCounts,
		commandMapPath:          (*view).mapPath,
		commandPair:             (*view).pair,
		commandTolerate:         (*view).tolerate,
		commandSetCompile:       (*view).setCompile,
		commandShowBudget:       (*view).showBudget,
		commandAcceptRegression: (*view).acceptRegression,
		commandKernels:          (*view).kernelsCommand,
		commandHover:            (*view).hoverCommand,
		commandStatus:           (*view).statusCommand,
		commandCapture:          (*view).capture,
		commandCompare:          (*view).compare,
		commandAssembly:         (*view).assemblyBeside,
		commandCompareAssembly:  (*view).compareAssembly,
	}
}

// commandArgs is the one object that every command takes.
type commandArgs struct {
	Folder  string `json:"folder,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Code    string `json:"code,omitempty"`
	File    string `json:"file,omitempty"`
	Rev     string `json:"rev,omitempty"`
	Line    int    `json:"line,omitempty"`
	Force   bool   `json:"force,omitempty"`
	Lines   bool   `json:"lines,omitempty"`
	Plain   bool   `json:"plain,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Until   string `json:"until,omitempty"`
	Compile string `json:"compile,omitempty"`
}

func (s *Server) commandNames() []string { return slices.Sorted(maps.Keys(s.cmds)) }

// executeCommand runs one of the commands.
func (v *view) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	run := v.cmds[p.Command]
	if run == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "isadiff has no command %q", p.Command)
	}
	var args commandArgs
	if len(p.Arguments) > 0 && string(p.Arguments[0]) != "null" {
		if err := json.Unmarshal(p.Arguments[0], &args); err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: the argument must be one object: %v", p.Command, err)
		}
	}
	answer, err := run(v, ctx, args, p.WorkDoneToken)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(answer)
	return jsonrpc2.RawMessage(raw), err
}

// say shows a message in an editor that has nothing but LSP; an extension shows
// the answer of the command itself.
func (s *Server) say(message string) {
	if !s.client.status {
		s.message(protocol.MessageTypeInfo, message)
	}
}

// message shows a message in the editor.
func (s *Server) message(kind protocol.MessageType, text string) {
	s.tell(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: report.EditorText(text)})
}

// show opens a file in the editor; one that cannot do that on request is told where
// to look.
func (s *Server) show(path string, at protocol.Range) {
	if !s.client.showDocument {
		where := path
		if at.Start.Line > 0 {
			where = fmt.Sprintf("%s:%d", path, at.Start.Line+1)
		}
		s.say("isadiff: see " + where)
		return
	}
	u := s.docs.Load().uriOf(path)
	s.background(func(ctx context.Context) {
		params := &protocol.ShowDocumentParams{URI: u, TakeFocus: new(true), Selection: &at}
		if err := s.ask(ctx, protocol.MethodWindowShowDocument, params, &protocol.ShowDocumentResult{}); err != nil && ctx.Err() == nil {
			s.log.Print(err)
		}
	})
}

// kernelOf returns the kernel that a command is about, and its folder.
func (v *view) kernelOf(ctx context.Context, a commandArgs) (f folderView, k *live.Kernel, err error) {
	if f, err = v.readyFolder(ctx, a.Folder); err != nil {
		return f, nil, err
	}
	if a.Kernel == "" {
		return f, nil, errNoKernelNamed
	}
	if k = f.state.Kernel(a.Kernel); k == nil {
		return f, nil, fmt.Errorf("%s: %w", a.Kernel, live.ErrNoKernel)
	}
	return f, k, nil
}
