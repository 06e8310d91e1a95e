// Package dump reads a dump tree: directories into which a compiler wrote one
// compile each.
//
// It takes a directory and returns a [resource.Side] with a record of each kernel.
// Of several stage files in one directory the one with the highest stage number
// counts; file times show if that would be an old compile. [ReadFolder] reads one
// directory, so that a live session can keep the others; [Assemble] combines
// folders into a side.
package dump
