package report

import (
	"bytes"
	"fmt"
	"time"

	"isadiff/engine/problem"
)

// A Captured says what a capture left where.
type Captured struct {
	Dir       string
	Kernels   int // compiles that left assembly
	Took      time.Duration
	Compilers []string // "flydsl 0.4.2, Python 3.11.2"
	Whole     bool
}

// Capture returns the end of a capture's report, without its problems.
func Capture(c Captured, style Style) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s in %s into %s\n", style.paint(bold, "captured"), problem.Count(c.Kernels, "compile"), seconds(c.Took), oneLine(c.Dir))
	for _, compiler := range c.Compilers {
		fmt.Fprintf(&b, "made by %s\n", oneLine(compiler))
	}
	if !c.Whole {
		fmt.Fprintf(&b, "%s is marked as incomplete\n", oneLine(c.Dir))
	}
	return b.Bytes()
}

// Progress returns the line that tells how far a capture has come.
func Progress(what, arch string, kernels int, elapsed time.Duration, style Style) string {
	if arch != "" {
		what += " " + arch
	}
	return style.paint(dim, fmt.Sprintf("isadiff: %s: %s, %s", what, problem.Count(kernels, "compile"), elapsed.Truncate(time.Second)))
}

// seconds returns a duration as a person reads it.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Merged returns what a merge of snapshots made.
func Merged(shards, kernels int, path string) []byte {
	return fmt.Appendf(nil, "%s of %s in %s\n", problem.Count(kernels, "kernel"), problem.Count(shards, "shard"), oneLine(path))
}
