package report

import (
	"isadiff/engine/diff"
	"isadiff/engine/facts"
)

// causeLines says where the registers and spills of a kernel that grew come from.
func (c Context) causeLines(row *diff.Row) []string {
	found, ok := c.Causes[row.Key]
	if !ok || row.After == nil {
		return nil
	}
	lines := facts.Causes(found.Before, found.After, &row.After.Cells, "->")
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	return lines
}
