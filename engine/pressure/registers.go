package pressure

import (
	"math/bits"
)

// The register files that are counted. VGPRs are kept by halves: one is live if
// either of its 16-bit halves is.
const (
	vgpr uint8 = iota
	agpr
	sgpr
)

// The numbers of registers that an instruction can name. The scalar ones are
// s0 to s105, what LLVM calls numbered_sgpr.
const (
	maxVGPR = 1024
	maxAGPR = 256
	maxSGPR = 106
)

// The halves of a VGPR.
const (
	low  uint8 = 1
	high uint8 = 2
	both uint8 = low | high
)

// A span is a run of registers of one file.
type span struct {
	first, count uint16
	file         uint8
	half         uint8 // which halves of VGPRs; both for other files
}

// A layout tells where the bits of each file are in a set of registers: the low
// halves of the VGPRs, their high halves, the AGPRs, the SGPRs.
type layout struct {
	vgprWords int // words for one half of the VGPRs
}

const (
	agprWords = maxAGPR / 64
	sgprWords = 2
)

func layoutFor(vgprs int) layout {
	if vgprs <= 256 {
		return layout{4}
	}
	return layout{maxVGPR / 64}
}

// words returns the size of a set.
func (l layout) words() int { return 2*l.vgprWords + agprWords + sgprWords }

// base returns the word that holds register 0 of a file; for VGPRs that of the
// low halves.
func (l layout) base(file uint8) int {
	switch file {
	case agpr:
		return 2 * l.vgprWords
	case sgpr:
		return 2*l.vgprWords + agprWords
	}
	return 0
}

// A set is a set of registers under some layout.
type set []uint64

// wordMask returns the bits of registers [first,end) that lie in a word.
func wordMask(first, end, word int) uint64 {
	mask := ^uint64(0)
	if lo := first - word<<6; lo > 0 {
		mask &= ^uint64(0) << lo
	}
	if hi := end - word<<6; hi < 64 {
		mask &= 1<<hi - 1
	}
	return mask
}

// add puts r into s.
func (l layout) add(s set, r span) {
	first, end := int(r.first), int(r.first)+int(r.count)
	base := l.base(r.file)
	for word := first >> 6; word<<6 < end; word++ {
		mask := wordMask(first, end, word)
		if r.half&low != 0 {
			s[base+word] |= mask
		}
		if r.half&high != 0 && r.file == vgpr {
			s[base+word+l.vgprWords] |= mask
		}
	}
}

// contains reports whether all of r is in s.
func (l layout) contains(s set, r span) bool {
	first, end := int(r.first), int(r.first)+int(r.count)
	base := l.base(r.file)
	for word := first >> 6; word<<6 < end; word++ {
		mask := wordMask(first, end, word)
		if r.half&low != 0 && s[base+word]&mask != mask {
			return false
		}
		if r.half&high != 0 && r.file == vgpr && s[base+word+l.vgprWords]&mask != mask {
			return false
		}
	}
	return true
}

// addUnless puts those registers of r into s that are not in except.
func (l layout) addUnless(s, except set, r span) {
	first, end := int(r.first), int(r.first)+int(r.count)
	base := l.base(r.file)
	for word := first >> 6; word<<6 < end; word++ {
		mask := wordMask(first, end, word)
		if w := base + word; r.half&low != 0 {
			s[w] |= mask &^ except[w]
		}
		if w := base + word + l.vgprWords; r.half&high != 0 && r.file == vgpr {
			s[w] |= mask &^ except[w]
		}
	}
}

// counts are the live registers of each file.
type counts [3]int

// count counts a whole set.
func (l layout) count(s set) (n counts) {
	for i := range l.vgprWords {
		n[vgpr] += bits.OnesCount64(s[i] | s[i+l.vgprWords])
	}
	for _, w := range s[l.base(agpr):l.base(sgpr)] {
		n[agpr] += bits.OnesCount64(w)
	}
	for _, w := range s[l.base(sgpr):] {
		n[sgpr] += bits.OnesCount64(w)
	}
	return n
}

// gain puts r into s and keeps n.
func (l layout) gain(s set, n *counts, r span) {
	first, end := int(r.first), int(r.first)+int(r.count)
	base := l.base(r.file)
	for word := first >> 6; word<<6 < end; word++ {
		mask := wordMask(first, end, word)
		w := base + word
		was := s[w]
		if r.file == vgpr {
			h := w + l.vgprWords
			was |= s[h]
			if r.half&high != 0 {
				s[h] |= mask
			}
		}
		if r.half&low != 0 {
			s[w] |= mask
		}
		n[r.file] += bits.OnesCount64(mask &^ was)
	}
}

// lose takes r out of s and keeps n.
func (l layout) lose(s set, n *counts, r span) {
	first, end := int(r.first), int(r.first)+int(r.count)
	base := l.base(r.file)
	for word := first >> 6; word<<6 < end; word++ {
		mask := wordMask(first, end, word)
		w := base + word
		was := s[w]
		var is uint64
		if r.half&low != 0 {
			s[w] &^= mask
		}
		is = s[w]
		if r.file == vgpr {
			h := w + l.vgprWords
			was |= s[h]
			if r.half&high != 0 {
				s[h] &^= mask
			}
			is |= s[h]
		}
		n[r.file] -= bits.OnesCount64(was &^ is)
	}
}
