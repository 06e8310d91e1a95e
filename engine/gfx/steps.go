package gfx

// A Step is one stair of the occupancy curve: with at most VGPRs registers,
// Waves waves fit on a SIMD as far as vector registers decide.
type Step struct {
	Waves int
	VGPRs int // the most registers that still allow Waves
}

// Steps returns the occupancy curve of p for waves of the given number of
// lanes, most waves first. It is nil if p has no such waves.
func Steps(p Processor, wavefrontSize int64) []Step {
	l := p.Waves
	file, ok := l.File(wavefrontSize)
	if !ok {
		return nil
	}
	var steps []Step
	for waves := l.MaxWaves; waves >= 1; waves-- {
		vgprs := file.Total / waves
		vgprs = min(vgprs-vgprs%file.Granule, l.Addressable)
		if n := len(steps); n > 0 && steps[n-1].VGPRs == vgprs {
			continue // more waves fit with as many registers
		}
		steps = append(steps, Step{waves, vgprs})
	}
	return steps
}
