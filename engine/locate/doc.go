// Package locate finds a kernel's definition in Python sources: by debug locations
// first, by names second. It reports "ambiguous" rather than guess.
//
// Its input is a kernel's symbol, the 00_origin.mlir beside its dump
// ([OriginParser]), and an [Index] of the definitions in the project's sources. A
// [Resolver] makes a [Place] of them:
//
//  1. It maps the path of a debug location to a file of the project: by a configured
//     [Mapping], as it is, or, if it does not exist on this machine, by its longest
//     suffix that only one file of the project has.
//  2. In that file the definition is the one on the location's line, if it can have
//     produced the symbol; else the one that can, wherever it moved to.
//  3. Without a location, or if its file has no such definition, it compares the symbol
//     with the names of all definitions.
package locate
