package pressure

import "isadiff/engine/resource"

// The counts that each peak is held against: the first that is known.
var (
	vgprCounts = []resource.Metric{resource.ArchVGPR, resource.VGPR}
	agprCounts = []resource.Metric{resource.AGPR}
	sgprCounts = []resource.Metric{resource.NumberedSGPR, resource.SGPR}
)

// An Allocation is a peak beside the count that the compiler allocated.
type Allocation struct {
	Registers string // "VGPRs", "AGPRs" or "SGPRs"
	Peak
	Metric    resource.Metric // the count
	Allocated int64
	Known     bool // false if no count is
}

// Allocations returns the peaks of all register files beside their counts. cells
// may be nil.
func (a *Analysis) Allocations(cells *resource.Cells) [3]Allocation {
	all := [3]Allocation{{Registers: "VGPRs", Peak: a.VGPR}, {Registers: "AGPRs", Peak: a.AGPR}, {Registers: "SGPRs", Peak: a.SGPR}}
	for i, metrics := range [3][]resource.Metric{vgprCounts, agprCounts, sgprCounts} {
		for _, m := range metrics {
			if cells != nil && cells[m].State == resource.Known {
				all[i].Metric, all[i].Allocated, all[i].Known = m, cells[m].Value, true
				break
			}
		}
	}
	return all
}

// Contradictions returns the peaks that are above the allocated counts: the text
// and its counts are not of one compile then.
func (a *Analysis) Contradictions(cells *resource.Cells) []Allocation {
	var found []Allocation
	for _, p := range a.Allocations(cells) {
		if p.Refused == "" && p.Known && int64(p.Peak.Peak) > p.Allocated {
			found = append(found, p)
		}
	}
	return found
}
