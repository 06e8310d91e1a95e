package locate

import "isadiff/engine/pysource"

// A Match says how certain a place is.
type Match uint8

// The matches, from none to exact. The zero Match is none: shown on the .s file.
const (
	None      Match = iota
	Ambiguous       // several definitions fit; shown on each, never guessed
	ByName          // one definition fits the symbol
	Moved           // the debug location's definition, found again by name near its line
	Exact           // the debug location names this definition's topmost decorator line
)

// A Place is where a kernel is defined.
type Place struct {
	Match      Match
	Candidates []Candidate // one unless Ambiguous; none if None
	Reason     string      // why there is none or several, in words for the user; "" otherwise
	Origin     Location    // what 00_origin.mlir said; zero if it said nothing
	Others     []string    // qualified names of other definitions of the file that could have given the symbol, if one was found by Origin
	Outside    string      // the file that Origin means, if it exists and is none of the project's; "" otherwise
	Near       []string    // the project's files that Origin may mean, if there is no Match: it ends like them
	Left       string      // the project's file that Origin means and in which nothing is known to define the kernel; "" if something is, or is not known
}

// A Candidate is a definition in a file of the project.
type Candidate struct {
	Path       string // absolute, cleaned
	Definition pysource.Definition
}

// A Location is a debug location: a path as the compiler wrote it, which may not
// exist here, and 1-based line, 0-based column.
type Location struct {
	Path         string
	Line, Column int
}
