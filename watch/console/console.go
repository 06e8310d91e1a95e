package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

// A Session is what a console shows; *session.Session implements it.
type Session interface {
	Current() *live.State
	Subscribe() *live.Subscription
	Rescan(context.Context) (*live.State, error)
	SnapshotBaseline(ctx context.Context, force bool) (live.Written, error)
	NewestCounts(ctx context.Context, key string) error
}

// Options say where a session is shown and how.
type Options struct {
	Out     io.Writer           // blocks or JSON lines
	Style   func() report.Style // asked for each block: a terminal can be resized
	JSON    bool                // one JSON object a line
	Project report.Project
	Now     func() time.Time // time.Now if nil
	// Terminal is the terminal with the keys and the status line; nil if Out is not
	// an interactive terminal.
	Terminal *os.File
	// Reconfigured receives when the configuration may have changed; it may be nil.
	// Reopen then ends the session that is shown and returns another one, or returns
	// nil if the session is still right.
	Reconfigured <-chan struct{}
	Reopen       func() (Session, report.Project, error)
}

// Run shows a session until ctx ends, the user quits or the output is closed. It
// returns the last verdict, which is NOT TRUSTWORTHY before the session is ready.
func Run(ctx context.Context, s Session, o Options) (verdict diff.Verdict, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	commands, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &console{session: s, sub: s.Subscribe(), options: o, done: make(chan string, 8), signals: &terminalSignals{}}
	defer func() { c.sub.Close() }()
	var keys <-chan byte
	if o.Terminal != nil {
		c.screen = &screen{out: o.Out, terminal: o.Terminal}
		c.signals = newTerminalSignals()
		defer c.signals.close()
		if err := c.screen.enter(); err != nil {
			return diff.NotTrustworthy, fmt.Errorf("preparing the terminal: %w", err)
		}
		defer c.screen.leave()
		keys = readKeys(o.Terminal)
	}
	defer c.wait()
	if now := s.Current(); now.Ready {
		c.show(now)
	}
	c.status()
	for c.err == nil && !c.quit {
		select {
		case state, open := <-c.sub.C:
			if open {
				c.show(state)
			} else {
				c.quit = true
			}
		case key, open := <-keys:
			if !open {
				c.quit = true // the terminal is gone
			} else {
				c.key(commands, key)
			}
		case sig := <-c.signals.C:
			c.signal(sig)
		case <-o.Reconfigured:
			c.reopen()
		case line := <-c.done:
			c.busy--
			c.line(line)
		case <-ctx.Done():
			c.quit = true
		}
		c.status()
	}
	cancel() // nobody waits any more for everything to be read
	if c.screen != nil {
		c.screen.leave() // ctrl-C is a signal again, whatever takes long
	}
	c.wait()
	if state := c.session.Current(); state != c.shown && state.Ready && c.err == nil {
		c.paused = false
		c.show(state)
	}
	c.end()
	if errors.Is(c.err, syscall.EPIPE) {
		c.err = nil // whoever reads has seen enough
	}
	return c.verdict(), c.err
}

// A console is one run. Only Run's goroutine touches it.
type console struct {
	session Session
	sub     *live.Subscription
	options Options
	signals *terminalSignals
	screen  *screen         // nil without a terminal
	shown   *live.State     // what was shown last; nil before
	said    diff.Verdict    // of the last block
	warned  map[string]bool // warnings that were said
	paused  bool
	quit    bool
	err     error       // the first error of writing
	busy    int         // commands under way
	done    chan string // what became of them
}

// verdict is that of what was shown last: whoever reads has seen no other.
func (c *console) verdict() diff.Verdict {
	if c.shown == nil {
		return diff.NotTrustworthy
	}
	return c.shown.Verdict
}

// show writes what is new in a State.
func (c *console) show(state *live.State) {
	if c.paused || state == c.shown {
		return
	}
	before := c.shown
	c.shown = state
	if c.options.JSON {
		line, err := report.WatchJSON(before, state, c.options.Now())
		if err != nil {
			c.fail(err)
			return
		}
		c.write(line)
		return
	}
	block := report.Block(before, c.fresh(state), c.options.Now(), c.options.Project, c.options.Style())
	if len(block) > 0 {
		c.said = state.Verdict
	}
	c.write(block)
}

// fresh returns a State without the warnings that were said before: what a run or a
// changed configuration takes away for a while is no news when it is back.
func (c *console) fresh(state *live.State) *live.State {
	said := c.warned
	now := *state
	now.Warnings = slices.DeleteFunc(slices.Clone(now.Warnings), func(w string) bool { return said[w] })
	if c.warned = maps.Clone(said); c.warned == nil {
		c.warned = map[string]bool{}
	}
	for _, w := range state.Warnings {
		c.warned[w] = true
	}
	return &now
}

// end writes the verdict that the session ends with, if the last block has another
// one: that something is under way is worth no block.
func (c *console) end() {
	if c.shown != nil && !c.options.JSON && c.shown.Verdict != c.said {
		c.write(report.Ending(c.shown, c.options.Now(), c.options.Style()))
	}
}

// line writes a line about a command, if there is something to say.
func (c *console) line(text string) {
	if text != "" {
		c.write(report.Said(c.options.Now(), "%s", text))
	}
}

func (c *console) write(text []byte) {
	if len(text) == 0 || c.err != nil {
		return
	}
	if c.screen != nil {
		c.fail(c.screen.print(text))
		return
	}
	_, err := c.options.Out.Write(text)
	c.fail(err)
}

func (c *console) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// status draws the status line, if there is one and it changed.
func (c *console) status() {
	if c.screen == nil || c.err != nil {
		return
	}
	c.fail(c.screen.status(report.StatusLine(c.session.Current(), c.paused, c.options.Style())))
}

// key does what a key stands for.
func (c *console) key(ctx context.Context, key byte) {
	switch key {
	case 'q', 'Q', ctrlC, ctrlD:
		c.quit = true
	case ctrlZ:
		if canStop {
			c.fail(c.screen.suspend(c.signals.stopGroup))
		}
	case 'p', 'P':
		if c.paused = !c.paused; !c.paused {
			c.show(c.session.Current())
		}
	case 'c', 'C':
		c.fail(c.screen.clear())
	case '?', 'h', 'H':
		c.write([]byte(report.WatchHelp))
	case 'r', 'R':
		s := c.session
		c.start(func() string {
			_, err := s.Rescan(ctx)
			if ctx.Err() != nil {
				return "" // who quits does not wait for it
			}
			return report.ReadAgain(err)
		})
	case 'n', 'N':
		s := c.session
		c.start(func() string { return report.NewestCounted(s.NewestCounts(context.WithoutCancel(ctx), "")) })
	case 'b', 'B':
		s, project := c.session, c.options.Project
		c.start(func() string { // what has begun to write is not to be left, also by who quits
			written, err := s.SnapshotBaseline(context.WithoutCancel(ctx), false)
			return report.BaselineTaken(project, written, s.Current(), err)
		})
	}
}

// start runs a command beside the console; what became of it is a line.
func (c *console) start(command func() string) {
	if c.busy > 0 {
		return // one at a time
	}
	c.busy++
	go func() {
		defer func() {
			if r := recover(); r != nil {
				c.done <- report.ReadAgain(problem.Crashed("", r))
			}
		}()
		c.done <- command()
	}()
}

// wait ends what was started, and says what became of it.
func (c *console) wait() {
	for ; c.busy > 0; c.busy-- {
		c.line(<-c.done)
	}
}

// reopen shows another session if the configuration asks for one. What it says is
// new from the start: it may compare other things.
func (c *console) reopen() {
	s, project, err := c.options.Reopen()
	if err != nil {
		c.fail(err)
		return
	}
	if s == nil {
		if c.screen != nil {
			c.screen.drawn = "" // what Reopen said may stand there
		}
		return
	}
	c.sub.Close()
	c.session, c.sub, c.shown, c.options.Project = s, s.Subscribe(), nil, project
	if !c.options.JSON {
		c.line(report.Reconfigured)
	}
	if now := s.Current(); now.Ready {
		c.show(now)
	}
}
