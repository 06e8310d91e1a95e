package report

import (
	"bytes"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// JSON returns a comparison in the schema-2 form that is shared with FlyDSL's
// Python helper; docs/reference/contract.md lists the keys that we add.
func JSON(r *diff.Result) ([]byte, error) {
	var buf bytes.Buffer
	w := snapshot.NewWriter(&buf)
	writeComparison(w, r, nil)
	return buf.Bytes(), w.Err()
}

// A member is one of an object.
type member struct {
	key   string
	write func() // its value
}

// writeComparison writes a comparison with more members, which are sorted by key.
// "before" is null if there was nothing to compare with.
func writeComparison(w *snapshot.Writer, r *diff.Result, more []member) {
	until := func(key string) {
		for ; len(more) > 0 && more[0].key < key; more = more[1:] {
			w.Key(more[0].key)
			more[0].write()
		}
	}
	key := func(name string) {
		until(name)
		w.Key(name)
	}
	integer := func(name string, n int) {
		key(name)
		w.Int(int64(n))
	}
	text := func(name, s string) {
		key(name)
		w.String(s)
	}
	w.Object(func() {
		if r.Accepted > 0 {
			integer("accepted_metrics", r.Accepted)
		}
		text("after", r.After.Origin)
		if r.Before.Origin != "" {
			text("before", r.Before.Origin)
		} else {
			key("before")
			w.Null()
		}
		if r.Budgets > 0 {
			integer("broken_budgets", r.Broken)
		}
		integer("changed_kernels", r.Changed)
		if r.Budgets > 0 {
			integer("checked_budgets", r.Budgets)
		}
		integer("compared_kernels", r.Compared)
		writeCompilers(w, r)
		integer("exit_code", r.Verdict.ExitCode())
		integer("improved_metrics", r.Improved)
		if r.Kernels != "" {
			text("kernel_glob", r.Kernels)
		}
		until("pairs")
		writePairs(w, r)
		until("problems")
		w.Problems(r.Problems)
		if len(r.Renamed) > 0 {
			key("renamed")
			w.Array(func() {
				for _, pair := range r.Renamed {
					w.Object(func() {
						w.KeyString("after", pair.After)
						w.KeyString("before", pair.Before)
						writeProposal(w, r, pair)
					})
				}
			})
		}
		key("rows")
		w.Array(func() {
			for i := range r.Rows {
				if shown(&r.Rows[i]) {
					writeRow(w, &r.Rows[i])
				}
			}
		})
		integer("schema", snapshot.Schema)
		if r.Tolerated > 0 {
			integer("tolerated_metrics", r.Tolerated)
		}
		text("tool", snapshot.Tool)
		integer("total_kernels", r.Total)
		integer("unchanged_kernels", r.Unchanged)
		if r.Unlaunchable > 0 {
			integer("unlaunchable_kernels", r.Unlaunchable)
		}
		text("verdict", VerdictText(r.Verdict))
		key("warnings")
		w.Strings(r.Warnings)
		integer("worsened_metrics", r.Worsened)
		until("\xff") // the rest
	})
}

func writeRow(w *snapshot.Writer, row *diff.Row) {
	// That a kernel is on one side only is told by "side", not by "blocked".
	blocked := slices.DeleteFunc(slices.Clone(row.Blocked), func(p problem.Problem) bool {
		return p.Code.OneSided()
	})
	w.Object(func() {
		writeAccepted(w, row)
		w.Key("after")
		writeRecord(w, row.After)
		w.Key("before")
		writeRecord(w, row.Before)
		w.KeyArray("blocked", func() {
			for _, p := range blocked {
				w.String(strings.TrimPrefix(p.Message, row.Key+": "))
			}
		})
		w.KeyArray("blocked_codes", func() {
			for _, p := range blocked {
				w.String(string(p.Code))
			}
		})
		writeBroken(w, row.Broken)
		if row.Remade.CompilerChanged() {
			w.KeyBool("compiler_changed", true)
		}
		writeDeltasOf(w, row)
		w.KeyString("kernel", row.Key)
		w.KeyStrings("notes", append(slices.Clone(row.Notes), recordNotes(row)...))
		w.Key("side")
		if side := row.Side(); side != "" {
			w.String(side)
		} else {
			w.Null()
		}
		writeTolerated(w, row)
		writeUnlaunchable(w, row.Unlaunchable)
	})
}

// writeDeltasOf writes the member "deltas".
func writeDeltasOf(w *snapshot.Writer, row *diff.Row) {
	w.KeyObject("deltas", func() {
		deltas := slices.Clone(row.Deltas)
		slices.SortFunc(deltas, func(a, b diff.Delta) int { return strings.Compare(a.Metric.String(), b.Metric.String()) })
		for _, d := range deltas {
			w.KeyInt(d.Metric.String(), d.Change)
		}
	})
}

// writeUnlaunchable writes the member "unlaunchable" of a kernel that cannot be
// launched any more.
func writeUnlaunchable(w *snapshot.Writer, why string) {
	if why != "" {
		w.KeyString("unlaunchable", why)
	}
}

// writeRecord writes one side of a row: null if the kernel is not on it.
func writeRecord(w *snapshot.Writer, r *resource.Record) {
	if r == nil {
		w.Null()
		return
	}
	w.Object(func() {
		w.Compilers(r)
		w.KeyString("kernel", r.Key)
		w.Key("metrics")
		w.Cells(&r.Cells)
		w.Occupancy(r.Occupancy)
		writeSteps(w, r)
		w.KeyString("source", r.Source)
		w.KeyString("target_id", r.Target.ID)
	})
}
