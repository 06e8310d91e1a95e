package lsp

import (
	"fmt"
	"strings"

	"isadiff/engine/advise"
	"isadiff/engine/gfx"
	"isadiff/engine/live"
	"isadiff/engine/resource"
)

// advice is the usual cause of what got worse most, and what to try.
func advice(k *live.Kernel) string {
	if k.Row == nil || !k.Row.Comparable() {
		return ""
	}
	list := advise.Row(k.Row)
	if len(list) == 0 {
		return ""
	}
	first := list[0]
	cause := first.Cause + "."
	if budget, ok := usedUp(k.Row.After); ok && spills(k.Row) {
		cause = fmt.Sprintf("The register budget of %d threads (%d VGPRs) is used up, so values live in scratch memory.", threads(k.Row.After), budget)
	}
	text := cause
	if first.Try != "" {
		text += " " + strings.TrimSuffix(first.Try, ".") + "."
	}
	if !spills(k.Row) {
		text += " " + advise.Proxy + "."
	}
	return text
}

// usedUp reports whether a kernel has all the vector registers that a wave may
// have at its launch size, up to the granule that they are given out in.
func usedUp(r *resource.Record) (budget int, ok bool) {
	p, known := r.Target.Shape()
	if !known || threads(r) == 0 {
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
