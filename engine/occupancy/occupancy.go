// Package occupancy says how a kernel stands on the occupancy curve of its
// processor: waves per SIMD, what limits them, and how far the next steps are.
//
// It is informational and never a claim about time: a kernel can gain waves and
// slow down. The arithmetic is that of package gfx.
package occupancy

import (
	"fmt"

	"isadiff/engine/gfx"
	"isadiff/engine/resource"
)

// A Standing is what is known of one kernel. Its zero value says nothing.
type Standing struct {
	gfx.Occupancy
	Known    bool          // whether the figures below are meaningful
	Why      string        // why they are not; "" if Known
	VGPRs    int64         // what a wave needs, unpadded
	Threads  int64         // work-items of the launch
	Resident gfx.Residency // whole workgroups at the size of the launch, at most
	Budget   int           // VGPRs that a wave may have at that size
	Step     gfx.Distance  // where VGPRs is on the curve
	Curve    []gfx.Step    // the curve of the processor, most waves first
	Bound    string        // why the waves are only an upper bound; "" if they are not
	more     bool          // the next step up would give more waves
}

// Of returns how a kernel stands.
func Of(r *resource.Record) Standing {
	p, known := r.Target.Shape()
	if !known {
		return Standing{Why: "the limits of the processor are not known"}
	}
	d := r.Demand()
	s := Standing{Occupancy: r.Occupancy, Threads: d.WorkgroupSize, VGPRs: d.VGPRs}
	if s.Threads == 0 {
		s.Threads = d.MaxWorkgroupSize
	}
	var resident, budget, step bool
	s.Resident, resident = gfx.Resident(p, d)
	s.Budget, budget = gfx.Budget(p, d)
	s.Step, step = gfx.DistanceOf(p, d.WavefrontSize, d.VGPRs)
	s.Curve = gfx.Steps(p, d.WavefrontSize)
	if s.Launch == 0 || !resident || !budget || !step {
		return Standing{Why: "the workgroup size, the wave size or a register count is not known"}
	}
	s.Known = true
	if s.Step.TooMany > 0 {
		d.VGPRs = int64(s.Step.Up.VGPRs)
		s.more = gfx.Waves(p, d).Launch > s.Launch
	}
	switch {
	case r.Launch.DynamicVGPR:
		s.Bound = "VGPRs are allocated while the kernel runs"
	case r.Launch.DynamicLDS:
		s.Bound = "dynamic LDS is not counted"
	}
	return s
}

// Up returns the next step up and how many registers are to be saved for it; ok is
// false if fewer registers would give no more waves.
func (s *Standing) Up() (up gfx.Step, save int, ok bool) {
	if !s.Known || !s.more {
		return gfx.Step{}, 0, false
	}
	return s.Step.Up, s.Step.TooMany, true
}

// Down returns the step at which waves are lost and how many registers can be
// added before; ok is false if none follows. Where something else limits the
// waves, steps that it hides are passed over.
func (s *Standing) Down() (down gfx.Step, spare int, ok bool) {
	for i := 1; s.Known && i < len(s.Curve); i++ {
		if lower := s.Curve[i]; lower.Waves < s.Launch {
			return lower, s.Curve[i-1].VGPRs - int(s.VGPRs), true
		}
	}
	return gfx.Step{}, 0, false
}

// Next says what separates the kernel from more waves, if fewer vector registers
// would give them: "7 VGPRs too many for 5 waves"; else "".
func (s *Standing) Next() string {
	up, save, ok := s.Up()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s too many for %s", count(save, "VGPR"), count(up.Waves, "wave"))
}

// Spare says how many vector registers can be added before waves are lost: "1
// VGPR to spare before 3 waves"; "" if no step follows.
func (s *Standing) Spare() string {
	down, spare, ok := s.Down()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s to spare before %s", count(spare, "VGPR"), count(down.Waves, "wave"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Crossed reports whether the waves of the launch differ between two kernels of
// which both are known.
func Crossed(before, after *resource.Record) bool {
	return before != nil && after != nil && before.Occupancy.Launch > 0 && after.Occupancy.Launch > 0 &&
		before.Occupancy.Launch != after.Occupancy.Launch
}
