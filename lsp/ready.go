package lsp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"isadiff/engine/live"
	"isadiff/watch/session"
)

// readyTime is how long a request waits at most for a project to be read.
const readyTime = 30 * time.Second

// readyFolder returns the folder that a command means, once it was read: a command that
// comes while the project is being opened waits.
func (v *view) readyFolder(ctx context.Context, u string) (folderView, error) {
	var f folderView
	var err error
	waited := v.wait(ctx, func(v *view) bool {
		f, err = v.folderOf(u)
		return err != nil || f.state != nil
	})
	if waited != nil {
		return folderView{}, waited
	}
	return f, err
}

// withSession gives an order to the session of the folder that a command means, once
// it was read. If the session is replaced before it carries the order out, as by a
// change of the configuration, the next session gets the order.
func (v *view) withSession(ctx context.Context, u string, order func(*session.Session) error) error {
	var tried *session.Session
	for {
		var l *session.Session
		var err error
		waited := v.wait(ctx, func(v *view) bool {
			var f folderView
			if f, err = v.folderOf(u); err != nil {
				return true
			}
			now := f.current.Load()
			l = now.session
			return l != nil && l != tried && now.state() != nil
		})
		if err = cmp.Or(waited, err); err != nil {
			return err
		}
		if err = order(l); !errors.Is(err, live.ErrClosed) {
			return err
		}
		tried = l
	}
}

// opened returns the view once every folder was read, or as it is after a while. A
// client that refreshes gets the view at once: it is asked to fetch again later.
func (v *view) opened(ctx context.Context, refreshes bool) (*view, error) {
	if refreshes {
		return v, nil
	}
	now := v
	_ = v.wait(ctx, func(v *view) bool {
		now = v
		return !slices.ContainsFunc(v.folders, func(f folderView) bool { return f.state == nil })
	})
	return now, ctx.Err() // no answer while the session ends
}

// wait returns when a view fulfils a condition: this one, or one of the same
// documents with the folders as they are by then.
func (v *view) wait(ctx context.Context, fulfils func(*view) bool) error {
	if fulfils(v) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyTime, live.ErrNotReady)
	defer cancel()
	for {
		changed := v.publish.next()
		now := *v
		now.folders = v.Server.folders.view()
		if fulfils(&now) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
