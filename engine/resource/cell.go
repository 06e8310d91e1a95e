package resource

import "strconv"

// A State tells what a cell knows. The zero State is Unparsed: a cell that
// nobody filled in is one that could not be read, never a zero.
type State uint8

// The three states of a cell.
const (
	Unparsed      State = iota // the tool could not read what it claims to report; forces exit 2
	NotApplicable              // the quantity does not exist on this target
	Known                      // a non-negative integer
)

// A Cell is the figure of one metric for one kernel.
type Cell struct {
	State  State
	Value  int64  // meaningful only if State is Known; never negative then
	Reason string // why there is no value; never empty unless State is Known
}

// Value makes a known cell.
func Value(n int64) Cell { return Cell{State: Known, Value: n} }

// NA makes a cell whose quantity does not exist.
func NA(reason string) Cell { return Cell{State: NotApplicable, Reason: reason} }

// Older makes the cell of a metric that a snapshot does not have because it was written
// before the metric was there.
func Older() Cell { return NA(older) }

// older says so, and is what tells such a cell from others also after it was written.
const older = "the snapshot was written before isadiff had this metric; a new one has it"

// Older reports whether c is a cell that [Older] made.
func (c Cell) Older() bool { return c == Older() }

// Unread makes a cell that could not be read.
func Unread(reason string) Cell { return Cell{State: Unparsed, Reason: reason} }

// String returns the cell as every table shows it: the figure, "n/a" or "?".
func (c Cell) String() string {
	switch c.State {
	case Known:
		return strconv.FormatInt(c.Value, 10)
	case NotApplicable:
		return "n/a"
	default:
		return "?"
	}
}

// Cells are the figures of one kernel, indexed by [Metric].
type Cells [NumMetrics]Cell
