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

// demangledRow is demangled for a row of a comparison, and shownKey for a kernel of a
// live session.
func demangledRow(row *diff.Row) string { return demangledIn(row.Key, row.After, row.Before) }
func shownKey(k *live.Kernel) string    { return demangledIn(k.Key, k.Live, k.Baseline) }

func demangledIn(key string, records ...*resource.Record) string {
	for _, r := range records {
		if r != nil && r.Key == key {
			return demangled(r)
		}
	}
	return key
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
