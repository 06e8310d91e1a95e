//go:build !unix

package console

import "os"

const canStop = false

func terminalSignals() (<-chan os.Signal, func()) { return nil, func() {} }

func isResize(os.Signal) bool { return false }

func stop() {}
