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
		w.Key("exit_code")
		w.Int(int64(verdict.ExitCode()))
		w.Key("kernels")
		w.Array(func() {
			for i := range r.Kernels {
				writeWhereKernel(w, &r.Kernels[i])
			}
		})
		w.Key("origin")
		w.String(r.Origin)
		w.Problems(r.Problems)
		w.Key("schema")
		w.Int(1)
		w.Key("tool")
		w.String(whereTool)
		w.Key("verdict")
		w.String(VerdictText(verdict))
		w.Key("warnings")
		w.Strings(r.Warnings)
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
		w.Key("by_line")
		w.Array(func() {
			for i := range k.Lines {
				writeLine(w, &k.Lines[i])
			}
		})
		if k.Classes != nil {
			w.Key("classes")
			writeTalliesAlone(w, "class", k.Classes)
		}
		w.Key("file")
		w.String(k.File)
		number("instructions", k.Instructions)
		w.Key("kernel")
		w.String(k.Kernel)
		w.Key("key")
		w.String(k.Key)
		w.Key("line")
		w.Int(int64(k.Line))
		if k.Classes != nil && k.NoLoops == "" {
			w.Key("loops")
			w.Array(func() {
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
		w.Key("spill_bound")
		w.String(string(k.SpillBound))
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
			w.Key("refused")
			w.String(p.Refused)
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
		w.Key("bound")
		w.String(string(p.Bound))
		optional("index", int64(p.Index), p.Peak.Peak > 0)
		optional("line", int64(p.Line), p.Peak.Peak > 0)
		w.Key("near")
		writeSource(w, p.Near)
		w.Key("peak")
		w.Int(int64(p.Peak.Peak))
		w.Key("source")
		writeSource(w, p.Source)
	})
}

func writeSource(w *snapshot.Writer, s pressure.Source) {
	w.Object(func() {
		w.Key("file")
		w.String(s.File)
		w.Key("line")
		w.Int(int64(s.Line))
	})
}

func writeLine(w *snapshot.Writer, l *pressure.Line) {
	number := func(key string, n int) {
		w.Key(key)
		w.Int(int64(n))
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
