package report

import (
	"bytes"
	"slices"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// WatchJSON returns a State as one line of JSON: the comparison as [JSON] has it,
// and what only a live session knows. before is the State of the line before, nil
// for the first. Without a baseline "before" is null and there are no rows.
func WatchJSON(before, now *live.State, at time.Time) ([]byte, error) {
	var line bytes.Buffer
	w := snapshot.NewLineWriter(&line)
	integer := func(n int) func() { return func() { w.Int(int64(n)) } }
	writeComparison(w, resultOf(now), []member{
		{"at", func() { w.String(at.UTC().Format(time.RFC3339Nano)) }},
		{"baseline", func() { writeBaseline(w, now.Baseline) }},
		{"compiling_kernels", integer(now.Compiling)},
		{"dumps", func() { writeDumps(w, now.Dumps) }},
		{"edited_kernels", integer(now.Edited)},
		{"gone_kernels", func() { w.Strings(goneKernels(before, now)) }},
		{"kernels", func() { writeChanged(w, before, now) }},
		{"pending_kernels", integer(now.Pending)},
		{"run", func() { writeRun(w, now.Run) }},
		{"seq", integer(int(now.Seq))},
		{"session_warnings", func() { w.Strings(sessionWarnings(now)) }},
	})
	return line.Bytes(), w.Err()
}

// resultOf returns the comparison of a State. Without a baseline it is one in
// which nothing was compared.
func resultOf(s *live.State) *diff.Result {
	if s.Result != nil {
		return s.Result
	}
	return &diff.Result{
		Before: &resource.Side{}, After: s.Live, Problems: s.Problems, Warnings: s.Live.Warnings,
		Total: len(s.Kernels), Verdict: s.Verdict,
	}
}

// sessionWarnings returns the warnings that the comparison does not have.
func sessionWarnings(s *live.State) []string {
	known := resultOf(s).Warnings
	return slices.DeleteFunc(slices.Clone(s.Warnings), func(w string) bool { return slices.Contains(known, w) })
}

func writeBaseline(w *snapshot.Writer, b live.Baseline) {
	w.Object(func() {
		w.KeyBool("exists", b.Exists)
		w.KeyString("path", b.Path)
		w.Key("written")
		if b.Written.IsZero() {
			w.Null()
		} else {
			w.String(b.Written.UTC().Format(time.RFC3339))
		}
	})
}

func writeRun(w *snapshot.Writer, r *live.Run) {
	if r == nil {
		w.Null()
		return
	}
	w.Object(func() {
		w.KeyString("began", r.Began.UTC().Format(time.RFC3339Nano))
		w.KeyInt("compiled", int64(r.Compiled))
		w.KeyInt("known", int64(r.Known))
	})
}

func writeDumps(w *snapshot.Writer, d live.Dumps) {
	w.Object(func() {
		w.KeyBool("exists", d.Exists)
		w.KeyString("path", d.Path)
		w.KeyBool("polling", d.Polling)
		w.KeyString("reason", d.Reason)
	})
}

// writeChanged writes the kernels that are not what they were in the line before.
func writeChanged(w *snapshot.Writer, before, now *live.State) {
	w.Array(func() {
		for _, k := range now.Kernels {
			if before != nil && before.Kernel(k.Key) == k {
				continue
			}
			w.Object(func() { writeStanding(w, k) })
		}
	})
}

func writeStanding(w *snapshot.Writer, k *live.Kernel) {
	name := func(key, s string) {
		w.Key(key)
		if s == "" {
			w.Null()
		} else {
			w.String(s)
		}
	}
	writeBroken(w, k.Broken)
	w.KeyBool("compiler_changed", k.Remade.CompilerChanged())
	w.KeyArray("definitions", func() {
		for _, c := range k.Place.Candidates {
			w.Object(func() {
				w.KeyString("function", c.Definition.Qualified)
				w.KeyInt("line", int64(c.Definition.Ident.Start.Line+1))
				w.KeyString("path", resource.ValidText(c.Path))
			})
		}
	})
	w.KeyStrings("edited", k.Edited)
	w.KeyBool("identical", k.Identical)
	name("isa", resource.ValidText(k.File))
	w.KeyString("kernel", k.Key)
	w.Key("record")
	writeRecord(w, k.Live)
	name("renamed_from", k.RenamedFrom)
	name("renamed_to", k.RenamedTo)
	w.KeyBool("stale", k.Stale)
	w.KeyString("status", k.Status.String())
	if k.Row != nil {
		writeUnlaunchable(w, k.Row.Unlaunchable)
	}
	writeVariants(w, k.Variants)
}

// writeVariants writes what the place of a kernel held before, compiled from the same
// sources; null for what was too large to be held.
func writeVariants(w *snapshot.Writer, variants []live.Variant) {
	w.KeyArray("variants", func() {
		for _, v := range variants {
			if v.Unknown > 0 {
				w.Null()
			} else {
				w.Object(func() {
					w.Key("metrics")
					w.Cells(&v.Cells)
				})
			}
		}
	})
}
