//go:build !unix

package console

import "os"

const canStop = false

// terminalSignals are none where a terminal has none.
type terminalSignals struct{ C <-chan os.Signal }

func newTerminalSignals() *terminalSignals { return &terminalSignals{} }

func (*terminalSignals) close() {}

func (*terminalSignals) stopGroup() {}

func (c *console) signal(os.Signal) {}
