package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/report"
)

// A Session is what a console shows; a *session.Session is one.
type Session interface {
	Current() *live.State
	Subscribe() *live.Subscription
	Rescan(context.Context) (*live.State, error)
	SnapshotBaseline(ctx context.Context, force bool) (live.Written, error)
}

// Options say where a session is shown and how.
type Options struct {
	Out   io.Writer           // blocks or JSON lines
	Style func() report.Style // asked for each block: a terminal can be resized
	JSON  bool                // one JSON object a line
	Root  string              // paths are shown relative to it
	Now   func() time.Time    // time.Now if nil
	// Terminal is the terminal that keys come from and that the status line stands
	// on; nil if Out is no terminal or there is nobody at it.
	Terminal *os.File
}

// Run shows a session until ctx ends, a person quits or nobody reads any more. It
// returns the last verdict. Before the session is ready nothing is known, which
// is no OK.
func Run(ctx context.Context, s Session, o Options) (verdict diff.Verdict, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	sub := s.Subscribe()
	defer sub.Close()
	c := &console{session: s, options: o, done: make(chan string, 8)}
	var signals <-chan os.Signal
	var keys <-chan byte
	if o.Terminal != nil {
		c.screen = &screen{out: o.Out, terminal: o.Terminal}
		if err := c.screen.enter(); err != nil {
			return diff.NotTrustworthy, fmt.Errorf("preparing the terminal: %w", err)
		}
		defer c.screen.leave()
		var stop func()
		signals, stop = terminalSignals()
		defer stop()
		keys = readKeys(o.Terminal)
	}
	defer c.wait()
	if now := s.Current(); now.Ready {
		c.show(now)
	}
	c.status()
	for c.err == nil && !c.quit {
		select {
		case state, open := <-sub.C:
			if !open {
				return c.verdict(), c.err
			}
			c.show(state)
		case key, open := <-keys:
			if !open {
				c.quit = true // the terminal is gone
			} else {
				c.key(ctx, key)
			}
		case sig := <-signals:
			c.signal(sig)
		case line := <-c.done:
			c.busy--
			c.line(line)
		case <-ctx.Done():
			c.quit = true
		}
		c.status()
	}
	if state := s.Current(); state != c.shown && state.Ready && c.err == nil {
		c.paused = false
		c.show(state)
	}
	if errors.Is(c.err, syscall.EPIPE) {
		c.err = nil // whoever reads has seen enough
	}
	return c.verdict(), c.err
}

// A console is one run. Only Run's goroutine touches it.
type console struct {
	session Session
	options Options
	screen  *screen     // nil without a terminal
	shown   *live.State // what was shown last; nil before
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
	c.write(report.Block(before, state, c.options.Now(), c.options.Root, c.options.Style()))
}

// line writes a line about a command.
func (c *console) line(text string) { c.write(report.Said(c.options.Now(), "%s", text)) }

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
		c.fail(c.screen.suspend())
	case 'p', 'P':
		if c.paused = !c.paused; !c.paused {
			c.show(c.session.Current())
		}
	case 'c', 'C':
		c.fail(c.screen.clear())
	case '?', 'h', 'H':
		c.write([]byte(report.WatchHelp))
	case 'r', 'R':
		c.start(func() string {
			_, err := c.session.Rescan(ctx)
			return report.ReadAgain(err)
		})
	case 'b', 'B':
		c.start(func() string { return report.BaselineTaken(c.session.SnapshotBaseline(ctx, false)) })
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

// wait ends what was started. Commands end with their context at the latest.
func (c *console) wait() {
	for ; c.busy > 0; c.busy-- {
		<-c.done
	}
}

func (c *console) signal(sig os.Signal) {
	if isResize(sig) {
		c.screen.drawn = "" // draw it anew, cut to the new width
		return
	}
	c.fail(c.screen.suspend())
}

// Bytes that a terminal in raw mode sends for keys.
const (
	ctrlC = 0x03
	ctrlD = 0x04
	ctrlZ = 0x1a
)

// readKeys delivers what is typed. Its goroutine waits in a read, which only the
// end of the terminal or of the process ends: it is the one that nobody waits for.
func readKeys(terminal io.Reader) <-chan byte {
	keys := make(chan byte, 16)
	go func() {
		defer close(keys)
		var buf [16]byte
		for {
			n, err := terminal.Read(buf[:])
			for _, b := range buf[:n] {
				select {
				case keys <- b:
				default: // typed faster than anybody reads
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return keys
}
