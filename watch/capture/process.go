package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"

	"isadiff/engine/project"
)

// A process is a command to run with all that it starts.
type process struct {
	command        project.Command
	dir            string
	env            []string
	stdout, stderr io.Writer
}

// An ending tells how a process ended.
type ending struct {
	exit       int
	state      string
	cause      string // where the command's output does not tell
	notStarted bool
}

// How long a command that is to end may take to do so, after it was asked, and
// how long its output may stay open after it has ended.
const (
	politeTime = 3 * time.Second
	outputTime = time.Second
)

// execute runs a command to its end. If ctx ends first, the command and all that
// it started are asked to end, and are killed if they do not.
func execute(ctx context.Context, p process) ending {
	c := command(p.command)
	c.Dir, c.Env, c.Stdout, c.Stderr = p.dir, p.env, p.stdout, p.stderr
	isolate(c)
	if ctx.Err() != nil {
		return ending{exit: -1, state: "not started", notStarted: true, cause: ctx.Err().Error()}
	}
	// Linux ends the child with the thread that started it, so that the child
	// does not outlive a killed isadiff: the thread must last as long.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.Start(); err != nil {
		return ending{exit: -1, state: "not started", notStarted: true, cause: fmt.Sprintf("it could not be started: %v", plain(err))}
	}
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		if !errors.Is(context.Cause(ctx), ErrSuperseded) { // else somebody waits, and nothing of it matters
			interrupt(c)
			select {
			case <-done:
			case <-time.After(politeTime):
			}
		}
		killAll(c)
	}()
	c.WaitDelay = outputTime
	err := c.Wait()
	close(done)
	<-stopped
	state := c.ProcessState
	switch {
	case state == nil:
		return ending{exit: -1, state: "not started", notStarted: true, cause: err.Error()}
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // something it left running holds its output open
	}
	e := ending{exit: state.ExitCode(), state: state.String()}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		e.cause = err.Error()
		e.exit = max(e.exit, 1)
	}
	return e
}

// command returns the command as the system starts it.
func command(c project.Command) *exec.Cmd {
	if !c.Shell {
		return exec.Command(c.Args[0], c.Args[1:]...)
	}
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/C", c.String())
	}
	return exec.Command("sh", "-c", c.String())
}

// plain returns what the operating system said of a program that does not start.
func plain(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s: %w", e.Name, e.Err)
	}
	return err
}
