// Package occupancy says how a kernel stands on the occupancy curve of its
// processor: waves per SIMD, what limits them, and how far the next steps are.
//
// It is informational and never a claim about time: a kernel can gain waves and
// slow down. The arithmetic is that of package gfx.
package occupancy

import (
	"fmt"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Standing is what is known of one kernel. Its zero value says nothing.
type Standing struct {
	gfx.Occupancy        // LLVM's figure and the formula's; see Waves and Limit for what is shown. Of a kernel that cannot be launched nothing else is known
	Known         bool   // whether the figures below are meaningful
	Why           string // why they are not; "" if Known
	Waves         int    // resident on a SIMD: in whole workgroups if Whole, else as [gfx.Occupancy] has them at the launch; 0 if Unlaunchable
	Limit         string // what limits Waves, as in [gfx.Occupancy]
	Whole         bool   // the metadata fix the size of the workgroups, so Waves are in whole ones
	VGPRs         int64  // what a wave needs, unpadded
	Threads       int64  // work-items of the launch, at most
	Resident      gfx.Residency
	Budget        int        // VGPRs that a wave may have at that size
	Curve         []gfx.Step // the curve of the processor, most waves first
	Bound         string     // why the waves are only an upper bound; "" if they are not
	Up, Down      *Step      // the next steps; nil if there is none
}

// A Step is where the waves become more or fewer, as far as the resource decides
// that limits them; where none does, vector registers. Up, fewer of the resource
// give more waves; down, more of it lose some. A step that completes no workgroup
// is none where their size is known, nor is one that no launch can have.
type Step struct {
	Resource string // gfx.VGPR, gfx.SGPR or gfx.LDS
	Waves    int    // resident there
	Amount   int64  // registers of a wave, or bytes of a workgroup: up the most, down the least that is on the step
	Change   int64  // from what the kernel has to Amount: negative up, positive down
}

// Of returns how a kernel stands.
func Of(r *resource.Record) Standing {
	s := standing(r)
	if p, known := r.Target.Shape(); known && s.Known {
		s.steps(p, r.Demand())
	}
	return s
}

// standing is Of without the steps.
func standing(r *resource.Record) Standing {
	if why := r.Occupancy.Unlaunchable; why != "" {
		return Standing{Occupancy: r.Occupancy, Why: "it cannot be launched: " + why}
	}
	p, known := r.Target.Shape()
	if !known {
		return Standing{Why: "the limits of the processor are not known"}
	}
	d := r.Demand()
	s := Standing{Occupancy: r.Occupancy, Threads: d.WorkgroupSize, VGPRs: d.VGPRs, Whole: d.WorkgroupSize > 0}
	if s.Threads == 0 {
		s.Threads = d.MaxWorkgroupSize
	}
	var resident, budget bool
	s.Resident, resident = gfx.Resident(p, d)
	s.Budget, budget = gfx.Budget(p, d)
	s.Curve = gfx.Steps(p, d.WavefrontSize)
	if !resident || !budget {
		return Standing{Why: "the workgroup size, the wave size or a register count is not known"}
	}
	if d.LDS > int64(p.Waves.LDS) {
		return Standing{Why: "only some processors of the generic target have as much LDS as it takes"}
	}
	if s.Waves, s.Limit = wavesOf(p, d); s.Waves == 0 {
		return Standing{Why: "not even one workgroup fits, so a figure is probably wrong"}
	}
	s.Known = true
	switch {
	case r.Launch.DynamicVGPR:
		s.Bound = "VGPRs are allocated while the kernel runs"
	case r.Launch.DynamicLDS:
		s.Bound = "dynamic LDS is not counted"
	}
	return s
}

// Waves returns the waves per SIMD of a kernel, 0 if it cannot be launched, and
// false if they are not known. It is the figure of all surfaces.
func Waves(r *resource.Record) (waves int, known bool) {
	if r == nil {
		return 0, false
	}
	s := standing(r)
	return s.Waves, s.Known || s.Unlaunchable != ""
}

// wavesOf returns the waves per SIMD of what a kernel asks for and what limits
// them: in whole workgroups where their size is known.
func wavesOf(p gfx.Processor, d gfx.Resources) (waves int, limit string) {
	if d.WorkgroupSize > 0 {
		whole, _ := gfx.Resident(p, d)
		return whole.Waves, whole.Limiter
	}
	o := gfx.Waves(p, d)
	return o.Launch, o.Limiter
}

// steps looks for the next steps.
func (s *Standing) steps(p gfx.Processor, d gfx.Resources) {
	amount, limiting := &d.VGPRs, gfx.VGPR
	switch s.Limit {
	case gfx.SGPR:
		amount, limiting = &d.SGPRs, gfx.SGPR
	case gfx.LDS:
		amount, limiting = &d.LDS, gfx.LDS
		if d.Used > 0 {
			d.VGPRs = min(d.VGPRs, d.Used) // LLVM pads them because LDS limits the waves
		}
	}
	have := *amount
	at := func(n int64) int {
		*amount = n
		waves, _ := wavesOf(p, d)
		return waves
	}
	cliffs := gfx.Cliffs(p, d, limiting)
	for i, most := range cliffs {
		if most < have {
			if waves := at(most); waves > s.Waves {
				s.Up = &Step{limiting, waves, most, most - have}
			}
		} else if i+1 < len(cliffs) && s.Down == nil {
			if waves := at(most + 1); waves < s.Waves {
				s.Down = &Step{limiting, waves, most + 1, most + 1 - have}
			}
		}
	}
}

// Next says what separates the kernel from more waves: "7 VGPRs too many for 5
// waves", "8192 bytes of LDS too many for 2 waves"; "" if less of what limits it
// gives no more.
func (s *Standing) Next() string {
	if s.Up == nil {
		return ""
	}
	return fmt.Sprintf("%s too many for %s", s.Up.count(-s.Up.Change), problem.Count(s.Up.Waves, "wave"))
}

// Spare says how much can be added before waves are lost: "1 VGPR to spare before
// 3 waves"; "" if no step follows.
func (s *Standing) Spare() string {
	if s.Down == nil {
		return ""
	}
	return fmt.Sprintf("%s to spare before %s", s.Down.count(s.Down.Change-1), problem.Count(s.Down.Waves, "wave"))
}

// count writes an amount of the resource.
func (s *Step) count(n int64) string {
	if s.Resource == gfx.LDS {
		return problem.Count(int(n), "byte") + " of LDS"
	}
	return problem.Count(int(n), s.Resource)
}

// String writes a step with what has to change for it: "5 at 96 VGPRs (-31)", "2
// at 32768 bytes of LDS (-8192)".
func (s *Step) String() string {
	return fmt.Sprintf("%d at %s (%+d)", s.Waves, s.count(s.Amount), s.Change)
}

// Crossed reports whether the waves differ between two kernels that can be
// launched and of which both are known.
func Crossed(before, after *resource.Record) bool {
	b, bok := Waves(before)
	a, aok := Waves(after)
	return bok && aok && b > 0 && a > 0 && b != a
}

// Lost returns the waves of both sides if there are fewer after.
func Lost(before, after *resource.Record) (b, a int, lost bool) {
	if !Crossed(before, after) {
		return 0, 0, false
	}
	b, _ = Waves(before)
	a, _ = Waves(after)
	return b, a, a < b
}

// Kept reports whether no wave is lost between two kernels: both have waves that are
// known, and there are as many after or more. Where registers are allocated while a
// kernel runs that cannot be told.
func Kept(before, after *resource.Record) bool {
	b, bok := Waves(before)
	a, aok := Waves(after)
	return bok && aok && b > 0 && a >= b && !before.Launch.DynamicVGPR && !after.Launch.DynamicVGPR
}
