package resource

import "isadiff/engine/gfx"

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
		WorkgroupSize:    reqd[0] * reqd[1] * reqd[2],
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

// Occupy returns the waves per SIMD that r's figures allow; its zero value if
// one of them is missing or the processor is not known.
func (r *Record) Occupy() gfx.Occupancy {
	p, known := r.Target.Shape()
	if !known {
		return gfx.Occupancy{}
	}
	return gfx.Waves(p, r.Demand())
}
