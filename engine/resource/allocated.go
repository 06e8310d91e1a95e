package resource

import (
	"isadiff/engine/isa"
	"isadiff/engine/problem"
)

// checkAllocated holds what the descriptor allocates, and what was spilled,
// against the counts. More than is counted is allocated wherever something else
// limits the waves; less never is. In 6,932 kernels of LLVM 13 to 24 there was no
// exception.
func (b *builder) checkAllocated() {
	m, s, d := &b.kernel.Metadata, &b.kernel.Symbols, &b.kernel.Descriptor

	b.readable(d.NextFreeVGPR)
	b.atMost(m.VGPRCount, ".vgpr_count", d.NextFreeVGPR, 0, ".amdhsa_next_free_vgpr")
	b.readable(d.NextFreeSGPR)
	b.atMost(s.NumberedSGPR, "numbered_sgpr", d.NextFreeSGPR, 0, ".amdhsa_next_free_sgpr")
	extra := int64(mostExtraSGPRs)
	if b.file.Object {
		extra = 0 // a code object states all that are allocated
	}
	b.atMost(m.SGPRCount, ".sgpr_count", d.NextFreeSGPR, extra, ".amdhsa_next_free_sgpr")

	// The AGPRs of a unified file begin at an offset of their own.
	if agprs := b.agprs(); read(m.VGPRCount, agprs, d.AccumOffset) {
		if agprs.Value == 0 {
			b.atMost(m.VGPRCount, ".vgpr_count", d.AccumOffset, 0, ".amdhsa_accum_offset")
		} else if want := d.AccumOffset.Value + agprs.Value; m.VGPRCount.Value != want {
			b.contradict(m.VGPRCount.Line, ".vgpr_count is %d, but %s %d%s and %s%s make %d",
				m.VGPRCount.Value, b.named(".amdhsa_accum_offset"), d.AccumOffset.Value, onLine(d.AccumOffset.Line), problem.Count(int(agprs.Value), "AGPR"), onLine(agprs.Line), want)
		}
	}

	if read(m.VGPRSpillCount, m.PrivateSegment) && m.VGPRSpillCount.Value > 0 && m.PrivateSegment.Value == 0 && !b.mayHaveAGPRs() {
		b.contradict(m.VGPRSpillCount.Line, ".vgpr_spill_count is %d, but .private_segment_fixed_size is 0%s, and there are no AGPRs to spill to",
			m.VGPRSpillCount.Value, onLine(m.PrivateSegment.Line))
	}
}

// atMost reports a count that is above what is allocated and extra registers.
func (b *builder) atMost(count isa.Field, what string, allocated isa.Field, extra int64, directive string) {
	if read(count, allocated) && count.Value > allocated.Value+extra {
		b.contradict(count.Line, "%s is %d, but the descriptor allocates fewer: %s is %d%s", what, count.Value, b.named(directive), allocated.Value, onLine(allocated.Line))
	}
}

// agprs returns the count of AGPRs; it is not read in files of LLVM 14 and older,
// and where there are none.
func (b *builder) agprs() isa.Field {
	if s := b.kernel.Symbols.NumAGPR; s.State == isa.Read {
		return s
	}
	return b.kernel.Metadata.AGPRCount
}

// mayHaveAGPRs reports whether the kernel has AGPRs, or may have some that
// nothing counts.
func (b *builder) mayHaveAGPRs() bool {
	if agprs := b.agprs(); agprs.State == isa.Read {
		return agprs.Value > 0
	}
	if b.known && !b.shape.AGPRs || b.target.Gen() >= 10 {
		return false
	}
	if b.file.Object {
		return true
	}
	body := &b.kernel.Body
	return body.Code != "" || body.Named[isa.AGPRs].Count > 0
}

// mostExtraSGPRs is how many SGPRs there are at most beyond the numbered ones:
// VCC, the XNACK mask and the flat scratch base.
const mostExtraSGPRs = 6

// boundSGPRs holds .sgpr_count against the numbered registers where it is not
// known how many there are beyond them: VCC takes two everywhere.
func (b *builder) boundSGPRs() {
	m, s := &b.kernel.Metadata, &b.kernel.Symbols
	least, most := s.NumberedSGPR.Value, s.NumberedSGPR.Value+mostExtraSGPRs
	if s.UsesVCC.Value != 0 {
		least += 2
	}
	if got := m.SGPRCount.Value; got < least || got > most && b.target.Processor != sgprInitBug {
		b.contradict(m.SGPRCount.Line, ".sgpr_count is %d, but numbered_sgpr %d (line %d) with VCC and the special registers makes %d to %d", got, s.NumberedSGPR.Value, s.NumberedSGPR.Line, least, most)
	}
}

// sgprInitBug is the processor whose kernels all count 96 SGPRs, for it starts
// waves of fewer wrongly (LLVM's FeatureSGPRInitBug).
const sgprInitBug = "gfx802"

// checkNamed holds the registers that the body names against the counts. Code of
// a compiler names none past them, but inline assembly does that does not declare
// what it uses.
func (b *builder) checkNamed() {
	for f, named := range b.kernel.Body.Named {
		limit, what := b.namable(isa.RegisterFile(f))
		if named.Count == 0 || limit.State != isa.Read || named.Count <= limit.Value {
			continue
		}
		letter := isa.RegisterFile(f).Letter()
		cause := ""
		if named.Inline {
			cause = "; it stands in inline assembly, which most likely does not declare it: make it an operand or a clobber there"
		}
		b.contradict(named.Line, "the body names %s%d (line %d), but %s is %d (line %d)%s", letter, named.Count-1, named.Line, what, limit.Value, limit.Line, cause)
	}
}

// namable returns the count that the registers of a file are below: the smallest
// of those that bound them.
func (b *builder) namable(f isa.RegisterFile) (least isa.Field, what string) {
	m, s, d := &b.kernel.Metadata, &b.kernel.Symbols, &b.kernel.Descriptor
	take := func(count isa.Field, less int64, name string) {
		count.Value = max(0, count.Value-less)
		if count.State == isa.Read && (least.State != isa.Read || count.Value < least.Value) {
			least, what = count, name
		}
	}
	switch f {
	case isa.VGPRs:
		take(s.NumVGPR, 0, "num_vgpr")
		take(m.VGPRCount, 0, ".vgpr_count")
		if s.NumVGPR.State == isa.Absent {
			take(d.AccumOffset, 0, ".amdhsa_accum_offset")
		}
	case isa.SGPRs:
		take(s.NumberedSGPR, 0, "numbered_sgpr")
		take(m.SGPRCount, 0, ".sgpr_count")
		take(d.NextFreeSGPR, 0, ".amdhsa_next_free_sgpr")
	case isa.AGPRs:
		take(s.NumAGPR, 0, "num_agpr")
		take(m.AGPRCount, 0, ".agpr_count")
		if least.State != isa.Read {
			take(m.VGPRCount, d.AccumOffset.Value, ".vgpr_count")
		}
	}
	return least, what
}
