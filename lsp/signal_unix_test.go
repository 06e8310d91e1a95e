//go:build unix

package lsp_test

import "syscall"

const (
	sigquit = syscall.SIGQUIT
	sighup  = syscall.SIGHUP
)
