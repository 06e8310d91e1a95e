package console

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/term"
)

// A screen is a terminal with blocks that scroll and one status line below them.
type screen struct {
	out      io.Writer
	terminal *os.File
	cooked   *term.State // how the terminal was; nil while it is that way
	drawn    string      // the status line that stands there
}

// clearLine begins the line anew and empties it (ECMA-48 CR, EL).
const clearLine = "\r\x1b[K"

// enter makes keys come one by one and unseen.
func (s *screen) enter() (err error) {
	s.cooked, err = term.MakeRaw(int(s.terminal.Fd()))
	return err
}

// leave puts the terminal back; it may be called at any time.
func (s *screen) leave() {
	if s.cooked == nil {
		return
	}
	_, _ = io.WriteString(s.out, clearLine)
	_ = term.Restore(int(s.terminal.Fd()), s.cooked)
	s.cooked, s.drawn = nil, ""
}

// print writes lines above the status line.
func (s *screen) print(text []byte) error {
	var b bytes.Buffer
	if s.drawn != "" {
		b.WriteString(clearLine)
		s.drawn = ""
	}
	if s.cooked != nil {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) // raw mode moves down only
	}
	b.Write(text)
	_, err := s.out.Write(b.Bytes())
	return err
}

// status writes the status line over the one that stands there.
func (s *screen) status(line string) error {
	if line == s.drawn || s.cooked == nil {
		return nil
	}
	s.drawn = line
	_, err := io.WriteString(s.out, clearLine+line)
	return err
}

// clear empties the screen.
func (s *screen) clear() error {
	s.drawn = ""
	_, err := io.WriteString(s.out, "\x1b[2J\x1b[H")
	return err
}

// suspend gives the terminal back, as it was, for the time that stop takes.
func (s *screen) suspend(stop func()) error {
	s.leave()
	stop()
	return s.enter()
}

// resume takes a terminal that something else had meanwhile: a process that was
// stopped from outside gave nothing back, and gets what its shell left.
func (s *screen) resume() error {
	if s.cooked == nil {
		return nil
	}
	s.drawn = ""
	_, err := term.MakeRaw(int(s.terminal.Fd()))
	return err
}
