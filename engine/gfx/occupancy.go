package gfx

// Occupancy is the number of waves per SIMD that a kernel's static resources
// allow. The zero value means unknown. It is informational, never a trigger.
type Occupancy struct {
	Launch  int    // at the workgroup size of the launch
	LLVM    int    // LLVM's own figure, for the best workgroup size
	Limiter string // "VGPR", "SGPR", "LDS", "workgroup" or "" when the maximum is reached
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
		o.Limiter = "VGPR"
	case launch == sgpr:
		o.Limiter = "SGPR"
	case group < l.groupWaves(r.wavesPerGroup(), 0, r.CUMode):
		o.Limiter = "LDS"
	default:
		o.Limiter = "workgroup"
	}
	return o
}

// bestGroupWaves returns groupWaves at the workgroup size that suits best. A
// size that the launch fixes leaves no choice.
func (l WaveLimits) bestGroupWaves(r Resources) int64 {
	if r.WorkgroupSize > 0 {
		return l.groupWaves(r.wavesPerGroup(), r.LDS, r.CUMode)
	}
	best := int64(1)
	for n := int64(1); n <= r.wavesPerGroup(); n++ {
		best = max(best, l.groupWaves(n, r.LDS, r.CUMode))
	}
	return best
}

// A Residency is what of a kernel fits at once when workgroups are resident as
// a whole. There is no independent truth for it: say "at most".
type Residency struct {
	Workgroups int // of one compute unit, or of a WGP in WGP mode
	Waves      int // per SIMD, rounded up
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
	groups := min(l.vgprWaves(file, r.VGPRs), l.sgprWaves(r.SGPRs)) * simds / waves
	groups = min(groups, l.maxWorkgroups(waves, r.CUMode))
	if r.LDS > 0 {
		groups = min(groups, l.ldsPool(r.CUMode)/r.LDS)
	}
	return Residency{Workgroups: int(groups), Waves: int(ceilDiv(groups*waves, simds))}, true
}

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
