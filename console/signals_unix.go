//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
)

const canStop = true

// terminalSignals delivers the signals that concern the terminal: a new size and
// the wish to stop for a while.
func terminalSignals() (<-chan os.Signal, func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGTSTP)
	return signals, func() { signal.Stop(signals) }
}

func isResize(s os.Signal) bool { return s == syscall.SIGWINCH }

// stop stops the process until it is continued. SIGSTOP, as SIGTSTP is caught.
func stop() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
		<-continued
	}
}
