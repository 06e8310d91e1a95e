package main

import (
	"os"
	"syscall"
)

// peakMemory returns the bytes of memory that a finished process had in use at
// most.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
