package pressure

import (
	"fmt"
	"strings"
)

// packsWorkItems reports whether a processor hands the work-item's three ids
// over in v0 alone. gfx900 to gfx908 and gfx10 use v0 to v2.
func packsWorkItems(processor string) bool {
	for _, separate := range [...]string{"gfx10", "gfx6", "gfx7", "gfx8"} {
		if strings.HasPrefix(processor, separate) {
			return false
		}
	}
	for _, packed := range [...]string{"gfx90a", "gfx94", "gfx95", "gfx9-4"} {
		if strings.HasPrefix(processor, packed) {
			return true
		}
	}
	// An unknown processor is treated as one with separate ids: a register that
	// no instruction reads changes nothing.
	return processor != "" && !strings.HasPrefix(processor, "gfx9")
}

// withLine adds the assembly line to a reason.
func withLine(why string, line int) string {
	if line == 0 {
		return why
	}
	return fmt.Sprintf("%s (assembly line %d)", why, line)
}
