//go:build !unix

package capture

import (
	"os/exec"
)

func isolate(*exec.Cmd) {}

// interrupt does nothing: there is no signal to ask with. killAll follows.
func interrupt(*exec.Cmd) {}

func killAll(c *exec.Cmd) { _ = c.Process.Kill() }
