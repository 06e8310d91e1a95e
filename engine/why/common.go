package why

import (
	"cmp"
	"math/bits"
	"slices"
)

// A matcher finds longest common subsequences. It is not safe for concurrent use.
//
// The table of lengths is computed 64 cells at a time: a row is a vector of bits in
// which a cell that is one more than its left neighbour is 0 (Hyyrö, "Bit-Parallel
// LCS-length Computation Revisited", 2004). The pairing is therefore as long as any
// can be, which no diff of anchors promises, and 25,000 by 25,000 take some 30 ms.
// A table that would take too much memory is cut in two where a longest subsequence
// passes (Hirschberg, 1975).
type matcher struct {
	head, next []int32 // by symbol: the first position in b; by position: the next one of its symbol; -1 ends
	counts     []int32
	dense      [][]uint64 // by symbol: its positions as bits, if it has many
	slab       []uint64
	sparse     []uint64
}

// The bounds of a table.
const (
	maxRows  = 1 << 20 // words that are kept at once
	maxCells = 1 << 36 // cells that are computed at all; beyond that, anchors come first
)

// PairLines returns for each line of a text where it stands in another one, -1 if it
// is gone: a longest common subsequence of equal lines.
func PairLines(before, after []string) []int {
	known := map[string]int32{}
	symbols := func(lines []string) []int32 {
		ids := make([]int32, len(lines))
		for i, line := range lines {
			id, ok := known[line]
			if !ok {
				id = int32(len(known))
				known[line] = id
			}
			ids[i] = id
		}
		return ids
	}
	b, a := symbols(before), symbols(after)
	pairs := make([]int, len(before))
	for i := range pairs {
		pairs[i] = -1
	}
	newMatcher(len(known)).pair(b, a, func(i, j int) { pairs[i] = j })
	return pairs
}

// newMatcher returns a matcher for symbols below n.
func newMatcher(n int) *matcher {
	m := &matcher{head: make([]int32, n), counts: make([]int32, n), dense: make([][]uint64, n)}
	for i := range m.head {
		m.head[i] = -1
	}
	return m
}

// pair calls found for the pairs of a longest common subsequence of a and b, in no
// particular order.
func (m *matcher) pair(a, b []int32, found func(i, j int)) {
	m.solve(a, b, 0, 0, found)
}

func (m *matcher) solve(a, b []int32, i0, j0 int, found func(i, j int)) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		found(i0, j0)
		a, b, i0, j0 = a[1:], b[1:], i0+1, j0+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
		found(i0+len(a), j0+len(b))
	}
	if len(a) == 0 || len(b) == 0 {
		return
	}
	words := (len(b) + 63) / 64
	switch {
	case len(a) > maxCells/len(b):
		m.split(a, b, i0, j0, found)
	case len(a)*words <= maxRows || len(a) == 1:
		m.trace(a, b, i0, j0, found)
	default:
		i := len(a) / 2
		j := m.middle(a, b, i)
		m.solve(a[:i], b[:j], i0, j0, found)
		m.solve(a[i:], b[j:], i0+i, j0+j, found)
	}
}

// index notes where each symbol stands in b.
func (m *matcher) index(b []int32, reversed bool) {
	words := (len(b) + 63) / 64
	for j := len(b) - 1; j >= 0; j-- {
		s := b[m.at(j, len(b), reversed)]
		m.next = grown(m.next, len(b))
		m.next[j], m.head[s] = m.head[s], int32(j)
		m.counts[s]++
	}
	m.slab = m.slab[:0]
	for _, s := range b {
		if int(m.counts[s]) > words && m.dense[s] == nil {
			from := len(m.slab)
			m.slab = append(m.slab, make([]uint64, words)...)
			m.dense[s] = m.slab[from:len(m.slab):len(m.slab)]
			for j := m.head[s]; j >= 0; j = m.next[j] {
				m.dense[s][j>>6] |= 1 << (j & 63)
			}
		}
	}
	m.sparse = grown(m.sparse, words)
	clear(m.sparse)
}

func (m *matcher) forget(b []int32) {
	for _, s := range b {
		m.head[s], m.counts[s], m.dense[s] = -1, 0, nil
	}
}

func (m *matcher) at(i, n int, reversed bool) int {
	if reversed {
		return n - 1 - i
	}
	return i
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// step turns a row of the table into the next one, that of a symbol.
func (m *matcher) step(row []uint64, symbol int32) {
	if m.head[symbol] < 0 {
		return
	}
	at := m.dense[symbol]
	if at == nil {
		at = m.sparse
		for j := m.head[symbol]; j >= 0; j = m.next[j] {
			at[j>>6] |= 1 << (j & 63)
		}
	}
	var carry uint64
	at = at[:len(row)]
	for w, v := range row {
		match := at[w]
		var sum uint64
		sum, carry = bits.Add64(v, v&match, carry)
		row[w] = sum | v&^match
	}
	if m.dense[symbol] == nil {
		for j := m.head[symbol]; j >= 0; j = m.next[j] {
			at[j>>6] = 0
		}
	}
}

func ones(n int) []uint64 {
	row := make([]uint64, n)
	for i := range row {
		row[i] = ^uint64(0)
	}
	return row
}

// trace keeps all rows and walks back through them.
func (m *matcher) trace(a, b []int32, i0, j0 int, found func(i, j int)) {
	words := (len(b) + 63) / 64
	m.index(b, false)
	rows := make([]uint64, len(a)*words)
	row := ones(words)
	for i, s := range a {
		m.step(row, s)
		copy(rows[i*words:], row)
	}
	m.forget(b)
	level := func(i, j int) bool { return rows[i*words+j>>6]>>(j&63)&1 != 0 } // no longer than without b[j]
	i, j := len(a), len(b)
	for i > 0 && j > 0 {
		switch {
		case level(i-1, j-1):
			j--
		case i > 1 && !level(i-2, j-1):
			i--
		default:
			i--
			j--
			found(i0+i, j0+j)
		}
	}
}

// middle returns where b is cut if a is cut at i.
func (m *matcher) middle(a, b []int32, i int) int {
	head := m.lengths(a[:i], b, false)
	tail := m.lengths(a[i:], b, true)
	best, cut := int32(-1), 0
	for j := range head {
		if n := head[j] + tail[len(b)-j]; n > best {
			best, cut = n, j
		}
	}
	return cut
}

// lengths returns the length of the longest common subsequence of a and each
// beginning of b; reversed, of both read backwards.
func (m *matcher) lengths(a, b []int32, reversed bool) []int32 {
	m.index(b, reversed)
	row := ones((len(b) + 63) / 64)
	for i := range a {
		m.step(row, a[m.at(i, len(a), reversed)])
	}
	m.forget(b)
	lengths := make([]int32, len(b)+1)
	for j := range b {
		lengths[j+1] = lengths[j] + int32(^row[j>>6]>>(j&63)&1)
	}
	return lengths
}

// split cuts what is too large for a table at symbols that both have once, those
// that are in order in both; without any in half.
func (m *matcher) split(a, b []int32, i0, j0 int, found func(i, j int)) {
	i, j := 0, 0
	for _, at := range anchors(a, b) {
		m.solve(a[i:at.i], b[j:at.j], i0+i, j0+j, found)
		found(i0+at.i, j0+at.j)
		i, j = at.i+1, at.j+1
	}
	if i > 0 {
		m.solve(a[i:], b[j:], i0+i, j0+j, found)
		return
	}
	i, j = (len(a)+1)/2, (len(b)+1)/2
	m.solve(a[:i], b[:j], i0, j0, found)
	m.solve(a[i:], b[j:], i0+i, j0+j, found)
}

type anchor struct{ i, j int }

// anchors returns a longest run of symbols that both have once.
func anchors(a, b []int32) []anchor {
	type place struct{ i, j, inA, inB int }
	places := map[int32]*place{}
	for i, s := range a {
		if places[s] == nil {
			places[s] = &place{i: i}
		}
		places[s].inA++
	}
	for j, s := range b {
		if p := places[s]; p != nil {
			p.j = j
			p.inB++
		}
	}
	var all []anchor
	for _, s := range a {
		if p := places[s]; p.inA == 1 && p.inB == 1 {
			all = append(all, anchor{p.i, p.j})
		}
	}
	var ends []int // by length: the one that ends lowest
	before := make([]int, len(all))
	for k := range all {
		n, _ := slices.BinarySearchFunc(ends, all[k].j, func(e, j int) int { return cmp.Compare(all[e].j, j) })
		before[k] = -1
		if n > 0 {
			before[k] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, k)
		} else {
			ends[n] = k
		}
	}
	var run []anchor
	if len(ends) > 0 {
		for k := ends[len(ends)-1]; k >= 0; k = before[k] {
			run = append(run, all[k])
		}
	}
	slices.Reverse(run)
	return run
}
