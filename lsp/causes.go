package lsp

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"isadiff/engine/live"
	"isadiff/engine/pressure"
	"isadiff/engine/regular"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/where"
)

// causes keeps what was found out about the assembly that somebody looked at:
// where live registers peak and where spill code stands. It is never on the way
// from a compile to a diagnostic.
type causes struct {
	mu    sync.Mutex
	kept  map[causeKey]*pressure.Analysis
	order []causeKey // the oldest first
}

type causeKey struct {
	path, kernel   string
	modified, size int64
}

// Bounds of what is looked at and kept.
const (
	causesKept    = 64
	causesMaxSize = 8 << 20
)

// of looks at one kernel of an assembly file; nil if there is nothing to look at,
// if it cannot be told, or if the file is not the one that r was read from.
func (c *causes) of(file string, r *resource.Record) *pressure.Analysis {
	info, err := os.Stat(file)
	if err != nil || r == nil || info.Size() > causesMaxSize {
		return nil
	}
	key := causeKey{file, r.Name, info.ModTime().UnixNano(), info.Size()}
	c.mu.Lock()
	a, known := c.kept[key]
	c.mu.Unlock()
	if known {
		return a
	}
	if data, err := regular.Read(file); err == nil {
		a = analyze(data, r)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[causeKey]*pressure.Analysis{}
	}
	if _, known := c.kept[key]; !known {
		c.order = append(c.order, key)
	}
	c.kept[key] = a
	if len(c.order) > causesKept {
		delete(c.kept, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
	return a
}

// analyze looks at one kernel; nil if what is found contradicts its counts.
func analyze(data []byte, r *resource.Record) *pressure.Analysis {
	kernels, _ := where.Analyze(data, []*resource.Record{r}, path.Dir(r.Source), r.Source, nil)
	for i := range kernels {
		k := &kernels[i]
		if k.Kernel == r.Name && k.Refused == "" && len(k.Contradictions(&r.Cells)) == 0 {
			return &k.Analysis
		}
	}
	return nil
}

// causesOf looks at both sides of a kernel, as far as their assembly is at hand.
func (v *view) causesOf(s *live.State, k *live.Kernel) (before, after *pressure.Analysis) {
	if k.File != "" && k.Live != nil {
		after = v.causes.of(k.File, k.Live)
	}
	if s.Baseline.Dir && k.Baseline != nil {
		before = v.causes.of(filepath.Join(s.Baseline.Path, filepath.FromSlash(k.Baseline.Source)), k.Baseline)
	}
	return before, after
}

// worstLines is how many lines with spill code a hover names.
const worstLines = 3

// causeText tells where the live registers peak, before and after, and which
// lines have the most spill code.
func causeText(k *live.Kernel, before, after *pressure.Analysis) (lines []string) {
	if after == nil {
		return nil
	}
	peak := ""
	if before != nil {
		peak = report.PeakChange("VGPRs", before.VGPR, after.VGPR, "→")
	}
	if peak == "" {
		peak = report.Peak(after.Allocations(&k.Live.Cells)[0])
	}
	lines = append(lines, capital(peak)+".")
	if after.SpillStores+after.SpillLoads == 0 {
		return lines
	}
	text := capital(report.Spills(after))
	var near []string
	for _, l := range report.WorstLines(after.Lines) {
		if n := l.SpillStores + l.SpillLoads; n > 0 && l.Source.Line > 0 && len(near) < worstLines {
			near = append(near, fmt.Sprintf("%s (%d)", report.Place(l.Source), n))
		}
	}
	if len(near) > 0 {
		text += ", most near " + strings.Join(near, ", ")
	}
	return append(lines, text+".")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
