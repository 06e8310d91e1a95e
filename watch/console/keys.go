package console

import "io"

// Bytes that a terminal in raw mode sends for keys.
const (
	ctrlC  = 0x03
	ctrlD  = 0x04
	ctrlZ  = 0x1a
	escape = 0x1b
)

// readKeys delivers what is typed. Its goroutine waits in a read, which only the
// end of the terminal or of the process ends: it is the one that nobody waits for.
func readKeys(terminal io.Reader) <-chan byte {
	keys := make(chan byte, 16)
	go func() {
		defer close(keys)
		var buf [64]byte
		var f keyFilter
		for {
			n, err := terminal.Read(buf[:])
			for _, b := range f.keys(buf[:n]) {
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

// A keyFilter drops what terminals send for arrows, function keys and keys with
// Alt: sequences that begin with ESC and end with a letter (ECMA-48, 5.4: CSI,
// and SS3), which must not be taken for that letter's key.
type keyFilter struct{ within sequence }

type sequence uint8

const (
	none       sequence = iota
	afterESC            // of which nobody knows yet what it begins
	parameters          // of a control sequence, up to its final byte
	single              // one character of another set follows
)

// keys returns the keys among bytes that were read at once.
func (f *keyFilter) keys(read []byte) []byte {
	kept := read[:0]
	for i, b := range read {
		switch f.within {
		case afterESC:
			switch {
			case b == '[':
				f.within = parameters
			case b == 'O':
				f.within = single
			case b == escape:
			default:
				f.within = none
				if i == 0 { // ESC came alone, and then another key
					kept = append(kept, b)
				}
			}
		case parameters:
			if b >= 0x40 && b <= 0x7e {
				f.within = none
			}
		case single:
			f.within = none
		default:
			if b == escape {
				f.within = afterESC
			} else {
				kept = append(kept, b)
			}
		}
	}
	return kept
}
