//go:build !windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// lockFlags open a lock file for no link and no pipe that was put in its place.
const lockFlags = os.O_CREATE | os.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lockless reports whether an error says that a file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOLCK)
}

// beingRemoved reports whether a lock file could not be opened as its holder is
// about to remove it.
func beingRemoved(error) bool { return false }
