package gfx

// WaveLimits are the facts of a processor that decide how many waves are
// resident on one of its SIMDs. A zero MaxWaves means that they are unknown.
//
// Source: LLVM's AMDGPUBaseInfo (getTotalNumVGPRs, getVGPRAllocGranule,
// getAddressableNumVGPRs, getMaxWavesPerEU, getAddressableLocalMemorySize),
// checked against the "; Occupancy:" comments of LLVM 14, 16, 19 and 22.
type WaveLimits struct {
	Wave32, Wave64 RegisterFile // the vector registers of one SIMD as waves of that size see them; zero if the size does not exist
	Addressable    int          // vector registers that one wave can name
	MaxWaves       int          // waves of one SIMD
	LDS            int          // bytes of LDS that one workgroup can have
	WGP            bool         // two compute units form a workgroup processor, and a kernel chooses between WGP and CU mode
	SGPRSteps      bool         // scalar registers are shared by the waves of a SIMD, so their count limits the waves
}

// A RegisterFile is how the vector registers of a SIMD are handed out.
type RegisterFile struct {
	Total   int // registers of the SIMD
	Granule int // a wave's registers are rounded up to a multiple of it
}

// The limits of the processor families. gfx908 has two files of 256 registers;
// its allocated count is the larger of both.
var (
	waves9    = WaveLimits{Wave64: RegisterFile{256, 4}, Addressable: 256, MaxWaves: 10, LDS: 64 << 10, SGPRSteps: true}
	waves90a  = WaveLimits{Wave64: RegisterFile{512, 8}, Addressable: 512, MaxWaves: 8, LDS: 64 << 10, SGPRSteps: true}
	waves950  = WaveLimits{Wave64: RegisterFile{512, 8}, Addressable: 512, MaxWaves: 8, LDS: 160 << 10, SGPRSteps: true}
	waves101x = WaveLimits{Wave32: RegisterFile{1024, 8}, Wave64: RegisterFile{512, 4}, Addressable: 256, MaxWaves: 20, LDS: 64 << 10, WGP: true}
	waves103x = WaveLimits{Wave32: RegisterFile{1024, 16}, Wave64: RegisterFile{512, 8}, Addressable: 256, MaxWaves: 16, LDS: 64 << 10, WGP: true}
	waves1100 = WaveLimits{Wave32: RegisterFile{1536, 24}, Wave64: RegisterFile{768, 12}, Addressable: 256, MaxWaves: 16, LDS: 64 << 10, WGP: true}
	waves1250 = WaveLimits{Wave32: RegisterFile{1024, 16}, Addressable: 1024, MaxWaves: 16, LDS: 320 << 10}
)

// File returns the register file for waves of the given number of lanes, and
// false if the processor has no such waves.
func (l WaveLimits) File(wavefrontSize int64) (RegisterFile, bool) {
	f := RegisterFile{}
	switch wavefrontSize {
	case 32:
		f = l.Wave32
	case 64:
		f = l.Wave64
	}
	return f, f.Granule > 0
}

// roundUp returns the registers that a wave occupies when it needs vgprs.
func (f RegisterFile) roundUp(vgprs int64) int64 {
	return ceilDiv(vgprs, int64(f.Granule)) * int64(f.Granule)
}

// sgprWaves returns the waves per SIMD that a scalar register count allows.
func (l WaveLimits) sgprWaves(sgprs int64) int64 {
	limit := int64(l.MaxWaves)
	if !l.SGPRSteps {
		return limit
	}
	switch {
	case sgprs <= 80:
		return min(limit, 10)
	case sgprs <= 88:
		return min(limit, 9)
	case sgprs <= 100:
		return min(limit, 8)
	default:
		return min(limit, 7)
	}
}

// vgprWaves returns the waves per SIMD that a vector register count allows, at
// least 1.
func (l WaveLimits) vgprWaves(f RegisterFile, vgprs int64) int64 {
	if vgprs < int64(f.Granule) {
		return int64(l.MaxWaves)
	}
	return max(1, min(int64(l.MaxWaves), int64(f.Total)/f.roundUp(vgprs)))
}

// simds returns the number of SIMDs that share a workgroup.
func (l WaveLimits) simds(cuMode bool) int64 {
	if l.WGP && cuMode {
		return 2
	}
	return 4
}

// ldsPool returns the bytes of LDS that resident workgroups share.
func (l WaveLimits) ldsPool(cuMode bool) int64 {
	if l.WGP && !cuMode {
		return 2 * int64(l.LDS)
	}
	return int64(l.LDS)
}

// maxWorkgroups returns how many workgroups of that many waves can be resident
// whatever registers and LDS they use.
func (l WaveLimits) maxWorkgroups(wavesPerGroup int64, cuMode bool) int64 {
	slots := int64(l.MaxWaves) * l.simds(cuMode)
	if wavesPerGroup == 1 {
		return slots // without a barrier to hold, single waves are not counted as workgroups
	}
	barriers := int64(16)
	if l.WGP && !cuMode {
		barriers = 32
	}
	return min(slots/wavesPerGroup, barriers)
}

// groupWaves returns the waves per SIMD that workgroups of that many waves and
// that much LDS allow, at least 1.
func (l WaveLimits) groupWaves(wavesPerGroup, lds int64, cuMode bool) int64 {
	groups := l.maxWorkgroups(wavesPerGroup, cuMode)
	if lds > 0 {
		groups = min(groups, l.ldsPool(cuMode)/lds)
	}
	return max(1, ceilDiv(groups*wavesPerGroup, l.simds(cuMode)))
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
