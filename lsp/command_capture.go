package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/trace"
	"isadiff/watch/capture"
	"isadiff/watch/session"
)

// Only commands that config.Command hands out are run: what a file of the project
// names, in trusted workspaces alone.

// A captured is the answer of isadiff.capture.
type captured struct {
	Dumps    string        `json:"dumps"`
	Kernels  int           `json:"kernels"`
	Message  string        `json:"message"`
	Problems []problemItem `json:"problems"`
	Log      string        `json:"log,omitempty"`
}

// A compared is the answer of isadiff.compare.
type compared struct {
	URI      string        `json:"uri,omitempty"`
	Verdict  string        `json:"verdict"`
	ExitCode int           `json:"exitCode"`
	Message  string        `json:"message"`
	Problems []problemItem `json:"problems"`
}

// offersCapture reports whether to offer a compile: if the command may be run, or if
// there is none, as the answer then says how to set one. The command of a folder that
// is not trusted is not offered.
func offersCapture(f *folder) bool {
	config := f.current.Load().config
	if config == nil {
		return false
	}
	_, err := config.Command(false)
	return err == nil || config.CompileText() == ""
}

// compileCommand returns the command that compiles a folder's kernels; the error
// says what a person can do without one.
func compileCommand(config *project.Config) (project.Command, error) {
	if invalid := config.Invalid(); len(invalid) > 0 { // where to compile to is not known
		return project.Command{}, config.Problem(invalid[0])
	}
	command, err := config.Command(false)
	if err != nil && config.CompileText() == "" && config.Producer.Again != "" {
		err = fmt.Errorf("%w; or compile yourself: %s", err, config.Producer.Again)
	}
	return command, err
}

// errCompiling is why a second compile of a folder is not begun.
var errCompiling = errors.New("the compile command is running already; cancel it, or wait for its end")

// compiling runs one compile of a folder at a time, with a bar that cancels it.
func (v *view) compiling(ctx context.Context, f folderView, token protocol.ProgressToken, title string, run func(ctx context.Context, say func(string)) (string, error)) error {
	if !f.command.TryLock() {
		return errCompiling
	}
	defer f.command.Unlock()
	return v.withProgress(ctx, token, title, run)
}

// capture runs the project's compile command into the dumps that are watched.
func (v *view) capture(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	command, err := compileCommand(f.config)
	if err != nil {
		return nil, err
	}
	var answer captured
	err = v.compiling(ctx, f, token, "isadiff: "+command.String(), func(ctx context.Context, say func(string)) (string, error) {
		order := f.compiler.Order()
		defer order.End() // if it crashes
		r, err := f.compiler.Run(ctx, session.Compile{
			Project: f.config, Command: command, Order: order, Progress: func(p capture.Progress) { say(progressText("", p)) },
		})
		session.Ended(order, err, f.config.Root)
		var failure *session.CompileFailure
		if err != nil && !errors.As(err, &failure) {
			return "", err
		}
		answer = captured{Dumps: r.Dir, Kernels: r.Kernels, Problems: problemItems(r.Problems), Message: fmt.Sprintf("compiled %s in %s", problem.Count(r.Kernels, "kernel"), r.Took.Round(100*time.Millisecond))}
		if failure != nil {
			answer.Message = report.EditorLine("the compile is not whole: " + withMend(r.Problems[0]))
			answer.Log = failure.Log
			if failure.Unkept != nil {
				v.log.Print(failure.Unkept)
			}
		}
		return answer.Message, nil
	})
	if err != nil {
		return nil, err
	}
	err = v.withSession(ctx, a.Folder, func(l *session.Session) error {
		_, err := l.Rescan(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.publish.flush(ctx)
	v.say(f.says(v) + answer.Message)
	return answer, nil
}

// compare compares the working tree with a revision and shows the report.
func (v *view) compare(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	if a.Rev == "" {
		return nil, errors.New("say which revision in \"rev\": a commit, branch or tag")
	}
	command, err := compileCommand(f.config)
	if err != nil {
		return nil, err
	}
	var answer compared
	err = v.compiling(ctx, f, token, "isadiff: comparing with "+a.Rev, func(ctx context.Context, say func(string)) (string, error) {
		output := &session.CompileLog{}
		sides, err := capture.Compare(ctx, capture.CompareOptions{
			Revision: a.Rev, Command: command, Dir: f.config.Root, Producer: f.config.Producer, Stdout: output, Stderr: output,
			Progress: func(side string, p capture.Progress) { say(progressText(side+": ", p)) },
		})
		if err != nil {
			return "", err
		}
		defer sides.Close()
		if len(sides.Problems) > 0 {
			if _, err := output.Keep(f.config); err != nil {
				v.log.Print(err)
			}
			answer = compared{Verdict: diff.NotTrustworthy.String(), ExitCode: diff.NotTrustworthy.ExitCode(), Problems: problemItems(sides.Problems), Message: report.EditorLine(withMend(sides.Problems[0]))}
			return answer.Message, nil
		}
		answer, err = v.compareSides(ctx, f, sides)
		return answer.Message, err
	})
	if err != nil {
		return nil, err
	}
	v.say(f.says(v) + answer.Message)
	return answer, nil
}

// compareSides judges two captured sides and shows the report on them.
func (v *view) compareSides(ctx context.Context, f folderView, sides *capture.Comparison) (compared, error) {
	before, after, err := input.ReadBoth(ctx, sides.Before, sides.After, input.Options{Kernels: f.config.Kernels, Producers: f.config.Producers, Producer: f.config.Producer})
	if err != nil {
		return compared{}, err
	}
	r := gate.Load(f.config, accept.DateOf(time.Now())).Apply(diff.Compare(before, after, diff.Options{Kernels: f.config.Kernels, Pairs: f.config.Pairs}))
	if r.Renamed, err = trace.Renames(ctx, f.config, r); err != nil {
		return compared{}, err
	}
	path := filepath.Join(f.config.Root, ".isadiff", "compare.md")
	shown := report.Options{Context: report.Context{Base: sides.Base.Name, Head: "the working tree", Tool: v.version}}
	if err := report.Replaceable(path); err != nil {
		return compared{}, err
	}
	if err := f.config.WriteFile(path, report.Markdown(r, shown)); err != nil {
		return compared{}, err
	}
	v.show(path, protocol.Range{})
	return compared{
		URI: string(v.fileURI(path)), Verdict: r.Verdict.String(), ExitCode: r.Verdict.ExitCode(), Problems: problemItems(r.Problems),
		Message: report.EditorLine(fmt.Sprintf("against %s: %s; %s", sides.Base.Name, report.Tally(r), report.VerdictText(r.Verdict))),
	}, nil
}

func problemItems(ps []problem.Problem) []problemItem {
	items := []problemItem{}
	for _, p := range ps {
		items = append(items, problemItem{Code: string(p.Code), Message: p.Message, Mend: p.Mend()})
	}
	return items
}

func progressText(side string, p capture.Progress) string {
	text := fmt.Sprintf("%s%s, %d s", side, problem.Count(p.Kernels, "kernel"), int(p.Elapsed.Seconds()))
	if p.Arch != "" {
		text = p.Arch + ": " + text
	}
	return text
}
