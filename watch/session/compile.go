package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/watch"
	"isadiff/watch/capture"
)

// saveQuiet is how long nothing more may be saved before a compile starts: "save
// all" is one order.
const saveQuiet = 50 * time.Millisecond

// A Compiler compiles a project into the dumps that its session watches, one run at
// a time: a newer run ends the one before. It outlives the sessions that a changed
// configuration begins.
type Compiler struct {
	session func() *Session
	answer  func(*live.Order)
	turn    capture.Turn

	mu     sync.Mutex
	saved  *time.Timer // until a save is answered by a compile; nil before the first
	asked  *live.Order // the compile that answers the last save and has not begun; nil if none
	of     *Session    // that asked was told to
	closed bool
}

// NewCompiler returns the compiler of what session returns, which may be nil. After
// saves answer is called, which begins a run, must not wait, and ends the order.
func NewCompiler(session func() *Session, answer func(*live.Order)) *Compiler {
	return &Compiler{session: session, answer: answer}
}

// Soon has a save answered; saves that come shortly after one another are one. With
// ordered a compile will be begun, so from now on nothing is OK.
func (c *Compiler) Soon(ordered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if now := c.session(); ordered && (c.asked == nil || c.of != now) {
		c.asked.End()
		if c.asked, c.of = nil, now; now != nil {
			c.asked = now.OrderRun()
		}
	}
	if c.saved != nil {
		c.saved.Reset(saveQuiet)
		return
	}
	c.saved = time.AfterFunc(saveQuiet, func() {
		c.mu.Lock()
		order := c.asked
		c.asked = nil
		closed := c.closed
		c.mu.Unlock()
		if closed {
			order.End()
			return
		}
		c.answer(order)
	})
}

// Order tells the session that a run is about to begin; nil if there is no session,
// which could not show it.
func (c *Compiler) Order() *live.Order {
	if s := c.session(); s != nil {
		return s.OrderRun()
	}
	return nil
}

// listen has take told what the session's watcher sees; see [capture.Options.Listen].
func (c *Compiler) listen(take func(watch.Batch)) (stop func()) {
	if s := c.session(); s != nil {
		return s.Listen(take)
	}
	return nil
}

// Take ends the run under way, as [capture.Turn.Take] does, for one that compiles
// elsewhere.
func (c *Compiler) Take(ctx context.Context) (run context.Context, release func(), err error) {
	return c.turn.Take(ctx)
}

// A Compile says what a [Compiler] runs.
type Compile struct {
	Project       *project.Config
	Command       project.Command
	Dir           string // where it runs; the project's root if empty
	AllowFailures bool   // see [capture.Options]
	Order         *live.Order
	Progress      func(capture.Progress)
}

// Run compiles. A run before it ends; the error is [capture.ErrSuperseded] if a newer
// one ended this one. A run that is not whole has a result and a *[CompileFailure].
func (c *Compiler) Run(ctx context.Context, o Compile) (*capture.Result, error) {
	run, release, err := c.turn.Take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if o.Dir == "" {
		o.Dir = o.Project.Root
	}
	output := &CompileLog{}
	r, err := capture.Run(run, capture.Options{
		Command: o.Command, Dir: o.Dir, Root: o.Project.Root, Out: o.Project.Dumps, Live: true, Producer: o.Project.Producer,
		Stdout: output, Stderr: output, Progress: o.Progress, Began: o.Order.Began, Listen: c.listen, AllowFailures: o.AllowFailures,
	})
	if err != nil {
		return nil, err
	}
	if run.Err() != nil {
		return nil, context.Cause(run)
	}
	if !r.Whole() {
		log, err := output.Keep(o.Project)
		return r, &CompileFailure{Problems: r.Problems, Log: log, Unkept: err}
	}
	return r, nil
}

// Ended tells the session how the run of an order ended: err is what [Compiler.Run], or
// what came before it, said. One that was stopped says nothing of the dumps. dir is what
// the place of the log is named relative to.
func Ended(order *live.Order, err error, dir string) {
	var failure *CompileFailure
	var known problem.Problem
	switch {
	case err == nil:
		order.EndWell()
	case Stopped(err):
		order.End()
	case errors.As(err, &failure):
		reasons := slices.Clone(failure.Problems)
		if log := failure.Log; log != "" {
			if rel, err := filepath.Rel(dir, log); err == nil && filepath.IsLocal(rel) {
				log = rel
			}
			reasons[0].Message += "; its output is in " + log
		}
		order.End(reasons...)
	case errors.As(err, &known):
		order.End(known)
	default:
		order.End(problem.New(problem.CaptureFailed, "%v", err))
	}
}

// Stopped reports whether an error says that a run was stopped, by a person or by a
// newer one, and so nothing of its command.
func Stopped(err error) bool {
	return errors.Is(err, capture.ErrSuperseded) || errors.Is(err, context.Canceled)
}

// Close ends the run under way, without waiting for it, and those to come.
func (c *Compiler) Close() {
	c.mu.Lock()
	c.closed = true
	if c.saved != nil {
		c.saved.Stop()
	}
	c.mu.Unlock()
	c.turn.End()
}

// A CompileFailure is a compile that is not whole.
type CompileFailure struct {
	Problems []problem.Problem // not empty
	Log      string            // the file with what it printed; "" if it could not be written
	Unkept   error             // why it could not
}

func (e *CompileFailure) Error() string {
	text := string(e.Problems[0].Code) + ": " + e.Problems[0].Message
	if n := len(e.Problems); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text + ". To mend it: " + e.Problems[0].Mend()
}

// A CompileLog keeps the end of what a compile printed.
type CompileLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// keptOutput is how much of it is kept, in bytes.
const keptOutput = 1 << 20

func (l *CompileLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Write(p)
	if extra := l.b.Len() - keptOutput; extra > keptOutput {
		l.b.Next(extra)
	}
	return len(p), nil
}

// Keep writes it into the project, where a person can read why a compile failed, and
// returns the path.
func (l *CompileLog) Keep(p *project.Config) (path string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	path = filepath.Join(p.Root, ".isadiff", "capture.log")
	if err := p.WriteFile(path, []byte(strings.ToValidUTF8(l.b.String(), "\uFFFD"))); err != nil {
		return "", err
	}
	return path, nil
}
