//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// closedPipe reports whether a write failed because its reader has gone away.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
