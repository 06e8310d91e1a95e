package report

import (
	"path"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/producer"
	"isadiff/engine/resource"
	"isadiff/engine/symbol"
)

// demangled returns how a record's key is shown: with the name demangled where its
// producer mangles names. Elsewhere a name is what its author called it.
func demangled(r *resource.Record) string {
	_, name := resource.SplitKey(r.Key)
	if p, role := producer.Builtin().Role(path.Base(r.Source)); role != producer.Assembly || len(p.Markers) == 0 {
		return r.Key
	}
	return r.Key[:len(r.Key)-len(name)] + symbol.Readable(name)
}

// demangledRow is demangled for a row of a comparison.
func demangledRow(row *diff.Row) string {
	for _, r := range []*resource.Record{row.After, row.Before} {
		if r != nil && r.Key == row.Key {
			return demangled(r)
		}
	}
	return row.Key
}

// distinct returns names as they are shown, but keys in place of those that would
// look like one another: overloads of one function.
func distinct(shown, keys []string) []string {
	for _, twins := range alike(shown) {
		for _, i := range twins {
			shown[i] = keys[i]
		}
	}
	return shown
}

// shownKey is demangled for a kernel of a live session.
func shownKey(k *live.Kernel) string {
	for _, r := range []*resource.Record{k.Live, k.Baseline} {
		if r != nil && r.Key == k.Key {
			return demangled(r)
		}
	}
	return k.Key
}
