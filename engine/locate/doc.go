// Package locate leads from a kernel in a dump to its definition in Python
// sources: debug locations first, names second, "ambiguous" rather than a guess.
//
// What comes in is a kernel's symbol, the 00_origin.mlir beside its dump, and an
// index of the project's definitions; what goes out is a [Place].
package locate
