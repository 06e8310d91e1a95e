//go:build unix

package capture

import (
	"os/exec"
	"syscall"
)

// isolate puts a command into a process group of its own, by which all that it
// starts can be ended.
func isolate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(c.SysProcAttr)
}

// interrupt asks the group to end, as Ctrl-C does.
func interrupt(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGINT) }

// killAll ends what is left of the group.
func killAll(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
