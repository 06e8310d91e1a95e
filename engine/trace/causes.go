package trace

import (
	"context"

	"isadiff/engine/diff"
	"isadiff/engine/pressure"
	"isadiff/engine/resource"
	"isadiff/engine/where"
)

// A Cause is where the registers and spills of a kernel come from, on each side
// whose assembly is at hand; nil where it is not, as with a snapshot without any.
type Cause struct {
	Before, After *pressure.Analysis
}

// maxCauses bounds how many kernels are looked at: an analysis takes some
// milliseconds, and nobody reads more of them.
const maxCauses = 50

// Causes looks at the assembly of the kernels that grew, by the row's key: the
// first fifty. It is for reports, not for what is compared live. The error is
// that of ctx.
func Causes(ctx context.Context, r *diff.Result) (map[string]Cause, error) {
	causes := make(map[string]Cause)
	before, after := TextsOf(r.Before), TextsOf(r.After)
	defer before.Close()
	defer after.Close()
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Worsened() == 0 || len(causes) == maxCauses {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := Cause{Before: analyze(before, row.Before), After: analyze(after, row.After)}
		if c.Before != nil || c.After != nil {
			causes[row.Key] = c
		}
	}
	return causes, nil
}

// analyze looks at one kernel of a side; nil if there is nothing to look at,
// or if what is there is not what was compared.
func analyze(texts *Texts, r *resource.Record) *pressure.Analysis {
	data, err := texts.Of(r)
	if err != nil {
		return nil
	}
	return where.One(data, r)
}
