package why

// An Op is what became of an instruction.
type Op string

// What can become of one.
const (
	Same    Op = "same"    // equal text up to label numbers and blanks
	Renamed Op = "renamed" // equal but for register numbers
	Changed Op = "changed" // the same mnemonic at the same place, with other operands
	Moved   Op = "moved"   // equal up to registers, elsewhere
	Removed Op = "removed"
	Added   Op = "added"
)

// A Step is one instruction of either side, or a pair of them. The steps of a
// comparison hold every instruction of both sides once. They follow the after side;
// those that are removed stand where they were.
type Step struct {
	Op            Op
	Before, After int // index in the bodies; -1 for none
}

// pairing holds the partners of instructions; -1 for none.
type pairing struct {
	before, after side
	inOrder       []int32 // of those before: the one after, of pairs that are in order on both sides
	moved         []int32 // the same, of those that are elsewhere
}

// pair pairs the instructions of two sides. What is equal up to registers is paired
// in order first, as much of it as can be, and elsewhere then, so that nothing is
// called new that both sides have. Last, what is left is paired by its mnemonic
// where it stands between the same pairs.
func (r *reader) pair(before, after side) *pairing {
	p := &pairing{before: before, after: after, inOrder: none(len(before.body)), moved: none(len(before.body))}
	newMatcher(len(r.masks)).pair(before.mask, after.mask, func(i, j int) { p.inOrder[i] = int32(j) })
	p.slide()
	taken := make([]bool, len(after.body))
	for _, j := range p.inOrder {
		if j >= 0 {
			taken[j] = true
		}
	}
	p.pairElsewhere(taken, len(r.exacts), len(r.masks))
	p.pairChanged(taken, len(r.mnemonics))
	return p
}

func none(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// slide moves runs of unpaired instructions between pairs, where what follows a run
// is equal to its beginning up to registers: of the places a run can be, that counts
// at which most pairs have the same text.
func (p *pairing) slide() {
	partners := none(len(p.after.body)) // of those after
	for i, j := range p.inOrder {
		if j >= 0 {
			partners[j] = int32(i)
		}
	}
	slide(p.inOrder, partners, &p.before, &p.after)
	slide(partners, p.inOrder, &p.after, &p.before)
}

// maxSlide bounds how far a run is moved.
const maxSlide = 256

// slide moves the unpaired runs of one side. to are the partners of its
// instructions, back those of the other side.
func slide(to, back []int32, own, other *side) {
	for end := 0; end < len(to); end++ {
		if to[end] >= 0 {
			continue
		}
		start := end
		for end < len(to) && to[end] < 0 {
			end++
		}
		slideRun(to, back, own, other, start, end)
	}
}

func slideRun(to, back []int32, own, other *side, start, end int) {
	size := end - start
	same := func(i int, j int32) int {
		if own.exact[i] == other.exact[j] {
			return 1
		}
		return 0
	}
	gain, best, at := 0, 0, 0 // at is how far the run goes to the left
	for n := 1; n <= maxSlide; n++ {
		i := start - n
		if i < 0 || to[i] < 0 || own.mask[i] != own.mask[i+size] {
			break
		}
		if gain += same(i+size, to[i]) - same(i, to[i]); gain > best {
			best, at = gain, n
		}
	}
	for n := range at {
		i := start - 1 - n
		to[i+size], back[to[i]], to[i] = to[i], int32(i+size), -1
	}
	if at > 0 {
		return
	}
	gain = 0
	for n := range maxSlide {
		i := end + n
		if i >= len(to) || to[i] < 0 || own.mask[i] != own.mask[i-size] {
			break
		}
		if gain += same(i-size, to[i]) - same(i, to[i]); gain > best {
			best, at = gain, n+1
		}
	}
	for n := range at {
		i := end + n
		to[i-size], back[to[i]], to[i] = to[i], int32(i-size), -1
	}
}

// pairElsewhere pairs what is left and equal up to registers: equal texts first, and
// each in order.
func (p *pairing) pairElsewhere(taken []bool, exacts, masks int) {
	p.queue(taken, p.before.exact, p.after.exact, exacts)
	p.queue(taken, p.before.mask, p.after.mask, masks)
}

// queue pairs what is left of each text, in order.
func (p *pairing) queue(taken []bool, before, after []int32, texts int) {
	left := make([][]int32, texts) // of those after
	for j, text := range after {
		if !taken[j] {
			left[text] = append(left[text], int32(j))
		}
	}
	for i, text := range before {
		if list := left[text]; len(list) > 0 && p.inOrder[i] < 0 && p.moved[i] < 0 {
			p.moved[i], taken[list[0]] = list[0], true
			left[text] = list[1:]
		}
	}
}

// pairChanged pairs what is left of one mnemonic between the same two pairs.
func (p *pairing) pairChanged(taken []bool, mnemonics int) {
	m := newMatcher(mnemonics)
	var lost, fresh []int
	var a, b []int32
	close := func() {
		if len(lost) > 0 && len(fresh) > 0 {
			m.pair(a, b, func(i, j int) {
				p.inOrder[lost[i]] = int32(fresh[j])
				taken[fresh[j]] = true
			})
		}
		lost, fresh, a, b = lost[:0], fresh[:0], a[:0], b[:0]
	}
	j := 0
	for i := 0; i <= len(p.inOrder); i++ {
		to := len(taken)
		if i < len(p.inOrder) {
			if p.inOrder[i] < 0 {
				if p.moved[i] < 0 {
					lost, a = append(lost, i), append(a, p.before.mnemonic[i])
				}
				continue
			}
			to = int(p.inOrder[i])
		}
		for ; j < to; j++ {
			if !taken[j] {
				fresh, b = append(fresh, j), append(b, p.after.mnemonic[j])
			}
		}
		j = to + 1
		close()
	}
}

// steps lists all instructions of both sides.
func (p *pairing) steps() []Step {
	steps := make([]Step, 0, max(len(p.before.body), len(p.after.body)))
	from := none(len(p.after.body)) // the partner that moved
	for i, j := range p.moved {
		if j >= 0 {
			from[j] = int32(i)
		}
	}
	j := 0
	until := func(to int) {
		for ; j < to; j++ {
			if from[j] >= 0 {
				steps = append(steps, Step{Moved, int(from[j]), j})
			} else {
				steps = append(steps, Step{Added, -1, j})
			}
		}
	}
	for i, to := range p.inOrder {
		if to < 0 {
			if p.moved[i] < 0 {
				steps = append(steps, Step{Removed, i, -1})
			}
			continue
		}
		until(int(to))
		steps = append(steps, Step{p.op(i, int(to)), i, int(to)})
		j = int(to) + 1
	}
	until(len(p.after.body))
	return steps
}

func (p *pairing) op(i, j int) Op {
	switch {
	case p.before.exact[i] == p.after.exact[j]:
		return Same
	case p.before.mask[i] == p.after.mask[j]:
		return Renamed
	}
	return Changed
}
