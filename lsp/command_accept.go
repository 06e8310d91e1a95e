package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/accept"
	"isadiff/engine/gate"
	"isadiff/engine/live"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/watch/session"
)

// acceptRegression writes what a kernel grew by into the file of accepted regressions,
// with a reason, as `isadiff accept` does. The baseline stays.
func (v *view) acceptRegression(ctx context.Context, a commandArgs, _ protocol.ProgressToken) (any, error) {
	f, k, err := v.kernelOf(ctx, a)
	if err != nil {
		return nil, err
	}
	choice := gate.Choice{Reason: a.Reason}
	if choice.Kernels, err = resource.NewMatcher(accept.Exactly(k.Key)); err != nil {
		return nil, err
	}
	if a.Until != "" {
		if choice.Until, err = accept.ParseDate(a.Until); err != nil {
			return nil, fmt.Errorf("until %w", err)
		}
	}
	switch s := f.state; {
	case len(s.Invalid) > 0:
		return nil, fmt.Errorf("%w: %w", live.ErrInvalid, s.Invalid[0])
	case s.Run != nil:
		return nil, fmt.Errorf("%s: %w while a run is under way; wait for its end", bare(k.Key), live.ErrUntrusted)
	case s.Result == nil:
		return nil, live.ErrNoBaseline
	}
	entries, err := gate.Propose(f.state.Result, choice)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, errors.New(nothingToAccept(k))
	}
	path, err := f.config.WritableAccepted()
	if err != nil {
		return nil, err
	}
	if err := accept.Add(path, entries); err != nil {
		return nil, err
	}
	if err := v.withSession(ctx, a.Folder, func(l *session.Session) error { return l.ReadRules(ctx) }); err != nil {
		return nil, err
	}
	v.publish.flush(ctx)
	name := relativeTo(f.config.Root, path)
	var parts []string
	for _, e := range entries {
		parts = append(parts, fmt.Sprintf("%s up to %d", e.Metric, e.Value))
	}
	message := fmt.Sprintf("%s: accepted %s in %s", bare(k.Key), strings.Join(parts, ", "), name)
	if len(k.Edited) > 0 {
		message += "; it was edited since the compile: they are figures of the code before the last save"
	}
	line := lineOf(path, name, &entries[0])
	if entries[0].Reason == "" {
		message += "; write the reason there, for whoever reviews it"
		v.show(path, wholeLine(line))
	}
	message = report.EditorLine(message)
	v.say(f.says(v) + message)
	return struct {
		Path    string `json:"path"`
		Line    int    `json:"line"` // 0-based
		Message string `json:"message"`
	}{path, max(line-1, 0), message}, nil
}

// nothingToAccept says why no entry accepts what a kernel shows.
func nothingToAccept(k *live.Kernel) string {
	for _, b := range k.Broken {
		return fmt.Sprintf("%s: nothing grew that is not accepted already, and no acceptance covers a budget: %s; change the limit or the kernel", bare(k.Key), report.Broken(b))
	}
	if k.Row != nil && k.Row.Unlaunchable != "" {
		return fmt.Sprintf("%s cannot be launched any more; no acceptance covers that", bare(k.Key))
	}
	return bare(k.Key) + ": nothing grew that is not accepted already"
}

// lineOf returns the line of an entry in the file that it was put into; 0 if it is not
// found there any more.
func lineOf(path, name string, entry *accept.Entry) int {
	list := accept.Read(path, name)
	i := slices.IndexFunc(list.Entries, func(e accept.Entry) bool {
		return e.Kernels.String() == entry.Kernels.String() && e.Metric == entry.Metric
	})
	if i < 0 {
		return 0
	}
	return list.Entries[i].Line
}
