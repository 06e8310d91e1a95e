package problem

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Crashed makes the problem that a panic becomes. It is called by the function
// that recovered it, while that is being done: the message names the place of
// ours where it happened.
func Crashed(doing string, recovered any) Problem {
	message := fmt.Sprintf("%v, at %s", recovered, panicPlace(string(debug.Stack())))
	if doing != "" {
		message = doing + ": " + message
	}
	return Problem{Code: InternalError, Message: message}
}

// panicPlace finds where a panic came from: "engine/isa/parse.go:71".
func panicPlace(stack string) string {
	panicked, next := false, false
	for line := range strings.Lines(stack) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "panic("):
			panicked = true
		case !panicked:
		case next:
			place, _, _ := strings.Cut(line, " ")
			return shortPath(place)
		default:
			next = strings.HasPrefix(line, "isadiff/") || strings.HasPrefix(line, "main.")
		}
	}
	return "an unknown place"
}

// shortPath returns the last three elements of a path.
func shortPath(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return strings.Join(parts[max(0, len(parts)-3):], "/")
}
