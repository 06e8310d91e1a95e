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
	MostLDS        int          // bytes of LDS that a workgroup has on the most generous processor of a generic target; 0 where LDS says it
	LDSGranule     int          // bytes to which LLVM from version 23 on rounds the LDS of a workgroup; 0 where that changes nothing that was seen
	WGP            bool         // two compute units form a workgroup processor, and a kernel chooses between WGP and CU mode
	SGPRs          RegisterFile // scalar registers of one SIMD, where the waves share them so that their count limits the waves; else zero
}

// A RegisterFile is how the registers of one kind, vector or scalar, of a SIMD are
// handed out.
type RegisterFile struct {
	Total   int // registers of the SIMD
	Granule int // a wave's registers are rounded up to a multiple of it
}

// The limits of the processor families. gfx908 has two files of 256 registers;
// its allocated count is the larger of both.
var (
	sgprs8 = RegisterFile{800, 16} // of gfx8 and gfx9

	waves9    = WaveLimits{Wave64: RegisterFile{256, 4}, Addressable: 256, MaxWaves: 10, LDS: 64 << 10, SGPRs: sgprs8}
	waves90a  = WaveLimits{Wave64: RegisterFile{512, 8}, Addressable: 512, MaxWaves: 8, LDS: 64 << 10, SGPRs: sgprs8}
	waves950  = WaveLimits{Wave64: RegisterFile{512, 8}, Addressable: 512, MaxWaves: 8, LDS: 160 << 10, LDSGranule: 1280, SGPRs: sgprs8}
	waves94   = generous(waves90a, 160<<10) // gfx950 runs what is built for it as well
	waves101x = WaveLimits{Wave32: RegisterFile{1024, 8}, Wave64: RegisterFile{512, 4}, Addressable: 256, MaxWaves: 20, LDS: 64 << 10, WGP: true}
	waves103x = WaveLimits{Wave32: RegisterFile{1024, 16}, Wave64: RegisterFile{512, 8}, Addressable: 256, MaxWaves: 16, LDS: 64 << 10, WGP: true}
	waves1100 = WaveLimits{Wave32: RegisterFile{1536, 24}, Wave64: RegisterFile{768, 12}, Addressable: 256, MaxWaves: 16, LDS: 64 << 10, WGP: true}
	waves1250 = WaveLimits{Wave32: RegisterFile{1024, 16}, Addressable: 1024, MaxWaves: 16, LDS: 320 << 10}
)

// generous returns limits with another most LDS.
func generous(l WaveLimits, lds int) WaveLimits { l.MostLDS = lds; return l }

// mostLDS returns the bytes of LDS beyond which no workgroup can be launched.
func (l WaveLimits) mostLDS() int { return max(l.LDS, l.MostLDS) }

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

// TrapSGPRs are the scalar registers that the trap handler takes of each wave on
// gfx8 and gfx9. ROCm installs the handler, so a launch has them; LLVM counts them
// from version 23 on.
const TrapSGPRs = 16

// sgprWaves returns the waves per SIMD that a scalar register count allows.
func (l WaveLimits) sgprWaves(sgprs int64) int64 {
	if l.SGPRs == (RegisterFile{}) {
		return int64(l.MaxWaves)
	}
	return RegisterWaves(int64(l.MaxWaves), int64(l.SGPRs.Granule), int64(l.SGPRs.Total), sgprs+TrapSGPRs)
}

// oldSGPRWaves is sgprWaves as LLVM counted it before version 23.
func (l WaveLimits) oldSGPRWaves(sgprs int64) int64 {
	if l.SGPRs == (RegisterFile{}) {
		return int64(l.MaxWaves)
	}
	return OldSGPRWaves(volcanicIslands, int64(l.MaxWaves), sgprs)
}

// LLVM's generations of processors, as its occupancy expressions number them: gfx8
// and gfx10 (AMDGPUSubtarget::Generation).
const (
	volcanicIslands = 7
	gfx10           = 9
)

// OldSGPRWaves returns the waves per SIMD, at most the waves given, that LLVM
// before version 23 allowed for a scalar register count: a table without the
// registers of the trap handler (getOccupancyWithNumSGPRs). The generation is
// LLVM's number of it.
func OldSGPRWaves(generation, waves, sgprs int64) int64 {
	if generation >= gfx10 || sgprs <= 0 {
		return waves
	}
	steps := []int64{80, 88, 100} // the most SGPRs for 10, 9 and 8 waves
	if generation < volcanicIslands {
		steps = []int64{48, 56, 64, 72, 80}
	}
	allowed := int64(10)
	for _, most := range steps {
		if sgprs <= most {
			break
		}
		allowed--
	}
	return min(waves, allowed)
}

// RegisterWaves returns the waves per SIMD, at most the waves given and at least 1,
// for which a file of total registers is enough when each wave takes that many,
// rounded up to the granule.
func RegisterWaves(waves, granule, total, registers int64) int64 {
	if registers < granule || granule < 1 {
		return waves
	}
	return max(1, min(waves, total/(ceilDiv(registers, granule)*granule)))
}

// vgprWaves returns the waves per SIMD that a vector register count allows, at
// least 1.
func (l WaveLimits) vgprWaves(f RegisterFile, vgprs int64) int64 {
	return RegisterWaves(int64(l.MaxWaves), int64(f.Granule), int64(f.Total), vgprs)
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
