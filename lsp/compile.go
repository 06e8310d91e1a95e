package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/capture"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/watch"
)

// saveQuiet is how long nothing more may be saved before a compile starts: "save
// all" is one order.
const saveQuiet = 50 * time.Millisecond

// sourceSaved compiles the projects anew that a saved file belongs to, where
// compile-on-save is on.
func (s *Server) sourceSaved(path string) {
	for _, f := range s.folders.list() {
		if config := f.config.Load(); config != nil && config.CompileOnSave && config.IsSource(path) {
			f.compileSoon()
		}
	}
}

// compileSoon orders a compile; orders that come shortly after one another are
// one, and a compile that runs ends for the next.
func (f *folder) compileSoon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if _, err := compileCommand(f.config.Load()); err == nil && f.asked == nil {
		f.asked = f.orderRun() // from now on nothing is OK
	}
	if f.saved == nil {
		f.saved = time.AfterFunc(saveQuiet, func() {
			if f.server.root.Err() == nil {
				f.server.background(f.compileSaved)
			}
		})
		return
	}
	f.saved.Reset(saveQuiet)
}

// orderRun tells the session that a run of the folder is about to begin; nil if it
// has none, which cannot show it.
func (f *folder) orderRun() *live.Order {
	if l := f.session.Load(); l != nil {
		return l.OrderRun()
	}
	return nil
}

// listen has take told what the session's watcher sees; see [capture.Options.Listen].
func (f *folder) listen(take func(watch.Batch)) (stop func()) {
	if l := f.session.Load(); l != nil {
		return l.Listen(take)
	}
	return nil
}

// compileSaved compiles after a save. A failure is shown once: until it ends or
// another one takes its place, further saves only try again.
func (f *folder) compileSaved(ctx context.Context) {
	f.mu.Lock()
	order := f.asked
	f.asked = nil
	f.mu.Unlock()
	defer order.End()
	config := f.config.Load()
	command, err := compileCommand(config)
	if err == nil {
		_, err = f.compile(ctx, nil, config, command, order)
	}
	if err != nil && (ctx.Err() != nil || errors.Is(err, capture.ErrSuperseded) || errors.Is(err, context.Canceled)) {
		return
	}
	f.mu.Lock()
	before := f.failed
	f.failed = ""
	if err != nil {
		f.failed = err.Error()
	}
	news := err != nil && f.failed != before
	f.mu.Unlock()
	order.End() // before a person looks at what failed, and after it is known that it will be shown
	if news {
		f.server.showFailure(ctx, err)
	}
}

// failureShown reports whether the last compile after a save failed, and that was
// shown.
func (f *folder) failureShown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed != ""
}

// A compileFailure is a compile that is not whole, with its log.
type compileFailure struct {
	problems []problem.Problem
	log      string
}

func (e *compileFailure) Error() string {
	text := string(e.problems[0].Code) + ": " + e.problems[0].Message
	if n := len(e.problems); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text + ". To mend it: " + e.problems[0].Mend()
}

// compile runs a command into the folder's dump directory, where the session sees
// what it makes. A run before it ends.
func (f *folder) compile(ctx context.Context, token protocol.ProgressToken, config *project.Config, command project.Command, order *live.Order) (*capture.Result, error) {
	var result *capture.Result
	err := f.server.withProgress(ctx, token, "isadiff: "+command.String(), func(ctx context.Context, say func(string)) (string, error) {
		run, release, err := f.turn.Take(ctx)
		if err != nil {
			return "", err
		}
		defer release()
		output := &compileOutput{}
		result, err = capture.Run(run, capture.Options{
			Command: command, Dir: config.Root, Root: config.Root, Out: config.Dumps, Live: true, Producer: config.Producer,
			Stdout: output, Stderr: output, Progress: func(p capture.Progress) { say(progressText("", p)) }, Began: order.Began, Listen: f.listen,
		})
		if err != nil {
			return "", err
		}
		if run.Err() != nil {
			return "", context.Cause(run)
		}
		if !result.Whole() {
			return "", &compileFailure{result.Problems, f.server.keepOutput(config, output)}
		}
		return problem.Count(result.Kernels, "kernel") + " in " + result.Took.Round(100*time.Millisecond).String(), nil
	})
	return result, err
}

// showFailure says why a compile failed, with its log one click away.
func (s *Server) showFailure(ctx context.Context, err error) {
	message := "isadiff: " + err.Error()
	var failure *compileFailure
	if !errors.As(err, &failure) || failure.log == "" {
		s.showError(err.Error())
		return
	}
	s.log.Print(message)
	const open = "Open the log"
	params := &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeError, Message: report.EditorText(message), Actions: []protocol.MessageActionItem{{Title: open}},
	}
	if !s.client.showDocument {
		params.Actions, params.Message = nil, report.EditorText(message+". Its output is in "+failure.log)
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
		s.show(failure.log, protocol.Range{})
	}
}
