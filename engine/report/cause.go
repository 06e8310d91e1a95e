package report

import (
	"fmt"

	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/trace"
)

// maxWorstLines is how many source lines are named as where spill code stands.
const maxWorstLines = 3

// causeLines says where the registers and spills of a kernel that grew come from:
// how the peak of live registers moved, and the lines with the most spill code.
func causeLines(c trace.Cause) (lines []string) {
	if c.After == nil {
		return nil
	}
	after := &c.After.VGPR
	if c.Before != nil && c.Before.VGPR.Refused == "" && after.Refused == "" {
		if s := PeakChange("VGPRs", c.Before.VGPR, *after, "->"); s != "" {
			lines = append(lines, s)
		}
	} else if after.Refused == "" && after.Peak > 0 {
		lines = append(lines, fmt.Sprintf("live VGPRs peak at %s, %s", peakCount(*after), peakPlace(*after)))
	}
	named := 0
	for _, l := range WorstLines(c.After.Lines) {
		if named == maxWorstLines || l.SpillStores+l.SpillLoads == 0 {
			break
		}
		if l.Source == (pressure.Source{}) {
			continue
		}
		named++
		lines = append(lines, fmt.Sprintf("spill code near %s: %s, %s", Place(l.Source), problem.Count(l.SpillStores, "store"), problem.Count(l.SpillLoads, "reload")))
	}
	return lines
}
