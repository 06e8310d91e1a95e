package resource

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ValidText returns s with every byte that is no UTF-8 written as \xNN. Keys
// and paths go through it, as a file system allows any byte in a name but JSON
// and terminals don't: what is shown and stored is then one and the same text.
func ValidText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
