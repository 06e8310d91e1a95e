package lsp

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"isadiff/engine/facts"
	"isadiff/engine/gate"
	"isadiff/engine/gfx"
	"isadiff/engine/occupancy"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// TestOneFigureOfWaves holds the lens, the hover and the terminal against each
// other: the same waves and the same next step of every processor, at every size of
// workgroups and register count of the sweep.
func TestOneFigureOfWaves(t *testing.T) {
	var records []*resource.Record
	for _, p := range gfx.Processors() {
		for _, lanes := range []int64{32, 64} {
			if _, ok := p.Waves.File(lanes); !ok {
				continue
			}
			for _, threads := range []int64{64, 256, 320, 512, 1024} {
				for vgprs := int64(8); vgprs <= int64(p.Waves.Addressable); vgprs += 24 {
					for _, lds := range []int64{0, 12 << 10, 40 << 10, 128 << 10} {
						r := &resource.Record{Name: "k"}
						r.Key = fmt.Sprintf("%s/%d/%d/%d/%d::k", p.Name, lanes, threads, vgprs, lds)
						r.Target.Processor = p.Name
						for m := range r.Cells {
							r.Cells[m] = resource.Value(0)
						}
						r.Cells[resource.VGPR], r.Cells[resource.SGPR], r.Cells[resource.LDSStaticBytes] = resource.Value(vgprs), resource.Value(70), resource.Value(lds)
						r.Launch = resource.Launch{NextFreeVGPR: vgprs, WavefrontSize: lanes, MaxFlatWorkgroupSize: threads}
						if vgprs%48 == 8 {
							r.Launch.ReqdWorkgroupSize = [3]int64{threads, 1, 1}
						}
						r.Occupancy = r.Occupy()
						records = append(records, r)
					}
				}
			}
		}
	}
	terminal := map[string]string{}
	text := string(report.Summary(&resource.Side{Records: records}, gate.Standing{}, report.Options{Occupancy: true}))
	_, table, _ := strings.Cut(text, "next step down")
	for line := range strings.Lines(table) {
		key, cells, _ := strings.Cut(line, " ")
		terminal[key] = strings.TrimSpace(cells)
	}
	wave := regexp.MustCompile(`(\d+) waves?$`)
	for _, r := range records {
		n, known := occupancy.Waves(r)
		if r.Occupancy.Unlaunchable == "" && r.Target.Processor == "gfx9-4-generic" && r.Cells[resource.LDSStaticBytes].Value > 64<<10 {
			if known || figures(r, true) != "vgpr "+r.Cells[resource.VGPR].String()+" · no spill · LDS 128K" {
				t.Errorf("%s: %d waves, although it depends on the processor: %q", r.Key, n, figures(r, true))
			}
			continue
		}
		if !known {
			t.Fatalf("%s: not known", r.Key)
		}
		want := fmt.Sprint(n)
		inTerminal, _, _ := strings.Cut(terminal[r.Key], " ")
		inHover, _, _, _ := waveCells(nil, r, false)
		inLens := "0"
		if m := wave.FindStringSubmatch(figures(r, true)); m != nil {
			inLens = m[1]
		}
		if inTerminal != want || inHover != want || inLens != want {
			t.Errorf("%s: %q in the terminal, %q in the hover, %q in the lens; want %s", r.Key, inTerminal, inHover, inLens, want)
		}
		s := occupancy.Of(r)
		if s.Up == nil {
			if step := facts.NextStep(r); step != "" {
				t.Errorf("%s: the hover has the step %q, and there is none", r.Key, step)
			}
		} else if step := facts.NextStep(r); !strings.Contains(terminal[r.Key], s.Up.String()) || !strings.HasSuffix(step, fmt.Sprintf("too many for %d waves per SIMD.", s.Up.Waves)) || s.Up.Waves <= n {
			t.Errorf("%s: the step %q in the hover, %q in the terminal; want %v", r.Key, step, terminal[r.Key], s.Up)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}
