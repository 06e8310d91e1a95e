package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Names of the sides in problems and notes.
const (
	SideBefore = "before"
	SideAfter  = "after"
)

// RowOf compares one kernel. One of the records is nil if the kernel is on one
// side only.
func RowOf(before, after *resource.Record) Row {
	return Pair{Before: before, After: after}.Row()
}

// Row compares the kernel of a pair.
func (c Pair) Row() Row {
	before, after := c.Before, c.After
	row := Row{Before: before, After: after, Key: c.key(), Order: c.Order}
	row.Blocked = append(distrust(before, SideBefore), distrust(after, SideAfter)...)
	switch {
	case after == nil:
		row.Blocked = append(row.Blocked, oneSided(problem.OnlyInBefore, before, SideBefore))
	case before == nil:
		row.Blocked = append(row.Blocked, oneSided(problem.OnlyInAfter, after, SideAfter))
	}
	if c.Doubt != "" {
		row.Blocked = append(row.Blocked, doubted(c))
	}
	if before == nil || after == nil {
		return row
	}
	row.alike()
	before, after = row.Before, row.After
	switch {
	case c.Order != nil:
		row.Notes = []string{fmt.Sprintf("paired as ordered: %s before is %s after, by %s", before.Key, after.Key, c.Order)}
	case before.Key != after.Key:
		row.Notes = []string{fmt.Sprintf("paired by kernel name: %s before is %s after", before.Key, after.Key)}
	}
	if p, differs := compareTargets(before, after); differs {
		row.Blocked = append(row.Blocked, p)
	} else if p, differs := compareApplicability(before, after); differs {
		row.Blocked = append(row.Blocked, p)
	}
	if len(row.Blocked) == 0 {
		row.Deltas = deltas(&before.Cells, &after.Cells)
		if before.Occupancy.Launch > 0 {
			row.Unlaunchable = after.Occupancy.Unlaunchable
		} else if after.Occupancy.Launch > 0 && before.Occupancy.Unlaunchable != "" {
			row.Notes = append(row.Notes, fmt.Sprintf("%s: can be launched now; before it could not: %s", after.Key, before.Occupancy.Unlaunchable))
		}
	}
	if len(row.Deltas) > 0 {
		row.Remade = RemadeOf(before, after, true)
	}
	return row
}

// alike makes n/a of both sides what only one of them is too old to have: there is
// nothing to compare it with, which is no fault of either.
func (r *Row) alike() {
	narrow := func(r, other *resource.Record) *resource.Record {
		narrowed := r
		for m, c := range other.Cells {
			if !c.Older() || r.Cells[m].State != resource.Known {
				continue
			}
			if narrowed == r {
				narrowed = new(*r)
			}
			narrowed.Cells[m] = c
		}
		return narrowed
	}
	if after := narrow(r.After, r.Before); after != r.After {
		r.whole, r.After = r.After, after
	}
	r.Before = narrow(r.Before, r.After)
}

// Whole returns the record of the after side with all its figures, also those that
// After has as n/a because the before side is too old to have them; nil if there is
// no after.
func (r *Row) Whole() *resource.Record { return cmp.Or(r.whole, r.After) }

// distrust returns why the figures of a side's record cannot be believed.
func distrust(r *resource.Record, side string) []problem.Problem {
	if r == nil || r.Trustworthy() {
		return nil
	}
	ps := slices.Clone(r.Doubts())
	for i := range ps {
		ps[i] = ps[i].On(side)
	}
	return ps
}

func oneSided(code problem.Code, r *resource.Record, side string) problem.Problem {
	return problem.New(code, "%s: %s", r.Key, sideWords[code]).In(r.Source).Of(r.Key).On(side)
}

var sideWords = map[problem.Code]string{
	problem.OnlyInBefore: "ONLY IN BEFORE",
	problem.OnlyInAfter:  "ONLY IN AFTER",
}

// Side returns "ONLY IN BEFORE" or "ONLY IN AFTER" for a kernel that is on one
// side only, else "".
func (r *Row) Side() string {
	switch {
	case r.After == nil:
		return sideWords[problem.OnlyInBefore]
	case r.Before == nil:
		return sideWords[problem.OnlyInAfter]
	default:
		return ""
	}
}

// compareTargets reports how the targets of two records differ. A target that
// cannot be named differs from every other, itself included: nobody knows
// whether the two are the same.
func compareTargets(before, after *resource.Record) (problem.Problem, bool) {
	b, a := before.Target, after.Target
	var p problem.Problem
	switch {
	case b.Processor == "" && a.Processor == "":
		p = problem.New(problem.TargetUnknown, "%s: the target cannot be named on either side%s", after.Key, quoteIDs(b.ID, a.ID)).On("")
	case b.Processor == "":
		p = problem.New(problem.TargetUnknown, "%s: the target cannot be named before%s; %s after", after.Key, quoteIDs(b.ID), a.Processor).On(SideBefore)
	case a.Processor == "":
		p = problem.New(problem.TargetUnknown, "%s: the target cannot be named after%s; %s before", after.Key, quoteIDs(a.ID), b.Processor).On(SideAfter)
	case b.Processor != a.Processor:
		p = problem.New(problem.TargetDiffers, "%s: built for %s before and for %s after", after.Key, b.Processor, a.Processor)
	case !slices.Equal(b.Features, a.Features):
		p = problem.New(problem.TargetFeaturesDiffer, "%s: built for %s with %s before and with %s after", after.Key, a.Processor, features(b.Features), features(a.Features))
	default:
		return problem.Problem{}, false
	}
	return p.In(after.Source).Of(after.Key), true
}

// quoteIDs shows what was written in place of a target, where anything was.
func quoteIDs(ids ...string) string {
	ids = slices.Compact(slices.DeleteFunc(ids, func(id string) bool { return id == "" }))
	if len(ids) == 0 {
		return ""
	}
	for i := range ids {
		ids[i] = fmt.Sprintf("%q", ids[i])
	}
	return " (" + strings.Join(ids, ", ") + ")"
}

func features(set []string) string {
	if len(set) == 0 {
		return "no features set"
	}
	return strings.Join(set, " ")
}

// compareApplicability reports which metrics exist on one side only.
func compareApplicability(before, after *resource.Record) (problem.Problem, bool) {
	var lost, fresh []string
	reason := ""
	for m := range resource.Metrics {
		b, a := before.Cells[m], after.Cells[m]
		switch {
		case b.State == resource.Known && a.State == resource.NotApplicable:
			lost, reason = append(lost, resource.Metric(m).String()), a.Reason
		case b.State == resource.NotApplicable && a.State == resource.Known:
			fresh, reason = append(fresh, resource.Metric(m).String()), b.Reason
		}
	}
	if len(lost) == 0 && len(fresh) == 0 {
		return problem.Problem{}, false
	}
	var parts []string
	if len(fresh) > 0 {
		parts = append(parts, strings.Join(fresh, ", ")+" n/a before and a value after")
	}
	if len(lost) > 0 {
		parts = append(parts, strings.Join(lost, ", ")+" a value before and n/a after")
	}
	return problem.New(problem.ApplicabilityDiffers, "%s: %s (%s)", after.Key, strings.Join(parts, "; "), reason).
		In(after.Source).Of(after.Key), true
}

func deltas(before, after *resource.Cells) []Delta {
	var ds []Delta
	for m := range before {
		// Two known cells or two that do not apply: everything else was blocked.
		if b, a := before[m], after[m]; b.State == resource.Known && a.State == resource.Known && a.Value != b.Value {
			ds = append(ds, Delta{resource.Metric(m), a.Value - b.Value})
		}
	}
	return ds
}
