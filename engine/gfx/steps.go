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

// A Distance tells how far a register count is from its neighbouring steps.
type Distance struct {
	Step          // the step that the count is on
	Spare    int  // registers that can be added without losing a wave
	TooMany  int  // registers to save for the next step up; 0 if there is none
	Up       Step // the next step up; zero if there is none
	HasLower bool // whether a step down exists; without one, Spare ends at what a wave can address
	Lower    Step // the next step down
}

// DistanceOf places a register count on the curve of p. It is false if p has no
// such waves or a wave cannot have that many registers.
func DistanceOf(p Processor, wavefrontSize, vgprs int64) (Distance, bool) {
	steps := Steps(p, wavefrontSize)
	for i, s := range steps {
		if vgprs > int64(s.VGPRs) {
			continue
		}
		d := Distance{Step: s, Spare: s.VGPRs - int(vgprs)}
		if i > 0 {
			d.Up = steps[i-1]
			d.TooMany = int(vgprs) - d.Up.VGPRs
		}
		if i+1 < len(steps) {
			d.HasLower, d.Lower = true, steps[i+1]
		}
		return d, true
	}
	return Distance{}, false
}
