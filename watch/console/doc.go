// Package console shows a live session in a terminal: a block of text for each
// settled run and, only on a terminal, a status line below it and a few keys.
// Package report makes the text; this package decides when to show it.
//
// The rules:
//
//   - Output that is not a terminal gets lines only: no keys, no status line, no
//     escapes. With JSON it gets one object per line and nothing else.
//   - The screen is cleared only on request, and no block is overwritten, so that
//     scrolling back shows the whole story.
//   - The terminal is restored on every way out: q, ctrl-C, a signal, an error, a
//     panic, and while the program is stopped (ctrl-Z).
//   - Nothing is drawn while nothing happens.
package console
