package trend_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/trend"
)

// side is a snapshot whose kernels have that many VGPRs.
func side(origin string, vgprs map[string]int64) *resource.Side {
	s := &resource.Side{Origin: origin, Snapshot: true}
	for key, n := range vgprs {
		_, name := resource.SplitKey(key)
		r := &resource.Record{Key: key, Name: name}
		for m := range r.Cells {
			r.Cells[m] = resource.Value(1)
		}
		r.Cells[resource.VGPR] = resource.Value(n)
		s.Records = append(s.Records, r)
	}
	slices.SortFunc(s.Records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
	return s
}

func TestOf(t *testing.T) {
	first := side("a.json", map[string]int64{"d::grows": 10, "d::stays": 5, "d::goes": 7})
	second := side("b.json", map[string]int64{"d::grows": 20, "d::stays": 5})
	third := side("c.json", map[string]int64{"d::grows": 15, "d::stays": 5, "d::comes": 9})
	third.Records[1].Cells[resource.SGPR] = resource.Unread("cut") // of grows
	tr := trend.Of([]*resource.Side{first, second, third}, nil)
	var got []string
	for i := range tr.Kernels {
		s := &tr.Kernels[i]
		line := s.Key
		for p := range tr.Points {
			if c, ok := s.Cell(p, resource.VGPR); ok {
				line += " " + c.String()
			} else {
				line += " -"
			}
		}
		if s.Moved(resource.VGPR) {
			line += " moved"
		}
		if a, b, ok := s.Ends(resource.VGPR); ok {
			line += " " + resource.Value(a).String() + ".." + resource.Value(b).String()
		}
		got = append(got, line)
	}
	want := []string{"d::comes - - 9", "d::goes 7 - -", "d::grows 10 20 15 moved 10..15", "d::stays 5 5 5 5..5"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if m := tr.Metrics(); !slices.Equal(m, []resource.Metric{resource.VGPR, resource.SGPR}) {
		t.Errorf("moved: %v", m) // sgpr is known at some points only
	}
	if len(tr.Problems) != 1 || tr.Problems[0].Code != problem.CountMissing {
		t.Errorf("%v", tr.Problems)
	}
}

// Figures of different targets are shown side by side, and it is said.
func TestRetargeted(t *testing.T) {
	var sides []*resource.Side
	for i, processor := range []string{"gfx942", "gfx950", "gfx950"} {
		s := side(string('a'+rune(i)), map[string]int64{"d::k": 10, "d::l": 10, "d::m": 10})
		for j, r := range s.Records {
			if r.Target.Processor = processor; j == 2 {
				r.Target.Processor = "gfx942"
			}
		}
		sides = append(sides, s)
	}
	want := []string{"2 kernels built for more than one target, so that a difference says nothing about a change; the first: d::k, gfx942 in a and gfx950 in b"}
	if d := cmp.Diff(want, trend.Of(sides, nil).Warnings); d != "" {
		t.Error(d)
	}
	sides[0].Records = sides[0].Records[2:] // the others begin later
	sides[2].Records[0].Target.Features = []string{"xnack+"}
	want = []string{"1 kernel built for more than one target, so that a difference says nothing about a change; the first: d::k, gfx950 in b and gfx950:xnack+ in c"}
	if d := cmp.Diff(want, trend.Of(sides, nil).Warnings); d != "" {
		t.Error(d)
	}
}

func TestLabels(t *testing.T) {
	revision := side("x/one.json", nil)
	revision.Revision = "0123456789abcdef"
	day := side("two.json", nil)
	day.Written = time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
	again := side("x/three.json", nil)
	again.Revision = revision.Revision
	var labels []string
	for _, p := range trend.Of([]*resource.Side{revision, day, side("dir/dumps/", nil), again}, nil).Points {
		labels = append(labels, p.Label)
	}
	want := []string{"0123456789ab x/one.json", "2026-11-30", "dumps", "0123456789ab x/three.json"}
	if d := cmp.Diff(want, labels); d != "" {
		t.Error(d)
	}
}

func TestNothing(t *testing.T) {
	if tr := trend.Of([]*resource.Side{side("a", nil)}, nil); len(tr.Problems) != 1 || tr.Problems[0].Code != problem.NoKernels {
		t.Errorf("%v", tr.Problems)
	}
}
