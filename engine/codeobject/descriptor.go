package codeobject

import (
	"encoding/binary"

	"isadiff/engine/gfx"
	"isadiff/engine/isa"
	"isadiff/engine/problem"
)

// descriptorOf reads a kernel descriptor (AMDGPUUsage, "Kernel Descriptor"). It
// states registers in granules, so what a granule leaves open is taken from the count
// in the metadata where that is within it.
func descriptorOf(b *[descriptorSize]byte, k *isa.Kernel, target gfx.Target) isa.Descriptor {
	u32 := func(at int) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
	shape, known := target.Shape()
	gen := target.Gen()
	rsrc3, rsrc1, properties := u32(44), u32(48), int64(binary.LittleEndian.Uint16(b[56:]))
	wave32 := properties >> 10 & 1
	d := isa.Descriptor{
		GroupSegment:   field(u32(0)),
		PrivateSegment: field(u32(4)),
	}
	if arguments := u32(8); arguments != 0 { // else it is not stated, as in assembly that people write (Tensile, AITER)
		d.KernargSize = field(arguments)
	}
	if gen == 0 {
		return d // the rest depends on the processor
	}
	if gen >= 10 || wave32 != 0 {
		d.Wavefront32 = field(wave32)
	}
	if gen >= 10 {
		if shape.Waves.WGP || !known {
			d.WGPMode = field(rsrc1 >> 29 & 1)
		}
	} else {
		// gfx8 and gfx9 allocate 16 at a time, whatever granule the field has.
		sgprs := (rsrc1>>6&0xf + 1) * 8
		if gen >= 8 {
			sgprs = (sgprs + 15) / 16 * 16
		}
		d.NextFreeSGPR = field(sgprs)
	}
	if known {
		if shape.UnifiedVGPRs {
			d.AccumOffset = field((rsrc3&0x3f + 1) * 4)
		}
		granule := shape.VGPRGranule(wave32 != 0)
		d.NextFreeVGPR = field(unpadded((rsrc1&0x3f+1)*granule, granule, k.Metadata.VGPRCount))
	}
	if dynamic := properties>>11&1 != 0; dynamic && !k.Metadata.DynamicStack && k.Metadata.DynamicStackStated {
		reportKernel(k, problem.CountsContradict, ".uses_dynamic_stack is false, but the kernel descriptor says that it does")
	}
	return d
}

// unpadded returns the registers that an allocation was made for: the count that the
// metadata give if it fills the allocation's last granule, and else the fewest that
// do, as LLVM asks for just one more than fewer granules hold when it pads.
func unpadded(allocated, granule int64, count isa.Field) int64 {
	least := allocated - granule + 1
	if count.State == isa.Read && count.Value > least {
		return min(count.Value, allocated)
	}
	return least
}

func field(n int64) isa.Field { return isa.Field{State: isa.Read, Value: n} }
