package report

import (
	"bytes"

	"isadiff/engine/diff"
	"isadiff/engine/pressure"
	"isadiff/engine/snapshot"
	"isadiff/engine/where"
	"isadiff/engine/why"
)

// WhereVerdict returns the verdict of looking where registers come from, which
// is never a regression.
func WhereVerdict(r *where.Result) diff.Verdict {
	if len(r.Problems) > 0 {
		return diff.NotTrustworthy
	}
	return diff.OK
}

// whereTool is what a report on where registers come from names as its maker.
const whereTool = "isadiff where"

// WhereJSON returns where registers and spills come from, for other programs. A
// source line of 0 means that there is none.
func WhereJSON(r *where.Result) ([]byte, error) {
	var buf bytes.Buffer
	w := snapshot.NewWriter(&buf)
	verdict := WhereVerdict(r)
	w.Object(func() {
		w.KeyInt("exit_code", int64(verdict.ExitCode()))
		w.KeyArray("kernels", func() {
			for i := range r.Kernels {
				writeWhereKernel(w, &r.Kernels[i])
			}
		})
		w.KeyString("origin", r.Origin)
		w.Problems(r.Problems)
		w.KeyInt("schema", 1)
		w.KeyString("tool", whereTool)
		w.KeyString("verdict", VerdictText(verdict))
		w.KeyStrings("warnings", r.Warnings)
	})
	return buf.Bytes(), w.Err()
}

func writeWhereKernel(w *snapshot.Writer, k *where.Kernel) {
	all := allocations(k)
	known := k.Refused == ""
	number := func(key string, n int) {
		w.Key(key)
		if known {
			w.Int(int64(n))
		} else {
			w.Null()
		}
	}
	w.Object(func() {
		w.Key("agpr")
		writePeak(w, all[1])
		number("blocks", k.Blocks)
		w.KeyArray("by_line", func() {
			for i := range k.Lines {
				writeLine(w, &k.Lines[i])
			}
		})
		if k.Classes != nil {
			w.Key("classes")
			writeTalliesAlone(w, "class", k.Classes)
		}
		w.KeyString("file", k.File)
		number("instructions", k.Instructions)
		w.KeyString("kernel", k.Kernel)
		w.KeyString("key", k.Key)
		w.KeyInt("line", int64(k.Line))
		if k.Classes != nil && k.NoLoops == "" {
			w.KeyArray("loops", func() {
				for i := range k.Loops {
					writeLoopAlone(w, &k.Loops[i])
				}
			})
		}
		if k.Mnemonics != nil {
			w.Key("mnemonics")
			writeTalliesAlone(w, "mnemonic", k.Mnemonics)
		}
		w.Key("sgpr")
		writePeak(w, all[2])
		w.KeyString("spill_bound", string(k.SpillBound))
		number("spill_loads", k.SpillLoads)
		number("spill_stores", k.SpillStores)
		w.Key("vgpr")
		writePeak(w, all[0])
	})
}

func writeTalliesAlone(w *snapshot.Writer, name string, list []why.Tally) {
	w.Array(func() {
		for _, n := range list {
			w.Object(func() {
				if name < "instructions" {
					w.Key(name)
					w.String(n.Name)
				}
				w.Key("instructions")
				w.Int(int64(n.After))
				if name > "instructions" {
					w.Key(name)
					w.String(n.Name)
				}
			})
		}
	})
}

func writeLoopAlone(w *snapshot.Writer, l *why.Loop) {
	w.Object(func() {
		w.Key("classes")
		writeTalliesAlone(w, "class", l.Classes)
		w.Key("depth")
		w.Int(int64(l.Depth))
		w.Key("instructions")
		w.Int(int64(l.Instructions.After))
		w.Key("label")
		w.String(l.Label)
		w.Key("lines")
		w.Array(func() {
			w.Int(int64(l.From))
			w.Int(int64(l.To))
		})
		w.Key("spills")
		w.Int(int64(l.Spills.After))
	})
}

func writePeak(w *snapshot.Writer, p pressure.Allocation) {
	w.Object(func() {
		if p.Refused != "" {
			w.KeyString("refused", p.Refused)
			return
		}
		optional := func(key string, n int64, known bool) {
			w.Key(key)
			if known {
				w.Int(n)
			} else {
				w.Null()
			}
		}
		optional("allocated", p.Allocated, p.Known)
		w.KeyString("bound", string(p.Bound))
		optional("index", int64(p.Index), p.Peak.Peak > 0)
		optional("line", int64(p.Line), p.Peak.Peak > 0)
		w.Key("near")
		writeSource(w, p.Near)
		w.KeyInt("peak", int64(p.Peak.Peak))
		w.Key("source")
		writeSource(w, p.Source)
	})
}

func writeSource(w *snapshot.Writer, s pressure.SourceLine) {
	w.Object(func() {
		w.KeyString("file", s.File)
		w.KeyInt("line", int64(s.Line))
	})
}

func writeLine(w *snapshot.Writer, l *pressure.Line) {
	number := func(key string, n int) {
		w.KeyInt(key, int64(n))
	}
	w.Object(func() {
		number("instructions", l.Instructions)
		number("lds_direct", l.LDSDirect)
		number("lds_read", l.LDSReads)
		number("lds_write", l.LDSWrites)
		number("live_vgprs", l.VGPRs)
		number("scratch_load", l.ScratchLoads)
		number("scratch_store", l.ScratchStores)
		w.Key("source")
		writeSource(w, l.Source)
		number("spill_loads", l.SpillLoads)
		number("spill_stores", l.SpillStores)
	})
}
