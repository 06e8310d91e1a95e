package atomicfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// lockless reports whether an error says that a file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}
