package lsp

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// TestOneView holds the terminal, the lens, the diagnostic and the hover of a kernel
// against each other, whatever grew: the same changes in the same order, the same waves,
// and advice on the first of them. The lens has three of them, the waves among them, and
// the number of the others.
func TestOneView(t *testing.T) {
	root := t.TempDir()
	s := testServer(t, io.Discard)
	inTerminal := regexp.MustCompile(`(?m)^ +\*? +?(\w[\w ]*?) +(\d+) -> +(\d+)  \([+-]`)
	inLens := regexp.MustCompile(`(?:([A-Za-z ]+) )?(\d+K?)→(\d+K?)( waves)?`)
	inDiagnostic := regexp.MustCompile(`([A-Za-z_]+)? ?(\d+) → (\d+)( waves per SIMD)?`)
	lostWaves := 0
	for grown := 1; grown < 1<<len(resource.Triggers); grown++ {
		state := manyKernels(root, 1, 1)
		k := state.Kernels[0]
		before, after := new(*k.Baseline), new(*k.Baseline)
		for i, m := range resource.Triggers {
			before.Cells[m] = resource.Value(64)
			after.Cells[m] = before.Cells[m]
			if grown>>i&1 == 1 {
				after.Cells[m] = resource.Value(130)
			}
		}
		for _, r := range []*resource.Record{before, after} {
			r.Launch = resource.Launch{NextFreeVGPR: r.Cells[resource.VGPR].Value, WavefrontSize: 64, ReqdWorkgroupSize: [3]int64{64, 1, 1}}
			r.Occupancy = r.Occupy()
		}
		row := diff.RowOf(before, after)
		k.Baseline, k.Live, k.Row = before, after, &row
		state.Result = diff.Assemble(&resource.Side{Records: []*resource.Record{before}}, &resource.Side{Records: []*resource.Record{after}}, []diff.Row{row}, diff.Options{})
		v := viewOf(t, s, root, state)
		f := v.folders[0]

		short := func(name string) string {
			if m, ok := resource.ParseMetric(name); ok {
				return m.Short()
			}
			for m := range resource.Metric(resource.NumMetrics) {
				if name == m.Long() {
					return m.Short()
				}
			}
			return strings.TrimSuffix(name, " per SIMD")
		}
		var terminal, lens, diagnostic []string
		block := string(report.Block(nil, state, time.Now(), report.Project{Root: root}, report.Style{}))
		for _, m := range inTerminal.FindAllStringSubmatch(block, -1) {
			terminal = append(terminal, short(m[1])+" "+m[2]+" "+m[3])
		}
		title := lensContext{s, f.folder, state}.kernelLens(k).Title
		for _, m := range inLens.FindAllStringSubmatch(title, -1) {
			name := strings.TrimSpace(m[1])
			if m[4] != "" {
				name = "waves"
			}
			lens = append(lens, name+" "+m[2]+" "+m[3])
		}
		message := findings(f.config, []*live.Kernel{k})[0].Message
		for _, m := range inDiagnostic.FindAllStringSubmatch(message, -1) {
			name := short(m[1])
			if m[4] != "" {
				name = "waves"
			}
			diagnostic = append(diagnostic, name+" "+m[2]+" "+m[3])
		}
		lead, more := facts.Lead(facts.Of(facts.Changes(&row), facts.Worse), lensFigures)
		for i, at := 0, 0; i < len(lens); i++ { // in the terminal's order
			next := slices.Index(terminal[at:], lens[i])
			if next < 0 || len(lens) > lensFigures {
				t.Fatalf("in the terminal %q, in the lens %q", terminal, lens)
			}
			at += next + 1
		}
		waves := func(list []string) bool {
			return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "waves ") })
		}
		if len(lens) != len(lead) || len(lens)+more != len(terminal) || strings.Contains(title, " · +") != (more > 0) || more > 0 && !strings.HasSuffix(title, fmt.Sprintf(" · +%d", more)) || waves(lens) != waves(terminal) {
			t.Fatalf("%d left out: in the terminal %q, in the lens %q", more, terminal, title)
		}
		if len(terminal) == 0 || !slices.Equal(terminal, diagnostic) {
			t.Fatalf("in the terminal %q, in the lens %q, in the diagnostic %q:\n%s%s\n%s", terminal, lens, diagnostic, block, title, message)
		}
		hover := hoverText(f.config, state, []*live.Kernel{k}, false, time.Now(), func(*live.Kernel) looked { return looked{} })
		var rows []string
		for line := range strings.Lines(hover) {
			rows = append(rows, strings.Join(strings.Fields(strings.TrimPrefix(line, "*")), " "))
		}
		for i, change := range terminal {
			cut := strings.LastIndexByte(change[:strings.LastIndexByte(change, ' ')], ' ')
			name, figures := change[:cut], change[cut:]
			cause, key := "Fewer waves fit on a SIMD", "waves per SIMD"
			for _, m := range resource.Triggers {
				if m.Short() == name {
					cause, key = resource.Metrics[m].Cause, m.String()
				}
			}
			if name == "waves" {
				lostWaves++
			}
			if !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, key+figures) }) {
				t.Errorf("%s is not in the hover:\n%s", change, hover)
			}
			if i == 0 && !strings.Contains(hover, cause) {
				t.Errorf("no advice on %s in the hover:\n%s", change, hover)
			}
		}
	}
	if lostWaves < 8 {
		t.Errorf("waves were lost %d times: too few to tell where they stand", lostWaves)
	}
}
