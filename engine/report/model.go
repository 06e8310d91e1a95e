package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
)

// A Context is what reports for others tell besides the comparison: what was
// compared, and where its kernels are defined.
type Context struct {
	Base   string                    // the revision of the before side; "" if it is not known
	Head   string                    // the revision of the after side; "" if it is not known
	Tool   string                    // the version of isadiff
	Dir    string                    // the folder that the sides' paths start at, from the project's root in slashes
	Root   string                    // the project's root, "" if it is not known: sources below it are at hand
	Places map[string]trace.Position // by the row's key
	Causes map[string]trace.Cause    // by the row's key
	Why    *trace.Why                // of the kernels that [Explained] returns; nil if no report shows it

	Passing bool // the sides are gone when the report is read

	// Look and Explain name what shows the code of a kernel and what explains a problem
	// code, for readers that have no commands of isadiff for these sides.
	Look    func(key string) string
	Explain func(code string) string
}

// A class is what a row means to the reader of a report, the gravest first.
type class int

const (
	failed   class = iota // it makes a regression
	doubtful              // it cannot be judged
	excused               // it got worse and that is accepted
	improved
	moved // only context changed
	same  // nothing changed
)

func classOf(row *diff.Row) class {
	switch {
	case !row.Comparable():
		return doubtful
	case row.Failed():
		return failed
	case row.Worsened() > 0:
		return excused
	case row.Improved() > 0:
		return improved
	case len(row.Deltas) > 0:
		return moved
	default:
		return same
	}
}

// worstFirst returns the rows of a class: those that cannot be launched any more, then those that grew most in the gravest
// metric first, then by key.
func worstFirst(r *diff.Result, c class) []*diff.Row {
	var rows []*diff.Row
	for i := range r.Rows {
		if classOf(&r.Rows[i]) == c {
			rows = append(rows, &r.Rows[i])
		}
	}
	slices.SortStableFunc(rows, func(a, b *diff.Row) int { return byHarm(a, b, c) })
	return rows
}

// byHarm orders the rows of a class by how much they grew, the largest growth in the
// gravest metric first; of those that got better the largest gain.
func byHarm(a, b *diff.Row, c class) int {
	if x, y := a.Unlaunchable != "", b.Unlaunchable != ""; x != y {
		if x {
			return -1
		}
		return 1
	}
	for _, m := range resource.Triggers {
		x, _ := a.Delta(m)
		y, _ := b.Delta(m)
		if d := cmp.Compare(y, x); d != 0 {
			if c == improved {
				return -d
			}
			return d
		}
	}
	return strings.Compare(a.Key, b.Key)
}

// Changes returns what moved of a kernel in one line, the gravest first:
// "vgpr_spill 0 -> 136 (+136), vgpr 88 -> 127 (+39)". Context is left out unless
// it is all that moved.
func Changes(row *diff.Row) string {
	changes := facts.Metrics(facts.Changes(row))
	if triggers := facts.Of(changes, facts.Worse, facts.Allowed, facts.Better); len(triggers) > 0 {
		changes = triggers
	}
	return strings.Join(changeTexts(changes), ", ")
}

func changeTexts(changes []facts.Change) (parts []string) {
	for _, c := range changes {
		parts = append(parts, fmt.Sprintf("%s %d -> %d (%+d)", c.Metric, c.Before, c.After, c.Delta()))
	}
	return parts
}

// Headline says in one line why a kernel fails: that it cannot be launched, what grew and is not accepted,
// and which budgets it breaks.
func Headline(row *diff.Row) string {
	var parts []string
	if row.Unlaunchable != "" {
		parts = append(parts, facts.CannotLaunch(row.Unlaunchable))
	}
	parts = append(parts, changeTexts(facts.Of(facts.Metrics(facts.Changes(row)), facts.Worse))...)
	for _, x := range row.Broken {
		parts = append(parts, Broken(x))
	}
	return strings.Join(parts, ", ")
}

// Tally is the line that counts what was compared.
func Tally(r *diff.Result) string {
	return fmt.Sprintf("compared %d of %d kernels; %d unchanged; %d changed; worsened: %d; improved: %d",
		r.Compared, r.Total, r.Unchanged, r.Changed, r.Worsened, r.Improved)
}

// bare returns a kernel's name without its folder.
func bare(key string) string {
	_, name := resource.SplitKey(key)
	return name
}

// processor returns the processor that a row was built for; "" if it has none.
func processor(row *diff.Row) string {
	if row.After != nil {
		return visible(row.After.Target.Processor)
	}
	return visible(row.Before.Target.Processor)
}

// kernelProblems returns the problems of a result by the key of their kernel, and
// those that concern no row.
func kernelProblems(r *diff.Result) (byKey map[string][]problem.Problem, others []problem.Problem) {
	rows := make(map[string]bool, len(r.Rows))
	for i := range r.Rows {
		rows[r.Rows[i].Key] = true
		if b := r.Rows[i].Before; b != nil {
			rows[b.Key] = true
		}
	}
	byKey = make(map[string][]problem.Problem)
	for _, p := range r.Problems {
		if rows[p.Kernel] {
			byKey[p.Kernel] = append(byKey[p.Kernel], p)
		} else {
			others = append(others, p)
		}
	}
	return byKey, others
}
