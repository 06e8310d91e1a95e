package history

import (
	"cmp"
	"slices"

	"isadiff/watch/capture"
)

// A Search narrows down the first of some commits that is worse. Those that are left are
// the one that is known to be worse, which is the newest, and its ancestors that are not
// known to be good.
type Search struct {
	commits []capture.Revision // children before their parents
	index   map[string]int
	parents [][]int
	left    []bool
	good    []bool // that is known, if only of a descendant
	skipped []bool
	bad     int // the newest of those left
	// Contradicts is set where results do not fit each other: what was worse was not any
	// more in a descendant.
	Contradicts bool
}

// NewSearch returns the search among commits, of which the first is known to be worse and
// has all others as its ancestors. Children come before their parents. With firstParent a
// merge counts as a whole.
func NewSearch(commits []capture.Revision, firstParent bool) *Search {
	s := &Search{
		commits: commits, index: make(map[string]int, len(commits)), parents: make([][]int, len(commits)),
		left: make([]bool, len(commits)), good: make([]bool, len(commits)), skipped: make([]bool, len(commits)),
	}
	for i := range commits {
		s.index[commits[i].Commit], s.left[i] = i, true
	}
	for i := range commits {
		for n, parent := range commits[i].Parents {
			if at, ok := s.index[parent]; ok && (n == 0 || !firstParent) {
				s.parents[i] = append(s.parents[i], at)
			}
		}
	}
	return s
}

// ancestors marks a commit and its ancestors, as far as they are among some.
func (s *Search) ancestors(of int, among []bool) []bool {
	seen := make([]bool, len(s.commits))
	seen[of] = among[of]
	for i := of; i < len(seen); i++ { // parents come later
		if !seen[i] {
			continue
		}
		for _, p := range s.parents[i] {
			seen[p] = among[p]
		}
	}
	return seen
}

// Worse notes that a commit is worse.
func (s *Search) Worse(commit string) {
	at := s.index[commit]
	switch {
	case s.left[at]:
		s.left, s.bad = s.ancestors(at, s.left), at
	case s.good[at]:
		s.Contradicts = true
	}
}

// Good notes that a commit is not worse.
func (s *Search) Good(commit string) {
	all := slices.Repeat([]bool{true}, len(s.commits))
	before := s.ancestors(s.index[commit], all)
	if before[s.bad] {
		s.Contradicts = true
		return
	}
	for i, is := range before {
		if is {
			s.left[i], s.good[i] = false, true
		}
	}
}

// Skip notes that nobody can tell whether a commit is worse.
func (s *Search) Skip(commit string) { s.skipped[s.index[commit]] = true }

// Left returns the commits of which each may be the first that is worse. It is that
// if it is one alone.
func (s *Search) Left() (left []capture.Revision) {
	for i, is := range s.left {
		if is {
			left = append(left, s.commits[i])
		}
	}
	return left
}

// Next returns up to n commits to look at, which divide those that are left into equal
// parts: for one the commit that git bisect would choose. There is none if the search has
// ended. Where that one is skipped, others come that are farther away: what cannot be
// compiled has neighbors that cannot either.
func (s *Search) Next(n int) (next []capture.Revision) {
	reach, total := s.reach()
	var all []int // all that may be looked at
	for i, is := range s.left {
		if is && i != s.bad {
			all = append(all, i)
		}
	}
	chosen := map[int]bool{}
	for k := 1; k <= n; k++ {
		target := total * k / (n + 1)
		byDistance := slices.Clone(all)
		slices.SortStableFunc(byDistance, func(a, b int) int { return cmp.Compare(distance(reach[a], target), distance(reach[b], target)) })
		away, free := 0, byDistance[:0]
		for i, c := range byDistance {
			switch {
			case s.skipped[c] && i == away:
				away++ // another that is next to it
			case s.skipped[c] || chosen[c]:
			default:
				free = append(free, c)
			}
		}
		if len(free) == 0 {
			break
		}
		c := free[min(away*away/2, len(free)/2)]
		chosen[c] = true
		next = append(next, s.commits[c])
	}
	return next
}

func distance(a, b int) int { return max(a-b, b-a) }

// reach counts for each commit that is left how many of them are it or its ancestors.
func (s *Search) reach() (reach []int, total int) {
	reach = make([]int, len(s.commits))
	for i := len(reach) - 1; i >= 0; i-- {
		if !s.left[i] {
			continue
		}
		total++
		var before []int
		for _, p := range s.parents[i] {
			if s.left[p] {
				before = append(before, p)
			}
		}
		switch len(before) {
		case 0:
			reach[i] = 1
		case 1:
			reach[i] = reach[before[0]] + 1
		default: // a merge: what both sides have counts once
			for _, is := range s.ancestors(i, s.left) {
				if is {
					reach[i]++
				}
			}
		}
	}
	return reach, total
}

// Steps returns how many steps the search takes at most, if nothing is skipped and n
// commits are looked at in each.
func (s *Search) Steps(n int) (steps int) {
	for left := len(s.Left()); left > 1; left = (left + n) / (n + 1) {
		steps++
	}
	return steps
}
