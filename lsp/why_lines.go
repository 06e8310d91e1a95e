package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/live"
	"isadiff/engine/producer"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/watch/capture"
	"isadiff/watch/session"
)

// lackingLines reports whether the dump of a kernel has no debug locations.
func lackingLines(w *trace.Why) bool {
	return len(w.Kernels) == 1 && len(w.Kernels[0].After.Body) > 0 && !w.Kernels[0].After.Located()
}

// linesAction offers to compile once more with debug locations, where a capture does that
// by itself and the command may be run.
func linesAction(f folderView, k *live.Kernel) []action {
	if f.config == nil || k.Live == nil || k.Live.Digest == "" || len(k.Edited) > 0 || f.config.Producer != nil && f.config.Producer != producer.Builtin().Default() {
		return nil
	}
	if _, err := compileCommand(f.config); err != nil {
		return nil
	}
	return []action{{"compile once more for the source lines", commandWhy, commandArgs{Folder: string(f.uri), Kernel: k.Key, Lines: true}}}
}

// recompiled compares a kernel with the same instructions compiled once more with debug
// locations, into a folder of its own: no dump and no verdict changes. What it finds is
// kept for hover and hints. The error says why there are no lines.
func (v *view) recompiled(ctx context.Context, f folderView, k *live.Kernel, token protocol.ProgressToken) (*trace.Why, *live.Kernel, error) {
	if len(linesAction(f, k)) == 0 {
		if _, err := compileCommand(f.config); err != nil {
			return nil, nil, err
		}
		if p := f.config.Producer; p != nil && p != producer.Builtin().Default() {
			mend := "compile with debug locations"
			if p.Lines != "" {
				mend = p.Lines
			}
			// Its own command says where it compiles to, so that it would overwrite the dumps.
			return nil, nil, fmt.Errorf("%s is not compiled once more for its lines, as only FlyDSL compiles into another folder on order; %s yourself", bare(k.Key), mend)
		}
		return nil, nil, fmt.Errorf("%s cannot be compiled once more for its lines: it was edited since, or its instructions are not known", bare(k.Key))
	}
	if f.state.Run != nil {
		return nil, nil, errCompiling
	}
	command, err := compileCommand(f.config)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "isadiff-lines-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	var told *trace.Why
	var again *live.Kernel
	err = v.compiling(ctx, f, token, "isadiff: "+command.String()+", with debug locations", func(ctx context.Context, say func(string)) (string, error) {
		ctx, release, err := f.compiler.Take(ctx) // a compile after a save ends this one
		if err != nil {
			return "", err
		}
		defer release()
		began, output := time.Now(), &session.CompileLog{}
		r, err := capture.Run(ctx, capture.Options{
			Command: command, Dir: f.config.Root, Root: f.config.Root, Out: filepath.Join(dir, "dumps"), Producer: f.config.Producer,
			Stdout: output, Stderr: output, Progress: func(p capture.Progress) { say(progressText("", p)) },
		})
		if err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		side := dump.Read(ctx, r.Dir, dump.Options{Producers: f.config.Producers, Digest: true})
		record := sameInstructions(side, k.Live)
		if record == nil {
			if !r.Whole() {
				if _, err := output.Keep(f.config); err != nil {
					v.log.Print(err)
				}
				return "", errors.New(report.EditorLine(withMend(r.Problems[0])))
			}
			return "", fmt.Errorf("compiled once more, %s is not there with the same instructions, so its lines would be those of other code", bare(k.Key))
		}
		row := diff.RowOf(k.Row.Before, record)
		row.Key = k.Row.Key
		result := &diff.Result{Before: f.state.Result.Before, After: side}
		if told, err = trace.WhyOf(ctx, result, &row, trace.WhyOptions{Root: f.config.Root}); err != nil {
			return "", err
		}
		if len(told.Kernels) == 0 {
			return "", errors.New(report.EditorLine(withMend(told.Problems[0])))
		}
		copied := *k
		copied.Live, copied.Compiled = record, began
		again = &copied
		return "", nil
	})
	if err != nil {
		return nil, nil, err
	}
	v.keepLines(f, k, again, told)
	return told, again, nil
}

// sameInstructions returns the record of a side that has the instructions of another
// one; nil if there is none, or more than one could be meant.
func sameInstructions(side *resource.Side, r *resource.Record) (found *resource.Record) {
	for _, other := range side.Records {
		if other.Digest != r.Digest || other.Name != r.Name || other.Target.Processor != r.Target.Processor || !other.Trustworthy() {
			continue
		}
		if other.Key == r.Key {
			return other
		}
		if found != nil {
			return nil
		}
		found = other
	}
	return found
}

// keepLines has hover and hints show the lines of a second compile, if its sources are
// those of the first one.
func (v *view) keepLines(f folderView, k, again *live.Kernel, w *trace.Why) {
	key, ok := whyKeyOf(f.state, k)
	if !ok || len(w.Problems) > 0 {
		return
	}
	marks := report.WhyMarks(&w.Kernels[0])
	for _, m := range marks {
		if path := here(again, m.Source.File); path == "" || !savedBefore(path, k.Compiled) {
			return
		}
	}
	v.whys.put(key, &seenWhy{marks: marks})
}

// moreLines returns the action that compiles a kernel once more, if its dump is known to
// have no debug locations.
func (v *view) moreLines(actions []action) []action {
	for _, a := range actions {
		if a.Command != commandWhy {
			continue
		}
		f, err := v.folderOf(a.Args.Folder)
		if err != nil || f.state == nil {
			return nil
		}
		k := f.state.Kernel(a.Args.Kernel)
		if k == nil {
			return nil
		}
		if key, ok := whyKeyOf(f.state, k); ok {
			if seen, ok := v.whys.get(key); ok && seen.bare {
				return linesAction(f, k)
			}
		}
	}
	return nil
}
