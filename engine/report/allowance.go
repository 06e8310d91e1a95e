package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/problem"
	"isadiff/engine/snapshot"
	"isadiff/engine/tolerance"
)

// Accepted returns what is accepted of a kernel: "vgpr up to 127 until
// 2027-03-31 (.isadiff/accepted.toml:7): the reason"; or what is tolerated: "vgpr up
// to 92 (vgpr = 4, isadiff.toml:3)", "vgpr, as no wave is lost (waves, isadiff.toml:2)".
func Accepted(a diff.Acceptance) string {
	switch a.Tolerance {
	case "":
	case tolerance.Waves:
		return fmt.Sprintf("%s, as no wave is lost (%s, %s)", a.Metric, a.Tolerance, a.Where)
	default:
		return fmt.Sprintf("%s up to %d (%s, %s)", a.Metric, a.Value, a.Tolerance, a.Where)
	}
	s := fmt.Sprintf("%s up to %d", a.Metric, a.Value)
	if a.Until != "" {
		s += " until " + a.Until
	}
	s += " (" + a.Where + ")"
	if a.Reason != "" {
		s += ": " + a.Reason
	}
	return s
}

// Allowed says whether growth was "accepted" or is "tolerated".
func Allowed(a diff.Acceptance) string {
	if a.Tolerance != "" {
		return "tolerated"
	}
	return "accepted"
}

// allowed is the word for all that is allowed of a kernel.
func allowed(row *diff.Row) string {
	for _, a := range row.Accepted {
		if a.Tolerance == "" {
			return "accepted"
		}
	}
	return "tolerated"
}

// Broken returns a budget that a kernel breaks: "vgpr <= 120 is broken: 127
// (isadiff.toml:4)".
func Broken(x diff.Breach) string {
	return fmt.Sprintf("%s is broken: %d (%s)", x.Budget, x.Figure, x.Where)
}

// allowance returns the lines that count what decides besides the figures: kernels
// that cannot be launched any more, what is accepted, what is tolerated, and what budgets are broken;
// "" if there is none.
func allowance(r *diff.Result) string {
	return unlaunchableLine(r) + acceptedLine(r) + toleratedLine(r) + budgetLine(r.Budgets, r.Broken)
}

func acceptedLine(r *diff.Result) string {
	if r.Accepted == 0 {
		return ""
	}
	return fmt.Sprintf("accepted: %d of %d worsened\n", r.Accepted, r.Worsened)
}

func toleratedLine(r *diff.Result) string {
	if r.Tolerated == 0 {
		return ""
	}
	return fmt.Sprintf("tolerated: %d of %d worsened\n", r.Tolerated, r.Worsened)
}

// unlaunchableLine counts the kernels that cannot be launched any more; "" if
// there is none.
func unlaunchableLine(r *diff.Result) string {
	if r.Unlaunchable == 0 {
		return ""
	}
	return "cannot be launched any more: " + problem.Count(r.Unlaunchable, "kernel") + "\n"
}

func budgetLine(checked, broken int) string {
	if checked == 0 {
		return ""
	}
	return fmt.Sprintf("budgets: %d checked; %d broken\n", checked, broken)
}

// Standing returns the lines about budgets for the report of one side: what is
// broken and the counts.
func Standing(st gate.Standing, opt Options) []byte {
	var b bytes.Buffer
	if !opt.Quiet {
		for _, key := range slices.Sorted(maps.Keys(st.Broken)) {
			for _, x := range st.Broken[key] {
				fmt.Fprintf(&b, "budget: %s: %s\n", visible(key), oneLine(Broken(x)))
			}
		}
	}
	b.WriteString(budgetLine(st.Checked, st.Breaches))
	return b.Bytes()
}

// Added returns which entries were put into the file of accepted regressions.
func Added(path string, entries []accept.Entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "accepted: %s: %s up to %d\n", visible(e.Kernels.String()), e.Metric, e.Value)
	}
	if len(entries) == 0 {
		b.WriteString("nothing to accept: nothing got worse that is not accepted already\n")
	} else {
		fmt.Fprintf(&b, "%s written to %s\n", entriesText(len(entries)), oneLine(path))
	}
	return b.Bytes()
}

func entriesText(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// writeAccepted writes a row's member "accepted", where there is something to
// say, and writeTolerated "tolerated".
func writeAccepted(w *snapshot.Writer, row *diff.Row)  { writeAllowed(w, row, "accepted") }
func writeTolerated(w *snapshot.Writer, row *diff.Row) { writeAllowed(w, row, "tolerated") }

func writeAllowed(w *snapshot.Writer, row *diff.Row, word string) {
	list := slices.DeleteFunc(slices.Clone(row.Accepted), func(a diff.Acceptance) bool { return Allowed(a) != word })
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b diff.Acceptance) int { return strings.Compare(a.Metric.String(), b.Metric.String()) })
	w.KeyObject(word, func() {
		for _, a := range list {
			w.KeyObject(a.Metric.String(), func() {
				if a.Tolerance != "" {
					w.KeyString("tolerance", a.Tolerance)
				} else {
					w.KeyString("reason", a.Reason)
				}
				if a.Until != "" {
					w.KeyString("until", a.Until)
				}
				w.KeyInt("value", a.Value)
				w.KeyString("where", a.Where)
			})
		}
	})
}

// writeBroken writes a member "broken_budgets", where there is something to say.
func writeBroken(w *snapshot.Writer, broken []diff.Breach) {
	if len(broken) == 0 {
		return
	}
	w.KeyArray("broken_budgets", func() {
		for _, x := range broken {
			w.Object(func() {
				w.KeyString("budget", x.Budget)
				w.KeyInt("figure", x.Figure)
				w.KeyString("where", x.Where)
			})
		}
	})
}
