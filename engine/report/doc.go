// Package report turns results into text and into files for other programs.
//
// The rules of our output, which hold for every command:
//
//   - The last line of stdout is the verdict, and it equals the exit code. What
//     a program reads (JSON) stands alone on stdout; the text goes to stderr
//     then, verdict included.
//   - stdout has the answer; stderr has warnings, problems and errors. A warning
//     never changes the verdict, a problem always does. Every problem starts
//     with its code in brackets and is followed by what mends it.
//   - Before, then after, then the difference: 88->127(+39). n/a is a quantity
//     that does not exist, ? is one that could not be read; neither is ever shown as
//     blank or as 0, and both are followed by their reason.
//   - Columns are as wide as their content. Names keep their tail when they must
//     be shortened, and two different names never look the same: what cannot be
//     printed is escaped.
//   - Piped output is plain and complete. On a terminal a table is cut to the
//     width: first the columns without a change go, then the heads of the names,
//     then the rest of the line.
//   - Colour repeats what the text says and never says anything alone.
//   - ASCII only, but for names, which are shown as they are.
package report
