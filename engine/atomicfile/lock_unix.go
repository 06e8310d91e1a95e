//go:build !windows

package atomicfile

import (
	"errors"
	"syscall"
)

// lockless reports whether an error says that a file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOLCK)
}
