package gate

import (
	"fmt"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/resource"
)

// stale says which entries cannot be read, do not hold any more, have expired,
// or are not needed any more.
func (g *Rules) stale(r *diff.Result) (warnings []string) {
	for _, f := range g.Accepted.Faults {
		warnings = append(warnings, g.Accepted.At(f.Line)+": "+f.Message)
	}
	for i := range g.Accepted.Entries {
		e := &g.Accepted.Entries[i]
		if w := g.review(e, r); w != "" {
			warnings = append(warnings, fmt.Sprintf("%s: %s of %q: %s", g.Accepted.At(e.Line), e.Metric, e.Kernels, w))
		}
	}
	return warnings
}

// review returns what is to say about one entry; "" if it does its work, or if
// that cannot be told.
func (g *Rules) review(e *accept.Entry, r *diff.Result) string {
	u := g.survey(e, r)
	told := !u.doubt && whole(r) && (u.matched > 0 || r.Kernels == "") // what the entry is good for
	switch {
	case e.Expired(g.Today) && (u.needed || told):
		return fmt.Sprintf("accepted up to %d until %s, which has passed; accept it anew or remove the entry", e.Value, e.Until)
	case u.beyond != nil:
		return fmt.Sprintf("accepted up to %d, but %s has %d now; the entry no longer holds for it", e.Value, u.beyond.Key, u.beyond.After.Cells[e.Metric].Value)
	case !told:
		return "" // it may be for a kernel that was left out or not read
	case u.matched == 0 && u.named != "":
		return fmt.Sprintf("no kernel has this key, but %s has the name; if it is the same kernel accept it anew, and remove the entry", u.named)
	case u.matched == 0:
		return "no kernel matches; remove the entry"
	case !u.needed:
		return "it is not worse than the baseline; the entry is no longer needed"
	case u.highest < e.Value:
		return fmt.Sprintf("accepted up to %d, but %d would do now", e.Value, u.highest)
	}
	return ""
}

// whole reports whether both sides are known with all their kernels: whether one is
// not there cannot be told of a side that was not read to its end.
func whole(r *diff.Result) bool {
	return r.Rows != nil && len(r.Before.Problems) == 0 && len(r.After.Problems) == 0
}

// A usage is what one entry is good for in a comparison.
type usage struct {
	matched int
	named   string    // the key of a kernel that has the name of the one that it is for
	doubt   bool      // a kernel that it selects was not compared
	needed  bool      // a kernel that it selects grew
	highest int64     // the largest figure of those
	beyond  *diff.Row // one that grew further than was accepted
}

func (g *Rules) survey(e *accept.Entry, r *diff.Result) (u usage) {
	key, _ := accept.Key(e.Kernels.String())
	_, name := resource.SplitKey(key)
	for i := range r.Rows {
		row := &r.Rows[i]
		if !g.selects(e, row) {
			if u.named == "" && name == row.Record().Name {
				u.named = row.Key
			}
			continue
		}
		u.matched++
		if !row.Comparable() {
			u.doubt = true
			continue
		}
		if change, ok := row.Delta(e.Metric); !ok || change <= 0 {
			continue
		}
		now := row.After.Cells[e.Metric]
		u.needed, u.highest = true, max(u.highest, now.Value)
		if _, accepted := row.Acceptance(e.Metric); now.Value > e.Value && now.State == resource.Known && !accepted && u.beyond == nil {
			u.beyond = row
		}
	}
	return u
}
