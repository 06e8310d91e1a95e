package capture

import "syscall"

// endWithParent makes the kernel end the command if isadiff is killed.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
