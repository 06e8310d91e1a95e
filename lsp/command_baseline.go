package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/watch/session"
)

// A written is the answer of commands that change the baseline.
type written struct {
	Path    string `json:"path"`
	Kernels int    `json:"kernels"`
	Message string `json:"message"`
}

// snapshotBaseline writes the dumps' figures as the new baseline.
func (v *view) snapshotBaseline(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	return v.changeBaseline(ctx, a, token, "isadiff: taking the baseline", func(ctx context.Context, l *session.Session) (live.Written, string, error) {
		w, err := l.SnapshotBaseline(ctx, a.Force)
		if errors.Is(err, live.ErrUntrusted) {
			err = fmt.Errorf("%w; mend that first, or take the baseline with force", err)
		}
		message := fmt.Sprintf("baseline taken: %s", problem.Count(w.Kernels, "kernel"))
		if len(w.Lost) > 0 {
			message += fmt.Sprintf("; %d of the old baseline are not in it", len(w.Lost))
		}
		return w, message + report.LackingAssembly(w) + report.TakenBeforeSave(l.Current()), err
	})
}

// undoBaseline puts back the baseline before the last change.
func (v *view) undoBaseline(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	return v.changeBaseline(ctx, a, token, "isadiff: putting the baseline back", func(ctx context.Context, l *session.Session) (live.Written, string, error) {
		w, err := l.UndoBaseline(ctx)
		which := "earlier"
		if w.Redone {
			which = "newer"
		}
		return w, fmt.Sprintf("the %s baseline is back: %s; undo again for the other one", which, problem.Count(w.Kernels, "kernel")), err
	})
}

// acceptKernel puts one kernel's new figures into the baseline.
func (v *view) acceptKernel(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	if a.Kernel == "" {
		return nil, errNoKernelNamed
	}
	return v.changeBaseline(ctx, a, token, "isadiff: accepting "+bare(a.Kernel), func(ctx context.Context, l *session.Session) (live.Written, string, error) {
		w, err := l.AcceptKernel(ctx, a.Kernel)
		message := bare(a.Kernel) + ": its new figures are in the baseline"
		if k := l.Current().Kernel(a.Kernel); err == nil && k != nil && len(k.Broken) > 0 { // which no baseline changes
			message += "; it still breaks a budget: " + report.Broken(k.Broken[0])
		}
		if k := l.Current().Kernel(a.Kernel); k != nil && len(k.Edited) > 0 {
			message += "; it was edited since the compile: they are those of the code before the last save"
		}
		return w, message + report.LackingAssembly(w), err
	})
}

var errNoKernelNamed = errors.New("say which kernel in \"kernel\", by its key")

// changeBaseline runs a change of the baseline and answers when its effect was
// published.
func (v *view) changeBaseline(ctx context.Context, a commandArgs, token protocol.ProgressToken, title string,
	change func(context.Context, *session.Session) (live.Written, string, error)) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	var answer written
	err = v.withProgress(ctx, token, title, func(ctx context.Context, _ func(string)) (string, error) {
		err := v.withSession(ctx, a.Folder, func(l *session.Session) error {
			w, message, err := change(ctx, l)
			answer = written{w.Path, w.Kernels, report.EditorLine(message)}
			return err
		})
		return answer.Message, err
	})
	if err != nil {
		return nil, err
	}
	v.publish.flush(ctx)
	v.say(f.says(v) + answer.Message)
	return answer, nil
}

// removeLeftover removes one stage file that hides a newer one.
func (v *view) removeLeftover(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	if a.File == "" {
		return nil, errors.New("say which file in \"file\"")
	}
	file := filepath.Clean(a.File)
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	if err := v.withSession(ctx, a.Folder, func(l *session.Session) error { return l.RemoveLeftover(ctx, file) }); err != nil {
		return nil, err
	}
	v.publish.flush(ctx)
	v.say(f.says(v) + "removed " + filepath.Base(file))
	return struct {
		Path string `json:"path"`
	}{file}, nil
}

// newestCounts makes the newest dump of a kernel that was overwritten the one that is
// compared, of all such kernels where none is named.
func (v *view) newestCounts(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	if err := v.withSession(ctx, a.Folder, func(l *session.Session) error { return l.NewestCounts(ctx, a.Kernel) }); err != nil {
		return nil, err
	}
	v.publish.flush(ctx)
	message := "the newest dump of each kernel counts"
	if a.Kernel != "" {
		message = bare(a.Kernel) + ": its newest dump counts"
	}
	v.say(f.says(v) + message)
	return struct {
		Message string `json:"message"`
	}{message}, nil
}

// rescan looks at everything again, reads what changed, or all if forced, and answers when what it found was published.
func (v *view) rescan(ctx context.Context, a commandArgs, token protocol.ProgressToken) (any, error) {
	if _, err := v.readyFolder(ctx, a.Folder); err != nil {
		return nil, err
	}
	var seq uint64
	var message string
	defer v.memory.rescan()()
	err := v.withProgress(ctx, token, "isadiff: reading dumps", func(ctx context.Context, _ func(string)) (said string, err error) {
		err = v.withSession(ctx, a.Folder, func(l *session.Session) error {
			read := l.Rescan
			if a.Force {
				read = l.ReadAgain
			}
			state, err := read(ctx)
			if err != nil {
				return err
			}
			seq, said = state.Seq, verdictLine(state)
			message = "read again: " + said
			return nil
		})
		return said, err
	})
	if err != nil {
		return nil, err
	}
	v.publish.flush(ctx)
	return struct {
		Seq     uint64 `json:"seq"`
		Message string `json:"message"`
	}{seq, message}, nil
}
