// Package problem names everything that makes an answer NOT TRUSTWORTHY.
//
// A problem is a claim about the tool's own confidence, never about the code
// under test. Every problem has a stable [Code]; what a code means and how it is
// mended stands in one table, [Table], from which messages, documentation,
// diagnostics and code lenses are derived.
package problem

import (
	"cmp"
	"fmt"
	"slices"
)

// A Code is the stable public name of one kind of problem. Codes are never
// renamed and never reused.
type Code string

// A Problem is one reason why an answer cannot be trusted.
type Problem struct {
	Code    Code
	File    string // the file it was found in, relative to its side's root in slashes, or as the user named it; "" if none
	Line    int    // 1-based line in File; 0 if there is none
	Side    string // "before" or "after" in a comparison, else ""
	Kernel  string // key of the kernel, or its bare name while no key is known; "" if it concerns no single kernel
	Message string // one line that names the file and kernel, the cause and no next step (that is its mend)
	Next    string // what to do, if it is not what mends the code's problems in general; see [Problem.Mend]
}

// New makes a problem of the given code. The message is formatted as by
// [fmt.Sprintf].
func New(code Code, format string, args ...any) Problem {
	return Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// In returns p placed in a file.
func (p Problem) In(file string) Problem { p.File = file; return p }

// At returns p placed on a 1-based line.
func (p Problem) At(line int) Problem { p.Line = line; return p }

// Of returns p attributed to a kernel.
func (p Problem) Of(kernel string) Problem { p.Kernel = kernel; return p }

// On returns p attributed to a side of a comparison, "before" or "after".
func (p Problem) On(side string) Problem { p.Side = side; return p }

// Mended returns p with what mends this very problem, in place of what mends those
// of its code.
func (p Problem) Mended(format string, args ...any) Problem {
	p.Next = fmt.Sprintf(format, args...)
	return p
}

// Mend returns what the user can do about p.
func (p Problem) Mend() string {
	if p.Next != "" {
		return p.Next
	}
	return Lookup(p.Code).Mend
}

// Error makes a problem usable as an error, with its code in front:
// "[input-not-found] …".
func (p Problem) Error() string { return "[" + string(p.Code) + "] " + p.Message }

// Compare orders problems by file, line, kernel, side, code and message, so that
// lists of problems are the same for the same input.
func Compare(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Kernel, b.Kernel),
		cmp.Compare(b.Side, a.Side), // before, then after
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}

// Codes returns the distinct codes of ps in order.
func Codes(ps []Problem) []Code {
	var codes []Code
	for _, p := range ps {
		codes = append(codes, p.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
