package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"isadiff/engine/report"
)

// A colorMode is the value of --color.
type colorMode string

var colorModes = []string{"auto", "always", "never"}

func (m *colorMode) String() string { return string(*m) }
func (m *colorMode) Type() string   { return "WHEN" }
func (m *colorMode) Set(s string) error {
	if !slices.Contains(colorModes, s) {
		return fmt.Errorf("%q is none of %s", s, strings.Join(colorModes, ", "))
	}
	*m = colorMode(s)
	return nil
}

// style returns how text is laid out on w: coloured as --color, else NO_COLOR,
// else CLICOLOR_FORCE or FORCE_COLOR say, else on terminals that can; cut to the
// width of a terminal and nowhere else.
func (p *program) style(w io.Writer) report.Style {
	f, ok := w.(*os.File)
	terminal := ok && term.IsTerminal(int(f.Fd()))
	style := report.Style{Color: p.wantsColor(terminal)}
	if terminal {
		style.Width = p.width(f)
	}
	return style
}

func (p *program) wantsColor(terminal bool) bool {
	forced := func(name string) bool { v := p.env(name); return v != "" && v != "0" }
	switch {
	case p.color == "always":
		return true
	case p.color == "never":
		return false
	case p.env("NO_COLOR") != "":
		return false
	case forced("CLICOLOR_FORCE"), forced("FORCE_COLOR"):
		return true
	default:
		return terminal && p.env("TERM") != "dumb" && p.env("CLICOLOR") != "0"
	}
}

// width returns the cells of a terminal's line.
func (p *program) width(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	if w, err := strconv.Atoi(p.env("COLUMNS")); err == nil && w > 0 {
		return w
	}
	return 80
}
