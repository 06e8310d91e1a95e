// Package symbol reads the names of functions in assembly: what they are called
// in the source, and how to show them. Keys keep the symbols as they are.
package symbol
