// Package diff compares two sides: Side x Side -> [Result], an immutable value.
//
// [Compare] does the whole job in three steps that a live session also takes
// one by one: [Match] finds which kernels belong together, [RowOf] compares one
// kernel, and [Assemble] draws the rows up to a verdict. When one kernel of ten
// thousand was compiled again, one Pair and one Assemble are the work.
package diff
