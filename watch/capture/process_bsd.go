//go:build unix && !linux

package capture

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
