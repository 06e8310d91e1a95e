package capture

import (
	"strings"
	"testing"
)

// The compiler's own lines are dropped however they arrive, and nothing else is held
// back but what may begin one.
func TestWithoutOwnLines(t *testing.T) {
	text := "[flydsl.compile] FLYDSL_DUMP_IR=1 dir=x\n..[flydsl.compile] dots\n[flydsl\n\n[flydsl.compile] dump a -> b\n[other] line\nno end"
	want := "..[flydsl.compile] dots\n[flydsl\n\n[other] line\nno end"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		w := withoutOwnLines(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if written, err := w.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if b.String() != want {
			t.Errorf("in parts of %d: %q", size, b.String())
		}
	}
}
