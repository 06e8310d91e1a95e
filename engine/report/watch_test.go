package report

import (
	"encoding/json"
	"fmt"
	"slices"
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
	r := &resource.Record{Key: key, Name: name, Target: gfx.Target{Processor: "gfx942"}}
	for m := range r.Cells {
		r.Cells[m] = resource.Value(cells[resource.Metric(m)])
	}
	if waves > 0 {
		r.Launch = resource.Launch{NextFreeVGPR: max(1, cells[resource.VGPR]), WavefrontSize: 64, MaxFlatWorkgroupSize: 256}
		if r.Occupancy = r.Occupy(); r.Occupancy.Launch != waves {
			panic(fmt.Sprintf("%s: %d waves, not %d", key, r.Occupancy.Launch, waves))
		}
	}
	return r
}

// a kernel as live makes one.
func standing(status live.Status, before, after *resource.Record) *live.Kernel {
	row := diff.RowOf(before, after)
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

// unbaselined makes the State of kernels that nothing is compared with.
func unbaselined(kernels ...*live.Kernel) *live.State {
	return &live.State{Ready: true, Kernels: kernels, Live: &resource.Side{Origin: "dumps"}}
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

	large := figuresOf("a::plain", 0, map[resource.Metric]int64{resource.VGPR: 12, resource.LDSStaticBytes: 65540})
	large.Occupancy = large.Occupy()
	refused := standing(live.Worse, plain, large)

	excused := *spilled
	row := *spilled.Row
	row.Accepted = []diff.Acceptance{{Metric: resource.VGPR, Value: 127, Reason: "wanted", Where: "accepted.toml:2"}}
	excused.Row = &row
	limited := *same
	limited.Broken = []diff.Breach{{Budget: "vgpr <= 4", Figure: 12, Where: "isadiff.toml:3"}}
	blocked := *same
	blocked.Status = live.Untrustworthy
	blocked.Problems = []problem.Problem{problem.New(problem.MetadataCut, "x.s: cut").Mended("do this very thing")}
	var dozen []*live.Kernel
	for i := range 12 {
		dozen = append(dozen, &live.Kernel{Key: fmt.Sprintf("k%x::k", i), Status: live.NoBaseline, Live: plain})
	}
	many := unbaselined(dozen...)
	fresh := func(key, source string) *live.Kernel {
		r := figuresOf(key, 8, nil)
		r.Source = source
		return &live.Kernel{Key: key, Status: live.NoBaseline, Live: r}
	}
	const hip = "k-hip-amdgcn-amd-amdhsa-gfx942.s"
	overloads := []*live.Kernel{fresh("k::_Z4copyPfPKf", hip), fresh("k::_Z4copyPiPKi", hip)}
	spellings := []*live.Kernel{fresh("k::e\u0301", ""), fresh("k::\u00e9", "")}
	limitedTo := state(same)
	limitedTo.Result.Kernels = "plain*"
	polled := *unbaselined()
	polled.Dumps.Polling, polled.Dumps.Reason = true, "it was asked for"

	tests := []struct {
		name        string
		before, now *live.State
		want        string
	}{
		{"the first shows what changed and what is wrong", nil, first, `
12:04:31  w/window_filter_0::window_filter_0  kernels/window_filter.py:19  gfx942
            * vgpr_spill       0 -> 136  (+136)
            * scratch_bytes    0 -> 276  (+276)
              waves per SIMD   5 ->   4  (-1)
            * vgpr            88 -> 127  (+39)
          compared 2 of 3 kernels, 1 pending; 3 figures of 1 kernel worsened
          pending: of the baseline, and not compiled yet; compile the rest, or limit with --kernels
          RESULT: NOT TRUSTWORTHY
`},
		{"nothing new", first, first, ""},
		{"a compile that begins", state(same, spilled), state(&compiling, spilled), ""},
		{"an edit alone", state(same, spilled), state(&moved, spilled), ""},
		{"compiled again with the same instructions", state(spilled), state(same, spilled), `
12:04:31  a::plain  gfx942
            = same instructions: vgpr 12, no spill, LDS 0, 8 waves
          compared 2 of 2 kernels; 3 figures of 1 kernel worsened
          RESULT: REGRESSION
`},
		{"cannot be launched any more", state(same), state(refused), `
12:04:31  a::plain  gfx942
            cannot be launched: 65540 bytes of LDS, and a workgroup on gfx942 has 65536 at most
            * lds_static_bytes  0 -> 65540  (+65540)
          compared 1 of 1 kernel; 1 figure of 1 kernel worsened
          cannot be launched any more: 1 kernel
          RESULT: REGRESSION
`},
		{"cannot be launched, and nothing to compare it with", nil, unbaselined(&live.Kernel{Key: "a::plain", Status: live.NoBaseline, Live: large}), `
12:04:31  a::plain  gfx942
            cannot be launched: 65540 bytes of LDS, and a workgroup on gfx942 has 65536 at most
            vgpr 12, no spill, LDS 65540
          1 kernel; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"vanished", state(same), state(gone), `
12:04:31  a::plain  gfx942
            [only-in-before] ONLY IN BEFORE
            hint: run the same tests on both sides
            probably renamed to a::other
          compared 0 of 1 kernel; none worsened or improved
          RESULT: NOT TRUSTWORTHY
`},
		{"one that is in neither side any more", first, state(spilled, pending), `
12:04:31  gone: a::plain
          compared 1 of 2 kernels, 1 pending; 3 figures of 1 kernel worsened
          RESULT: NOT TRUSTWORTHY
`},
		{"many that are gone", many, unbaselined(), `
12:04:31  gone: k0::k, k1::k, k2::k, k3::k, k4::k, k5::k, k6::k, k7::k and 4 more
          0 kernels; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"accepted", state(spilled), state(&excused), `
12:04:31  w/window_filter_0::window_filter_0  kernels/window_filter.py:19  gfx942
            * vgpr_spill       0 -> 136  (+136)
            * scratch_bytes    0 -> 276  (+276)
              waves per SIMD   5 ->   4  (-1)
            * vgpr            88 -> 127  (+39)
            accepted: vgpr up to 127 (accepted.toml:2): wanted
          compared 1 of 1 kernel; 3 figures of 1 kernel worsened
          RESULT: REGRESSION
`},
		{"a budget", state(same), state(&limited), `
12:04:31  a::plain  gfx942
            = same instructions: vgpr 12, no spill, LDS 0, 8 waves
            budget: vgpr <= 4 is broken: 12 (isadiff.toml:3)
          compared 1 of 1 kernel; none worsened or improved
          RESULT: OK
`},
		{"a problem that is mended in its own way", nil, state(&blocked), `
12:04:31  a::plain  gfx942
            [metadata-cut] x.s: cut
            hint: do this very thing
          compared 1 of 1 kernel; none worsened or improved
          RESULT: OK
`},
		{"overloads", nil, unbaselined(overloads...), `
12:04:31  2 kernels; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"compiled overloads", unbaselined(), unbaselined(overloads...), `
12:04:31  k::_Z4copyPfPKf  gfx942
            vgpr 0, no spill, LDS 0, 8 waves
          k::_Z4copyPiPKi  gfx942
            vgpr 0, no spill, LDS 0, 8 waves
          2 kernels; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"one of two overloads", unbaselined(overloads[0]), unbaselined(overloads...), `
12:04:31  k::_Z4copyPiPKi  gfx942
            vgpr 0, no spill, LDS 0, 8 waves
          2 kernels; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"spellings", unbaselined(), unbaselined(spellings...), `
12:04:31  k::e\u0301  gfx942
            vgpr 0, no spill, LDS 0, 8 waves
          k::\u00e9  gfx942
            vgpr 0, no spill, LDS 0, 8 waves
          2 kernels; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"limited", nil, limitedTo, `
12:04:31  compared 1 of 1 kernel; none worsened or improved
          limited to kernels that match "plain*"
          RESULT: OK
`},
		{"polling", unbaselined(), &polled, `
12:04:31  polling: it was asked for
          0 kernels; there is no baseline yet: ` + "`isadiff snapshot it`" + ` takes one
          RESULT: OK
`},
		{"still polling", &polled, &polled, ""},
		{"a file without kernels that cannot be read", nil, cut, `
12:04:31  [metadata-cut] k/22_final_isa.s: cut short
            hint: compile again into a fresh dump directory
          compared 0 of 0 kernels; none worsened or improved
          RESULT: NOT TRUSTWORTHY
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(Block(tt.before, tt.now, noon, Project{Root: "/p", Snapshot: "isadiff snapshot it"}, Style{}))
			if want := strings.TrimPrefix(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A block of many kernels, each of which has a problem and a warning, says each once.
func TestBlockOfManyProblems(t *testing.T) {
	const n = 20000
	before := unbaselined()
	for i := range n {
		key := fmt.Sprintf("%05d::k", i)
		k := standing(live.Untrustworthy, nil, figuresOf(key, 8, nil))
		k.Problems = []problem.Problem{problem.New(problem.Overwritten, "%s: overwritten", key).In("k/22_final_isa.s").Of(key)}
		before.Kernels = append(before.Kernels, k)
		before.Problems = append(before.Problems, k.Problems[0], problem.New(problem.MetadataCut, "%d: cut short", i).In(fmt.Sprint(i)))
		before.Warnings = append(before.Warnings, key+" is odd")
	}
	now := *before
	now.Kernels = slices.Clone(before.Kernels)
	if block := Block(before, &now, noon, Project{}, Style{}); block != nil {
		t.Errorf("a block of %d bytes where nothing is new", len(block))
	}
	if block := Block(nil, &now, noon, Project{}, Style{}); strings.Count(string(block), ": cut short\n") != n || strings.Count(string(block), ": overwritten") > n {
		t.Error("the first block does not tell each problem once")
	}
}

// What got worse stays next to the verdict, however many kernels were compiled with it.
func TestBlockOfManyUnchanged(t *testing.T) {
	spilled := standing(live.Worse, figuresOf("w::worse", 8, nil), figuresOf("w::worse", 8, map[resource.Metric]int64{resource.VGPRSpill: 2}))
	kernels := []*live.Kernel{spilled}
	for i := range 12 {
		r := figuresOf(fmt.Sprintf("%02d::same", i), 8, nil)
		k := standing(live.Unchanged, r, r)
		k.Identical = i > 1
		if i == 11 {
			k.Problems = []problem.Problem{problem.New(problem.Overwritten, "%s: overwritten", k.Key).Of(k.Key)}
		}
		kernels = append(kernels, k)
	}
	got := string(Block(state(), state(kernels...), noon, Project{}, Style{}))
	want := `12:04:31  w::worse  gfx942
            * vgpr_spill  0 -> 2  (+2)
          11::same  gfx942
            = same instructions: vgpr 0, no spill, LDS 0, 8 waves
            [overwritten] overwritten
            hint: ` + problem.New(problem.Overwritten, "").Mend() + `
          = same instructions in 9 kernels
          figures unchanged in 2 kernels
          compared 13 of 13 kernels; 1 figure of 1 kernel worsened
          RESULT: REGRESSION
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBaselineTaken(t *testing.T) {
	edited := &live.State{Edited: 2}
	for _, c := range []struct {
		now  *live.State
		lost []string
		err  error
		want string
	}{
		{&live.State{}, nil, nil, "3 kernels in b.json"},
		{edited, nil, nil, "3 kernels in b.json; 2 kernels edited since the compile: the figures are those of the code before the last save"},
		{edited, []string{"k"}, nil, "3 kernels in b.json; 1 kernel of the old baseline had not been compiled and left it; 2 kernels edited since the compile: the figures are those of the code before the last save"},
		{edited, nil, live.ErrNoKernel, "no baseline taken: no such kernel in the dumps"},
	} {
		if got := BaselineTaken(Project{}, live.Written{Path: "b.json", Kernels: 3, Lost: c.lost}, c.now, c.err); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestStatusLine(t *testing.T) {
	s := state(standing(live.Pending, figuresOf("z::pending", 8, nil), nil))
	s.Dumps.Polling, s.Dumps.Reason = true, "it was asked for"
	for width, want := range map[int]string{
		0:   "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; none worsened or improved; polling: it was asked for  [q]uit [r]e-read [p]ause [b]aseline [n]ewest [c]lear [?]",
		130: "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; none worsened or improved; polling: it was asked for  [q]uit [?]",
		120: "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; none worsened or improved; polling: it was asked for  [?]",
		114: "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; none worsened or improved; polling: it was asked for",
		80:  "PAUSED  NOT TRUSTWORTHY  compared 0 of 1 kernel, 1 pending; none worsened or...",
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

	compiled := figuresOf("z::compiled", 8, nil)
	edited := state(standing(live.Edited, compiled, compiled))
	edited.Edited = 1
	if got, want := StatusLine(edited, false, Style{Width: 80}), "compared 1 of 1 kernel, 1 edited since; none worsened or improved"; !strings.Contains(got, want) {
		t.Errorf("edited: got %q, want %q", got, want)
	}
}

// Without a baseline there are no rows to say why it is a regression.
func TestWatchJSONTellsWhatBreaksBudgets(t *testing.T) {
	k := &live.Kernel{Key: "a::k", Status: live.NoBaseline, Live: figuresOf("a::k", 8, nil), Broken: []diff.Breach{{Budget: "vgpr <= 4", Figure: 12, Where: "isadiff.toml:3"}}}
	line, err := WatchJSON(nil, unbaselined(k), noon)
	if want := `"broken_budgets":[{"budget":"vgpr <= 4","figure":12,"where":"isadiff.toml:3"}]`; err != nil || !strings.Contains(string(line), want) {
		t.Errorf("%v, no %s in %s", err, want, line)
	}
}

// Who follows the lines knows which kernels there are.
func TestWatchJSONTellsWhatIsGone(t *testing.T) {
	kernel := func(key string) *live.Kernel {
		return &live.Kernel{Key: key, Status: live.NoBaseline, Live: figuresOf(key, 8, nil)}
	}
	a, b, c := kernel("a::k"), kernel("b::k"), kernel("c::k")
	states := []*live.State{unbaselined(a, b), unbaselined(b), unbaselined(b, c), unbaselined(kernel("b::k"))}
	known := map[string]bool{}
	var before *live.State
	for i, s := range states {
		line, err := WatchJSON(before, s, noon)
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Kernels []struct {
				Kernel string
				Record struct{ Metrics map[string]any }
			}
			Gone []string `json:"gone_kernels"`
		}
		if err := json.Unmarshal(line, &told); err != nil || told.Gone == nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, k := range told.Gone {
			delete(known, k)
		}
		for _, k := range told.Kernels {
			known[k.Kernel] = true
			if len(k.Record.Metrics) != resource.NumMetrics {
				t.Errorf("line %d has no figures of %s", i, k.Kernel)
			}
		}
		for _, k := range s.Kernels {
			if !known[k.Key] {
				t.Errorf("line %d does not tell of %s", i, k.Key)
			}
		}
		if len(known) != len(s.Kernels) {
			t.Errorf("after line %d %v are known; there are %d kernels", i, known, len(s.Kernels))
		}
		if i == 3 && !slices.Equal(told.Gone, []string{"c::k"}) {
			t.Errorf("gone: %v", told.Gone)
		}
		before = s
	}
}
