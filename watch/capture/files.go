package capture

import (
	"slices"

	"isadiff/engine/producer"
)

// tableOf returns the producers whose dumps count in a capture: those that are
// known, and the one that the command is about. nil is the table of the former.
func tableOf(p *producer.Producer) *producer.Table {
	if p == nil || slices.Contains(producer.Builtin().Rows(), p) {
		return nil
	}
	return producer.Builtin().With(p)
}

// isAssembly reports whether a file of this name is the end of a compile by one of
// the compilers that are known.
func isAssembly(name string) bool { return producer.Builtin().IsAssembly(name) }

// isOrigin reports whether a file of this name is the beginning of one.
func isOrigin(name string) bool { return producer.Builtin().IsOrigin(name) }
