package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// labels returns how the names are shown, with at most limit cells each; 0 is
// no limit. No two labels look the same: names that differ in their spelling
// only (é in one character or two) are escaped, and names that would be equal
// when shortened are not shortened.
func labels(names []string, limit int) []string {
	full := make([]string, len(names))
	for i, n := range names {
		full[i] = visible(n)
	}
	for _, twins := range alike(full) {
		for _, i := range twins {
			full[i] = ascii(full[i])
		}
	}
	if limit <= 0 {
		return full
	}
	short := make([]string, len(full))
	for i, n := range full {
		short[i] = tail(n, limit)
	}
	for _, twins := range alike(short) {
		apart(short, full, twins, limit)
	}
	for _, twins := range alike(short) {
		for _, i := range twins {
			short[i] = full[i]
		}
	}
	return short
}

// minEnd is how much of the end of a name is shown after the part in which it
// differs from others.
const minEnd = 8

// apart shortens those of the names whose ends look the same to the part in which
// they differ and their end, "...alpha...tail::k", if that fits.
func apart(short, full []string, twins []int, limit int) {
	parts := make([][]string, len(twins))
	for n, i := range twins {
		parts[n] = clusters(full[i])
	}
	before, after := shared(parts)
	middle := 0
	for _, p := range parts {
		middle = max(middle, width(strings.Join(p[before:len(p)-after], "")))
	}
	room := limit - 2*len(ellipsis) - middle
	if room < minEnd {
		return
	}
	end := tail(strings.Join(parts[0][len(parts[0])-after:], ""), room+len(ellipsis))
	for n, i := range twins {
		short[i] = ellipsis + strings.Join(parts[n][before:len(parts[n])-after], "") + end
	}
}

// shared returns how many clusters all names begin with and, of the rest, end with.
func shared(names [][]string) (before, after int) {
	shortest := len(names[0])
	for _, n := range names {
		shortest = min(shortest, len(n))
	}
	same := func(at func(n []string) string) bool {
		first := at(names[0])
		return !slices.ContainsFunc(names, func(n []string) bool { return at(n) != first })
	}
	for before < shortest && same(func(n []string) string { return n[before] }) {
		before++
	}
	for after < shortest-before && same(func(n []string) string { return n[len(n)-1-after] }) {
		after++
	}
	return before, after
}

// clusters divides a text into what a person calls its characters.
func clusters(s string) (parts []string) {
	for state := -1; s != ""; {
		var c string
		c, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		parts = append(parts, c)
	}
	return parts
}

// alike returns the groups of texts that look the same.
func alike(texts []string) map[string][]int {
	first := make(map[string]int, len(texts))
	var groups map[string][]int
	for i, t := range texts {
		look := norm.NFC.String(t)
		f, seen := first[look]
		if !seen {
			first[look] = i
			continue
		}
		if groups == nil {
			groups = make(map[string][]int)
		}
		if groups[look] == nil {
			groups[look] = []int{f}
		}
		groups[look] = append(groups[look], i)
	}
	return groups
}

const ellipsis = "..."

// tail returns the end of s, with an ellipsis before it if s is wider than
// limit cells.
func tail(s string, limit int) string {
	excess := width(s) - limit
	if excess <= 0 {
		return s
	}
	if limit <= len(ellipsis) {
		return ellipsis[:limit]
	}
	excess += len(ellipsis)
	for state := -1; excess > 0 && s != ""; {
		var cells int
		_, s, cells, state = uniseg.FirstGraphemeClusterInString(s, state)
		excess -= cells
	}
	return ellipsis + s
}

// head returns the beginning of s, with an ellipsis after it if s is wider than
// limit cells.
func head(s string, limit int) string {
	if width(s) <= limit {
		return s
	}
	if limit <= len(ellipsis) {
		return ellipsis[:max(0, limit)]
	}
	room, kept := limit-len(ellipsis), 0
	for rest, state := s, -1; rest != ""; {
		cluster, next, cells, st := uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= cells; room < 0 {
			break
		}
		kept += len(cluster)
		rest, state = next, st
	}
	return s[:kept] + ellipsis
}

// width returns the cells that s takes on a terminal.
func width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}
