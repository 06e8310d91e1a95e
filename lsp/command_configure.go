package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/live"
	"isadiff/engine/occupancy"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

// A configured is the answer of commands that change the configuration.
type configured struct {
	Path    string `json:"path"`
	Text    string `json:"text"` // the lines for the file
	Written bool   `json:"written"`
	Message string `json:"message"`
}

// configure writes a key of the configuration once a person has seen what, and why. In a
// workspace that is not trusted, and where the file cannot be changed without a person,
// it is shown alone, as it is if a person has to complete it.
func (v *view) configure(ctx context.Context, f folderView, s project.Setting, why string, incomplete bool) (any, error) {
	add := f.config.Add(s)
	name := relativeTo(f.config.Root, add.Path)
	line := strings.ReplaceAll(strings.TrimSpace(add.Shown()), "\n", " ")
	answer := configured{Path: add.Path, Text: add.Shown()}
	show := func(because string) (any, error) {
		answer.Message = fmt.Sprintf("%s; write this to %s: %s", why, name, line)
		if because != "" {
			answer.Message += " (" + because + ")"
		}
		answer.Message = report.EditorLine(answer.Message)
		v.say(f.says(v) + answer.Message)
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
	case incomplete:
		return show("which folder it is nobody here knows")
	}
	const write = "Write it"
	asked := &protocol.ShowMessageRequestParams{
		Type:    protocol.MessageTypeInfo,
		Message: report.EditorText(fmt.Sprintf("%s%s. Write this to %s, line %d? %s", f.says(v), why, name, add.At, line)),
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
	add, err := f.config.Write(s)
	if add.Err != nil {
		return show(oneLine(add.Err.Error()))
	} else if err != nil {
		return nil, err
	}
	wake(f.configured)
	answer.Written, answer.Message = true, report.EditorLine(fmt.Sprintf("%s, line %d: %s", name, add.At, add.Line))
	v.say(f.says(v) + answer.Message)
	return answer, nil
}

// pair makes a kernel and its probable counterpart under another name one.
func (v *view) pair(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if k.Proposed == nil {
		return nil, fmt.Errorf("%s has no probable counterpart under another name", bare(k.Key))
	}
	why := fmt.Sprintf("%s before is %s after (%s)", bare(k.Proposed.Before.Key), bare(k.Proposed.After.Key), report.Proposed(k.Proposed))
	return v.configure(ctx, f, project.PairSetting(k.Pair[0], k.Pair[1]), why, false)
}

// pairAction offers to make a kernel and its probable counterpart one; nothing without
// one.
func pairAction(f *folder, k *live.Kernel) []action {
	if k == nil || k.Proposed == nil {
		return nil
	}
	return []action{{"pair them", commandPair, commandArgs{Folder: string(f.uri), Kernel: k.Key}}}
}

// mapPath leads the path that a kernel was compiled from to its source.
func (v *view) mapPath(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if !unmapped(k) {
		return nil, errors.New(bare(k.Key) + " needs no mapping: its dump names no path, or one that is known here")
	}
	from, to, found := mapping(f.config.Root, f.state, k)
	why := fmt.Sprintf("%s was compiled from %s", bare(k.Key), oneLine(k.Place.Origin.Path))
	return v.configure(ctx, f, project.PathSetting(from, to), why, !found)
}

// tolerate says of a kernel that the growth which it shows is none to fail for.
func (v *view) tolerate(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	growth, ok := tolerable(k)
	if !ok {
		return nil, fmt.Errorf("%s has no growth that a tolerance is for: more registers or LDS, and no spills; accept what is meant", bare(k.Key))
	}
	why := fmt.Sprintf("%s grew: %s", bare(k.Key), report.Changes(k.Row))
	return v.configure(ctx, f, project.ToleranceSetting(accept.Exactly(k.Key), growth), why, false)
}

// tolerable returns the tolerance that lets a kernel's growth pass: registers while no
// wave is lost, else so much of each metric; ok is false if it has none, or if it spills.
func tolerable(k *live.Kernel) (growth any, ok bool) {
	if k.Status != live.Worse || k.Row == nil || !k.Row.Comparable() || k.Row.Unlaunchable != "" {
		return nil, false
	}
	numbers, registers := map[string]int64{}, true
	for _, d := range k.Row.Deltas {
		if !d.Worse() {
			continue
		}
		if _, allowed := k.Row.Acceptance(d.Metric); allowed {
			continue
		}
		if d.Metric.Spills() {
			return nil, false
		}
		numbers[d.Metric.String()] = d.Change
		registers = registers && (d.Metric == resource.VGPR || d.Metric == resource.SGPR)
	}
	if len(numbers) == 0 {
		return nil, false
	}
	if _, _, fewer := occupancy.Lost(k.Row.Before, k.Row.After); registers && !fewer {
		return tolerance.Waves, true
	}
	return numbers, true
}

// setCompile sets the command that compiles the project: the one that is given, or that
// of the last capture.
func (v *view) setCompile(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, err := v.readyFolder(ctx, a.Folder)
	if err != nil {
		return nil, err
	}
	if set := f.config.CompileText(); set != "" {
		return nil, fmt.Errorf("the compile command is set already, by %s: %s", f.config.Origin("compile"), oneLine(set))
	}
	command, why := project.Command{Args: []string{a.Compile}, Shell: true}, "kernels are compiled by `"+a.Compile+"`"
	if a.Compile == "" {
		if command.Args = capturedBy(f.config); command.Args == nil {
			_, err := compileCommand(f.config)
			return nil, err
		}
		command.Shell, why = false, "the last capture ran `"+strings.Join(command.Args, " ")+"`"
	}
	return v.configure(ctx, f, project.CompileSetting(command), why, false)
}

// capturedBy returns the command of the capture that the dumps are of; nil if they are of
// none, or if it is named by no text that a file can hold.
func capturedBy(config *project.Config) []string {
	m := dump.ReadManifest(config.Dumps)
	if m == nil || len(m.Command) == 0 || m.Command[0] == "" {
		return nil
	}
	return m.Command
}

// compileActions offer to set the compile command where there is none and one is known.
func compileActions(f *folder) []action {
	config := f.current.Load().config
	if config == nil || config.CompileText() != "" || capturedBy(config) == nil {
		return nil
	}
	return []action{{"set the compile command", commandSetCompile, commandArgs{Folder: string(f.uri)}}}
}

// showBudget opens the line of the configuration that limits what a kernel breaks.
func (v *view) showBudget(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if len(k.Broken) == 0 {
		return nil, errors.New(bare(k.Key) + " breaks no budget")
	}
	b := k.Broken[0]
	message := report.EditorLine(fmt.Sprintf("%s: %s; change the limit or the kernel", bare(k.Key), report.Broken(b)))
	path, line := budgetPlace(f.config, b)
	if path != "" {
		v.show(path, wholeLine(line))
	} else {
		v.say(f.says(v) + message)
	}
	return struct {
		Path    string `json:"path"`
		Line    int    `json:"line"` // 0-based
		Message string `json:"message"`
	}{path, max(line-1, 0), message}, nil
}

// budgetPlace returns the file and the 1-based line of a budget; "" if it is in no file.
func budgetPlace(config *project.Config, b diff.Breach) (path string, line int) {
	at := strings.LastIndexByte(b.Where, ':')
	if at < 0 {
		return "", 0
	}
	line, err := strconv.Atoi(b.Where[at+1:])
	if err != nil || config.File == "" || filepath.Base(b.Where[:at]) != filepath.Base(config.File) {
		return "", 0
	}
	return config.File, line
}

// budgetActions offer the lines of the budgets that a kernel breaks.
func budgetActions(f *folder, k *live.Kernel) []action {
	if len(k.Broken) == 0 {
		return nil
	}
	return []action{{"budget", commandShowBudget, commandArgs{Folder: string(f.uri), Kernel: k.Key}}}
}

// moreActions are what is offered on kernels without a place in their line: what lets the
// growth of the worst of them pass, and how a compile is set.
func moreActions(f *folder, ks []*live.Kernel) (all []action) {
	if i := slices.IndexFunc(ks, func(k *live.Kernel) bool { _, ok := tolerable(k); return ok }); i >= 0 {
		all = append(all, action{"tolerate its growth", commandTolerate, commandArgs{Folder: string(f.uri), Kernel: ks[i].Key}})
	}
	return append(all, compileActions(f)...)
}
