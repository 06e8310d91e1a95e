// Package why pairs the instructions of a kernel before and after a change, and
// lays out by class, source line and loop what became of them. It reads no file:
// what comes in is a [pressure.Listing] of each side, what goes out a [Comparison].
//
//  1. text.go makes two texts of each instruction: one that is equal up to label
//     numbers and blanks, one that is equal up to register numbers as well;
//  2. common.go finds a longest common subsequence of the second ones, steps.go
//     makes steps of it and pairs what is left;
//  3. lines.go and loops.go lay source lines and loops of the two sides side by
//     side: paired instructions vote. The sources themselves are not needed.
//
// A compiler that changes one thing gives nearly all registers other numbers and
// schedules anew, so that a comparison of the text as it stands shows little else.
package why
