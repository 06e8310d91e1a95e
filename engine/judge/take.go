package judge

import (
	"context"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/input"
	"isadiff/engine/kept"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
)

// Baseline reads a dump directory whose figures are to become a baseline, and what is to
// be known of it before.
func Baseline(ctx context.Context, o Opened, dir string) (side *resource.Side, warnings []string, err error) {
	o.Read.NeedKernels, o.Read.Digest = true, true
	if side, err = input.Read(ctx, dir, o.Read); err != nil {
		return nil, nil, err
	}
	edited, err := trace.Edited(ctx, o.Config.Producers, side)
	return side, append(append(diff.Unlaunchable(side.Records...), side.Warnings...), edited...), err
}

// TakeOptions say how a baseline is taken.
type TakeOptions struct {
	Revision string // of the sources; "" if it is not known
	Force    bool   // untrustworthy figures too
	NoISA    bool   // without the assembly
}

// Take makes a side the baseline at path.
func Take(path string, side *resource.Side, opt TakeOptions) (t *snapshot.Taken, warnings []string, err error) {
	var assembly kept.From
	if !opt.NoISA {
		origin, err := kept.Of(side)
		if err != nil { // of a snapshot that is taken over
			warnings = append(warnings, err.Error())
		}
		defer origin.Close()
		assembly = kept.All(origin)
	}
	t, err = snapshot.Take(path, side, snapshot.Meta{Written: time.Now(), Revision: opt.Revision}, opt.Force, assembly)
	if err != nil {
		return nil, warnings, err
	}
	return t, append(warnings, report.Unkept(t.Lacking)...), nil
}
