package problem

import (
	"strings"
	"unicode"
)

// Quoted returns an argument as a shell takes it, for a command that a message
// tells to run.
func Quoted(arg string) string {
	if arg != "" && strings.IndexFunc(arg, special) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+:@%,=", r)
}
