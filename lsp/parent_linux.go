package lsp

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// waitForProcess returns when the process is gone, or ctx ends. It sleeps in the
// kernel (pidfd_open, Linux 5.3). A process that is not there at all was never
// ours to see: the client is in another PID namespace.
func waitForProcess(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return pollProcess(ctx, pid)
	}
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	stop := context.AfterFunc(ctx, func() { f.Close() })
	defer stop()
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	asked := false
	err = raw.Read(func(uintptr) bool {
		// The poller wakes this once the descriptor is readable: the process ended.
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		asked = err == nil && n > 0
		return asked || ctx.Err() != nil
	})
	if err != nil && !asked {
		return context.Cause(ctx)
	}
	return ctx.Err()
}
