// Package locate leads from a kernel in a dump to its definition in Python
// sources: debug locations first, names second, "ambiguous" rather than a guess.
//
// What comes in is a kernel's symbol, the 00_origin.mlir beside its dump
// ([OriginParser]), and an [Index] of the definitions in the project's sources;
// what goes out is a [Place], made by a [Resolver]:
//
//  1. The path of a debug location is led to a file of the project: by a
//     configured [Mapping], as it stands, or, if it does not exist on this
//     machine, by its longest suffix that only one file of the project has.
//  2. In that file the definition is the one on the location's line, if it can
//     have given the symbol; else the one that can, wherever it moved to.
//  3. Without a location, or if its file has no such definition, the symbol
//     alone is compared with the names of all definitions.
package locate
