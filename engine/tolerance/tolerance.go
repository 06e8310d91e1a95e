// Package tolerance says which growth of a kernel is no regression: as much of a
// metric as a project tolerates, or registers that cost no wave.
//
// The most specific glob that selects a kernel decides alone. What cannot be told
// is not tolerated.
package tolerance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

// Waves is the rule by which registers count only where a wave is lost.
const Waves = "waves"

// A Rule is what is tolerated of the kernels of a glob.
type Rule struct {
	Kernels *resource.Matcher
	Waves   bool                      // vgpr and sgpr are tolerated while no wave is lost
	Growth  map[resource.Metric]int64 // the growth that is tolerated, at most; never nil unless Waves
	Where   map[resource.Metric]string
	At      string // the place that named the glob last: "isadiff.toml:4"
}

// Whole reads what is given for a glob as a whole: "waves", or an empty table, by which
// nothing is tolerated. The error says what is wrong with it.
func Whole(kernels *resource.Matcher, raw any, where string) (Rule, error) {
	switch raw := raw.(type) {
	case string:
		if raw == Waves {
			return Rule{Kernels: kernels, Waves: true, At: where}, nil
		}
	case map[string]any:
		if len(raw) == 0 {
			return Rule{Kernels: kernels, Growth: map[resource.Metric]int64{}, At: where}, nil
		}
	}
	return Rule{}, fmt.Errorf("is %s, must be %q or a table of metrics such as { vgpr = 4, sgpr = 8 }", shown(raw), Waves)
}

// Metric reads what is given for one metric of a glob.
func Metric(kernels *resource.Matcher, name string, raw any, where string) (Rule, error) {
	m, known := resource.ParseMetric(name)
	if !known || !m.Trigger() {
		return Rule{}, fmt.Errorf("is for none of the metrics whose growth is a regression: %s", strings.Join(resource.TriggerKeys(), ", "))
	}
	n, ok := raw.(float64)
	if !ok || n < 0 || n != math.Trunc(n) || n > 1<<53 {
		return Rule{}, fmt.Errorf("is %s, must be a whole number that is not negative", shown(raw))
	}
	return Rule{Kernels: kernels, Growth: map[resource.Metric]int64{m: int64(n)}, Where: map[resource.Metric]string{m: where}, At: where}, nil
}

func shown(raw any) string {
	text, err := json.Marshal(raw)
	if err != nil || len(text) > 60 {
		return "too long"
	}
	return string(text)
}

// A List is the rules of a project, the most specific glob first: the one with most
// plain characters, of equal ones the one that was given last.
type List []Rule

// With returns l with what is said of one glob, which is added to what is said of it
// already: numbers of further metrics. "waves" takes the place of numbers, and numbers
// that of "waves".
func (l List) With(r Rule) List {
	next := slices.Clone(l)
	i := slices.IndexFunc(next, func(old Rule) bool { return old.Kernels.String() == r.Kernels.String() })
	if i >= 0 {
		if old := next[i]; !old.Waves && !r.Waves {
			growth, where := maps.Clone(old.Growth), maps.Clone(old.Where)
			if where == nil {
				where = map[resource.Metric]string{}
			}
			maps.Copy(growth, r.Growth)
			maps.Copy(where, r.Where)
			r.Growth, r.Where = growth, where
		}
		next = slices.Delete(next, i, i+1)
	}
	next = slices.Insert(next, 0, r)
	slices.SortStableFunc(next, func(a, b Rule) int { return cmp.Compare(plain(b.Kernels.String()), plain(a.Kernels.String())) })
	return next
}

// Repeats reports whether the file that a rule is from has said the same of its glob
// already, or what is at odds with it.
func (l List) Repeats(r Rule) bool {
	file := func(where string) string { name, _, _ := strings.Cut(where, ":"); return name }
	return slices.ContainsFunc(l, func(old Rule) bool {
		if old.Kernels.String() != r.Kernels.String() || file(old.At) != file(r.At) {
			return false
		}
		for m := range r.Growth {
			if _, given := old.Growth[m]; given && file(old.Where[m]) == file(r.At) {
				return true
			}
		}
		return old.Waves || r.Waves
	})
}

// plain counts the characters of a glob that stand for themselves.
func plain(glob string) (n int) {
	depth := 0
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			if i++; depth == 0 {
				n++
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '*', '?':
		default:
			if depth == 0 {
				n++
			}
		}
	}
	return n
}

// Equal reports whether two lists tolerate the same, as said in the same places.
func (l List) Equal(o List) bool {
	return slices.EqualFunc(l, o, func(a, b Rule) bool {
		return a.Kernels.String() == b.Kernels.String() && a.Waves == b.Waves && a.At == b.At && maps.Equal(a.Growth, b.Growth) && maps.Equal(a.Where, b.Where)
	})
}

// For returns the rule that decides for a kernel; nil if none does.
func (l List) For(r *resource.Record) *Rule {
	for i := range l {
		if l[i].Kernels.Match(r) {
			return &l[i]
		}
	}
	return nil
}

// Covers returns how the growth of a metric is tolerated; ok is false if it is not.
// The row is one that was compared.
func (t *Rule) Covers(row *diff.Row, d diff.Delta) (a diff.Acceptance, ok bool) {
	if t == nil || !d.Worse() {
		return a, false
	}
	if t.Waves {
		if d.Metric != resource.VGPR && d.Metric != resource.SGPR || !occupancy.Kept(row.Before, row.After) {
			return a, false
		}
		return diff.Acceptance{Metric: d.Metric, Value: row.After.Cells[d.Metric].Value, Where: t.At, Tolerance: Waves}, true
	}
	most, known := t.Growth[d.Metric]
	if !known || d.Change > most {
		return a, false
	}
	return diff.Acceptance{
		Metric: d.Metric, Value: row.Before.Cells[d.Metric].Value + most, Where: t.Where[d.Metric], Tolerance: fmt.Sprintf("%s = %d", d.Metric, most),
	}, true
}
