package gfx

import (
	"fmt"
	"slices"
)

// Occupancy is the number of waves per SIMD that a kernel's static resources
// allow. The zero value means unknown. It is informational, never a trigger.
type Occupancy struct {
	Launch  int    // at the workgroup size of the launch; 0 if the kernel cannot be launched
	LLVM    int    // LLVM's own figure, for the best workgroup size
	Limiter string // "VGPR", "SGPR", "LDS", "workgroup" or "" when the maximum is reached

	Unlaunchable string // why no launch can succeed, as [Unlaunchable] says it; "" if one may
}

// Resources are what a kernel asks for, as far as it decides occupancy.
type Resources struct {
	VGPRs            int64 // .amdhsa_next_free_vgpr, resolved, which LLVM pads when LDS or the workgroup size limit the waves anyway
	Used             int64 // .vgpr_count, which is not padded; 0 if it is not known. It names the limiter and decides no figure
	SGPRs            int64 // .sgpr_count
	LDS              int64 // static bytes of a workgroup
	WavefrontSize    int64 // lanes of a wave, 32 or 64
	MaxWorkgroupSize int64 // .max_flat_workgroup_size in work-items
	WorkgroupSize    int64 // work-items if the launch fixes them (.reqd_workgroup_size), else 0
	CUMode           bool  // a workgroup stays within one compute unit; means something on gfx10 to gfx12.0 only
	Compiler         int64 // LLVM's own "; Occupancy:" comment, 0 if there is none
}

// workgroupSize returns the work-items of the launch, at most.
func (r Resources) workgroupSize() int64 {
	if r.WorkgroupSize > 0 {
		return r.WorkgroupSize
	}
	return r.MaxWorkgroupSize
}

// wavesPerGroup returns the waves of a workgroup of the launch.
func (r Resources) wavesPerGroup() int64 { return ceilDiv(r.workgroupSize(), r.WavefrontSize) }

// maxWorkItems bounds a believable workgroup: no processor runs more than 1,024
// work-items in one, so a larger figure is a damaged one.
const maxWorkItems = 1024

// known reports whether everything is there that the figures rest on.
func (r Resources) known(l WaveLimits) (RegisterFile, bool) {
	file, ok := l.File(r.WavefrontSize)
	size := r.workgroupSize()
	ok = ok && r.VGPRs > 0 && r.VGPRs <= int64(l.Addressable) && r.SGPRs >= 0 && r.LDS >= 0 && size > 0 && size <= maxWorkItems
	return file, ok
}

// Waves returns the waves per SIMD that r allows on p: at the size of the
// launch, and LLVM's own figure, which is the compiler's comment where there is
// one and else the best case of all workgroup sizes up to the largest. The
// result is zero if a fact is missing or cannot be right.
//
// Dynamic LDS and dynamic VGPRs are in none of r's figures: for kernels that
// use them the result is an upper bound, which the caller has to say.
func Waves(p Processor, r Resources) Occupancy {
	l := p.Waves
	file, ok := r.known(l)
	if !ok {
		return Occupancy{}
	}
	vgpr, sgpr := l.vgprWaves(file, r.VGPRs), l.sgprWaves(r.SGPRs)
	registers := min(vgpr, sgpr)
	group := l.groupWaves(r.wavesPerGroup(), r.LDS, r.CUMode)
	launch := min(registers, group)
	o := Occupancy{Launch: int(launch), LLVM: int(min(registers, l.bestGroupWaves(r)))}
	if r.Compiler > 0 {
		o.LLVM = int(r.Compiler)
	}
	padded := group == launch && r.Used > 0 && l.vgprWaves(file, r.Used) > vgpr
	switch {
	case launch == int64(l.MaxWaves):
	case launch == vgpr && !padded:
		o.Limiter = VGPR
	case launch == sgpr:
		o.Limiter = SGPR
	case group < l.groupWaves(r.wavesPerGroup(), 0, r.CUMode):
		o.Limiter = LDS
	default:
		o.Limiter = "workgroup"
	}
	return o
}

// The resources that limit waves, as [Occupancy] names them.
const (
	VGPR = "VGPR"
	SGPR = "SGPR"
	LDS  = "LDS"
)

// bestGroupWaves returns groupWaves at the workgroup size that suits best. A
// size that the launch fixes leaves no choice.
func (l WaveLimits) bestGroupWaves(r Resources) int64 {
	if r.WorkgroupSize > 0 {
		return l.groupWaves(r.wavesPerGroup(), r.LDS, r.CUMode)
	}
	best := int64(1)
	for n := int64(1); n <= r.wavesPerGroup() && best < int64(l.MaxWaves); n++ {
		best = max(best, l.groupWaves(n, r.LDS, r.CUMode))
	}
	return best
}

// A Residency is what of a kernel fits at once when workgroups are resident as
// a whole. There is no independent truth for it: say "at most".
type Residency struct {
	Workgroups int    // of one compute unit, or of a WGP in WGP mode; 0 if not even one fits
	Waves      int    // per SIMD, rounded up
	Limiter    string // as in [Occupancy]
}

// Resident returns the whole workgroups that fit at the size of the launch, and
// false if a fact is missing.
func Resident(p Processor, r Resources) (Residency, bool) {
	l := p.Waves
	file, ok := r.known(l)
	if !ok {
		return Residency{}, false
	}
	simds, waves := l.simds(r.CUMode), r.wavesPerGroup()
	most := l.maxWorkgroups(waves, r.CUMode)
	vgpr, sgpr, lds := l.vgprWaves(file, r.VGPRs)*simds/waves, l.sgprWaves(r.SGPRs)*simds/waves, most
	switch {
	case r.LDS > int64(l.mostLDS()):
		lds = 0
	case r.LDS > 0:
		lds = l.ldsPool(r.CUMode) / r.LDS
	}
	groups := min(vgpr, sgpr, lds, most)
	resident := Residency{Workgroups: int(groups), Waves: int(ceilDiv(groups*waves, simds))}
	padded := lds == groups && r.Used > 0 && l.vgprWaves(file, r.Used)*simds/waves > vgpr
	switch {
	case resident.Waves == l.MaxWaves:
	case groups == most:
		resident.Limiter = "workgroup"
	case groups == vgpr && !padded:
		resident.Limiter = VGPR
	case groups == sgpr:
		resident.Limiter = SGPR
	default:
		resident.Limiter = LDS
	}
	return resident, true
}

// Unlaunchable says why no launch of a kernel that asks for r can succeed on p;
// "" if one may, or that cannot be told. What is not known of r counts as nothing:
// LDS that the launch adds, and a workgroup size that the launch chooses.
func Unlaunchable(p Processor, r Resources) string {
	l := p.Waves
	switch {
	case l.MaxWaves == 0: // not in the table
	case r.LDS > int64(l.mostLDS()):
		return fmt.Sprintf("%d bytes of LDS, and a workgroup on %s has %d at most", r.LDS, p.Name, l.mostLDS())
	case r.WorkgroupSize > maxWorkItems:
		return fmt.Sprintf("workgroups of %d threads, and %s runs %d in one at most", r.WorkgroupSize, p.Name, maxWorkItems)
	case r.WorkgroupSize > 0:
		if budget, ok := Budget(p, r); ok && r.VGPRs > int64(budget) {
			return fmt.Sprintf("%d VGPRs a wave, and workgroups of %d threads leave %d at most on %s", r.VGPRs, r.WorkgroupSize, budget, p.Name)
		}
	}
	return ""
}

// Cliffs returns the amounts of a resource ("VGPR", "SGPR" or "LDS") behind which
// fewer waves fit, as far as it alone decides: ascending, each the most that still
// allows its waves, and the last the most that a launch can have. It is nil if
// a fact is missing.
func Cliffs(p Processor, r Resources, resource string) (amounts []int64) {
	l := p.Waves
	if _, ok := r.known(l); !ok {
		return nil
	}
	switch resource {
	case VGPR:
		budget, _ := Budget(p, r)
		for _, s := range Steps(p, r.WavefrontSize) {
			amounts = append(amounts, int64(min(s.VGPRs, budget)))
		}
	case SGPR:
		granule := int64(l.SGPRs.Granule)
		for waves := l.MaxWaves; waves > 0 && granule > 0; waves-- {
			share := int64(l.SGPRs.Total / waves)
			if most := share - share%granule - TrapSGPRs; most <= mostSGPRs {
				amounts = append(amounts, most)
			}
		}
	case LDS:
		for groups := l.maxWorkgroups(r.wavesPerGroup(), r.CUMode); groups > 0; groups-- {
			amounts = append(amounts, min(l.ldsPool(r.CUMode)/groups, int64(l.mostLDS())))
		}
	}
	return slices.Compact(amounts)
}

// mostSGPRs are those that a wave of gfx8 or gfx9 can have: 102, VCC, and what
// stands beside them (AMDGPUUsage, "SGPR allocation").
const mostSGPRs = 112

// Budget returns the most VGPRs a wave may have so that one workgroup of the
// launch still fits, and false if a fact is missing. A kernel that spills at
// this count would have more at a smaller workgroup.
func Budget(p Processor, r Resources) (int, bool) {
	l := p.Waves
	file, ok := r.known(l)
	if !ok {
		return 0, false
	}
	perSIMD := ceilDiv(r.wavesPerGroup(), l.simds(r.CUMode))
	vgprs := file.Total / int(perSIMD)
	return min(vgprs-vgprs%file.Granule, l.Addressable), true
}
