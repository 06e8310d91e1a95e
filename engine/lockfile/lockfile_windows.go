package lockfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

const plain = 0

// BeingRemoved reports whether a file could not be opened as its holder is about to
// remove it.
func BeingRemoved(err error) bool { return errors.Is(err, windows.ERROR_DELETE_PENDING) }
