package resource

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/gfx"
	"isadiff/engine/isa"
	"isadiff/engine/problem"
)

// check holds what the file states in several places against each other. LLVM
// computes all of it from one source, so these identities held without exception
// in every file measured (docs/understand/isa-format.md); one that fails means that the
// file is damaged or was edited. A field that could not be read has been
// reported and is left out.
func (b *builder) check() {
	k := b.kernel
	m, s, d := &k.Metadata, &k.Symbols, &k.Descriptor

	b.equal(m.PrivateSegment, ".private_segment_fixed_size", d.PrivateSegment, ".amdhsa_private_segment_fixed_size")
	b.equal(m.PrivateSegment, ".private_segment_fixed_size", s.PrivateSegSize, "symbol private_seg_size")
	b.equal(m.GroupSegment, ".group_segment_fixed_size", d.GroupSegment, ".amdhsa_group_segment_fixed_size")
	b.equal(m.KernargSegment, ".kernarg_segment_size", d.KernargSize, ".amdhsa_kernarg_size")
	if read(m.AGPRCount, s.NumAGPR) {
		b.equal(m.AGPRCount, ".agpr_count", s.NumAGPR, "symbol num_agpr")
	}
	if read(m.WavefrontSize, d.Wavefront32) {
		lanes := int64(64)
		if d.Wavefront32.Value != 0 {
			lanes = 32
		}
		if m.WavefrontSize.Value != lanes {
			b.contradict(d.Wavefront32.Line, "the metadata's .wavefront_size is %d, the descriptor has .amdhsa_wavefront_size32 %d", m.WavefrontSize.Value, d.Wavefront32.Value)
		}
	}
	for _, flag := range []isa.Field{s.UsesVCC, s.UsesFlatScratch} {
		b.readable(flag)
	}
	if b.conflict {
		return // what follows depends on the processor
	}
	if b.known && !b.shape.AGPRs && read(s.NumAGPR) && s.NumAGPR.Value != 0 {
		b.contradict(s.NumAGPR.Line, "num_agpr is %d, but %s has no accumulation registers", s.NumAGPR.Value, b.target.Processor)
	}
	if read(m.VGPRCount, s.NumVGPR, s.NumAGPR) && b.target.Processor != "" {
		want := b.shape.TotalVGPRs(s.NumVGPR.Value, s.NumAGPR.Value)
		unified := gfx.Processor{UnifiedVGPRs: true}.TotalVGPRs(s.NumVGPR.Value, s.NumAGPR.Value)
		if got := m.VGPRCount.Value; got != want && (b.known || got != unified) {
			b.contradict(m.VGPRCount.Line, ".vgpr_count is %d, but num_vgpr %d and num_agpr %d make %d on this target", m.VGPRCount.Value, s.NumVGPR.Value, s.NumAGPR.Value, want)
		}
	}
	b.checkSGPRs()
	b.checkAllocated()
	b.checkNamed()
}

// checkSGPRs holds .sgpr_count against the numbered registers and those for VCC,
// the XNACK mask and the flat scratch base. The descriptor says whether the mask
// was reserved only in LLVM 19 and older; else the target's xnack setting does,
// and an "off" is believed either way, since it is about what may run where and
// an assembler does not hold it against the counts.
func (b *builder) checkSGPRs() {
	m, s, d := &b.kernel.Metadata, &b.kernel.Symbols, &b.kernel.Descriptor
	if !read(m.SGPRCount, s.NumberedSGPR, s.UsesVCC, s.UsesFlatScratch) || b.target.Processor == "" {
		return
	}
	if !b.known {
		b.boundSGPRs()
		return
	}
	total := func(xnack bool) int64 {
		return s.NumberedSGPR.Value + b.target.ExtraSGPRs(s.UsesVCC.Value != 0, s.UsesFlatScratch.Value != 0, xnack)
	}
	xnack := b.target.ReservesXNACK()
	if read(d.XNACKMask) {
		xnack = d.XNACKMask.Value != 0
	}
	want := total(xnack)
	off := !read(d.XNACKMask) && b.target.Feature("xnack") == '-'
	if got := m.SGPRCount.Value; got != want && !(off && got == total(true)) {
		b.contradict(m.SGPRCount.Line, ".sgpr_count is %d, but numbered_sgpr %d with VCC and the special registers makes %d on this target", got, s.NumberedSGPR.Value, want)
	}
}

func read(fields ...isa.Field) bool {
	return !slices.ContainsFunc(fields, func(f isa.Field) bool { return f.State != isa.Read })
}

// equal reports two sources of one quantity that differ. A source that cannot be
// read is a problem by itself: it might have differed.
func (b *builder) equal(a isa.Field, nameA string, c isa.Field, nameC string) {
	switch {
	case read(a, c):
		if a.Value != c.Value {
			b.contradict(c.Line, "%s is %d%s, but %s is %d%s", nameA, a.Value, onLine(a.Line), b.named(nameC), c.Value, onLine(c.Line))
		}
	default:
		b.readable(c)
	}
}

// onLine places a figure in a text; a code object has no lines.
func onLine(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d)", line)
}

// named returns how a message names a field of the descriptor, given the assembler's
// directive for it.
func (b *builder) named(directive string) string {
	if b.file.Object {
		return "the kernel descriptor's " + strings.TrimPrefix(directive, ".amdhsa_")
	}
	return directive
}

// readable reports a field that is there and cannot be read.
func (b *builder) readable(f isa.Field) {
	switch f.State {
	case isa.Invalid:
		b.report(problem.CountInvalid, f.Line, "%s", f.Reason)
	case isa.Unresolved:
		b.report(problem.SymbolUnresolved, f.Line, "%s", f.Reason)
	}
}

func (b *builder) contradict(line int, format string, args ...any) {
	b.report(problem.CountsContradict, line, format, args...)
}
