//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

const canStop = true

// terminalSignals delivers the signals that concern the terminal: a new size, the
// wish to stop for a while, that the process goes on, and the wish for a trace.
type terminalSignals struct {
	C <-chan os.Signal
	c chan os.Signal
}

func newTerminalSignals() *terminalSignals {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGQUIT)
	return &terminalSignals{c, c}
}

func (t *terminalSignals) close() { signal.Stop(t.c) }

// signal does what a signal asks for.
func (c *console) signal(sig os.Signal) {
	switch sig {
	case syscall.SIGWINCH:
		c.screen.drawn = "" // draw it anew, cut to the new width
	case syscall.SIGCONT:
		c.fail(c.screen.resume())
	case syscall.SIGTSTP:
		c.fail(c.screen.suspend(c.signals.stopSelf))
	case syscall.SIGQUIT: // Go ends with a trace, which is to be read
		c.screen.leave()
		c.signals.raise(syscall.SIGQUIT)
	}
}

// stopGroup stops all processes of the job, as a terminal does where ctrl-Z is
// typed: a script or a tool that waits for this one is to stop, too.
func (t *terminalSignals) stopGroup() { stop(0) }

func (t *terminalSignals) stopSelf() { stop(os.Getpid()) }

// stop stops a process or, for 0, the process group until it is continued: at once
// with SIGSTOP, as Go hears a SIGTSTP whenever it comes to it. That can be after the
// shell let the job go on, and would stop this process alone, which no shell sees.
// Where nobody could continue it, it does what the system does with a SIGTSTP then:
// nothing.
func stop(pid int) {
	if orphaned() {
		return
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(pid, syscall.SIGSTOP) == nil {
		<-continued
	}
}

// orphaned reports whether this process belongs to no job of a shell: its process
// group is that of the session's leader, or its parent is of another session.
func orphaned() bool {
	session, err := unix.Getsid(0)
	if err != nil || session == syscall.Getpgrp() {
		return true
	}
	parents, err := unix.Getsid(os.Getppid())
	return err != nil || parents != session
}

// raise sends this process a signal that does what it does without a handler.
func (t *terminalSignals) raise(sig syscall.Signal) {
	signal.Reset(sig)
	_ = syscall.Kill(os.Getpid(), sig)
}
