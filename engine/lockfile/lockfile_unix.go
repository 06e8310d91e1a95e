//go:build !windows

package lockfile

import "syscall"

// plain are the flags that open neither a link nor, for ever, a pipe.
const plain = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// BeingRemoved reports whether a file could not be opened as its holder is about to
// remove it.
func BeingRemoved(error) bool { return false }
