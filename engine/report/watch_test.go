package report

import (
	"strings"
	"testing"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
	"isadiff/engine/resource"
)

var noon = time.Date(2026, 11, 30, 12, 4, 31, 0, time.UTC)

// figuresOf makes a record with some cells; the others are 0.
func figuresOf(key string, waves int, cells map[resource.Metric]int64) *resource.Record {
	_, name := resource.SplitKey(key)
	r := &resource.Record{Key: key, Name: name, Target: gfx.Target{Processor: "gfx942"}, Occupancy: gfx.Occupancy{Launch: waves, LLVM: waves}}
	for m := range r.Cells {
		r.Cells[m] = resource.Value(cells[resource.Metric(m)])
	}
	return r
}

// a kernel as live makes one.
func standing(status live.Status, before, after *resource.Record) *live.Kernel {
	row := diff.Pair(before, after)
	k := &live.Kernel{Key: row.Key, Row: &row, Live: after, Baseline: before, Status: status, Problems: row.Blocked}
	if after != nil {
		k.File, k.Dumped = "/p/dumps/"+row.Key, noon
	}
	return k
}

// state makes the State of kernels, with the comparison that they are rows of.
func state(kernels ...*live.Kernel) *live.State {
	s := &live.State{Ready: true, Kernels: kernels, Live: &resource.Side{Origin: "dumps"}, Baseline: live.Baseline{Exists: true}}
	before := &resource.Side{Origin: "baseline.json"}
	var rows []diff.Row
	for _, k := range kernels {
		if k.Baseline != nil {
			before.Records = append(before.Records, k.Baseline)
		}
		if k.Live != nil {
			s.Live.Records = append(s.Live.Records, k.Live)
		}
		rows = append(rows, *k.Row)
		switch k.Status {
		case live.Pending:
			s.Pending++
		case live.Compiling:
			s.Compiling++
		}
	}
	s.Result = diff.Assemble(before, s.Live, rows, diff.Options{})
	s.Problems, s.Verdict = s.Result.Problems, s.Result.Verdict
	return s
}

func TestBlock(t *testing.T) {
	spilled := standing(live.Worse,
		figuresOf("w/window_filter_0::window_filter_0", 5, map[resource.Metric]int64{resource.VGPR: 88, resource.ArchVGPR: 88, resource.SGPR: 18}),
		figuresOf("w/window_filter_0::window_filter_0", 4, map[resource.Metric]int64{resource.VGPR: 127, resource.ArchVGPR: 127, resource.SGPR: 18, resource.VGPRSpill: 136, resource.ScratchBytes: 276}))
	spilled.Place = locate.Place{Match: locate.Exact, Candidates: []locate.Candidate{{
		Path: "/p/kernels/window_filter.py", Definition: pysource.Definition{Ident: pysource.Range{Start: pysource.Position{Line: 18}}},
	}}}
	plain := figuresOf("a::plain", 8, map[resource.Metric]int64{resource.VGPR: 12})
	same := standing(live.Unchanged, plain, plain)
	same.Identical = true
	pending := standing(live.Pending, figuresOf("z::pending", 8, nil), nil)
	compiling := *same
	compiling.Status = live.Compiling
	moved := *same
	moved.Stale = true
	gone := standing(live.OneSided, plain, nil)
	gone.RenamedTo = "a::other"
	first := state(same, spilled, pending)
	cut := state()
	cut.Problems = []problem.Problem{problem.New(problem.MetadataCut, "k/22_final_isa.s: cut short").In("k/22_final_isa.s")}

	tests := []struct {
		name        string
		before, now *live.State
		want        string
	}{
		{"the first shows what changed and what is wrong", nil, first, `
12:04:31  w/window_filter_0::window_filter_0  kernels/window_filter.py:19  gfx942
            * vgpr_spill       0 -> 136  (+136)
            * scratch_bytes    0 -> 276  (+276)
            * vgpr            88 -> 127  (+39)
              waves per SIMD   5 ->   4  (-1)
          compared 2 of 3 kernels, 1 pending; worsened: 3; improved: 0
          RESULT: NOT TRUSTWORTHY
`},
		{"nothing new", first, first, ""},
		{"a compile that begins", state(same, spilled), state(&compiling, spilled), ""},
		{"an edit alone", state(same, spilled), state(&moved, spilled), ""},
		{"compiled again with the same instructions", state(spilled), state(same, spilled), `
12:04:31  a::plain  gfx942
            = same instructions: vgpr 12, no spill, LDS 0, 8 waves
          compared 2 of 2 kernels; worsened: 3; improved: 0
          RESULT: REGRESSION
`},
		{"vanished", state(same), state(gone), `
12:04:31  a::plain  gfx942
            [only-in-before] ONLY IN BEFORE
            hint: run the same tests on both sides
            probably renamed to a::other
          compared 0 of 1 kernel; worsened: 0; improved: 0
          RESULT: NOT TRUSTWORTHY
`},
		{"a file without kernels that cannot be read", nil, cut, `
12:04:31  [metadata-cut] k/22_final_isa.s: cut short
            hint: compile again into a fresh dump directory
          compared 0 of 0 kernels; worsened: 0; improved: 0
          RESULT: NOT TRUSTWORTHY
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(Block(tt.before, tt.now, noon, "/p", Style{}))
			if want := strings.TrimPrefix(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestStatusLine(t *testing.T) {
	s := state(standing(live.Pending, figuresOf("z::pending", 8, nil), nil))
	s.Dumps.Polling, s.Dumps.Reason = true, "it was asked for"
	for width, want := range map[int]string{
		0:   "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; worsened: 0; improved: 0; polling: it was asked for  [q]uit [r]e-read [p]ause [b]aseline [c]lear [?]",
		130: "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; worsened: 0; improved: 0; polling: it was asked for  [q]uit [?]",
		120: "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; worsened: 0; improved: 0; polling: it was asked for  [?]",
		114: "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; worsened: 0; improved: 0; polling: it was asked for",
		80:  "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; worsened: 0; imp...",
		30:  "PAUSED  NOT TRUSTWORTHY  c...",
		1:   "",
	} {
		if got := StatusLine(s, true, Style{Width: width}); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
	if got := StatusLine(&live.State{}, false, Style{Width: 80}); !strings.HasPrefix(got, "reading ...") {
		t.Errorf("before anything was read: %q", got)
	}
}
