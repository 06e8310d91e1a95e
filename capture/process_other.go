//go:build !unix

package capture

import (
	"os"
	"os/exec"
)

func isolate(*exec.Cmd) {}

// interrupt does nothing: there is no signal to ask with. killAll follows.
func interrupt(*exec.Cmd) {}

func killAll(c *exec.Cmd) { _ = c.Process.Kill() }

// alive reports whether there is a process of a number.
func alive(pid int) bool {
	_, err := os.FindProcess(pid)
	return err == nil
}
