package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const lockFlags = os.O_CREATE | os.O_RDWR

// lockless reports whether an error says that a file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}

// beingRemoved reports whether a lock file could not be opened as its holder is
// about to remove it.
func beingRemoved(err error) bool { return errors.Is(err, windows.ERROR_DELETE_PENDING) }
