package resource

import (
	"fmt"
	"strings"

	"isadiff/engine/problem"
)

// Narrow returns the side with the kernels that m selects; a nil m selects all.
// Problems of files stay: a file that could not be read may hold a selected
// kernel.
func (s *Side) Narrow(m *Matcher) *Side {
	if m == nil || m.All() {
		return s
	}
	narrowed := *s
	narrowed.Records = nil
	for _, r := range s.Records {
		if m.Match(r) {
			narrowed.Records = append(narrowed.Records, r)
		}
	}
	if len(narrowed.Records) == 0 && s.Closest == "" {
		narrowed.Closest = m.Closest(s.Records)
	}
	return &narrowed
}

// Closest says, of a glob that selects none of the records, what comes nearest to it: the
// glob over folders that does select some, or the name of a kernel, in which wildcards
// count as nothing; "" if there is no kernel.
func (m *Matcher) Closest(records []*Record) string {
	for _, glob := range m.deeper() {
		wider, err := NewMatcher(glob)
		if err != nil {
			continue
		}
		n := 0
		for _, r := range records {
			if wider.Match(r) {
				n++
			}
		}
		if n > 0 {
			return fmt.Sprintf("%q matches %s (* stays within one folder of a key)", glob, problem.Count(n, "kernel"))
		}
	}
	plain := func(s string) string { return strings.ToLower(strings.Map(letter, s)) }
	glob, best, at := plain(m.glob), "", -1.0
	for _, r := range records {
		for _, name := range []string{r.Name, r.Key} {
			if score := alike(glob, plain(name)); score > at || score == at && len(r.Name) < len(best) {
				best, at = r.Name, score
			}
		}
	}
	if best == "" {
		return ""
	}
	return "closest: " + best
}

// deeper returns the glob for folders at any depth, where it may have been meant so.
func (m *Matcher) deeper() []string {
	switch {
	case strings.HasPrefix(m.glob, "**"):
		return nil
	case len(m.halves) > 0:
		return []string{"**/" + m.glob}
	case m.bare: // a folder's name that was taken for a kernel's
		return []string{"**/" + m.glob + "::*", m.glob + "/**"}
	}
	return []string{"**/" + m.glob, "**/" + m.glob + "::*"}
}

// Unmatched is the problem of sides that hold no kernel which m selects; whose says
// how a message names them. One without a kernel is never OK.
func (m *Matcher) Unmatched(whose string, sides ...*Side) problem.Problem {
	where := m.where
	if where != "" {
		where = " (" + where + ")"
	}
	p := problem.New(problem.NoKernels, "no kernel of %s matches %q%s", whose, m, where)
	for _, s := range sides {
		if s.Closest != "" {
			return p.Mended("check the glob; %s; `isadiff summarize %s` lists them", s.Closest, problem.Quoted(s.Origin))
		}
	}
	return p
}

// letter takes what stands for others out of a glob.
func letter(r rune) rune {
	if strings.ContainsRune("*?[]{}", r) {
		return -1
	}
	return r
}

// alike tells how much two names have in common: the share of pairs of
// neighbouring bytes that both have, 0 to 1.
func alike(a, b string) float64 {
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	common := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			common++
		}
	}
	return 2 * float64(common) / float64(max(1, len(a)+len(b)-2))
}
