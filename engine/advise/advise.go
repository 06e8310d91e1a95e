// Package advise knows why a metric usually grows and what can be tried.
//
// Nothing here is a claim about time: resources are proxies. A kernel that uses
// more of them and is not slower has no defect.
package advise

import (
	"isadiff/engine/diff"
	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

// An Advice says why a metric grew and what to try.
type Advice struct {
	Metric resource.Metric
	Cause  string // a sentence without a full stop
	Try    string // imperatives, without a full stop; "" if there is nothing to do
}

// Proxy is what holds for every advice.
const Proxy = "Resources are proxies: measure the time before reworking a kernel"

const (
	overBudget = "More values are live at once than the registers of a wave can hold, so some are kept in scratch memory: the costliest of all changes"
	fewerLive  = "Use a smaller tile, fewer prefetch stages or less unrolling, or a smaller workgroup, which gives each wave more registers; do not cap the registers to force accumulators out of AGPRs"
)

// table holds the advice for every trigger, the gravest first: what went to
// scratch memory, then registers and LDS. Lost waves stand before the latter two.
var table = []Advice{
	{resource.VGPRSpill, overBudget, fewerLive},
	{resource.SGPRSpill, "More scalar values are live than there are scalar registers: many kernel arguments, buffer descriptors or uniform addresses", "Load arguments where they are used, share buffer descriptors, or split the kernel"},
	{resource.ScratchBytes, "Spilled values or arrays that are indexed at run time live in scratch memory", "Find out which by the spill counts: without spills it is an array, so index it by constants or unroll the loop; with spills, " + lower(fewerLive)},
	{resource.VGPR, "More values are live at once: larger tiles, deeper pipelining or more unrolling", "Use a smaller tile or fewer prefetch stages, or copy to LDS asynchronously instead of through registers"},
	{resource.LDSStaticBytes, "Larger shared tiles, or one more buffer of them; fewer workgroups may fit on a compute unit", "Use one stage fewer, and swizzle instead of padding to avoid bank conflicts"},
	{resource.SGPR, "More scalar values are live: kernel arguments, buffer descriptors, uniform addresses", "Rarely matters by itself: look at occupancy first"},
}

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

// For returns the advice for growth of a metric; ok is false for a metric whose
// growth says nothing.
func For(m resource.Metric) (a Advice, ok bool) {
	for _, a := range table {
		if a.Metric == m {
			return a, true
		}
	}
	return Advice{}, false
}

// Row returns the advice for a kernel that changed, the gravest first. It is
// empty if nothing grew that matters.
func Row(r *diff.Row) []Advice {
	var memory, rest []Advice
	waves, fewer := lostWaves(r)
	for _, a := range table {
		change, changed := r.Delta(a.Metric)
		if !changed || change <= 0 {
			continue
		}
		if _, numbered := r.Delta(resource.NumberedSGPR); a.Metric == resource.SGPR && change == 2 && !numbered && known(r, resource.NumberedSGPR) {
			a = vcc
		}
		switch a.Metric {
		case resource.VGPRSpill, resource.SGPRSpill, resource.ScratchBytes:
			memory = append(memory, a)
		default:
			if !fewer || a.Metric != waves.Metric {
				rest = append(rest, a)
			}
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

// lower returns a sentence as it continues another.
func lower(s string) string { return string(s[0]|0x20) + s[1:] }
