// Package dump reads a dump tree: the directories that a compiler wrote one
// compile each into.
//
// What comes in is a directory; what goes out is a [resource.Side] with a record
// of each kernel in it. Of several stage files in one directory the one with the
// highest stage number counts, and times tell when that would be an old compile.
// [ReadFolder] reads one directory, so that a live session can keep the others;
// [Assemble] puts folders together.
package dump
