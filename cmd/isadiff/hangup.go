package main

import (
	"context"
	"os/signal"
	"syscall"
)

// hangup ends a command's work also when its terminal goes away, unless that is
// to be ignored, as under nohup.
func hangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}
