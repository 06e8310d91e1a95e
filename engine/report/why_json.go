package report

import (
	"bytes"
	"cmp"

	"isadiff/engine/pressure"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
	"isadiff/engine/why"
)

// whyTool is what a report on what became of instructions names as its maker.
const whyTool = "isadiff why"

// WhyJSON returns what became of the instructions of all kernels, for other
// programs. A source line of 0 means that there is none, and null that a count is
// not known.
func WhyJSON(r *trace.Why) ([]byte, error) {
	var buf bytes.Buffer
	w := snapshot.NewWriter(&buf)
	w.Object(func() {
		w.Key("after")
		w.String(r.After)
		w.Key("before")
		w.String(r.Before)
		w.Key("exit_code")
		w.Int(int64(r.Verdict.ExitCode()))
		w.Key("kernels")
		w.Array(func() {
			for i := range r.Kernels {
				writeWhyKernel(w, &r.Kernels[i])
			}
		})
		w.Problems(r.Problems)
		w.Key("schema")
		w.Int(1)
		w.Key("tool")
		w.String(whyTool)
		w.Key("verdict")
		w.String(VerdictText(r.Verdict))
		w.Key("warnings")
		w.Strings(r.Warnings)
	})
	return buf.Bytes(), w.Err()
}

func writeWhyKernel(w *snapshot.Writer, k *trace.WhyKernel) {
	text := func(key, s string) {
		w.Key(key)
		w.String(s)
	}
	w.Object(func() {
		text("after_file", k.Row.After.Source)
		text("before_file", k.Row.Before.Source)
		w.Key("classes")
		writeTallies(w, "class", k.Classes)
		w.Key("instructions")
		writeCounts(w, k.Counts)
		text("kernel", k.Row.After.Name)
		text("key", k.Row.Key)
		w.Key("lines")
		w.Array(func() {
			for i := range k.Lines {
				writeChangedLine(w, k.Comparison, &k.Lines[i])
			}
		})
		w.Key("loops")
		w.Array(func() {
			for i := range k.Loops {
				writeLoop(w, k.Comparison, &k.Loops[i])
			}
		})
		w.Key("mnemonics")
		writeTallies(w, "mnemonic", k.Mnemonics)
		w.Key("peaks")
		w.Object(func() {
			all := whyPeaks(k)
			for _, r := range [...]struct {
				key  string
				file int
			}{{"agpr", 1}, {"sgpr", 2}, {"vgpr", 0}} {
				w.Key(r.key)
				w.Object(func() {
					w.Key("after")
					writePeak(w, all[r.file].after)
					w.Key("before")
					writePeak(w, all[r.file].before)
				})
			}
		})
		text("reason", WhyReason(k.Comparison))
		w.Key("refused")
		w.Object(func() {
			text("after", lacking(k.After))
			text("before", lacking(k.Before))
		})
		w.Key("spill_bound")
		w.Object(func() {
			text("after", string(k.After.SpillBound))
			text("before", string(k.Before.SpillBound))
		})
		w.Key("steps")
		w.Array(func() {
			for _, s := range k.Steps {
				writeWhyStep(w, k.Comparison, s)
			}
		})
		text("target", k.Row.After.Target.Processor)
	})
}

// lacking returns why not all is known of a side; "" if all is.
func lacking(l *pressure.Listing) string {
	return cmp.Or(l.Refused, l.VGPR.Refused, l.LoopsRefused)
}

func writeWhyStep(w *snapshot.Writer, c *why.Comparison, s why.Step) {
	before, after := c.At(s)
	w.Object(func() {
		if after > 0 {
			w.Key("after")
			w.Int(int64(after))
		}
		if before > 0 {
			w.Key("before")
			w.Int(int64(before))
		}
		w.Key("op")
		w.String(string(s.Op))
	})
}

func writeCounts(w *snapshot.Writer, n why.Counts) {
	w.Object(func() {
		for _, c := range [...]struct {
			key string
			n   int
		}{
			{"added", n.Added}, {"after", n.After}, {"before", n.Before}, {"changed", n.Changed},
			{"moved", n.Moved}, {"removed", n.Removed}, {"renamed", n.Renamed}, {"same", n.Same},
		} {
			w.Key(c.key)
			w.Int(int64(c.n))
		}
	})
}

func writeTallies(w *snapshot.Writer, name string, list []why.Tally) {
	w.Array(func() {
		for _, n := range list {
			w.Object(func() {
				w.Key("after")
				w.Int(int64(n.After))
				w.Key("before")
				w.Int(int64(n.Before))
				w.Key(name) // "class" and "mnemonic" sort behind the counts
				w.String(n.Name)
			})
		}
	})
}

// writeChange writes a count of both sides; one that is not known is null.
func writeChange(w *snapshot.Writer, key string, n why.Sides, before, after bool) {
	w.Key(key)
	w.Object(func() {
		for _, side := range [...]struct {
			key   string
			n     int
			known bool
		}{{"after", n.After, after}, {"before", n.Before, before}} {
			w.Key(side.key)
			if side.known {
				w.Int(int64(side.n))
			} else {
				w.Null()
			}
		}
	})
}

func writeChangedLine(w *snapshot.Writer, c *why.Comparison, l *why.Line) {
	// On a side without debug locations all instructions are of the row without a line,
	// and it is not known how many registers are live at a line.
	placed := func(of *pressure.Listing) bool {
		return l.Source.Line == 0 && l.Was.Line == 0 || len(of.Body) == 0 || of.Located()
	}
	oldPlaced, newPlaced := placed(c.Before), placed(c.After)
	before, after := c.Before.Refused == "" && oldPlaced, c.After.Refused == "" && newPlaced
	w.Object(func() {
		w.Key("before_line")
		w.Int(int64(l.Was.Line))
		writeChange(w, "instructions", l.Instructions, true, true)
		writeChange(w, "live_vgprs", l.Live, c.Before.VGPR.Refused == "" && oldPlaced, c.After.VGPR.Refused == "" && newPlaced)
		w.Key("source")
		writeSource(w, l.Source)
		writeChange(w, "spill_loads", l.SpillLoads, before, after)
		writeChange(w, "spill_stores", l.SpillStores, before, after)
	})
}

func writeLoop(w *snapshot.Writer, c *why.Comparison, l *why.Loop) {
	before, after := c.Before.LoopsRefused == "", c.After.LoopsRefused == ""
	w.Object(func() {
		w.Key("before_label")
		w.String(l.Was)
		w.Key("classes")
		writeTallies(w, "class", l.Classes)
		w.Key("depth")
		w.Int(int64(l.Depth))
		writeChange(w, "instructions", l.Instructions, before, after)
		w.Key("label")
		w.String(l.Label)
		w.Key("lines")
		w.Array(func() {
			from, to := l.From, l.To
			if l.Gone {
				from, to = 0, 0
			}
			w.Int(int64(from))
			w.Int(int64(to))
		})
		writeChange(w, "spills", l.Spills, before, after)
	})
}
