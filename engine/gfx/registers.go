package gfx

// TotalVGPRs is the number of vector registers that decides occupancy: on a
// unified file the arch VGPRs rounded up to four and the AGPRs behind them,
// elsewhere the larger of the two (LLVM's getTotalNumVGPRs).
func (p Processor) TotalVGPRs(arch, acc int64) int64 {
	if p.UnifiedVGPRs && acc > 0 {
		return (arch+3)/4*4 + acc
	}
	return max(arch, acc)
}

// VGPRGranule is the number of vector registers in which a kernel descriptor counts
// (LLVM's getVGPREncodingGranule). A register file is handed out in multiples of it.
func (p Processor) VGPRGranule(wave32 bool) int64 {
	switch {
	case p.UnifiedVGPRs:
		return 8
	case p.Waves.Addressable > 512 && wave32:
		return 16
	case p.Waves.Addressable > 512, wave32:
		return 8
	}
	return 4
}

// ReservesXNACK reports whether kernels for t reserve scalar registers for the
// XNACK mask: replay is on, or is unset where the processor has it.
func (t Target) ReservesXNACK() bool {
	shape, _ := t.Shape()
	return shape.XNACK && t.Feature("xnack") != '-'
}

// ExtraSGPRs is the number of scalar registers beyond the numbered ones, which
// hold VCC, the XNACK mask and the flat scratch base (LLVM's
// getNumExtraSGPRs). From gfx10 on only VCC counts.
func (t Target) ExtraSGPRs(vcc, flatScratch, xnack bool) int64 {
	shape, _ := t.Shape()
	return extraSGPRs(t.Gen(), vcc, flatScratch || shape.ArchitectedFlatScratch, xnack)
}

func extraSGPRs(gen int, vcc, flatScratch, xnack bool) int64 {
	switch {
	case (gen == 8 || gen == 9) && flatScratch:
		return 6
	case (gen == 8 || gen == 9) && xnack:
		return 4
	case gen == 7 && flatScratch:
		return 4
	case vcc:
		return 2
	}
	return 0
}
