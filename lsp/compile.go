package lsp

import (
	"context"
	"errors"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/watch/capture"
	"isadiff/watch/session"
)

// sourceSaved compiles the projects anew that a saved file belongs to, where
// compile-on-save is on.
func (s *Server) sourceSaved(path string) {
	for _, f := range s.folders.list() {
		if config := f.current.Load().config; config != nil && config.CompileOnSave && config.IsSource(path) {
			f.compileSoon()
		}
	}
}

// compileSoon orders a compile; orders that come shortly after one another are
// one, and a compile that runs ends for the next.
func (f *folder) compileSoon() {
	_, err := compileCommand(f.current.Load().config)
	f.compiler.Soon(err == nil)
}

// compileSaved compiles after a save. A failure is shown once: until it ends or
// another one takes its place, further saves only try again.
func (f *folder) compileSaved(ctx context.Context, order *live.Order) {
	defer order.End()
	config := f.current.Load().config
	command, err := compileCommand(config)
	ran := err == nil
	if ran {
		err = f.compile(ctx, session.Compile{Project: config, Command: command, Order: order})
	}
	if err != nil && (ctx.Err() != nil || session.Stopped(err)) {
		return
	}
	failed := ""
	if err != nil {
		failed = err.Error()
	}
	before := f.failed.Swap(failed)
	if ran { // before a person looks at what failed
		session.Ended(order, err, config.Root)
	}
	if failed != "" && before != any(failed) {
		f.showFailure(ctx, err)
	}
}

// compile runs a command into the folder's dump directory, with a bar that cancels it.
func (f *folder) compile(ctx context.Context, c session.Compile) error {
	return f.server.withProgress(ctx, nil, "isadiff: "+c.Command.String(), func(ctx context.Context, say func(string)) (string, error) {
		c.Progress = func(p capture.Progress) { say(progressText("", p)) }
		r, err := f.compiler.Run(ctx, c)
		if err != nil {
			return "", err
		}
		return problem.Count(r.Kernels, "kernel") + " in " + r.Took.Round(100*time.Millisecond).String(), nil
	})
}

// showFailure says why a compile failed, with its log one click away.
func (f *folder) showFailure(ctx context.Context, err error) {
	s := f.server
	message := folderView{folder: f}.says(s.view()) + err.Error()
	var failure *session.CompileFailure
	if errors.As(err, &failure) && failure.Unkept != nil {
		s.log.Print(failure.Unkept)
	}
	if failure == nil || failure.Log == "" {
		s.log.Print(message)
		s.message(protocol.MessageTypeError, message)
		return
	}
	s.log.Print(message)
	const open = "Open the log"
	params := &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeError, Message: report.EditorText(message), Actions: []protocol.MessageActionItem{{Title: open}},
	}
	if !s.client.showDocument {
		params.Actions, params.Message = nil, report.EditorText(message+". Its output is in "+failure.Log)
	}
	// A person may take their time to answer.
	var answer *protocol.MessageActionItem
	if _, err := s.conn.Call(ctx, protocol.MethodWindowShowMessageRequest, params, &answer); err != nil {
		if ctx.Err() == nil {
			s.log.Print(err)
		}
		return
	}
	if answer != nil && answer.Title == open {
		s.show(failure.Log, protocol.Range{})
	}
}
