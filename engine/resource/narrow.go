package resource

import (
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

// Closest returns the name of the kernel that a glob which selects none comes
// nearest to; "" if there is no kernel. Wildcards count as nothing.
func (m *Matcher) Closest(records []*Record) (best string) {
	plain := func(s string) string { return strings.ToLower(strings.Map(letter, s)) }
	glob, at := plain(m.glob), -1.0
	for _, r := range records {
		for _, name := range []string{r.Name, r.Key} {
			if score := alike(glob, plain(name)); score > at || score == at && len(r.Name) < len(best) {
				best, at = r.Name, score
			}
		}
	}
	return best
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
			return p.Mended("check the glob; closest: %s; `isadiff summarize %s` lists them", s.Closest, problem.Quoted(s.Origin))
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
