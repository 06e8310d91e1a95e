package budget

import (
	"fmt"
	"strconv"
	"strings"

	"isadiff/engine/resource"
)

// A Budget is one limit for the kernels that a glob selects.
type Budget struct {
	Kernels  *resource.Matcher
	Quantity Quantity
	Op       Op
	Limit    int64
	Where    string // the place that set it: "isadiff.toml:4"
}

// String returns the limit as it is written: "vgpr <= 128".
func (b Budget) String() string { return fmt.Sprintf("%s %s %d", b.Quantity, b.Op, b.Limit) }

// An Op compares a figure with a limit.
type Op string

// ops are the comparisons, the longer spellings first.
var ops = []Op{"<=", ">=", "==", "<", ">"}

// keeps reports whether a figure keeps to the limit.
func (o Op) keeps(figure, limit int64) bool {
	switch o {
	case "<=":
		return figure <= limit
	case ">=":
		return figure >= limit
	case "==":
		return figure == limit
	case "<":
		return figure < limit
	default:
		return figure > limit
	}
}

// Parse reads an expression such as "vgpr <= 128". The error says what is wrong
// with it and how it is written.
func Parse(expression string) (Budget, error) {
	for _, op := range ops {
		left, right, found := strings.Cut(expression, string(op))
		if !found {
			continue
		}
		if strings.HasSuffix(left, "=") || strings.HasPrefix(right, "=") {
			break // "=>", "===": a slip of the comparison, not of what stands beside it
		}
		q, err := parseQuantity(strings.TrimSpace(left))
		if err != nil {
			return Budget{}, err
		}
		limit, err := strconv.ParseUint(strings.TrimSpace(right), 10, 63)
		if err != nil {
			return Budget{}, fmt.Errorf("has the limit %q, must be a whole number that is not negative", strings.TrimSpace(right))
		}
		return Budget{Quantity: q, Op: op, Limit: int64(limit)}, nil
	}
	return Budget{}, fmt.Errorf("is %q, must be a quantity, one of <= < == > >=, and a whole number, such as \"vgpr <= 128\"", expression)
}

// A State tells how a kernel stands to a budget.
type State uint8

// The states.
const (
	Kept State = iota
	Broken
	Unknown // it cannot be told: see Finding.Reason
)

// A Finding is what came of holding one kernel against one budget.
type Finding struct {
	Budget Budget
	State  State
	Figure int64  // the kernel's; meaningful unless State is Unknown
	Reason string // why it is Unknown
}

// Check holds the figures of a kernel against a budget.
func (b Budget) Check(r *resource.Record) Finding {
	f := Finding{Budget: b}
	m := b.Quantity.measure(r)
	if m.reason != "" {
		f.State, f.Reason = Unknown, m.reason
		return f
	}
	f.Figure = m.figure
	kept := b.Op.keeps(m.figure, b.Limit)
	switch {
	case m.bound == exact:
	case b.settled(kept, m.bound):
	default:
		f.State, f.Reason = Unknown, m.why
		return f
	}
	if !kept {
		f.State = Broken
	}
	return f
}

// settled reports whether an answer stands although the figure is only a bound:
// what already has too much at the least has too much.
func (b Budget) settled(kept bool, bound bound) bool {
	switch b.Op {
	case "<=", "<":
		return kept == (bound == atMost)
	case ">=", ">":
		return kept == (bound == atLeast)
	default:
		return false
	}
}
