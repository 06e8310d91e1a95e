package report

import (
	"bytes"
	"fmt"
)

// A CheckState tells how one check of the surroundings came out.
type CheckState uint8

// The states of a check.
const (
	Good   CheckState = iota
	Note              // works, but the user may want to know
	Failed            // keeps isadiff from giving a trustworthy answer
)

// A Check is one thing that isadiff depends on.
type Check struct {
	Name    string // "FlyDSL"
	State   CheckState
	Finding string // what was found, one line
	Mend    string // what to do, an imperative without a full stop; "" if nothing is wrong
}

// Checks returns what was looked at, one line each, with its mend.
func Checks(checks []Check, style Style) []byte {
	var b bytes.Buffer
	widest := 0
	for _, c := range checks {
		widest = max(widest, width(c.Name))
	}
	for _, c := range checks {
		mark := [...]string{Good: style.paint(good, "ok  "), Note: style.paint(unsure, "note"), Failed: style.paint(doubt, "FAIL")}[c.State]
		fmt.Fprintf(&b, "%s  %-*s  %s\n", mark, widest, c.Name, oneLine(c.Finding))
		if c.Mend != "" {
			fmt.Fprintf(&b, "      %*s  hint: %s\n", widest, "", oneLine(c.Mend))
		}
	}
	return b.Bytes()
}
