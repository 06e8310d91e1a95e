// Package console runs a live session in a terminal: one block of text for each
// settled run, and below it, on a terminal only, one status line that is written
// over and a few keys. What it shows is made by engine/report; this package
// knows when to show it, and leaves the terminal as it found it.
//
// The rules:
//   - What is no terminal gets lines alone: no keys, no status line, no escapes.
//     With JSON it gets one object a line and nothing else.
//   - The screen is never cleared unasked, and no block is ever written over, so
//     scrolling back tells the story.
//   - The terminal is put back on every way out: q, ctrl-C, a signal, an error, a
//     panic, and for the time that the program is stopped (ctrl-Z).
//   - Nothing is drawn while nothing happens.
package console
