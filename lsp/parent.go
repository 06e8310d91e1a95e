package lsp

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// followParent ends the session when the editor's process is gone (LSP 3.18,
// InitializeParams.processId), which a crash of the editor can come to without
// closing our stdin.
func (s *Server) followParent(pid int) {
	s.background(func(ctx context.Context) {
		if err := waitForProcess(ctx, pid); err != nil {
			if ctx.Err() == nil {
				s.log.Printf("the editor's process %d cannot be followed: %v", pid, err)
			}
			return
		}
		close(s.orphaned)
	})
}

// parentInterval is how often a process is looked for where the system does not
// tell of its end.
const parentInterval = 5 * time.Second

// pollProcess returns when a process that was there is gone.
func pollProcess(ctx context.Context, pid int) error {
	if !alive(pid) {
		return errors.New("there is no such process here")
	}
	tick := time.NewTicker(parentInterval)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
