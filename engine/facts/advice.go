package facts

import (
	"fmt"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

// An Advice says why a metric grew and what to try.
type Advice struct {
	Metric resource.Metric
	Cause  string // a sentence without a full stop
	Try    string // imperatives, without a full stop; "" if there is nothing to do
}

// Proxy is what holds for every advice: nothing of it is a claim about time, and a kernel
// that uses more and is not slower has no defect.
const Proxy = "Resources are proxies: measure the time before reworking a kernel"

// lost holds the advice for waves that do not fit any more, by what limits them.
// Where the limit is the growth of a metric it stands for that metric's own.
var lost = map[string]Advice{
	"VGPR": {resource.VGPR, "Fewer waves fit on a SIMD, and the vector registers of a wave limit them", "Save registers down to the next step of the occupancy table, with a smaller tile or fewer prefetch stages, unless the time shows that the waves are not missed"},
	"SGPR": {resource.SGPR, "Fewer waves fit on a SIMD, and the scalar registers of a wave limit them", "Load arguments where they are used, or share buffer descriptors"},
	"LDS":  {resource.LDSStaticBytes, "Fewer waves fit on a SIMD, and the LDS of a workgroup limits them", "Use one stage fewer, or a smaller shared tile, unless the time shows that the waves are not missed"},
}

// special cases are harmless changes that look like the general ones.
var (
	vcc          = Advice{resource.SGPR, "The numbered registers are unchanged: VCC, two more registers, came into use", "Nothing: this rarely matters"}
	accumulators = Advice{resource.AGPR, "Accumulators moved from architectural registers to AGPRs", "Nothing: the total is what decides occupancy, and it did not grow"}
)

// AdviceFor returns the advice for growth of a metric; ok is false for a metric whose
// growth says nothing.
func AdviceFor(m resource.Metric) (a Advice, ok bool) {
	info := resource.Metrics[m]
	return Advice{m, info.Cause, info.Try}, info.Cause != ""
}

// AdviceOn returns the advice for a kernel that changed, the gravest first: lost waves stand
// behind what went to scratch memory. It is empty if nothing grew that matters.
func AdviceOn(r *diff.Row) []Advice {
	var memory, rest []Advice
	waves, fewer := lostWaves(r)
	for _, m := range resource.Triggers {
		change, changed := r.Delta(m)
		a, ok := AdviceFor(m)
		if !changed || change <= 0 || !ok {
			continue
		}
		if budget, ok := usedUp(r.After); ok && m == resource.VGPRSpill {
			a.Cause = fmt.Sprintf("The register budget of %d threads (%d VGPRs) is used up, so values live in scratch memory", r.After.Threads(), budget)
		}
		if _, numbered := r.Delta(resource.NumberedSGPR); m == resource.SGPR && change == 2 && !numbered && known(r, resource.NumberedSGPR) {
			a = vcc
		}
		switch {
		case m.Spills():
			memory = append(memory, a)
		case !fewer || m != waves.Metric:
			rest = append(rest, a)
		}
	}
	if fewer {
		memory = append(memory, waves)
	}
	list := append(memory, rest...)
	if moved(r) {
		list = append(list, accumulators)
	}
	return list
}

// usedUp reports whether a kernel has all the vector registers that a wave may
// have at its launch size, up to the granule that they are given out in.
func usedUp(r *resource.Record) (budget int, ok bool) {
	p, known := r.Target.Shape()
	if !known || r.Threads() == 0 {
		return 0, false
	}
	demand := r.Demand()
	budget, ok = gfx.Budget(p, demand)
	if !ok {
		return 0, false
	}
	file, ok := p.Waves.File(demand.WavefrontSize)
	return budget, ok && demand.VGPRs > int64(budget-file.Granule)
}

// lostWaves returns the advice for a kernel of which fewer waves fit, because of
// something of it that grew.
func lostWaves(r *diff.Row) (Advice, bool) {
	if r.Before == nil || r.After == nil || !r.Comparable() {
		return Advice{}, false
	}
	if _, _, fewer := occupancy.Lost(r.Before, r.After); !fewer {
		return Advice{}, false
	}
	a, known := lost[occupancy.Of(r.After).Limit]
	if change, _ := r.Delta(a.Metric); !known || change <= 0 {
		return Advice{}, false
	}
	return a, true
}

// moved reports whether accumulators moved to AGPRs and the total did not grow.
func moved(r *diff.Row) bool {
	agpr, _ := r.Delta(resource.AGPR)
	arch, _ := r.Delta(resource.ArchVGPR)
	total, _ := r.Delta(resource.VGPR)
	return agpr > 0 && arch < 0 && total <= 0
}

func known(r *diff.Row, m resource.Metric) bool {
	return r.Before.Cells[m].State == resource.Known && r.After.Cells[m].State == resource.Known
}
