package diff

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Options narrow a comparison.
type Options struct {
	Kernels *resource.Matcher // which kernels of both sides count; nil for all
	Pairs   []*Order          // what the user says is one kernel under two names
}

// Compare compares two sides. Neither is nil; a side that could not be read
// holds no records and says why in its problems.
func Compare(before, after *resource.Side, opt Options) *Result {
	before, after = before.Narrow(opt.Kernels), after.Narrow(opt.Kernels)
	pairs := Match(before.Records, after.Records, opt.Pairs...)
	rows := make([]Row, len(pairs))
	for i, c := range pairs {
		rows[i] = c.Row()
	}
	return Assemble(before, after, rows, opt)
}

// Assemble draws rows that [RowOf] made up to a result. The rows are sorted by
// key, and the sides hold just the kernels that opt selects; Assemble keeps
// them all. Its work is one step per row.
//
// A side that holds nothing and has problems was not read. It is not known then
// what it holds, so no kernel of the other side is called one-sided: such rows
// stay out, and only Total counts them.
func Assemble(before, after *resource.Side, rows []Row, opt Options) *Result {
	r := &Result{Before: before, After: after, Rows: rows, Total: len(rows)}
	if opt.Kernels != nil && !opt.Kernels.All() {
		r.Kernels = opt.Kernels.String()
	}
	for _, p := range before.Problems {
		r.Problems = append(r.Problems, p.On(SideBefore))
	}
	for _, p := range after.Problems {
		r.Problems = append(r.Problems, p.On(SideAfter))
	}
	if unread(before) || unread(after) {
		r.Rows = nil
		rows = nil
	}
	for i := range rows {
		row := &rows[i]
		r.Problems = append(r.Problems, row.Blocked...)
		if !row.Comparable() {
			continue
		}
		r.Compared++
		if row.Unlaunchable != "" {
			r.Unlaunchable++
		}
		if len(row.Deltas) == 0 {
			r.Unchanged++
			continue
		}
		r.Changed++
		r.Worsened += row.Worsened()
		r.Improved += row.Improved()
	}
	if r.Total == 0 && len(r.Problems) == 0 {
		r.Problems = append(r.Problems, nothing(r, opt))
	}
	slices.SortStableFunc(r.Problems, problem.Compare)
	r.Problems = slices.CompactFunc(r.Problems, func(a, b problem.Problem) bool { return a == b })
	r.Warnings = append(unlaunchable(r.Rows), warnings(before.Warnings, after.Warnings)...)
	r.Warnings = append(r.Warnings, uncounted(r.Rows)...)
	r.Warnings = append(r.Warnings, idle(r, opt.Pairs)...)
	r.Verdict = r.Decide()
	return r
}

// unlaunchable warns of the kernels that cannot be launched and of which that is
// no regression: it was so before, or there is nothing to compare them with.
func unlaunchable(rows []Row) (warnings []string) {
	for i := range rows {
		if row := &rows[i]; row.Unlaunchable == "" && row.After != nil {
			warnings = append(warnings, Unlaunchable(row.After)...)
		}
	}
	return warnings
}

// Unlaunchable returns the warning that kernels cannot be launched, one for each of
// which it is so.
func Unlaunchable(records ...*resource.Record) (warnings []string) {
	for _, r := range records {
		if why := r.Occupancy.Unlaunchable; why != "" {
			warnings = append(warnings, fmt.Sprintf("%s cannot be launched: %s", r.Key, why))
		}
	}
	return warnings
}

// uncounted warns of kernels that are given more registers although no figure of
// theirs grew, as those of code objects whose metadata leave out the AGPRs.
func uncounted(rows []Row) (warnings []string) {
	for i := range rows {
		b, a := rows[i].Before, rows[i].After
		if b == nil || a == nil || !b.UncountedAGPRs() || !a.UncountedAGPRs() || a.Cells[resource.VGPR] != b.Cells[resource.VGPR] {
			continue
		}
		if was, is := b.Launch.NextFreeVGPR, a.Launch.NextFreeVGPR; is > was && was > 0 {
			warnings = append(warnings, fmt.Sprintf("%s: the kernel descriptor allocates at least %d VGPRs, before %d: its metadata count no AGPRs, so vgpr does not show this", a.Key, is, was))
		}
	}
	return warnings
}

func unread(s *resource.Side) bool { return len(s.Records) == 0 && len(s.Problems) > 0 }

// nothing is the problem of a comparison without a kernel: that no kernel got
// worse is true and worthless.
func nothing(r *Result, opt Options) problem.Problem {
	if r.Kernels != "" {
		return opt.Kernels.Unmatched("either side", r.After, r.Before)
	}
	return problem.New(problem.NoKernels, "neither %s nor %s holds a kernel", r.Before.Origin, r.After.Origin)
}

// warnings joins the warnings of both sides. What both say is said once.
func warnings(before, after []string) []string {
	type said struct{ before, after bool }
	who := make(map[string]said, len(before)+len(after))
	for _, w := range before {
		who[w] = said{before: true}
	}
	for _, w := range after {
		who[w] = said{before: who[w].before, after: true}
	}
	all := make([]string, 0, len(who))
	for _, w := range slices.Concat(before, after) {
		switch s := who[w]; {
		case s.before && s.after:
			all = append(all, w)
		case s.before:
			all = append(all, SideBefore+": "+w)
		case s.after:
			all = append(all, SideAfter+": "+w)
		}
		who[w] = said{}
	}
	return all
}

// Reason returns why the kernel of a row was not compared, in one line without
// the kernel's key; "" if it was.
func (r *Row) Reason() string {
	if len(r.Blocked) == 0 {
		return ""
	}
	p := r.Blocked[0]
	reason := strings.TrimPrefix(p.Message, r.Key+": ")
	if n := len(r.Blocked) - 1; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	return reason
}
