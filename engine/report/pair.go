package report

import (
	"fmt"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/snapshot"
)

// renamedAlone says what a kernel is probably called now, where nothing is to be done
// about it.
func renamedAlone(_ *diff.Result, pair diff.Rename) string {
	return fmt.Sprintf("%s was probably renamed to %s", visible(pair.Before), visible(pair.After))
}

// renamed says what a kernel is probably called now, how the figures of the two
// differ, and the flag by which they are compared.
func renamed(r *diff.Result, pair diff.Rename) string {
	s := renamedAlone(r, pair)
	if row, ok := r.Proposal(pair); ok {
		s += fmt.Sprintf(" (%s); %s compares them", Proposed(&row), PairFlag(r.Ordered(pair)))
	}
	return s
}

// Proposed says how the figures of a proposed pair differ: "vgpr 20 -> 24 (+4)".
func Proposed(row *diff.Row) string {
	if !row.Comparable() {
		return "cannot be compared: " + oneLine(row.Reason())
	}
	if s := Changes(row); s != "" {
		return s
	}
	return "no figure differs"
}

// PairFlag returns the flag that makes two kernels one: "--pair axpy_f32_u2=axpy_f32_u8".
func PairFlag(before, after string) string {
	return "--pair " + oneLine(problem.Quoted(before+"="+after))
}

// writePairs writes the member "pairs": the kernels that are one by an order.
func writePairs(w *snapshot.Writer, r *diff.Result) {
	var ordered []*diff.Row
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Order != nil && row.Before != nil && row.After != nil {
			ordered = append(ordered, row)
		}
	}
	if len(ordered) == 0 {
		return
	}
	w.KeyArray("pairs", func() {
		for _, row := range ordered {
			w.Object(func() {
				w.KeyString("after", row.After.Key)
				w.KeyString("before", row.Before.Key)
				w.KeyString("where", row.Order.Where)
			})
		}
	})
}

// writeProposal writes what a probable rename would be as a pair.
func writeProposal(w *snapshot.Writer, r *diff.Result, pair diff.Rename) {
	row, ok := r.Proposal(pair)
	if !ok {
		return
	}
	if row.Comparable() {
		writeDeltasOf(w, &row)
	}
	before, after := r.Ordered(pair)
	w.KeyString("pair", before+"="+after)
}
