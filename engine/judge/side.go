package judge

import (
	"context"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trace"
	"isadiff/engine/where"
)

// Side reads one side alone, and how it stands to the project's budgets.
func Side(ctx context.Context, o Opened, path string) (*resource.Side, gate.Standing, error) {
	o.Read.NeedKernels = true
	side, err := input.Read(ctx, path, o.Read)
	if err != nil {
		return nil, gate.Standing{}, err
	}
	return side, Rules(o.Config, Standing...).Side(side), nil
}

// Places returns where the kernels of records are defined, for reports of one side.
func Places(ctx context.Context, o Opened, records []*resource.Record) (about report.Context, err error) {
	rows := make([]diff.Row, len(records))
	for i, r := range records {
		rows[i] = diff.Row{Key: r.Key, After: r}
	}
	about.Root = o.Config.Root
	about.Places, err = trace.Positions(ctx, o.Config, rows)
	return about, err
}

// Where looks where the registers and spills of a side come from.
func Where(ctx context.Context, o Opened, path string) (*where.Result, error) {
	return where.Read(ctx, path, where.Options{Kernels: o.Read.Kernels, IgnoreTimes: o.Read.IgnoreTimes})
}

// WhereRecords returns what is known of the kernels of [Where] besides.
func WhereRecords(r *where.Result) (records []*resource.Record) {
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.Record != nil {
			records = append(records, k.Record)
		}
	}
	return records
}

// PlacesOf returns where kernels are defined whose instructions were compared.
func PlacesOf(ctx context.Context, o Opened, w *trace.Why) (about report.Context, err error) {
	rows := make([]diff.Row, len(w.Kernels))
	for i := range w.Kernels {
		rows[i] = *w.Kernels[i].Row
	}
	about.Root = o.Config.Root
	about.Places, err = trace.Positions(ctx, o.Config, rows)
	return about, err
}
