package resource

import (
	"cmp"
	"fmt"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
)

// many work-items in one dimension are more than any processor runs, and three such
// dimensions multiply without overflow.
const many = 1 << 20

// Demand returns what r asks of its processor, as far as it decides occupancy.
// What r does not know is zero in it.
func (r *Record) Demand() gfx.Resources {
	reqd := r.Launch.ReqdWorkgroupSize
	d := gfx.Resources{
		VGPRs:            r.Launch.NextFreeVGPR,
		SGPRs:            -1,
		LDS:              -1,
		WavefrontSize:    r.Launch.WavefrontSize,
		MaxWorkgroupSize: r.Launch.MaxFlatWorkgroupSize,
		WorkgroupSize:    min(reqd[0], many) * min(reqd[1], many) * min(reqd[2], many),
		CUMode:           r.Launch.CUMode,
		Compiler:         r.Launch.CompilerWaves,
	}
	if c := r.Cells[VGPR]; c.State == Known && d.VGPRs > 0 {
		d.Used = c.Value
		d.VGPRs = max(d.VGPRs, c.Value) // less than it uses cannot be right
	}
	if c := r.Cells[SGPR]; c.State == Known {
		d.SGPRs = c.Value
	}
	if c := r.Cells[LDSStaticBytes]; c.State == Known {
		d.LDS = c.Value
	}
	return d
}

// compilerDiffers says that LLVM's own figure of the waves is another one than the
// formula's, and why; "" if it is the same or one of them is not known.
func (r *Record) compilerDiffers() string {
	p, known := r.Target.Shape()
	if !known {
		return ""
	}
	d := r.Demand()
	figure, reason := gfx.Disagreement(p, d)
	if reason == "" {
		return ""
	}
	return fmt.Sprintf("LLVM's own figure in the file is %s per SIMD, the formula's is %d: %s", problem.Count(int(d.Compiler), "wave"), figure, reason)
}

// Occupy returns the waves per SIMD that r's figures allow; its zero value if
// one of them is missing or the processor is not known. That r cannot be launched
// is said only of figures that are not in doubt.
func (r *Record) Occupy() gfx.Occupancy {
	p, known := r.Target.Shape()
	if !known {
		return gfx.Occupancy{}
	}
	d := r.Demand()
	o := gfx.Waves(p, d)
	if !r.Trustworthy() {
		return o
	}
	if r.Launch.DynamicVGPR {
		d.VGPRs = 0 // what a wave starts with is not known
	}
	if o.Unlaunchable = gfx.Unlaunchable(p, d); o.Unlaunchable != "" {
		o.Launch, o.Limiter = 0, ""
	}
	return o
}

// Threads returns the work-items of a kernel's workgroup, at most; 0 if that is not known.
func (r *Record) Threads() int64 {
	return cmp.Or(r.Demand().WorkgroupSize, r.Launch.MaxFlatWorkgroupSize)
}
