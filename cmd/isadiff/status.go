package main

import (
	"bytes"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// A statusLine is the last line of a terminal: it is taken away while something
// else is printed and comes back after a whole line. Without a terminal it is
// never shown.
type statusLine struct {
	mu     sync.Mutex
	to     io.Writer // nil without a terminal
	text   string
	shown  bool
	inLine bool // what was printed last has not ended its line
}

// status returns the status line of this run's terminal.
func (p *program) status() *statusLine {
	s := &statusLine{}
	if f, ok := p.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) && p.env("TERM") != "dumb" {
		s.to = f
	}
	return s
}

// set shows another text.
func (s *statusLine) set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil || text == s.text {
		return
	}
	s.hide()
	s.text = text
	s.show()
}

// clear ends the status line.
func (s *statusLine) clear() { s.set("") }

func (s *statusLine) hide() {
	if s.shown {
		_, _ = io.WriteString(s.to, "\r\x1b[K")
		s.shown = false
	}
}

func (s *statusLine) show() {
	if s.to != nil && s.text != "" && !s.inLine {
		_, _ = io.WriteString(s.to, s.text)
		s.shown = true
	}
}

// above returns a writer to w that makes room for what it prints.
func (s *statusLine) above(w io.Writer) io.Writer { return aboveStatus{s, w} }

type aboveStatus struct {
	status *statusLine
	w      io.Writer
}

func (a aboveStatus) Write(p []byte) (int, error) {
	s := a.status
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide()
	n, err := a.w.Write(p)
	s.inLine = !bytes.HasSuffix(p, []byte("\n"))
	s.show()
	return n, err
}
