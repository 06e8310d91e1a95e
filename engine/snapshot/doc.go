// Package snapshot reads and writes the schema-2 JSON of one side: the baseline
// that is kept in a repository, and what `isadiff summarize --json` writes.
//
// The form is shared with FlyDSL's Python helper, so snapshots travel between
// the two in both directions. We add keys and never remove, rename or retype
// one. [Load] is tolerant of keys it does not know and strict on every figure:
// a snapshot with one bad cell was edited or damaged, and nothing in it is
// believed. [Write] replaces a file whole or leaves it as it was.
package snapshot
