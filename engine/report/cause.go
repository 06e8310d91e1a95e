package report

import (
	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/pressure"
	"isadiff/engine/trace"
)

// causeLines says where the registers and spills of a kernel that grew come from.
func (c Context) causeLines(row *diff.Row) []string {
	found, ok := c.Causes[row.Key]
	if k := c.explanation(row); k != nil && row.Worsened() > 0 {
		found, ok = trace.Cause{Before: known(k.Before), After: known(k.After)}, true
	}
	if !ok || row.After == nil {
		return nil
	}
	lines := facts.Causes(found.Before, found.After, &row.After.Cells, "->")
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	return lines
}

// known returns the analysis of a listing; nil if it tells nothing.
func known(l *pressure.Listing) *pressure.Analysis {
	if l.Refused != "" {
		return nil
	}
	return &l.Analysis
}
